# SPDX-License-Identifier: Apache-2.0
"""The systems that costs are fitted to, and others that forecasts are held against: neither sees the other's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from takt.support.compile import BUILD
from takt.support.files import write_whole
from takt.support.provision import ROOT

MUTEXES = 5
CALLS = 4


@dataclass(frozen=True)
class Case:
    """A system under a scheduler, looked at from `from_ms` to `until_ms`. `text`: a declaration, with `code`; or
    `app`, a folder. `calls_ms`: how often calls release a job, if that is not as often as they may."""

    name: str
    scheduler: str
    text: str = ""
    code: str = ""
    app: str = ""
    from_ms: int = 20
    until_ms: int = 60
    calls_ms: int = 0

    @property
    def folder(self) -> Path:
        """Where its declaration is; written there if it is not yet."""
        if self.app:
            return ROOT / "apps" / self.app
        folder = BUILD / "accelerator" / self.name
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / "system.toml", self.text)
        if self.code:
            write_whole(folder / "app.c", self.code)
        return folder


def _table(header: str, **keys: str) -> str:
    return f"[[{header}]]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())


def tasks(*rows: tuple[int, int, int], first: int = 0, more: Mapping[str, str] = MappingProxyType({})) -> str:
    """Period, wcet and offset in us; `more`: other keys."""
    return "".join(
        _table(
            "task",
            name=f'"t{number}"',
            period=f'"{period} us"',
            wcet=f'"{wcet} us"',
            offset=f'"{offset} us"',
            **more,
        )
        for number, (period, wcet, offset) in enumerate(rows, first)
    )


def alarms(*rows: tuple[int, int], first: int = 0) -> str:
    """Each releases a task, which may come a little more often: period, and wcet of the task, in us."""
    return "".join(
        _table("alarm", name=f'"a{number}"', period=f'"{period} us"', start='"1 ms"')
        + _table(
            "task",
            name=f'"s{number}"',
            min_interarrival=f'"{period * 9 // 10} us"',
            wcet=f'"{wcet} us"',
            trigger=f'"alarm a{number}"',
        )
        for number, (period, wcet) in enumerate(rows, first)
    )


def _spread(count: int, period: int, wcet: int) -> tuple[tuple[int, int, int], ...]:
    """So that none of them meet."""
    return tuple((period, wcet, number * period // count) for number in range(count))


def _sections() -> tuple[str, str]:
    """A job that locks each mutex once, and works for as long as its wcet says."""
    names = [f"m{number}" for number in range(MUTEXES)]
    users = "[" + ", ".join(f'{{task = "t{number}", hold = "1 us"}}' for number in range(2)) + "]"
    text = "".join(_table("mutex", name=f'"{name}"', users=users) for name in names)
    locks = "".join(f"    (void)takt_mutex_lock(&{name});\n    takt_mutex_unlock(&{name});\n" for name in names)
    head = '#include "takt_app.h"\nvoid section_job(void *argument)\n{\n    (void)argument;\n'
    code = f"{head}{locks}    takt_work(TAKT_US(150));\n}}\n"
    return tasks((1000, 150, 0), (2000, 150, 500), more={"entry": '"section_job"'}) + text, code


def _calls() -> tuple[str, str]:
    """A job posts each semaphore once, each of which releases a job that comes after its own end."""
    names = [f"s{number}" for number in range(CALLS)]
    text = tasks((2000, 100, 0), more={"entry": '"posting_job"'})
    text += "".join(_table("semaphore", name=f'"{name}"') for name in names)
    for name in names:
        keys = {"min_interarrival": '"1800 us"', "deadline": '"2 ms"', "wcet": '"100 us"'}
        text += _table("task", name=f'"after_{name}"', trigger=f'"semaphore {name}"', **keys)
    posts = "".join(f"    (void)takt_semaphore_post(&{name});\n" for name in names)
    head = '#include "takt_app.h"\nvoid posting_job(void *argument)\n{\n    (void)argument;\n'
    return text, f"{head}{posts}    takt_work(TAKT_US(100));\n}}\n"


_WAITING = {"suspension": '"400 us"', "waits": "2"}
_SHAPES = {
    "one": tasks((1000, 200, 0)),
    "together": tasks(*((4000, 120, 0),) * 6),
    "pairs": tasks(*((2000, 100, number // 2 * 700) for number in range(6))),
    "apart": tasks(*_spread(8, 4000, 150)),
    "preempt": tasks((1000, 80, 300), (2000, 100, 700), (20000, 8000, 0)),
    "below": tasks((4000, 2000, 0), *((8000, 100, 300 * number) for number in range(1, 6))),
    "many": tasks(*_spread(20, 10000, 90), (10000, 4000, 0)),
    "watched": tasks((1000, 150, 0), (2000, 150, 500), more={"on_miss": '"stop"'}),
    "alarms": alarms((1000, 100), (2000, 120)) + tasks((4000, 150, 2500)),
    "waits": tasks((4000, 400, 0), (5000, 400, 2000), more=_WAITING),
}


def fitting() -> list[Case]:
    shapes = {**{name: (text, "") for name, text in _SHAPES.items()}, "sections": _sections(), "calls": _calls()}
    return [
        Case(f"{name}-{scheduler}", scheduler, *shape, calls_ms=2)
        for name, shape in shapes.items()
        for scheduler in ("dm", "edf")
    ]


_MOTOR = tasks((500, 60, 0), (1000, 120, 0), (1000, 50, 250), (2000, 200, 0), (5000, 400, 100), (10000, 900, 0))
_MIXED = (
    tasks((2500, 180, 0), (10000, 700, 900), more={"on_miss": '"stop"'})
    + alarms((2000, 150))
    + tasks((5000, 500, 400), first=4, more=_WAITING)
)
_CROWD = tasks(*((1000 * (4 + number % 5 * 4), 60 + 25 * number, 130 * number) for number in range(14)))


def held_out() -> list[Case]:
    return [
        Case("motor", "dm", _MOTOR),
        Case("mixed", "dm", _MIXED),
        Case("crowd", "edf", _CROWD, from_ms=100, until_ms=200),
        Case("avionics", "dm", app="avionics", from_ms=50, until_ms=100),
    ]
