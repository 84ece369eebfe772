# SPDX-License-Identifier: Apache-2.0
"""Constructors of static objects of a protected process: the task that runs them, and what is refused of their keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt.declare import declaration
from takt.declare.code import constructors
from takt.support.errors import UserError

FOLDER = Path(__file__).parents[1] / "run" / "constructed"
MS = 10**6
TEXT = (FOLDER / "system.toml").read_text(encoding="utf-8")


def test_a_task_with_a_budget_runs_them_as_seldom_as_its_process_starts() -> None:
    """Without protection they run before main, and there is no task."""
    path = declaration.find(str(FOLDER))
    assert len(declaration.load(path, False).tasks) == 4
    system = declaration.load(path)
    faulty, endless = system.task("faulty_constructors"), system.task("endless_constructors")
    assert (faulty.min_interarrival_ns, faulty.deadline_ns, faulty.stack) == (50 * MS, 5 * MS, 512)
    assert (faulty.wcet_ns, faulty.budget_ns, faulty.on_budget) == (MS // 10, MS // 10, "stop")
    assert endless.deadline_ns == 20 * MS
    (owner,) = (process for process in system.processes if faulty.name in process.tasks)
    assert owner.tasks == ("lost", "faulty_constructors")


def test_one_that_starts_once_counts_once_in_ten_seconds(tmp_path: Path) -> None:
    path = tmp_path / "system.toml"
    text = TEXT.replace('on_fault = "restart"\nfaults_apart = "60 ms"\n', "")
    path.write_text(text, encoding="utf-8")
    for source in FOLDER.iterdir():
        if source.name != "system.toml":
            (tmp_path / source.name).write_bytes(source.read_bytes())
    assert declaration.load(path).task("good_constructors").min_interarrival_ns == 10_000 * MS


WRONG = {
    "no wcet": (
        'constructors_wcet = "100 us"\nconstructors_stack',
        "constructors_stack",
        '[[process]] "faulty": constructors_stack, and no constructors_wcet',
    ),
    "short": (
        'constructors_deadline = "20 ms"',
        'constructors_deadline = "500 us"',
        "constructors_deadline is shorter than constructors_wcet",
    ),
    "long": (
        'constructors_deadline = "20 ms"',
        'constructors_deadline = "51 ms"',
        "constructors_deadline is longer than the least time between two faults",
    ),
    "name": (
        'name = "late"\nentry',
        'name = "faulty_constructors"\nentry',
        'the task of its constructors is called "faulty_constructors", and there is one of this name',
    ),
    "bands": (
        'scheduler = "dm"',
        '[[band]]\nkind = "fixed"\ntasks = ["watch", "control", "lost", "late"]',
        "constructors_wcet: their task would be in no [[band]]",
    ),
    "no task": ('tasks = ["watch"]', 'constructors_wcet = "1 ms"', "constructors_wcet, but it has no task"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_refused(case: str, tmp_path: Path) -> None:
    what, other, problem = WRONG[case]
    text = TEXT.replace(what, other)
    if case == "name":
        text = text.replace('tasks = ["late"]', 'tasks = ["faulty_constructors"]')
    if case == "bands":
        text = text.replace('duration = "200 ms"\n', "").replace("protection = true\n", "")
        text = text.replace("[system]\n", "[system]\nprotection = true\n", 1)
    if case == "no task":  # nothing else could give it one
        text = text.replace('[[task]]\nname = "watch"\nentry = "watch_job"\nperiod = "5 ms"\nwcet = "200 us"\n', "")
    for source in FOLDER.iterdir():
        (tmp_path / source.name).write_bytes(source.read_bytes())
    path = tmp_path / "system.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as refused:
        declaration.load(path)
    assert problem in refused.value.problem
    assert refused.value.hint


def test_their_task_is_named_by_its_process() -> None:
    system = declaration.load(FOLDER / "system.toml")
    assert constructors.declared(system, "good_constructors") == ('[[process]] "good"', "constructors_")
    assert constructors.declared(system, "watch") == ('[[task]] "watch"', "")
