# SPDX-License-Identifier: Apache-2.0
"""What `takt bench seed000` and `share` work out without a board: the cited formulas, tables, pictures."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from takt.bench import plot, rhealstone, seed000
from takt.bench.plot import Line
from takt.bench.tables import Table

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


@pytest.mark.parametrize(("most", "wanted"), [(1000, (1000, 200)), (4.36, (5, 1)), (0.73, (0.8, 0.2)), (0, (0, 1))])
def test_an_axis_ends_at_a_round_number(most: float, wanted: tuple[float, float]) -> None:
    assert plot.ceiling(most) == pytest.approx(wanted)


def test_names_of_lines_do_not_overlap() -> None:
    assert plot.apart([100, 20, 95]) == [111, 20, 95]


def test_a_line_is_drawn_where_its_figures_say() -> None:
    lines = [Line("a < b", [(0, 0), (500, 1), (1000, 4)], 0), Line("c", [(0, 2), (1000, 2)], 1, dashed=True)]
    text = plot.svg("title", "across", "up", lines)
    assert text == plot.svg("title", "across", "up", lines)
    first, second = ElementTree.fromstring(text).findall(f"{SVG}polyline")
    points = [tuple(map(float, point.split(","))) for point in first.attrib["points"].split()]
    bottom, right = plot.HEIGHT - plot.BOTTOM, plot.WIDTH - plot.RIGHT
    assert points == [
        (plot.LEFT, bottom),
        ((plot.LEFT + right) / 2, bottom - (bottom - plot.TOP) / 4),
        (right, plot.TOP),
    ]
    assert "stroke-dasharray" in second.attrib
    assert "stroke-dasharray" not in first.attrib
