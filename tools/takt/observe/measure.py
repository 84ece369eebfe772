# SPDX-License-Identifier: Apache-2.0
"""`takt measure`: runs a system and suggests the times to declare, from the most that it saw, with a margin.

What a run shows is not what is possible: the margin is a guess, the run has to reach the longest paths.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from takt.declare.schema.model import System
from takt.observe.outcome import Outcome
from takt.support import console
from takt.support.durations import brief
from takt.trace.records import IDLE, Entry, Event, Trace

if TYPE_CHECKING:
    from takt.image.build import Image

MARGIN_PERCENT = 20


@dataclass(frozen=True)
class Suggestion:
    """One time of the declaration. `where` names it as a person would; 0 seen: nothing was."""

    where: str
    key: str
    seen_ns: int
    declared_ns: int
    suggested_ns: int


def with_margin(seen_ns: int, margin_percent: int) -> int:
    """`seen_ns` and the margin, rounded up to two digits, at least a microsecond."""
    wanted = max(1000, -(-seen_ns * (100 + margin_percent) // 100))
    unit = int(10 ** max(0, len(str(wanted)) - 2))
    return -(-wanted // unit) * unit


def suggestions(system: System, outcome: Outcome, trace: Trace, margin_percent: int) -> list[Suggestion]:
    """wcets of tasks and interrupts with code of their own, and holds, in declaration order."""
    found = []

    def suggest(where: str, key: str, seen_ns: int, declared_ns: int) -> None:
        suggested = with_margin(seen_ns, margin_percent) if seen_ns else declared_ns
        found.append(Suggestion(where, key, seen_ns, declared_ns, suggested))

    for task, figures in zip(system.tasks, outcome.tasks, strict=True):
        if task.entry is not None or task.serves is not None:
            suggest(f'[[task]] "{task.name}"', "wcet", figures.execution_ns_max, task.wcet_ns)
    handlers, holds = longest(trace.entries)
    for item in system.interrupts:
        if item.handler is not None:
            suggest(f'[[interrupt]] "{item.name}"', "wcet", handlers.get(item.number, 0), item.wcet_ns)
    for number, mutex in enumerate(system.mutexes):
        for user in mutex.users:
            index = next(place for place, task in enumerate(system.tasks) if task.name == user.task)
            where = f'[[mutex]] "{mutex.name}", user "{user.task}"'
            suggest(where, "hold", holds.get((index, number), 0), user.hold_ns)
    return found


def longest(entries: Iterable[Entry]) -> tuple[dict[int, int], dict[tuple[int, int], int]]:
    """The longest execution of each interrupt by number, and of each (task, mutex) from lock to unlock, in ns."""
    handlers: dict[int, int] = {}
    holds: dict[tuple[int, int], int] = {}
    active: list[tuple[int, int]] = []  # nested interrupts: number, executed
    held: dict[tuple[int, int], int] = {}  # executed since the lock
    running, before_ns = IDLE, 0
    for entry in entries:
        elapsed, before_ns = entry.time_ns - before_ns, entry.time_ns
        if active:
            active[-1] = (active[-1][0], active[-1][1] + elapsed)
        else:
            held = {key: time + elapsed if key[0] == running else time for key, time in held.items()}
        if entry.event is Event.RUN:
            running = entry.task
        elif entry.event is Event.INTERRUPT:
            active.append((entry.object, 0))
        elif entry.event is Event.INTERRUPT_END and active:
            number, executed = active.pop()
            handlers[number] = max(handlers.get(number, 0), executed)
        elif entry.event is Event.LOCK:
            held[entry.task, entry.object] = 0
        elif entry.event is Event.UNLOCK and (entry.task, entry.object) in held:
            executed = held.pop((entry.task, entry.object))
            holds[entry.task, entry.object] = max(holds.get((entry.task, entry.object), 0), executed)
        elif entry.event is Event.LOST_RECORDS:
            active, held = [], {}
    return handlers, holds


def add_command(cli: click.Group) -> None:
    from takt.cli import application, board_option, json_option

    @cli.command(name="measure")
    @application
    @board_option
    @click.option("--duration", metavar="D", help='Virtual time, such as "10 s", instead of the declared one.')
    @click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True, help="Of the plant.")
    @click.option(
        "--margin", type=click.IntRange(0, 1000), default=MARGIN_PERCENT, show_default=True, help="In percent."
    )
    @click.option("--force", is_flag=True, help="Run with stacks that are too small, too.")
    @json_option
    def command(
        application: str | None,
        board: str | None,
        duration: str | None,
        seed: int,
        margin: int,
        force: bool,
        as_json: bool,
    ) -> int:
        """Run, proved or not, and suggest wcets and holds from the longest executions seen, with a margin.

        Prints lines for system.toml. Exit code 1: a stack is too small, or the run did not reach its end.
        """
        from takt.image import stack_verdict
        from takt.observe import run

        def judge(image: Image) -> None:
            stack_verdict.refuse(proved, image.stacks, force)

        proved = run.load(application, board, None, "none")
        duration_ns = run.parse_duration(duration, proved.system.duration_ns)
        finished = run.run(proved, duration_ns, seed, judge=judge)
        found = suggestions(proved.system, finished.outcome, finished.trace, margin)
        if as_json:
            console.print_json([one.__dict__ for one in found])
        else:
            show_suggestions(found, proved.board.zero_overheads)
        for one in stack_verdict.too_small(finished.outcome.stacks):
            click.echo(f"takt: forced: {one.sentence()}: {one.calls()}", err=True)
        if finished.outcome.failure is not None:
            click.echo(f"takt: {finished.outcome.failure}", err=True)
        return 0 if finished.outcome.failure is None else 1


def show_suggestions(found: list[Suggestion], virtual: bool) -> None:
    """Lines for system.toml, each under a comment that says what was seen."""
    from takt.support.durations import show

    if virtual:
        click.echo("# On this board time passes only as declared: measure on another.")
    if not found:
        click.echo("# Nothing to measure: every task is a synthetic load.")
    for one in found:
        seen = f"at most {brief(one.seen_ns)}" if one.seen_ns else "never seen"
        click.echo(f'# {one.where}: {seen}, declared {show(one.declared_ns)}\n{one.key} = "{show(one.suggested_ns)}"')
