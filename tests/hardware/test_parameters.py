# SPDX-License-Identifier: Apache-2.0
"""Parameters out of their ranges end elaboration with a message, in each tool that reads the RTL; legal ones do not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from running import FULL
from takt.hardware import registers, simulate, synthesis
from takt.hardware.simulate import Parameters
from takt.support import provision
from takt.support.errors import UserError
from takt.support.provision import ROOT

MAP = registers.load().map
WRAPPERS = [simulate.STEP.parent / f"{top}.sv" for top in simulate.TOPS if top != "rtm"]
SOC = [ROOT / "hardware" / "soc" / f"soc_{name}.sv" for name in ("pkg", "interrupts", "memory", "timer")]
SOURCES = [*simulate.sources(), *WRAPPERS, *SOC]
NOBODYS = 131  # no parameter may have it, except those below
WIDE = ("Delay", "NsPerCycle")
RECORDS = "Records = {}: it must be a power of two, from 2 to 128"
BANKS = "Banks = {}: it must be a power of two, from 1 to half of Records = {}"
LANES = "Lanes = {}: it must be a power of two, from 1 to 128"
CUTS = "Cuts = {}: a tree of {} candidates has no such level"
RANGE = "{} = {}: it must be from {} to {}"


def parameters_of(paths: list[Path]) -> Iterator[tuple[str, str]]:
    """Each module, and each parameter of it."""
    for path in paths:
        head = re.search(r"^module (\w+)(.*?)^\) \(", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        for name in re.findall(r"^  parameter .*?(\w+)\s+=", head[2], re.MULTILINE) if head else ():
            yield path.stem, name


# The module, its parameters, and what is said.
ILLEGAL: list[tuple[str, dict[str, int], str]] = [
    *(("rtm", {"Records": n}, RECORDS.format(n)) for n in (0, 1, 48, 255, 256, 100_000)),
    ("rtm", {"Records": 256, "Banks": 16}, RECORDS.format(256)),
    ("rtm", {"Records": 48, "Banks": 3}, RECORDS.format(48)),
    *(("rtm", {"Banks": n}, BANKS.format(n, 64)) for n in (0, 3, 64, 128)),
    ("rtm", {"Records": 8, "Banks": 8}, BANKS.format(8, 8)),
    *(("rtm", {"LevelWidth": n}, RANGE.format("LevelWidth", n, 1, 8)) for n in (0, 9)),
    *(("rtm", {"OrderWidth": n}, RANGE.format("OrderWidth", n, 2, 24)) for n in (0, 1, 25, 100_000)),
    *(("rtm", {"EventWidth": n}, RANGE.format("EventWidth", n, 1, 8)) for n in (0, 9, 10)),
    *(("rtm", {"Cuts": n}, CUTS.format(n, 16)) for n in (32, 1024)),
    ("rtm", {"Cuts": -1}, CUTS.format(2**32 - 1, 16)),
    ("rtm", {"Records": 128, "Banks": 64, "Cuts": 4}, CUTS.format(4, 2)),
    ("rtm", {"Classic": 2}, RANGE.format("Classic", 2, 0, 1)),
    *(
        (top, {"Delay": n}, RANGE.format("Delay", n % 2**32, 0, 65535))
        for top in ("rtm_ibex", "rtm_at_ibex")
        for n in (65536, -1)
    ),
    ("rtm_ibex", {"Records": 256}, RECORDS.format(256)),
    ("rtm_ibex", {"OrderWidth": 25}, RANGE.format("OrderWidth", 25, 2, 24)),
    *(("rtm_csr", {"Records": n}, RECORDS.format(n)) for n in (48, 256)),
    *(("rtm_csr", {"EventWidth": n}, RANGE.format("EventWidth", n, 1, 8)) for n in (0, 10)),
    ("rtm_decode", {"Records": 20}, RECORDS.format(20)),
    ("rtm_decode", {"LevelWidth": 9}, RANGE.format("LevelWidth", 9, 1, 8)),
    ("rtm_decode", {"EventWidth": 9}, RANGE.format("EventWidth", 9, 1, 8)),
    ("rtm_decode", {"Classic": 2}, RANGE.format("Classic", 2, 0, 1)),
    ("rtm_records", {"Records": 48}, RECORDS.format(48)),
    ("rtm_records", {"Banks": 64}, BANKS.format(64, 64)),
    ("rtm_records", {"EventWidth": 0}, RANGE.format("EventWidth", 0, 1, 8)),
    ("rtm_records", {"Classic": 2}, RANGE.format("Classic", 2, 0, 1)),
    ("rtm_sweep", {"Records": 48}, RECORDS.format(48)),
    ("rtm_sweep", {"Banks": 3}, BANKS.format(3, 64)),
    ("rtm_sweep", {"Cuts": 32}, CUTS.format(32, 16)),
    *(("rtm_tree", {"Lanes": n}, LANES.format(n)) for n in (0, 3)),
    ("rtm_tree", {"Cuts": 32}, CUTS.format(32, 16)),
    ("rtm_tree", {"TagWidth": 0}, RANGE.format("TagWidth", 0, 1, 32)),
    ("rtm_node", {"IndexWidth": 0}, RANGE.format("IndexWidth", 0, 1, 7)),
    ("rtm_node", {"OrderWidth": 1}, RANGE.format("OrderWidth", 1, 2, 24)),
    *(("rtm_ram", {"Words": n}, RANGE.format("Words", n, 1, 128)) for n in (0, 256)),
    ("rtm_ram", {"Width": 0}, RANGE.format("Width", 0, 1, 32)),
    ("rtm_ticks", {"Records": 3}, RECORDS.format(3)),
    ("rtm_ticks", {"DelayWidth": 17}, RANGE.format("DelayWidth", 17, 1, 16)),
    ("rtm_timers", {"Records": 256}, RECORDS.format(256)),
    *(("rtm_timers", {"TimeWidth": n}, RANGE.format("TimeWidth", n, 8, 32)) for n in (7, 33)),
    ("rtm_at_ibex", {"Records": 256}, RECORDS.format(256)),
    ("rtm_at_csr", {"EventWidth": 10}, RANGE.format("EventWidth", 10, 1, 8)),
    *(("soc_interrupts", {"Sources": n}, RANGE.format("Sources", n, 2, 16)) for n in (0, 1, 17)),
    *(("soc_memory", {"Bytes": n}, f"Bytes = {n}: it must be a power of two") for n in (0, 4, 3 << 20)),
    ("soc_timer", {"NsPerCycle": 0}, RANGE.format("NsPerCycle", 0, 1, 1_000_000)),
    *((top, {name: NOBODYS}, f"{name} = {NOBODYS}: ") for top, name in parameters_of(SOURCES) if name not in WIDE),
]
REFUSED = ILLEGAL if FULL else ILLEGAL[::3]
LEGAL: list[tuple[str, dict[str, int]]] = [
    *(("rtm", {"Records": n}) for n in (2, 8, MAP["records_max"])),
    ("rtm", {"Records": 2, "LevelWidth": 1, "OrderWidth": 2, "EventWidth": 1, "Cuts": 3}),
    ("rtm", {"Records": 128, "Banks": 1, "Cuts": 255}),
    ("rtm", {"Records": 128, "Banks": 64, "Cuts": 3, "Classic": 1}),
    ("rtm_ibex", {"Records": 2, "Delay": 65535}),
    ("rtm_csr", {"Records": 128}),
    ("rtm_csr", {"Records": 2, "EventWidth": 1}),
    ("rtm_tree", {"Lanes": 1}),
    ("rtm_timers", {"Records": 2, "TimeWidth": 3}),
    ("rtm_ticks", {"Records": 2, "DelayWidth": 1}),
    ("rtm_ram", {"Words": 1, "Width": 1}),
    ("rtm_at_ibex", {"Records": 8}),
    ("rtm_at_csr", {"Records": 8}),
    *(("soc_interrupts", {"Sources": n}) for n in (2, 16)),
]
# Elaborations, each in a process of its own: what contradicts itself may end it.
_SLANG = """
import json, os, sys
from pyosys import libyosys
for number, script in enumerate(json.load(sys.stdin)):
    child = os.fork()
    if child == 0:
        file = os.open(f"{number}.log", os.O_CREAT | os.O_WRONLY)
        os.dup2(file, 1)
        os.dup2(file, 2)
        libyosys.run_pass(script, libyosys.Design())
        os._exit(0)
    print(os.waitpid(child, 0)[1])
