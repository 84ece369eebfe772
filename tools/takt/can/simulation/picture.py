# SPDX-License-Identifier: Apache-2.0
"""The picture of a simulation: the frames on the bus around the response that came nearest to its bound, and of each
message the longest response beside what is proved."""

from __future__ import annotations

from collections.abc import Iterator

from takt.can.drawing import LEFT, RIGHT, ROW, ROWS_MAX, WIDTH, axis, box, page, short, text
from takt.can.simulation.bus import Sent
from takt.can.simulation.outcome import Outcome
from takt.can.words import rate_text
from takt.support.c import can as c
from takt.support.durations import brief
from takt.support.names import shown


def svg(found: Outcome) -> str:
    """The picture. Without a frame that was sent it says so."""
    body: list[str] = []
    height = 24.0
    rate, seed = rate_text(found.asked.question.rate.nominal), found.how.seed
    head = f"{brief(found.simulated_ns)} at {rate}, load {float(found.load):.3f}, seed {seed}"
    body.append(text(12, height - 6, head, "h"))
    if found.nearest is None:
        body.append(text(12, height + 16, "No frame was sent."))
        height += 30
    else:
        height = _gantt(found, found.nearest, body, height + 16)
        height = _responses(found, body, height + 24)
    return page(body, height)


def _name(found: Outcome, index: int) -> str:
    return short(shown(found.asked.rows[index].message.name))


def _gantt(found: Outcome, nearest: int, body: list[str], top: float) -> float:
    """A row for each message that is on the bus in the window, and one for the bus."""
    window, seen = found.window, found.seen[nearest]
    released_ns = seen.at_ns - (seen.response_ns or 0)
    begin = max(min((one.start_ns for one in window if one.entry), default=0), released_ns - 500_000, 0)
    end = max((one.end_ns for one in window), default=begin + 1)
    frames = [one for one in window if one.entry is not None and one.end_ns > begin]
    used = sorted({one.index for one in frames if one.index is not None and one.start_ns >= begin})
    if len(used) > ROWS_MAX:
        used = [index for index in used if index <= nearest][-ROWS_MAX:]
    line = {index: top + 40 + ROW * number for number, index in enumerate(used)}

    def x(ns: int) -> float:
        return LEFT + (ns - begin) / max(1, end - begin) * (WIDTH - LEFT - RIGHT)

    what = f"{_name(found, nearest)}: {brief(seen.response_ns or 0)} from its release to the end of its frame"
    body.append(text(12, top, f"The response nearest to its bound. {what}", "h"))
    bottom = top + 40 + ROW * len(used)
    body += axis(x, begin, end, top + 14, bottom)
    body.append(text(LEFT - 8, top + 29, "bus", "", "end"))
    for one in frames:
        if one.index is None or one.start_ns < begin:
            continue
        kind = "n" if one.index == nearest and one.end_ns == seen.at_ns else "f"
        title = f"{_name(found, one.index)}, {brief(one.end_ns - one.start_ns)}"
        body.append(box(x(one.start_ns), top + 20, x(one.end_ns) - x(one.start_ns) - 0.3, 11, kind, title))
        if one.index in line:
            y = line[one.index]
            body.append(box(x(one.start_ns), y + 2, x(one.end_ns) - x(one.start_ns), ROW - 4, kind, title))
    for one in _errors(window, begin):
        if one.index is not None:
            title = f"{_name(found, one.index)}: destroyed"
            body.append(box(x(one.start_ns), top + 23, x(one.end_ns) - x(one.start_ns), 5, "d", title))
        body.append(box(x(one.end_ns) - 1, top + 18, 2, 15, "e", f"error seen by {shown(one.node)}"))
    for index, y in line.items():
        body.append(text(LEFT - 8, y + ROW - 4, _name(found, index), "", "end"))
    y = line[nearest] + ROW / 2
    body.insert(
        0, f"<line x1='{x(max(released_ns, begin)):.1f}' x2='{x(seen.at_ns):.1f}' y1='{y}' y2='{y}' class='w'/>"
    )
    return bottom


def _errors(window: list[Sent], begin: int) -> Iterator[Sent]:
    for one in window:
        if one.kind == c.RecordKind.FAILED and one.end_ns > begin:
            yield one


def _responses(found: Outcome, body: list[str], top: float) -> float:
    """Bars: the bound, and the longest response within it; those nearest to their bounds first."""
    bounds, shares = found.asked.found, []
    for index, seen in enumerate(found.seen):
        bound_ns = bounds[index].response_ns
        if bound_ns and seen.response_ns is not None:
            shares.append((-seen.response_ns / bound_ns, index))
    chosen = [index for _, index in sorted(shares)[:ROWS_MAX]]
    left_out = len(found.seen) - len(chosen)
    more = f" ({left_out} others are not shown)" if left_out else ""
    body.append(text(12, top, f"Longest response observed, beside the bound{more}", "h"))
    most = max([max(bounds[index].response_ns or 0, found.seen[index].response_ns or 0) for index in chosen], default=1)
    scale = (WIDTH - LEFT - RIGHT) / most
    for number, index in enumerate(chosen):
        y, bound_ns, response_ns = (
            top + 8 + ROW * number,
            bounds[index].response_ns or 0,
            found.seen[index].response_ns or 0,
        )
        title = f"observed {brief(response_ns)}, proved {brief(bound_ns)}"
        body.append(text(LEFT - 8, y + ROW - 4, _name(found, index), "", "end"))
        body.append(box(LEFT, y + 2, bound_ns * scale, ROW - 4, "b", title))
        body.append(box(LEFT, y + 4, response_ns * scale, ROW - 8, "a" if found.is_above(index) else "o", title))
        body.append(text(LEFT + bound_ns * scale + 6, y + ROW - 4, f"{brief(response_ns)} of {brief(bound_ns)}", "m"))
    return top + 8 + ROW * len(chosen) + 12
