# SPDX-License-Identifier: Apache-2.0
"""A driven bus on emulated boards: code takes time there, which the proof counts, and what is observed is within it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from can_driven import CAN, CODE, frames_of, seen
from can_driven import make as make_on_host
from command_line import documented, keys
from running import only_full
from running import takt as run_takt
from takt.bench.studies import can_drive
from takt.declare import declaration
from takt.declare.buses import can_costs
from takt.declare.schema import boards
from takt.declare.schema.model import Verdict
from takt.prove import proof
from takt.support.errors import UserError

BOARDS = ("mps2-an385", "rv32-virt")


def make(folder: Path, board: str, text: str = CODE, duration: str = "200 ms", kbit: int = 250) -> Path:
    make_on_host(folder, text, bus=CAN.replace("500", str(kbit)))
    path = folder / "system.toml"
    path.write_text(path.read_text().replace('"host"', f'"{board}"').replace('"1 s"', f'"{duration}"'))
    return folder


@pytest.mark.parametrize("board", [BOARDS[0], pytest.param(BOARDS[1], marks=only_full)])
def test_what_is_observed_is_within_the_proof(board: str, tmp_path: Path) -> None:
    folder = make(tmp_path / f"driven_on_{board}", board)
    code, ran = run_takt("run", folder)
    assert (code, ran["within_proof"], ran["breaches"]) == (0, True, [])
    found = seen(ran)
    assert [found[name]["count"] for name in ("torque", "wheel", "lamp")] == [20, 10, 4]
    assert found["answer"]["count"] in (9, 10)  # one more after the run
    for name in ("torque", "answer"):
        assert found[name]["response_ns_max"] <= found[name]["bound_ns"]
        assert found[name]["lost"] == 0
    frames = [one for one in frames_of(folder, ran["scheduler"], board) if one.identifier == 0x100]
    assert [one.data[0] for one in frames] == list(range(1, 21))
    ends = [one.time_ns % 10_000_000 for one in frames]
    assert max(ends) <= found["torque"]["response_ns_max"] <= max(ends) + 200_000  # the bus, and the interrupt's share


def many(count: int) -> str:
    head = '[[message]]\nbus = "body"\nsender = "control"\nbytes = 2\ndeadline = "10 ms"\n'
    return "".join(f'{head}name = "m{index}"\nid = {0x200 + index}\n' for index in range(count))


@pytest.mark.parametrize("board", BOARDS)
def test_the_proof_counts_the_driver(board: str, tmp_path: Path) -> None:
    """Its interrupt, and its longest locked section, which grow with what waits."""
    system = declaration.load(make(tmp_path / "counted", board) / "system.toml")
    costs = can_costs.of(system, system.driven[0], boards.load(board))
    assert costs is not None
    proved = proof.prove(system, "dm")
    assert proved.overheads is not None
    assert proved.overheads.lock_ns >= costs.locked_ns > 0
    assert [one.wcet_ns for one in system.interrupts if one.bus] == [costs.interrupt_ns]
    assert [one.min_interarrival_ns for one in system.interrupts if one.bus] == [(47 + 2 * 8) * 4_000]  # lamp
    plain = proof.prove(replace(system, buses=(), messages=(), interrupts=(), objects=()), "dm")
    assert plain.overheads is not None
    assert plain.overheads.lock_ns < proved.overheads.lock_ns
    larger = declaration.load(make(tmp_path / "larger", board, CODE + many(12)) / "system.toml")
    longer = can_costs.of(larger, larger.driven[0], boards.load(board))
    assert longer is not None
    assert (longer.send_ns, longer.interrupt_ns) > (costs.send_ns, costs.interrupt_ns)
    with pytest.raises(UserError, match="costs are measured for 32 messages"):
        declaration.load(make(tmp_path / "large", board, CODE + many(32)) / "system.toml")


@pytest.mark.parametrize("board", BOARDS)
def test_a_bus_of_500_kbit_is_proved(board: str, tmp_path: Path) -> None:
    """Its interrupts may come every 126 us, of which the driver takes 71 us at most on the slower board."""
    system = declaration.load(make(tmp_path / "fast", board, kbit=500) / "system.toml")
    assert [one.min_interarrival_ns for one in system.interrupts if one.bus] == [126_000]
    assert proof.prove(system, "dm").verdict is Verdict.FEASIBLE


@pytest.mark.parametrize("board", BOARDS)
def test_the_kept_figures_are_those_measured(board: str) -> None:
    """The smallest system again; a longer one costs no less."""
    kept = can_costs.read(boards.load(board))
    assert kept is not None
    for entry in kept["entry"]:
        for name, figures in entry.items():
            if name != "mailboxes" and 0 not in figures:
                assert list(figures) == sorted(figures), name
    more = {"entries": [{"mailboxes": 8, "instructions": {"sent": [10**6] * 4}}]}
    assert [line.partition(":")[0] for line in can_drive.above(more, kept)] == ["sent with 8 mailboxes"]


def test_the_keys_are_documented() -> None:
    kinds = {kind: [1] for kind in can_costs.SENDS | can_costs.INTERRUPTS}
    entries = [{"mailboxes": 8, "instructions": kinds}]
    document = {"board": "", "instruction_ns": 1, "messages": [4], "entries": entries}
    assert set(keys(document)) == documented("bench can")
    assert {*can_drive.written(document).split()} >= {*kinds, "[[entry]]"}


@only_full
@pytest.mark.parametrize("board", BOARDS)
def test_measured_again(board: str) -> None:
    kept = can_costs.read(boards.load(board))
    assert kept is not None
    entry = next(one for one in kept["entry"] if one["mailboxes"] == 3)
    again = can_drive.measure(board, 4, 3)
    assert {name: entry[name][0] for name in again} == again
