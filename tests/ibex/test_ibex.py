# SPDX-License-Identifier: Apache-2.0
"""The board ibex-soc: Ibex in Verilator (hardware/soc), which runs what the other boards run, cycle by cycle."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
import suite
from command_line import Takt, documented, keys
from running import APPS, FULL
from suite_protected import check_every_case
from takt.declare.schema import boards
from takt.image import build, simulator
from takt.image.protected import symbols_of
from takt.observe import cycles, run
from takt.support.c.board import BoardStatus
from takt.support.provision import ROOT, require
from takt.trace import segments
from takt.trace.records import Event

BOARD = "ibex-soc"
SOC = ROOT / "hardware" / "soc"
FOLDER = Path(__file__).parent
TROUBLE = APPS / "troublesome"
NUMBER, PERIOD_NS = 20, 310_000  # of the interrupt of mixed/
SHORT_NS = 60  # by which a load of n cycles ends before, less the reading of the clock
LATENCY_NS = 20_000  # with the kernel locked for at most so long
only_full = pytest.mark.skipif(not FULL, reason="a minute and more: takt test --full")


@pytest.fixture(scope="module")
def image() -> Path:
    """Of a system with work, interrupts and idle time, run once."""
    proved = run.load(str(FOLDER / "mixed"), BOARD, None, "none")
    finished = run.run(proved, 10_000_000, 1)
    assert finished.outcome.failure is None
    return build.folder_of(proved.system, proved.board, proved.choice.scheduler) / "application.elf"


def simulate(image: Path, folder: Path, *options: str, pmp: bool = False) -> tuple[bytes, cycles.Cycles]:
    """10 ms of it: what it wrote to its stream, and where its cycles went."""
    program = simulator.require(boards.load(BOARD), pmp=pmp)
    command = [str(program), *options, "--figures", "cycles.txt", str(image), "stream=sent", "duration_ns=10000000"]
    subprocess.run(command, cwd=folder, check=True)
    counted = cycles.read(folder / "cycles.txt", image)
    assert counted is not None
    return (folder / "sent").read_bytes(), counted


@only_full  # the usual run has that of the task manager
def test_time_that_is_skipped_is_missed_by_nobody(image: Path, tmp_path: Path) -> None:
    """To the cycle: a simulation of every cycle sees the same run."""
    first, second = tmp_path / "skips", tmp_path / "every"
    first.mkdir()
    second.mkdir()
    skipping, some = simulate(image, first)
    whole, every = simulate(image, second, "--every-cycle")
    assert skipping == whole
    assert some == every
    assert some.total / 10 < some.asleep < some.total / 2


@pytest.mark.skipif(not FULL, reason="another simulator is built: takt test --full")
def test_without_pmp_a_program_that_does_not_use_it_runs_the_same(image: Path, tmp_path: Path) -> None:
    """To the cycle, in each of its functions: so figures may be of the simulator that is three times as fast."""
    first, second = tmp_path / "with", tmp_path / "without"
    first.mkdir()
    second.mkdir()
    assert simulate(image, first, pmp=True) == simulate(image, second, pmp=False)


def test_every_cycle_is_somebodys(image: Path, tmp_path: Path) -> None:
    _, counted = simulate(image, tmp_path)
    assert sum(one.instructions for one in counted.functions) == counted.instructions
    unretired = counted.awake - sum(one.cycles for one in counted.functions)
    assert 0 <= unretired < 20  # of the instruction that ended the run
    loop = next(one for one in counted.functions if one.name == "takt_work")
    assert loop.cycles / loop.instructions == pytest.approx(1.5, rel=0.01)  # 4 instructions in 6 cycles


def test_the_first_instruction_of_a_function_is_its_own(image: Path, tmp_path: Path) -> None:
    start = symbols_of(image)[0]["takt_work"]
    (tmp_path / "cycles.txt").write_text(f"cycles 9\nasleep 1\ninstructions 3\n{start:#x} 7 2\n{start - 2:#x} 1 1\n")
    counted = cycles.read(tmp_path / "cycles.txt", image)
    assert counted is not None
    assert (counted.total, counted.asleep, counted.instructions) == (9, 1, 3)
    assert counted.functions[0] == cycles.Function("takt_work", 7, 2)
    assert len(counted.functions) == 2


def test_json_says_where_the_cycles_went(takt: Takt) -> None:
    said = takt("run", TROUBLE, "--board", BOARD, "--scheduler", "edf", "--duration", "10 ms", "--json")
    document = json.loads(said.out)
    assert {key for key in keys(document) if key.startswith("cycles")} == {
        key for key in documented("run") if key.startswith("cycles")
    }
    assert document["cycles"]["total"] > 500_000  # 10 ms, and the start


def lint(*more: str) -> tuple[int, str]:
    """What Verilator says of the whole system."""
    require("verilator")
    board = boards.load(BOARD)
    simulator.require(board, pmp=False)
    folder = simulator.ibex()
    prim = folder / "vendor" / "lowrisc_ip" / "ip" / "prim" / "rtl"
    packages = [prim / f"prim_{name}_pkg.sv" for name in ("ram_1p", "secded", "cipher", "util", "mubi", "count")]
    ours = sorted(path for path in SOC.glob("*.sv") if path.name != "soc_pkg.sv")
    command = ["verilator", "--lint-only", "-Wall", "-Wno-fatal", "-Wno-PINCONNECTEMPTY", "-DRVFI=1", "-DSYNTHESIS=1"]
    command += ["--top-module", "ibex_soc", f"-I{prim}", f"-I{folder}/vendor/lowrisc_ip/dv/sv/dv_utils", *more]
    rtl = ROOT / "hardware" / "rtl"
    command += ["-y", f"{folder}/rtl", *map(str, packages), f"{folder}/rtl/ibex_pkg.sv", f"{SOC}/soc_pkg.sv"]
    command += [f"-I{rtl}", f"{rtl}/rtm_pkg.sv", f"{rtl}/rtm_shape_pkg.sv"]
    done = subprocess.run([*command, *map(str, ours)], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def test_our_modules_are_clean() -> None:
    """Verilator's warnings, those of Ibex aside."""
    code, said = lint()
    assert code == 0, said
    found = [line for line in said.splitlines() if line.startswith("%") and str(SOC) in line]
    assert found == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("RtmRecords", 48), ("RtmClassic", 2), ("RtmShift", 33), ("Pmp", 2), ("NsPerCycle", 0), ("Sources", 17)],
)
def test_what_the_system_cannot_be_is_refused(name: str, value: int) -> None:
    """Assertions are off in the simulation; this is none of those."""
    code, said = lint(f"-G{name}={value}", "--noassert")
    assert code != 0
    assert re.search(rf"{name.removeprefix('Rtm')} = +{value}: it must be", said)


