# SPDX-License-Identifier: Apache-2.0
"""What was observed of a simulated bus, beside what is proved of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from takt.can.check import Answer
from takt.can.logs.entry import Entry
from takt.can.logs.write import writing
from takt.can.simulation.bus import Asked, Sent, Simulation
from takt.can.view.load import Load
from takt.support import console
from takt.support.c import can as c

WINDOW_NS = 20_000_000  # of the picture
_AFTER_NS = 2_000_000
_BITS_AFTER = 20  # idle bits at the end of a value change dump


@dataclass(frozen=True)
class Seen:
    """Of a message. `response_ns`: the longest from its nominal release to the end of its intermission, or to the end
    of the simulation if it is not sent by then; None: none was released. `at_ns`: when that one ended. `lost`: of nodes
    that went off the bus. `pending`: at the end."""

    released: int
    sent: int
    lost: int
    failed: int
    response_ns: int | None
    mean_ns: int | None
    at_ns: int

    @property
    def pending(self) -> int:
        return self.released - self.sent - self.lost


@dataclass(frozen=True)
class Outcome:
    """`simulated_ns`: less than asked for if interrupted. `used_s`: of the processor. `window`: what happened around
    the response that came nearest to its bound, if a picture was asked for."""

    asked: Answer
    how: Asked
    seen: list[Seen]
    load: Fraction
    errors: int
    counters: dict[str, tuple[int, int]]
    clocks_ppm: dict[str, int]
    simulated_ns: int
    interrupted: bool
    used_s: float
    tolerance_ns: int
    window: list[Sent]

    def is_above(self, index: int) -> bool:
        """Whether a response was longer than what is proved."""
        bound_ns, response_ns = self.asked.found[index].response_ns, self.seen[index].response_ns
        return bound_ns is not None and response_ns is not None and response_ns > bound_ns + self.tolerance_ns

    @property
    def above(self) -> list[int]:
        return [index for index in range(len(self.seen)) if self.is_above(index)]

    @property
    def nearest(self) -> int | None:
        """The message whose response came nearest to its bound; None: none was sent that has one."""
        shares = [
            (Fraction(seen.response_ns, bound.response_ns), -index)
            for index, (seen, bound) in enumerate(zip(self.seen, self.asked.found, strict=True))
            if seen.response_ns is not None and bound.response_ns
        ]
        return -max(shares)[1] if shares else None

    @property
    def broken(self) -> list[str]:
        """Assumptions of the bounds that this simulation did not keep to."""
        how, bounded = self.how, self.asked.question.errors.count > 0
        reasons = []
        if self.errors:
            reasons.append(
                f"{self.errors} errors on the bus, "
                + ("perhaps more than --errors allows" if bounded else "while the bounds count none (--errors)")
            )
        if how.dead:
            reasons.append("nodes went off the bus in the middle of their frames")
        if how.babbling:
            reasons.append(f"{', '.join(how.babbling)} sent without a pause, more often than declared")
        if how.replayed:
            reasons.append("a node that sent as in a log, not as declared")
        return reasons


def run(asked: Answer, how: Asked, log: Path | None, picture: bool, load: Load | None = None) -> Outcome:
    """Simulates; writes the log and fills `load` while it does. Ctrl-C ends the simulation early, and the log is
    complete up to there. UserError, OSError: the log cannot be written, or no simulation has so many nodes."""
    simulation = Simulation(asked, how, keep=log is not None or load is not None)
    begun, interrupted = time.process_time(), False
    with ExitStack() as stack:
        write = stack.enter_context(writing(log)) if log else None
        fill = stack.enter_context(console.filling("simulating the bus"))
        try:
            for fraction, sent in simulation.run():
                if write is not None:
                    write(_entries(sent))
                if load is not None:
                    _loaded(load, simulation, sent)
                fill(fraction)
        except KeyboardInterrupt:
            interrupted = True
    used_s = time.process_time() - begun
    outcome = _outcome(simulation, interrupted, used_s, [])
    if not picture or interrupted or outcome.nearest is None:
        return outcome
    end_ns = outcome.seen[outcome.nearest].at_ns + _AFTER_NS
    return _outcome(simulation, interrupted, used_s, window(asked, how, end_ns))


def _loaded(load: Load, simulation: Simulation, sent: list[Sent]) -> None:
    """Adds frames, and those that were destroyed; a mark where a response is the longest of its message so far."""
    last_ns = -1
    for one in sent:
        if one.kind == c.RecordKind.SENT and one.index is not None:
            latest = simulation.messages[one.index].response_at
            load.add(one.start_ns, one.end_ns, one.index, mark=simulation.ns(latest) == one.end_ns)
        elif one.kind == c.RecordKind.FAILED and one.end_ns != last_ns:
            last_ns = one.end_ns
            load.add(one.start_ns or one.end_ns, one.end_ns, one.index, error=True)


def _entries(sent: list[Sent]) -> list[Entry]:
    """Of frames, and one for each bit in which some node saw an error."""
    found, last_ns = [], -1
    for one in sent:
        if one.entry is not None:
            found.append(one.entry)
        elif one.kind == c.RecordKind.FAILED and one.end_ns != last_ns:
            last_ns = one.end_ns
            found.append(Entry(one.end_ns, 0, False, b"", 0, error=True))
    return found


def vcd(asked: Answer, how: Asked, frames: int) -> str:
    """The levels of the bus, bit by bit, up to the end of so many frames: a value change dump (IEEE 1364)."""
    lines = ["$timescale 1 ns $end", "$scope module bus $end", "$var wire 1 ! can $end", "$upscope $end"]
    lines += ["$enddefinitions $end", "#0", "1!"]
    last, when, left = True, 0, _BITS_AFTER
    for when, level, sent in Simulation(asked, how, keep=False).bits():
        if level != last:
            lines += [f"#{when}", f"{int(level)}!"]
            last = level
        left = left - 1 if sent >= frames else _BITS_AFTER
        if left == 0:
            break
    return "\n".join([*lines, f"#{when}", ""])


def window(asked: Answer, how: Asked, end_ns: int) -> list[Sent]:
    """What happened up to a time, within WINDOW_NS: the same simulation once more."""
    simulation = Simulation(asked, how, keep=True)
    found: list[Sent] = []
    collect: Callable[[list[Sent]], None] = found.extend
    for _, sent in simulation.run():
        collect([one for one in sent if end_ns - WINDOW_NS <= one.end_ns <= end_ns])
        if simulation.ns(simulation.now) > end_ns:
            break
    return found


def _outcome(simulation: Simulation, interrupted: bool, used_s: float, window_of: list[Sent]) -> Outcome:
    asked, now = simulation.asked, max(1, simulation.now)
    brs = simulation.brs
    return Outcome(
        asked,
        simulation.how,
        [_seen(simulation, one) for one in simulation.messages],
        Fraction(simulation.busy, now),
        simulation.errors,
        simulation.counters(),
        simulation.clocks_ppm,
        simulation.ns(simulation.now),
        interrupted,
        used_s,
        simulation.ns(simulation.nominal_ticks) if brs else 0,
        window_of,
    )


def _seen(simulation: Simulation, message: c.Message) -> Seen:
    """A frame that waits at the end has waited for so long, which may be more than any response."""
    sent, longest, at = message.sent, message.response_max, message.response_at
    if message.released > message.sent + message.lost:
        waited = simulation.now - simulation.nominal_release(message, message.taken)
        if waited > longest:
            longest, at = waited, simulation.now
    return Seen(
        message.released,
        sent,
        message.lost,
        message.failed,
        simulation.ns(longest) if longest else None,
        simulation.ns(message.response_sum // sent) if sent else None,
        simulation.ns(at),
    )
