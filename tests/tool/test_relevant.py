# SPDX-License-Identifier: Apache-2.0
"""Changes of tasks and sections that are not looked at, as the rest is refuted without these: none of them proves."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from running import FULL
from takt.declare.schema.model import System, Task
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.prove.choose import Prover, choose
from takt.prove.distance import relevant, repair
from takt.support import compile

SYSTEMS = 800 if FULL else 30

US, MS = 1_000, 1_000_000


@pytest.fixture(autouse=True, scope="module")
def _library() -> None:
    compile.host_library()


def random_system(chance: random.Random) -> System:
    """Mostly refuted, by the load, by one deadline, or by sections."""
    count = chance.randint(relevant.LEAST, 12)
    shares = [chance.random() + 0.05 for _ in range(count)]
    load, tasks = chance.choice((0.4, 0.7, 1.1)) / sum(shares), list[Task]()
    for index, share in enumerate(shares):
        period = chance.randint(4, 200) * MS
        deadline = chance.choice((period, chance.randint(period // 4, period), chance.randint(period, 2 * period)))
        wcet = max(US, min(deadline, int(share * load * period)))
        jitter = chance.randint(0, deadline // 8) if chance.random() < 0.2 else 0
        tasks.append(Task(f"t{index}", wcet, period_ns=period, deadline_ns=deadline, jitter_ns=jitter))
    mutexes = []
    for number in range(chance.choice((0, 2, 4))):
        users = chance.sample(tasks, 2)
        holds = (Hold(task.name, chance.randint(1, task.wcet_ns)) for task in users)
        mutexes.append(Mutex(f"m{number}", tuple(holds), protocol=chance.choice(("inherit", "ceiling"))))
    return System(Path("x"), "x", "host", "dm", tuple(tasks), objects=tuple(mutexes))


def test_what_is_left_out_helps_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """The changes are those that are found when all are looked at."""
    compared = sections = 0
    for seed in range(SYSTEMS):
        chance = random.Random(seed)
        prover, asked = Prover(random_system(chance)), chance.choice(("dm", "rm", "edf", "auto"))
        choice = choose(prover, asked)
        if choice.proved:
            continue
        found = repair.changes(prover, choice, asked, False)
        with monkeypatch.context() as patch:
            patch.setattr(relevant, "applies", lambda system: False)
            every = repair.changes(prover, choice, asked, False)
        looks = [
            [(one.knob.kind, one.knob.name, one.knob.key, one.to, one.shown) for one in of] for of in (found, every)
        ]
        assert looks[0] == looks[1], f"seed {seed}"
        compared += 1
        sections += any(one.knob.kind == "mutex" for one in found)
    assert compared > SYSTEMS // 5
    assert sections


def test_most_are_left_out() -> None:
    """Of tasks one of which is too long only that one, and those that delay it, are worth a look."""
    tasks = [Task(f"t{number}", US, period_ns=MS * (number + 1), deadline_ns=MS * (number + 1)) for number in range(64)]
    tasks[20] = Task("long", 30 * MS, period_ns=40 * MS, deadline_ns=21 * MS)
    prover = Prover(System(Path("x"), "x", "host", "dm", tuple(tasks)))
    found = relevant.Relevant(prover, choose(prover, "dm").bands)
    assert found.tasks == {"long"}
    assert found.of_mutexes == frozenset()