def test_interrupts_raised_by_hand_are_taken(takt: Takt) -> None:
    """Three times by the task, once by declaration."""
    said = takt("run", FOLDER / "raised", "--overheads", "none")
    assert "software 4, line 4" in said.out, said.out + said.err
    assert said.code == 0


def test_a_load_is_exact_to_the_cycle(takt: Takt) -> None:
    """For every remainder of its loop: never over, and under by what calling it takes."""
    said = takt("run", FOLDER / "raised", "--overheads", "none")
    short = [int(word) for word in said.out.split("short by")[1].split(";")[0].split()]
    assert short == [SHORT_NS] * 8


def test_devices_keep_their_distance(image: Path) -> None:
    """An interrupt of the source is taken soon after each multiple of its distance, and does not drift."""
    entries = segments.read(image.parent / "run" / "trace.takt").entries
    taken = [entry.time_ns for entry in entries if entry.event is Event.INTERRUPT and entry.object == NUMBER]
    assert len(taken) == 33  # the first at once
    for number, time_ns in enumerate(taken):
        assert 0 <= time_ns - number * PERIOD_NS < LATENCY_NS


@only_full  # another simulator is built; tests/protection does the same on rv32-virt
def test_a_process_runs_in_user_mode(takt: Takt) -> None:
    """PMP and traps: a protected system, which keeps its proof."""
    said = takt("run", ROOT / "tests" / "protection" / "two", "--board", BOARD, "--duration", "100 ms", "--json")
    document = json.loads(said.out)
    assert (document["failure"], document["faults"]) == (None, [])
    assert [task["jobs"] for task in document["tasks"][:3]] == [10, 5, 2]


@only_full
@pytest.mark.parametrize(("preset", "sched"), [("lean", "fixed"), ("debug", "bands")])
def test_every_case_passes(preset: str, sched: str) -> None:
    done = suite.run(BOARD, preset, sched)
    lines = done.stdout.splitlines()
    assert not [line for line in lines if not line.startswith("PASS ")], done.stdout + done.stderr
    assert (len(lines), done.returncode) == (suite.CASES, 0)


@only_full
@pytest.mark.parametrize(("preset", "sched"), [("lean", "fixed"), ("standard", "bands")])
def test_every_case_passes_on_the_task_manager(preset: str, sched: str) -> None:
    """All but those of the port's one-shot, which is not used there."""
    done = suite.run(BOARD, preset, sched, "rtm", instruction_ns=34)  # on average
    lines = done.stdout.splitlines()
    assert not [line for line in lines if not line.startswith("PASS ")], done.stdout + done.stderr
    assert (len(lines), done.returncode) == (suite.CASES - suite.ONE_SHOT, 0)


@only_full
def test_every_case_passes_in_a_process() -> None:
    check_every_case(BOARD, "debug", "fixed")


def test_a_bad_address_is_recorded_and_ends_the_run() -> None:
    done = suite.run(BOARD, "lean", fault=1)
    assert "takt: fault exception address 0x" in done.stdout
    assert done.returncode == BoardStatus.FAULT


def test_it_is_not_debugged(takt: Takt) -> None:
    said = takt("run", TROUBLE, "--board", BOARD, "--scheduler", "edf", "--force", "--gdb-port", "1234")
    assert said.code == 2
    assert "cannot be debugged" in said.err
