# SPDX-License-Identifier: Apache-2.0
"""What `takt bench seed000` and `share` work out without a board: the cited formulas, tables, pictures."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from takt.bench import documents, processes, rhealstone
from takt.bench.studies import plot, seed000
from takt.bench.studies.plot import Line
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


def test_every_operation_has_a_row_or_says_what_lacks() -> None:
    for item in seed000.reference()["table_3_5"]:
        assert ("row" in item) != ("lacks" in item), item


def test_what_another_benchmark_measures_is_not_called_unmeasured() -> None:
    assert {"null", "state_write", "state_read"} <= set(processes.CALLS)
    (*_, said) = seed000.notes(documents.results("seed000-mps2-an385"))
    unmeasured, _, measured = said.partition("Measured by `takt bench processes`")
    assert "condition variables" in unmeasured
    assert not any(name in unmeasured for name in seed000.WITH_PROCESSES)
    assert all(name in measured for name in seed000.WITH_PROCESSES)


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
