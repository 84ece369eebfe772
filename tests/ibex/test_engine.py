# SPDX-License-Identifier: Apache-2.0
"""The suite of engines (kernel/test/engine/suite.c) on the task manager: its driver and its hardware, on ibex-soc."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from running import only_full
from takt.declare.schema import boards
from takt.image import simulator
from takt.support.provision import ROOT, require

PROGRAM = Path(__file__).parent / "engine" / "main.c"
SUITE = ROOT / "kernel" / "test" / "engine" / "suite.c"
INCLUDES = ("", "kernel/include", "kernel/config/preset/lean", "ports/rv32", "analysis/include")
SEEDS, STEPS = 2, 250  # of main.c


def compiled(folder: Path, kind: str) -> Path:
    """With the driver, and without any other file of the kernel."""
    require("riscv")
    image = folder / "engine.elf"
    driver = [path for path in sorted((ROOT / "hardware/driver").glob("*.c")) if path.name != "invariants.c"]
    sources = [PROGRAM, SUITE, ROOT / "base/bitmap.c", *driver]
    gcc = ["riscv64-unknown-elf-gcc", "-march=rv32imc_zicsr", "-mabi=ilp32"]
    command = [*gcc, "-specs=picolibc.specs", "-O2", "-Wall", "-Wextra", "-Werror", "-ffreestanding"]
    command += ["-ffunction-sections", "-DTAKT_LEVELS=32", "-DTAKT_ENGINE_RTM=1", "-DTAKT_RECORDS=64"]
    command += [*(f"-I{ROOT / name}" for name in (*INCLUDES, f"kernel/config/sched/{kind}")), "-c"]
    subprocess.run([*command, *map(str, sources)], check=True, cwd=folder)
    command = [*gcc, "-nostdlib", "-Wl,--gc-sections,--no-relax,-n,-e,start", "-Wl,--defsym=takt_rtm=0x04000000"]
    command += ["-Wl,--section-start=.reset=0x80000080,-Ttext=0x80001000"]
    subprocess.run([*command, *map(str, folder.glob("*.o")), "-o", str(image)], check=True)
    return image


@pytest.mark.parametrize("kind", [pytest.param("fixed", marks=only_full), "bands"])
def test_the_task_manager_is_an_engine(tmp_path: Path, kind: str) -> None:
    program = simulator.require(boards.load("ibex-soc"), pmp=False)
    assert program is not None
    image = compiled(tmp_path, kind)
    done = subprocess.run([str(program), str(image)], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    found = [tuple(int(word, 16) for word in line.split()) for line in done.stdout.splitlines()]
    assert found == [(seed, STEPS, 0) for seed in range(1, SEEDS + 1)], "seed, step, line of suite.c"
