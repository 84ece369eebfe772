# SPDX-License-Identifier: Apache-2.0
"""A sweep on a Dask cluster that loses a worker and then its client comes to the rows of one process."""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from children import environment, takt_command, wait_until
from command_line import Takt
from dask_cluster import running
from running import only_full
from takt.support import compile, provision
from takt.sweep import workers

STUDY = """
generator = "seed000"
n = [4, 6]
sets = 30
breakdown = true
divisors = [1, 2, 3, 4]
schedulers = ["rm", "edf", "csd2"]
overheads = ["mps2-an385"]
"""
CHUNKS = 24
RUN_S = 120


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "rows.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def without_worker(found: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{name: value for name, value in row.items() if name != "worker"} for row in found]


def sweep(study: Path, folder: Path, *options: str) -> subprocess.Popen[bytes]:
    command = takt_command("sweep", study, "--out", folder, "--no-plots", "--json", *options)
    return subprocess.Popen(command, stdout=subprocess.PIPE, env=environment())


@only_full
def test_it_survives_the_loss_of_a_worker_and_of_its_client(tmp_path: Path, takt: Takt) -> None:
    provision.require_python("cluster")
    compile.host_library()
    seed = random.randrange(1_000_000)
    print(f"seed {seed}", file=sys.stderr)
    chance = random.Random(seed)
    first = chance.uniform(0.2, 0.8)  # of the progress: then a worker is killed
    second = chance.uniform(first, max(first, 0.82))  # then the client
    study, folder, alone = tmp_path / "study.toml", tmp_path / "results", tmp_path / "alone"
    study.write_text(STUDY, encoding="utf-8")

    def finished() -> float:
        return len(list((folder / "chunks").glob("[0-9]*.json"))) / CHUNKS

    with running(tmp_path, 2) as cluster:
        with sweep(study, folder, "--cluster", cluster.address) as client:
            wait_until(lambda: finished() >= first or client.poll() is not None, RUN_S, "the first part")
            cluster.workers[0].kill()
            assert 0.2 <= finished() < 0.9
            wait_until(lambda: finished() >= second or client.poll() is not None, RUN_S, "the second part")
            assert client.poll() is None
            client.kill()
        kept = finished()
        assert second <= kept < 1
        assert not (folder / "rows.csv").exists()
        with sweep(study, folder, "--cluster", cluster.address) as client:
            out, _ = client.communicate(timeout=RUN_S)
        assert client.returncode == 0
    said = json.loads(out)
    assert said["computed"] == round((1 - kept) * CHUNKS) * 10 * 3
    assert len(said["workers"]) == 2
    assert all(worker.startswith("tcp://127.0.0.1:") for worker in said["workers"])

    one = takt("sweep", study, "--out", alone, "--jobs", "1", "--no-plots", "--json")
    assert one.code == 0, one.err
    assert len(json.loads(one.out)["workers"]) == 1
    assert without_worker(rows(folder)) == without_worker(rows(alone)), f"seed {seed}"
    assert len(rows(folder)) == said["rows"] == 2 * 30 * 4 * 3


@only_full
def test_a_worker_without_takt_is_named(tmp_path: Path, takt: Takt) -> None:
    provision.require_python("cluster")
    study = tmp_path / "study.toml"
    study.write_text(STUDY, encoding="utf-8")
    with running(tmp_path, 1, path="") as cluster:
        said = takt("sweep", study, "--cluster", cluster.address)
    assert said.code == 2
    assert "tcp://127.0.0.1:" in said.err
    assert " cannot import takt\n  try: start `dask worker` with PYTHONPATH=tools" in said.err


def test_a_scheduler_that_is_not_there(tmp_path: Path, takt: Takt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "CONNECT_S", 1)
    study = tmp_path / "study.toml"
    study.write_text(STUDY, encoding="utf-8")
    said = takt("sweep", study, "--cluster", "tcp://127.0.0.1:1")
    assert said.code == 2
    assert "no Dask scheduler at tcp://127.0.0.1:1" in said.err
    assert takt("sweep", study, "--cluster", "nonsense://x").code == 2
