# SPDX-License-Identifier: Apache-2.0
"""The options of `takt can` that say what the identifiers carry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING

import click

from takt.can.commands.options import Bus
from takt.can.commands.values import handlers
from takt.support import durations
from takt.support.errors import UserError
from takt.support.files import shown_path

if TYPE_CHECKING:
    from takt.can.mts.judge import Judged

MASTERS_MAX = 8


@dataclass(frozen=True)
class Mixed:
    """What is asked of the mixed traffic scheduler, as options have it."""

    epoch: str | None
    masters: int | None
    times: str | None

    def judged(self, bus: Bus) -> Judged:
        """UserError: an option is wrong, or no setting is possible."""
        from takt.can.mts import judge
        from takt.can.mts.settings import Nodes

        nodes, epoch_ns = Nodes(), None
        try:
            option = "--epoch"
            epoch_ns = None if self.epoch is None else durations.parse(self.epoch, positive=True)
            option = "--handlers"
            nodes = handlers(self.times, self.masters)
        except UserError as error:
            raise UserError(f"{option}: {error.problem}", error.hint) from None
        if not any(one.period_ns or bus.question.period_ns for one in bus.messages):
            hint = "--period 100ms, or another time for all of them"
            raise UserError(f"{shown_path(bus.file)}: no message has a cycle time", hint)
        return judge.choose(bus.messages, bus.question, nodes, epoch_ns)


def scheduler_options(command: Callable[..., int]) -> Callable[..., int]:
    """The command gets a Mixed as `mixed`, or None."""

    @click.option(
        "--scheduler",
        type=click.Choice(("fixed", "mts")),
        default="fixed",
        show_default=True,
        help="fixed: identifiers as in FILE. mts: the mixed traffic scheduler, which gives them; those of fast "
        "messages carry deadlines.",
    )
    @click.option("--epoch", metavar="TIME", help="With mts: its length (default: chosen).")
    @click.option(
        "--masters", type=click.IntRange(1, MASTERS_MAX), help="With mts: nodes that send ticks (default: 2)."
    )
    @click.option(
        "--handlers",
        "times",
        metavar="R/C/W",
        help="With mts: longest times of a node to react to a frame or a timer, to compute new identifiers after a "
        "tick, and to write them (default: 5us/40us/20us).",
    )
    @wraps(command)
    def with_scheduler(
        *, scheduler: str, epoch: str | None, masters: int | None, times: str | None, **others: object
    ) -> int:
        given = {"--epoch": epoch, "--masters": masters, "--handlers": times}
        if scheduler == "fixed":
            for option, value in given.items():
                if value is not None:
                    raise UserError(f"{option} without --scheduler mts", "--scheduler mts, or without it")
        return command(mixed=None if scheduler == "fixed" else Mixed(epoch, masters, times), **others)

    return with_scheduler
