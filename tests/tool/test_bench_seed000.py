# SPDX-License-Identifier: Apache-2.0
"""What `takt bench seed000` and `share` work out without a board: the cited formulas, tables, pictures."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from takt.bench import documents, rhealstone
from takt.bench.kernel import BOARDS, Figure
from takt.bench.seed000 import operations
from takt.bench.seed000 import study as seed000
from takt.bench.studies import plot
from takt.bench.studies.plot import Line
from takt.support.errors import UserError
from takt.support.tables import Table

SVG = "{http://www.w3.org/2000/svg}"


def job_us(queue: str, tasks: int) -> float:
    known = seed000.reference()
    column = next(column for column in known["table_4_3"] if column["queue"] == queue)
    clock: float = known["clock_mhz"]
    return seed000.queue_cycles(known, column, tasks)["job"] / clock


def test_the_heap_is_dearer_than_the_queue_up_to_58_tasks_as_the_seed_says() -> None:
    dearer = [tasks for tasks in range(1, 64) if job_us("RM, sorted heap", tasks) > job_us("RM, queue", tasks)]
    assert dearer == list(range(1, 59))


@pytest.mark.parametrize(("heap", "wanted"), [((9, 9, 9), 32), ((4, 9, 9), 5), ((9, 9, 40), None)])
def test_where_the_heap_overtakes(heap: tuple[int, int, int], wanted: int | None) -> None:
    costs = {"RM, queue, here": (5, 8, 30) if wanted == 32 else (5, 10, 30), "RM, sorted heap, here": heap}
    rows = [
        {"scheduler": name, "tasks": tasks, "job": job}
        for name, jobs in costs.items()
        for tasks, job in zip((5, 16, 32), jobs, strict=True)
    ]
    assert seed000.overtaken({"scheduling": rows}, seed000.HERE) == wanted
    assert seed000.overtaken({"scheduling": []}, seed000.HERE) is None


def test_a_job_takes_two_selections() -> None:
    assert job_us("EDF, queue", 20) == pytest.approx(1.6 + 1.2 + 2 * (1.2 + 0.25 * 20))


def made_up() -> tuple[dict[str, Figure], ...]:
    """Figures that all differ: rows of ours and of the peer, calls without protection and with it."""
    known = seed000.reference()["table_3_5"]
    rows = [item["row"] for item in known if "row" in item]
    calls = [item["call"] for item in known]
    names = (rows, [row for row in rows if not row.endswith("_delete")], calls, calls)
    return tuple(
        {name: Figure(1000 * number + index, 0) for index, name in enumerate(some)}
        for number, some in enumerate(names, 1)
    )


def test_all_operations_of_the_table_are_measured() -> None:
    known = seed000.reference()["table_3_5"]
    source = (operations.PROGRAM / "measure.c").read_text(encoding="utf-8")
    names = re.findall(r"^    \[[A-Z_]+\] = \"(\w+)\",$", source, re.MULTILINE)
    assert [item["call"] for item in known] == sorted({*names}, key=[item["call"] for item in known].index)
    assert len(names) == len(set(names)) == len(known) == 28
    assert all("row" in item or "peer_lacks" in item for item in known)


def test_each_operation_has_its_own_figures() -> None:
    rows, peer, direct, protected = made_up()
    found = operations.by_operation(seed000.reference(), rows, peer, direct, protected)
    means = [row["mean"] for row in found]
    assert len(set(means)) == len({row["protected"] for row in found}) == 28
    for row in found:
        assert row["mean"] == (direct[row["call"]] if row["row"] is None else rows[row["row"]]).mean
        assert row["protected"] == protected[row["call"]].mean
        assert row["peers"] == ({"FreeRTOS": peer[row["row"]].mean} if row["row"] in peer else {})
        assert bool(row["peers"]) != bool(row["peer_lacks"])
    lock = next(row for row in found if row["row"] == "mutex_lock")
    assert lock["mean_of_switch"] == round(rows["mutex_lock"].mean / rows["task_switch"].mean, 2)
    assert lock["protected_of_switch"] == round(protected["mutex_lock"].mean / protected["switch"].mean, 2)


def test_what_the_program_prints_is_read() -> None:
    assert operations.printed('other\n{"repeats": 20, "null": {"total": 50, "max": 3}}\n') == {"null": Figure(2.5, 3)}
    with pytest.raises(UserError, match="seed000: benchmark: null: not what should have happened"):
        operations.printed("\nbenchmark: null: not what should have happened\n")


@pytest.mark.parametrize("board", BOARDS)
def test_the_figures_that_are_kept_agree_with_others(board: str) -> None:
    """With those of `takt bench processes`, whose calls are the same, of declared objects, and with each other."""
    found = documents.results(f"seed000-{board}")
    calls = {row["call"]: row for row in found["operations"]}
    known = {row["operation"]: row["within"] for row in documents.results(f"processes-{board}")["rows"]}
    alike = {
        name: name for name in ("function", "null", "mutex_lock", "mutex_unlock", "mailbox_send", "mailbox_receive")
    }
    for call, row in (alike | {"state_write": "state_write", "state_read": "state_read"}).items():
        assert abs(calls[call]["protected"] - known[row]) <= 12, call
    inline = {"function", "state_write", "state_read"}
    for call, row in calls.items():
        assert call in inline or row["protected"] > row["mean"] + 20, call
    assert calls["thread_detach_running"]["mean"] < calls["thread_detach_ended"]["mean"]
    assert calls["shared_attach"]["protected"] < calls["shared_attach_first"]["protected"]
    assert calls["condition_signal"]["mean"] < calls["condition_signal_runs"]["mean"]
    assert calls["state_read"]["protected"] < calls["state_read_locked"]["protected"]
    assert calls["process_start"]["protected"] > calls["thread_create_runs"]["protected"]
    sizes = {row["system"]: row["bytes"] for row in found["sizes"]}
    direct, protected = operations.Program({}, sizes["Takt, of table 3.5"]), operations.Program({}, 30_000)
    again = {row["system"]: row for row in operations.by_system(seed000.reference(), board, direct, protected)}
    assert again.keys() == sizes.keys()
    assert sizes["EMERALDS"] == 13_000 < direct.kernel_bytes < sizes.pop("Takt, of table 3.5, protected") < 40_000
    assert all(again[name]["bytes"] == bytes for name, bytes in sizes.items())
    assert again["FreeRTOS, full, for size"] == {
        "system": "FreeRTOS, full, for size",
        "bytes": {"mps2-an385": 5209, "rv32-virt": 6351}[board],
        "cited": True,
    }


def test_a_figure_of_merit_is_the_sum_of_inverses() -> None:
    assert rhealstone.rhealstones([100, 50]) == 10_000 + 20_000


def test_a_table_reads_the_same_both_ways() -> None:
    table = Table("two rows", ["", "Takt", "x"], [["a", 1.0, None], ["longer", 12.25, "no"]])
    assert table.text() == "two rows\n        Takt   x\na          1\nlonger  12.2  no"
    assert table.markdown().splitlines() == [
        "two rows:",
        "",
        "|  | Takt | x |",
        "| --- | ---: | ---: |",
        "| a | 1 |  |",
        "| longer | 12.2 | no |",
    ]


def test_a_line_is_drawn_where_its_figures_say() -> None:
    lines = [Line("a < b", [(0, 0), (500, 1), (1000, 4)], 0), Line("c", [(0, 2), (1000, 2)], 1, dashed=True)]
    panels = [plot.Panel("title", lines)]
    text = plot.svg(panels, "across", "up")
    assert text == plot.svg(panels, "across", "up")
    drawn = [
        path
        for path in ElementTree.fromstring(text).iter(f"{SVG}path")
        if path.get("style", "").find("stroke-width: 1.5") > 0
    ]
    first = next(path for path in drawn if plot.COLOURS[0] in path.attrib["style"])
    second = next(path for path in drawn if plot.COLOURS[1] in path.attrib["style"])
    numbers = [float(word) for word in first.attrib["d"].split() if word not in "ML"]
    (x0, y0), (x1, y1), (x2, y2) = zip(numbers[::2], numbers[1::2], strict=True)
    assert x1 == pytest.approx((x0 + x2) / 2)
    assert y0 - y1 == pytest.approx((y0 - y2) / 4)
    assert "stroke-dasharray" in second.attrib["style"]
    assert "stroke-dasharray" not in first.attrib["style"]