"""


def options(parameters: dict[str, int]) -> list[str]:
    return [f"-G{name}={value}" for name, value in parameters.items()]


def shown(case: tuple[object, ...]) -> str:
    top, parameters = str(case[0]), case[1]
    assert isinstance(parameters, dict)
    return " ".join((top, *(f"{name}={value}" for name, value in parameters.items())))


def plain(text: str) -> str:
    """Numbers in a message are in columns."""
    return re.sub(" +", " ", text)


def verilator(top: str, parameters: dict[str, int], *more: str) -> tuple[int, str]:
    provision.require("verilator")
    command = ["verilator", "--lint-only", *more, "--top-module", top, *options(parameters), *map(str, SOURCES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, plain(done.stderr)


@pytest.fixture(scope="module")
def slang(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """What yosys' front end says of each of them."""
    provision.require_python("hardware")
    folder = tmp_path_factory.mktemp("slang")
    cases = [*((top, parameters) for top, parameters, _ in REFUSED), *LEGAL]
    scripts = [
        f"read_slang --threads 1 --top {top} {' '.join((*options(parameters), *map(str, SOURCES)))}"
        for top, parameters in cases
    ]
    command = [sys.executable, "-c", _SLANG]
    done = subprocess.run(command, input=json.dumps(scripts), capture_output=True, text=True, check=True, cwd=folder)
    codes = [int(line) for line in done.stdout.split()]
    said = [plain((folder / f"{number}.log").read_text(encoding="utf-8")) for number in range(len(cases))]
    return {shown(case): found for case, *found in zip(cases, codes, said, strict=True)}  # type: ignore[misc]


