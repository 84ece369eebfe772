# SPDX-License-Identifier: Apache-2.0
"""The program that runs random systems and tells what the kernel knows between the records of its trace."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from kernel_sources import host_sources
from takt.support.provision import ROOT

WRAPPED = (
    *("takt_port_unlock", "takt_port_leave", "takt_port_switch", "takti_switch_pended"),
    *("takt_mutex_init", "takt_ceiling_init"),
)


@pytest.fixture(scope="session")
def witness(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """witness(kind): the program for a kind of scheduler."""
    built: dict[str, Path] = {}

    def build(kind: str) -> Path:
        if kind not in built:
            built[kind] = tmp_path_factory.mktemp(kind) / "witness"
            # of the model only what drives the kernel
            rooms = ("analysis/src", "kernel/test/model", "kernel/test/model/drive")
            sources = [
                path for room in rooms for path in sorted((ROOT / room).glob("*.c")) if path.name != "model_test.c"
            ]
            sources += host_sources()
            folders = ["kernel/include", "kernel/config/preset/standard", f"kernel/config/sched/{kind}", "ports/host"]
            includes = [f"-I{ROOT / folder}" for folder in (".", *folders, "analysis/include")]
            command = [os.environ.get("CC", "cc"), "-std=gnu11", "-O1", "-DTAKT_LEVELS=32", *includes]
            command += [f"-Wl,--wrap={name}" for name in WRAPPED]
            command += [str(path) for path in (ROOT / "tests/trace/witness.c", *sources)]
            subprocess.run([*command, "-o", str(built[kind])], check=True)
        return built[kind]

    return build
