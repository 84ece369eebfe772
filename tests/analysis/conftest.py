# SPDX-License-Identifier: Apache-2.0
"""Builds the analysis from the sources beside these tests, so that a changed source is what is tested."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from kernel_sources import host_sources
from takt.prove import analysis

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
GENERATOR = ("recipe.c", "generate.c")
SANITIZED = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def _compile(output: Path, sources: list[Path], *flags: str) -> Path:
    """Compile and link; flags of the environment come last. CalledProcessError if that fails."""
    compiler, last = os.environ.get("CC", "cc"), os.environ.get("CFLAGS", "").split()
    includes = ("-I", str(ROOT), "-I", str(ROOT / "analysis/include"))
    names = [str(source) for source in sources]
    command = [compiler, "-std=c11", "-Wall", "-Wextra", *includes, *flags, *last, *names, "-o", str(output)]
    subprocess.run(command, check=True)
    return output


@pytest.fixture(scope="session")
def compile_c() -> Callable[..., Path]:
    """compile_c(output, sources, *flags): compile and link C files of the project; returns output."""
    return _compile


def analysis_sources() -> list[Path]:
    return sorted((ROOT / "analysis/src").rglob("*.c"))


@pytest.fixture(scope="session")
def sanitizers() -> tuple[str, ...]:
    """Compiler flags of the address and undefined-behaviour sanitizers."""
    return SANITIZED


@pytest.fixture(scope="session", autouse=True)
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    output = tmp_path_factory.mktemp("analysis") / "libtakt_analysis.so"
    return analysis.load(_compile(output, analysis_sources(), "-O2", "-fPIC", "-shared"))


KERNEL = ("kernel/include", "kernel/config/preset/lean", "kernel/config/sched/bands", "ports/host")
"""Rooms whose headers make the kernel of kernel_player.c."""


def _campaign(directory: Path, *flags: str) -> Path:
    ours = [HERE / name for name in ("campaign.c", *GENERATOR, "simulator.c")]
    return _compile(directory / "campaign", ours + analysis_sources(), *flags)


@pytest.fixture(scope="session")
def wild(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that asks the analysis about absurd systems, under the sanitizers."""
    ours = [HERE / name for name in ("wild.c", *GENERATOR)]
    return _compile(tmp_path_factory.mktemp("wild") / "wild", ours + analysis_sources(), *SANITIZED)


@pytest.fixture(scope="session")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kernel on the host port as a simulator, in one object file."""
    sources = [path for path in host_sources() if path.name != "admission.c"]
    includes = [f"-I{ROOT / room}" for room in KERNEL]
    flags = ("-std=gnu11", "-O1", "-r", "-DTAKT_LEVELS=32", "-DTAKT_CACHE_LINE=64", "-DTAKT_FIFO_WAITERS=1", *includes)
    return _compile(tmp_path_factory.mktemp("kernel") / "kernel.o", [HERE / "kernel_player.c", *sources], *flags)


@pytest.fixture(scope="session")
def kernel_campaign(kernel: Path) -> Path:
    """The program that holds the analysis against the kernel itself."""
    ours = [HERE / name for name in ("campaign.c", *GENERATOR)]
    return _compile(kernel.parent / "campaign", [kernel, *ours, *analysis_sources()], "-O2")


@pytest.fixture(scope="session")
def players(kernel: Path) -> dict[str, Path]:
    """Programs that play systems, by their scheduler."""
    ours = [HERE / name for name in ("play.c", *GENERATOR)]
    schedulers = {"simulator": HERE / "simulator.c", "kernel": kernel}
    return {
        name: _compile(kernel.parent / name, [source, *ours, *analysis_sources()], "-O2")
        for name, source in schedulers.items()
    }


@pytest.fixture(scope="session")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that holds the analysis against the simulator."""
    return _campaign(tmp_path_factory.mktemp("campaign"), "-O2")


@pytest.fixture(scope="session")
def sanitized_campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _campaign(tmp_path_factory.mktemp("sanitized"), *SANITIZED)
