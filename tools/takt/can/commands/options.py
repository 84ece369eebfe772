# SPDX-License-Identifier: Apache-2.0
"""The options that the commands of `takt can` share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from takt.can.commands.values import DATA_RATE_MAX, RATE_MAX, bit_rate, errors, jitter
from takt.support import durations
from takt.support.durations import DRIFT_MAX_PPM
from takt.support.errors import UserError
from takt.support.files import shown_path

if TYPE_CHECKING:
    from takt.can.check import Answer, Question
    from takt.can.controllers import Controllers
    from takt.can.messages import Message

_Value = TypeVar("_Value")


def _option(name: str, text: str | None, read: Callable[[str], _Value]) -> _Value | None:
    """The value of an option that was given. UserError: with its name."""
    try:
        return None if text is None else read(text)
    except UserError as error:
        raise UserError(f"{name}: {error.problem}", error.hint) from None


@dataclass(frozen=True)
class Bus:
    """The file that a command got, its messages in the order of their identifiers, and what is asked about them.
    `name`: of a bus of several, or None."""

    file: Path
    messages: list[Message]
    question: Question
    name: str | None = None

    def answer(self) -> Answer:
        """Their bounds. UserError: no message has a period."""
        from takt.can import check

        asked = check.answer(self.messages, self.question)
        if not asked.rows:
            hint = "--period 100ms, or another time for all of them"
            raise UserError(f"{shown_path(self.file)}: no message has a cycle time", hint)
        return asked


def bus_options(command: Callable[..., int], at_random: bool = False) -> Callable[..., int]:
    """FILE and the options that say what the bus is. The command gets a Bus as `bus`. `at_random`: it has an answer for
    errors at random."""

    @click.argument("file", type=click.Path(path_type=Path))
    @click.option("--bitrate", metavar="RATE", required=True, help="Of the bus: 500k, 1M ...")
    @click.option("--data-bitrate", metavar="RATE", help="Of the data of FD frames (default: as --bitrate).")
    @click.option("--fd", is_flag=True, help="Count every message as an FD frame (default: those above 8 bytes).")
    @click.option("--jitter", "lateness", metavar="J", help="Of releases: 10% of the period, or a time (default: 0).")
    @click.option(
        "--errors",
        "faults",
        metavar="E",
        help="At most so many errors: 10ms (least distance), 3/100ms (in any 100 ms), 3/100ms/2ms (in bursts of 2 ms)"
        + ("; or at random: random:1e-7 (of the bits), random:10/s." if at_random else "."),
    )
    @click.option("--period", metavar="TIME", help="Of messages whose file says none; without it they do not count.")
    @click.option("--events", is_flag=True, help="Messages that are sent on events too: count their least distance.")
    @click.option(
        "--controller",
        "queues",
        metavar="[NODE=]KIND",
        multiple=True,
        help="How nodes queue (all, or one): priority (default), fifo, 3 (buffers that cannot be aborted), 3/abort, "
        "3/abort:50us (within that time).",
    )
    @click.option(
        "--drift",
        "drift_ppm",
        metavar="PPM",
        type=click.IntRange(0, DRIFT_MAX_PPM),
        default=0,
        help="By how many ppm the clocks of nodes may be wrong, each on its own (default: 0).",
    )
    @click.option("--bus", "name", metavar="NAME", help="Of a file that describes several buses.")
    @wraps(command)
    def with_bus(
        *,
        file: Path,
        bitrate: str,
        data_bitrate: str | None,
        fd: bool,
        lateness: str | None,
        faults: str | None,
        period: str | None,
        events: bool,
        queues: tuple[str, ...],
        drift_ppm: int,
        name: str | None,
        **others: object,
    ) -> int:
        from takt.can.files import read

        messages = read.load(file, name)
        asked = question(bitrate, data_bitrate, fd, lateness, faults, period, events)
        if asked.at_random is not None and not at_random:
            hint = "3/100ms, or another bound; takt can check has the probability of a missed deadline"
            raise UserError(f"--errors: {faults} is no bound", hint)
        asked = replace(asked, controllers=_controllers(queues, messages), drift_ppm=drift_ppm)
        return command(bus=Bus(file, messages, asked, name), **others)

    return with_bus


def _controllers(queues: tuple[str, ...], messages: list[Message]) -> Controllers:
    from takt.can import controllers

    try:
        return controllers.parse(queues, messages)
    except UserError as error:
        raise UserError(f"--controller: {error.problem}", error.hint) from None


def question(
    bitrate: str,
    data_bitrate: str | None,
    fd: bool,
    lateness: str | None,
    faults: str | None,
    period: str | None,
    events: bool,
) -> Question:
    from takt.can.bounds import NO_ERRORS
    from takt.can.check import Jitter, Question
    from takt.can.lengths import Rate

    nominal = _option("--bitrate", bitrate, lambda text: bit_rate(text, RATE_MAX)) or 0
    data = _option("--data-bitrate", data_bitrate, lambda text: bit_rate(text, DATA_RATE_MAX))
    if data is not None and data < nominal:
        raise UserError("--data-bitrate is lower than --bitrate", f"--data-bitrate {max(2_000_000, nominal) // 1000}k")
    bounded, at_random = _option("--errors", faults, errors) or (NO_ERRORS, None)
    return Question(
        Rate(nominal, data),
        jitter=_option("--jitter", lateness, jitter) or Jitter(),
        errors=bounded,
        at_random=at_random,
        fd=fd,
        period_ns=_option("--period", period, lambda text: durations.parse(text, positive=True)),
        events=events,
    )
