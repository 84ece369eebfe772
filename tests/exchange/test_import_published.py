# SPDX-License-Identifier: Apache-2.0
"""Imported systems have the bounds that the other tools publish, or lower ones, and none below a simulation.

The models in models/ were written by hand from published tables. Of the other systems of published.json a model is
written by takt's own export, and read again: its bounds are those of the system, which tests/analysis compares.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from published import Published, examples
from small_systems import MS
from takt.declare.exchange.model import Source
from takt.declare.formats import csv_file, mast_write, read
from takt.declare.formats.read import Imported
from takt.declare.schema.model import System
from takt.prove.analysis import analyse
from takt.support import compile

MODELS = Path(__file__).parent / "models"


def load(name: str, unit: str | None = "ms", processor: str | None = None) -> Imported:
    return read.load(Source(MODELS / name, unit, processor), None, "mps2-an385")


def bounds(system: System) -> dict[str, float | None]:
    """Without overheads, in ms."""
    compile.host_library()
    found = analyse(system, system.bands, None).tasks
    return {one.name: None if one.response_ns is None else one.response_ns / MS for one in found}


def facts(tool: str, name: str) -> dict[str, float | None]:
    """What they publish: task and bound."""
    one = next(item.values[0] for item in examples("bounds") if item.id == f"{tool} {name}")
    return dict(zip((row[0] for row in one.facts["tasks"]), one.facts["bounds"], strict=True))


@pytest.mark.parametrize(
    ("file", "processor", "tool", "name"),
    [
        ("controller2.txt", None, "mast", "controller2"),
        ("polling_server.xml", None, "mast", "polling_server_example"),
        ("feasibility_basics.xmlv3", None, "cheddar", "feasibility_basics"),
        ("best_fit.xml", "cpu1", "cheddar", "best_fit, cpu1"),
        ("best_fit.xml", "cpu2", "cheddar", "best_fit, cpu2"),
        ("basics.xmlv3", "processor1", "cheddar", "basics, processor1"),
        ("basics.xmlv3", "processor2", "cheddar", "basics, processor2"),
    ],
)
def test_models_written_by_hand(file: str, processor: str | None, tool: str, name: str) -> None:
    imported = load(file, processor=processor)
    ours, theirs = bounds(imported.system), facts(tool, name)
    assert imported.optimistic == ()
    assert ours.keys() >= theirs.keys()
    for task, bound in theirs.items():
        seen = ours[task]
        assert bound is None or (seen is not None and seen <= bound), task


def test_the_exact_bounds_of_a_textbook() -> None:
    """As printed there: 3, 6 and 20."""
    assert bounds(load("burns.csv", unit=None).system) == {"a": 3, "b": 6, "c": 20}


def test_amalthea() -> None:
    """Response times by hand, of the recurrence with the 80 ms of the job that is not preempted as blocking."""
    imported = load("periodic.amxmi", unit=None)
    executions = {task.name: task.wcet_ns // MS for task in imported.system.tasks}
    assert executions == {
        "Task_1": 10,
        "Task_2": 30,
        "Task_3": 20,
        "Task_4": 15,
        "Task_5": 30,
        "Task_6": 40,
        "Task_7": 80,
    }
    rows = [(task.wcet_ns // MS, (task.period_ns or 1) // MS) for task in imported.system.tasks]
    for level, (task, bound) in enumerate(bounds(imported.system).items()):
        response, before = rows[level][0], 0
        blocked = 80 if level < 6 else 0
        while response != before:
            before = response
            response = blocked + rows[level][0] + sum(-(-before // period) * wcet for wcet, period in rows[:level])
        assert bound == response, task
    assert [one.what for one in imported.left] == []


def exported(one: Published, tmp_path: Path, *, csv: bool) -> Imported:
    """The system, written and read again."""
    system, bands = one.declared(), one.bands
    text, left = csv_file.write(system, bands) if csv else mast_write.write(system, bands)
    assert not [item for item in left if item.optimistic]
    path = tmp_path / ("model.csv" if csv else "model.txt")
    path.write_text(text, encoding="utf-8")
    imported = read.load(Source(path), None, "mps2-an385")
    assert imported.optimistic == ()
    return imported


@pytest.mark.parametrize("one", examples("bounds"))
def test_bounds_come_back_from_mast(one: Published, tmp_path: Path) -> None:
    names = [row[0] for row in one.facts["tasks"]]
    again = bounds(exported(one, tmp_path, csv=False).system)
    assert [again[name] for name in names] == one.bounds()


@pytest.mark.parametrize(
    "one",
    [item for item in examples("bounds") if not {"mutexes", "server", "interrupts"} & item.values[0].facts.keys()],
)
def test_bounds_come_back_from_csv(one: Published, tmp_path: Path) -> None:
    names = [row[0] for row in one.facts["tasks"]]
    again = bounds(exported(one, tmp_path, csv=True).system)
    assert [again[name] for name in names] == one.bounds()
