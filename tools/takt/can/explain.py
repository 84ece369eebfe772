# SPDX-License-Identifier: Apache-2.0
"""The busy period that makes the bound of a message: the frames on the bus, one after the other."""

from __future__ import annotations

from dataclasses import dataclass

from takt.can.check import Answer
from takt.can.find import message as find_message
from takt.support.errors import UserError
from takt.support.names import shown

FRAMES_MAX = 100_000


@dataclass(frozen=True)
class Frame:
    """On the bus, from `start_ns` to `end_ns` with its intermission; `queued_ns`: when its node had it. Times count
    from the beginning of the busy period. `row`: of the answer."""

    row: int
    queued_ns: int
    start_ns: int
    end_ns: int


@dataclass(frozen=True)
class Explanation:
    """`frames`: the first blocks, if any has a higher identifier; the last is the latest instance, number `instance`
    (from 0), which is nominally released at `released_ns`. `rest_ns`: what the bound has beyond the schedule, which
    only errors are."""

    asked: Answer
    row: int
    frames: tuple[Frame, ...]
    blocked: bool
    instance: int
    released_ns: int
    rest_ns: int

    @property
    def response_ns(self) -> int:
        return self.frames[-1].end_ns - self.released_ns


def of(asked: Answer, text: str) -> Explanation:
    """Of the message of this name or identifier. UserError: it has no bound, or there is no such message."""
    message = find_message([one.message for one in asked.rows], text, "MESSAGE")
    row = next(index for index, one in enumerate(asked.rows) if one.message is message)
    bound_ns = asked.found[row].response_ns
    if bound_ns is None:
        load = sum(one.send_ns / one.period_ns for one in asked.rows[: row + 1])
        problem = f'"{shown(message.name)}" has no bound: with the messages before it the load is {load:.3f}'
        raise UserError(problem, "a higher --bitrate, or fewer messages and errors")
    frames, end, instance = _latest(asked, row)
    own = asked.rows[row]
    released_ns = instance * own.period_ns - own.jitter_ns
    blocked = bool(frames) and frames[0].row > row
    rest_ns = bound_ns - (frames[end].end_ns - released_ns)
    return Explanation(asked, row, tuple(frames[: end + 1]), blocked, instance, released_ns, rest_ns)


def _latest(asked: Answer, row: int) -> tuple[list[Frame], int, int]:
    """The frames of the busy period, the index of the latest instance among them, and its number.

    The worst case: the longest frame with a higher identifier has just begun, and every other is queued at once,
    as late as its jitter allows; the next ones come as soon as they may. A frame that is queued within the first bit of
    another still takes part in the arbitration.
    """
    rows = asked.rows
    bit_ns = -(-1_000_000_000 // asked.question.rate.nominal)
    now, sent = 0, list[Frame]()
    below = max(range(row + 1, len(rows)), key=lambda index: rows[index].send_ns, default=None)
    if below is not None:
        now = rows[below].send_ns
        sent.append(Frame(below, 0, 0, now))
    coming, counts = [0] * (row + 1), [0] * (row + 1)
    best = (-1, 0, 0)
    while len(sent) < FRAMES_MAX:
        chosen = next((index for index in range(row) if coming[index] < now + bit_ns), None)
        if chosen is None and coming[row] > now:
            break
        index = row if chosen is None else chosen
        one = rows[index]
        sent.append(Frame(index, coming[index], now, now + one.send_ns))
        now += one.send_ns
        if index == row:
            response = now - counts[row] * one.period_ns
            best = max(best, (response, len(sent) - 1, counts[row]), key=lambda known: (known[0], -known[1]))
        counts[index] += 1
        coming[index] = max(0, counts[index] * one.period_ns - one.jitter_ns)
    else:
        name = shown(rows[row].message.name)
        raise UserError(f'the busy period of "{name}" has more than {FRAMES_MAX} frames', "a bus with less load")
    return sent, best[1], best[2]
