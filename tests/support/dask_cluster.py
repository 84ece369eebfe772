# SPDX-License-Identifier: Apache-2.0
"""A Dask scheduler and workers as processes of their own, over TCP on loopback; each is ended by its process id."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from children import environment, wait_until
from takt.support.provision import ROOT

START_S = 60


@dataclass(frozen=True)
class Cluster:
    """`workers`: those that were started."""

    address: str
    workers: tuple[subprocess.Popen[bytes], ...]


def _start(folder: Path, name: str, *words: str, path: str = str(ROOT / "tools")) -> subprocess.Popen[bytes]:
    with (folder / f"{name}.log").open("wb") as log:
        command = [sys.executable, "-m", "dask", *words, "--no-dashboard", "--host", "127.0.0.1"]
        return subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env={**environment(), "PYTHONPATH": path})


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
    process.wait()


def _written(file: Path) -> bool:
    """Whether the scheduler has written its file: to its last brace."""
    return file.exists() and file.read_text(encoding="utf-8").rstrip().endswith("}")


@contextmanager
def running(folder: Path, workers: int, path: str = str(ROOT / "tools")) -> Iterator[Cluster]:
    """All of them up: the scheduler, which takes a free port, and its workers. `path`: the workers' PYTHONPATH."""
    from distributed import Client

    file = folder / "scheduler.json"
    started = [_start(folder, "scheduler", "scheduler", "--port", "0", "--scheduler-file", str(file))]
    try:
        wait_until(lambda: _written(file) or started[0].poll() is not None, START_S, "the scheduler")
        assert started[0].poll() is None, (folder / "scheduler.log").read_text()
        address = json.loads(file.read_text(encoding="utf-8"))["address"]
        options = ("--no-nanny", "--nthreads", "1", "--local-directory", str(folder))
        for number in range(workers):
            started.append(_start(folder, f"worker{number}", "worker", address, *options, path=path))
        with Client(address, timeout=START_S, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=START_S)
        yield Cluster(address, tuple(started[1:]))
    finally:
        for process in reversed(started):
            _end(process)