@pytest.mark.parametrize("case", REFUSED, ids=shown)
def test_what_cannot_be_is_refused(case: tuple[str, dict[str, int], str], slang: dict[str, tuple[int, str]]) -> None:
    """Also where warnings are no errors, as in our simulations."""
    top, parameters, message = case
    for code, said in (verilator(top, parameters, "-Wno-fatal"), slang[shown(case)]):
        assert message in said
        assert code != 0


@pytest.mark.parametrize("case", LEGAL, ids=shown)
def test_what_can_be_is_not(case: tuple[str, dict[str, int]], slang: dict[str, tuple[int, str]]) -> None:
    assert verilator(*case, "-Wall", "-Wno-UNUSEDSIGNAL", "-Wno-UNUSEDPARAM") == (0, "")
    assert slang[shown(case)][0] == 0


def test_modules_are_found() -> None:
    assert ("rtm_ibex", "Delay") in parameters_of(SOURCES)
    assert {top for top, _ in parameters_of(SOURCES)} == {
        path.stem for path in SOURCES if not path.stem.endswith("_pkg")
    }


def test_the_tools_say_what_the_rtl_says() -> None:
    design = synthesis.Design("odd", "rtm", tuple(simulate.sources()), ("-GRecords=48", "-GBanks=3"))
    with pytest.raises(UserError, match=r"yosys failed at odd: .*Records = +48: it must be a power of two"):
        synthesis.measure(design)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"records": 256, "banks": 16}, RECORDS.format(256)),
        ({"records": 48, "banks": 3}, RECORDS.format(48)),
        ({"banks": 3}, BANKS.format(3, 64)),
        ({"level_width": 9}, RANGE.format("LevelWidth", 9, 1, 8)),
        ({"order_width": 25}, RANGE.format("OrderWidth", 25, 2, 24)),
        ({"event_width": 10}, RANGE.format("EventWidth", 10, 1, 8)),
        ({"cuts": 1024}, CUTS.format(1024, 16)),
    ],
)
def test_so_does_a_simulation(
    given: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(simulate, "BUILD", tmp_path)
    with pytest.raises(UserError) as raised:
        simulate.library(replace(Parameters(), **given))
    assert message in plain(str(raised.value))
