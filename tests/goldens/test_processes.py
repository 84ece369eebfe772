# SPDX-License-Identifier: Apache-2.0
"""`takt bench processes`: rows as they are kept, what was promised of them, and what a trace says of a driver."""

from __future__ import annotations

import pytest
from command_line import documented, keys
from running import FULL
from takt.bench import documents, processes
from takt.bench.kernel import BOARDS
from takt.trace.records import IDLE, Entry, Event


@pytest.mark.parametrize("board", BOARDS if FULL else BOARDS[:1])
def test_the_figures_are_as_kept(board: str) -> None:
    rows, sizes = processes.measure_rows(board)
    kept = documents.results(f"processes-{board}")
    assert [rows.row(row["operation"]) for row in kept["rows"]] == kept["rows"], "meant? bench docs --measure processes"
    assert sizes == kept["bytes"]


@pytest.mark.parametrize("board", BOARDS)
def test_a_call_and_a_switch_cost_what_was_promised(board: str) -> None:
    kept = documents.results(f"processes-{board}")
    assert 0 < processes.null_call(kept) < processes.GOALS[board]
    for row in kept["rows"]:
        if row["operation"] in processes.SWITCHES:
            assert row["direct"] < row["within"] <= row["across"] <= processes.SWITCH_GOAL * row["within"], row


@pytest.mark.parametrize("board", BOARDS)
def test_the_keys_are_documented(board: str) -> None:
    kept = documents.results(f"processes-{board}")
    for name in ("without", "with"):
        assert kept["bytes"].pop(name)
    kept["bytes"] = {"without": 0, "with": 0}
    assert set(keys(kept)) == documented("bench processes")
    assert kept["drivers"][0]["form"] == "no protection"


def test_costs_of_an_interrupt_are_what_the_trace_says() -> None:
    """Two of them: 5 in the handler, then 20 in the driver, 30 idle between; the reader runs 7 and 9 after it came."""

    def entry(time_ns: int, event: Event, task: int = 0, number: int = 0) -> Entry:
        return Entry(time_ns, event, task, None, None, number, 0)

    entries = [entry(0, Event.RUN, IDLE)]
    for came, reader in ((100, 7), (300, 9)):
        entries += [
            entry(came, Event.INTERRUPT, number=4),
            entry(came + 5, Event.INTERRUPT_END, number=4),
            entry(came + 5, Event.RUN, 1),
            entry(came + reader, Event.RUN, 2),
            entry(came + reader + 1, Event.RUN, 1),
            entry(came + 26, Event.RUN, IDLE),
        ]
    found = processes.interrupt_costs(entries, 4, 1, 2)
    assert found == {"handler": 5, "driver": 20, "busy": 26, "latency": 8, "latency_max": 9}
