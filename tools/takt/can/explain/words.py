# SPDX-License-Identifier: Apache-2.0
"""What an explanation says: to people, as JSON (docs/json.md), and as a picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from takt.can.drawing import LEFT, RIGHT, ROW, WIDTH, axis, box, page, short, text
from takt.can.explain.explanation import Explanation
from takt.can.words import count
from takt.support.durations import brief, show
from takt.support.names import shown
from takt.support.tables import Table

ROWS_SHOWN, DRAWN_MAX = 12, 60


def said(found: Explanation, every: bool) -> str:
    """For a terminal. `every`: with all frames of other messages."""
    row, frames = found.asked.rows[found.row], found.frames
    name, bound_ns = shown(row.message.name), found.response_ns + found.rest_ns
    late = bound_ns > row.deadline_ns
    verdict = "later than its deadline of" if late else "within its deadline of"
    lines = [f"{name} ({row.message.id_text}) may take {show(bound_ns)}, {verdict} {show(row.deadline_ns)}."]
    lines += _begin(found)
    counts = Counter(one.row for one in frames[found.blocked : -1] if one.row != found.row)
    lower = {index: count for index, count in counts.items() if index < found.row}
    later = sum(found.asked.rows[index].deadline_ns > row.deadline_ns for index in lower)
    taken_ns = sum(count * found.asked.rows[index].send_ns for index, count in lower.items())
    first = f"Then {_frames(lower)} with lower identifiers go first"
    lines.append(f"{first}, {later} of which are due later: {show(taken_ns)}." if lower else "None goes first.")
    lines += _inversion(found, {index: count for index, count in counts.items() if index > found.row})
    if found.instance:
        before = "An earlier frame" if found.instance == 1 else f"{found.instance} earlier frames"
        lines.append(f"{before} of its own: {show(found.instance * row.send_ns)}.")
        lines.append(f"The latest is nominally released {show(found.released_ns)} after the beginning.")
    lines.append(f"Its own frame takes {show(row.send_ns)}, and it ends {show(frames[-1].end_ns)} after the beginning.")
    if row.jitter_ns:
        lines.append(f"Its jitter counts: it is nominally released {show(row.jitter_ns)} before it is queued.")
    if found.rest_ns:
        lines.append(f"Errors, and what comes while they are mended, take {show(found.rest_ns)} more at most.")
    order = sorted(counts, key=lambda index: (-counts[index] * found.asked.rows[index].send_ns, index))
    rows = [
        (
            shown(one.message.name),
            one.message.id_text,
            counts[index],
            show(counts[index] * one.send_ns),
            show(one.period_ns),
            show(one.deadline_ns),
            *(("inversion" if index > found.row else "",) if found.inversion_ns else ()),
        )
        for index in (order if every else order[:ROWS_SHOWN])
        for one in (found.asked.rows[index],)
    ]
    heads = ("message", "id", "frames", "time", "period", "deadline", "")
    table = Table("They are", heads if found.inversion_ns else heads[:-1], rows, 2)
    more = "" if every or len(order) <= ROWS_SHOWN else f"\n{len(order) - ROWS_SHOWN} others: --all"
    return "\n".join(lines) + (f"\n\n{table.text()}{more}" if order else "")


def _begin(found: Explanation) -> Iterator[str]:
    """What precedes all: the frame that blocks, if there is one."""
    if found.whole:
        yield "It waits for all frames of the busy period of the whole bus: no queue makes it wait for more."
    if not found.blocked:
        return
    blocking, ended = _name(found, found.frames[0].row), show(found.frames[0].end_ns)
    if found.holder is None:
        yield f"{blocking} has just begun when all others are queued: {ended}."
    else:
        yield (
            f"{blocking} of {shown(found.holder)} has just begun: {ended}. Behind it frames with lower identifiers "
            "have gathered, which now come in a burst."
        )


def _inversion(found: Explanation, counts: dict[int, int]) -> Iterator[str]:
    """Of a node that does not queue by priority: the frames with higher identifiers that go first, and the bound
    without such queues."""
    question, row = found.asked.question, found.asked.rows[found.row]
    if question.controllers.all_by_priority:
        return
    if counts and found.whole:
        yield f"{_frames(counts)} with higher identifiers go first, too (inversion): {show(found.inversion_ns)}."
    elif counts:
        node = row.message.senders[:1]
        own = {index: count for index, count in counts.items() if found.asked.rows[index].message.senders[:1] == node}
        taken_ns = sum(count * found.asked.rows[index].send_ns for index, count in own.items())
        yield (
            f"Its node {shown(node[0])} queues {question.controllers.of(row.message).words}: {_frames(own)} of it with "
            f"higher identifiers go first (inversion): {show(taken_ns)}."
        )
        if len(own) < len(counts):
            others = {index: count for index, count in counts.items() if index not in own}
            yield (
                f"While it offers these, {_frames(others)} of other nodes with identifiers between go first as well: "
                f"{show(found.inversion_ns - taken_ns)}."
            )
    by_priority = "have no bound" if found.by_priority_ns is None else f"take {show(found.by_priority_ns)}"
    yield f"If every node queued by priority, it would {by_priority}."


def _frames(counts: dict[int, int]) -> str:
    return f"{count(range(sum(counts.values())), 'frame')} of {count(counts, 'message')}"


def _name(found: Explanation, index: int) -> str:
    return shown(found.asked.rows[index].message.name)


def document(found: Explanation) -> dict[str, Any]:
    """The document of --json."""
    row = found.asked.rows[found.row]
    return {
        "name": row.message.name,
        "id": row.message.identifier,
        "extended": row.message.extended,
        "deadline_ns": row.deadline_ns,
        "response_ns": found.response_ns + found.rest_ns,
        "errors_ns": found.rest_ns,
        "by_priority_ns": found.by_priority_ns,
        "inversion_ns": found.inversion_ns,
        "held_by": found.holder,
        "whole_bus": found.whole,
        "instance": found.instance,
        "released_ns": found.released_ns,
        "blocked_by": found.asked.rows[found.frames[0].row].message.name if found.blocked else None,
        "frames": [
            {
                "name": found.asked.rows[one.row].message.name,
                "queued_ns": one.queued_ns,
                "start_ns": one.start_ns,
                "end_ns": one.end_ns,
                "inversion": found.is_inverted(number),
            }
            for number, one in enumerate(found.frames)
        ],
    }


def svg(found: Explanation) -> str:
    """The bus from the beginning of the busy period, and a row for each message on it, those with the most time first
    where there are too many."""
    frames, row = found.frames, found.asked.rows[found.row]
    begin, deadline_ns = min(0, found.released_ns), found.released_ns + row.deadline_ns
    end = max(frames[-1].end_ns, deadline_ns)
    counts = Counter(one.row for one in frames)
    wanted = sorted(counts, key=lambda index: (index != found.row, -counts[index], index))[:DRAWN_MAX]
    drawn = sorted(wanted)
    left_out = len(counts) - len(drawn)

    def x(ns: int) -> float:
        return LEFT + (ns - begin) / (end - begin) * (WIDTH - LEFT - RIGHT)

    bound = brief(found.response_ns)
    head = f"{short(_name(found, found.row))} ({row.message.id_text}): {bound}, due after {brief(row.deadline_ns)}"
    body = [text(12, 20, head, "h")]
    others = f" {left_out} messages with fewest frames have no row." if left_out else ""
    inverted = " Orange goes first with a higher identifier (priority inversion)." if found.inversion_ns else ""
    body.append(text(12, 36, f"Grey blocks; all others are queued from 0 ms on.{inverted}{others}", "m"))
    top, bottom = 66.0, 90.0 + ROW * len(drawn)
    body += axis(x, begin, end, top - 6, bottom)
    body.append(text(LEFT - 8, top + 10, "bus", "", "end"))
    line = {index: top + 20 + ROW * number for number, index in enumerate(drawn)}
    for number, one in enumerate(frames):
        kind = "l" if found.blocked and number == 0 else "n" if one.row == found.row else "f"
        kind = "i" if found.is_inverted(number) else kind
        title = f"{_name(found, one.row)}: from {brief(one.start_ns)} to {brief(one.end_ns)}"
        body.append(box(x(one.start_ns), top, x(one.end_ns) - x(one.start_ns) - 0.2, 13, kind, title))
        if one.row in line:
            y = line[one.row]
            body.append(box(x(one.start_ns), y + 2, x(one.end_ns) - x(one.start_ns) - 0.2, ROW - 4, kind, title))
    body += [text(LEFT - 8, y + ROW - 4, short(_name(found, index)), "", "end") for index, y in line.items()]
    for at, words in ((found.released_ns, "released"), (deadline_ns, "deadline")):
        body.append(f"<line x1='{x(at):.1f}' x2='{x(at):.1f}' y1='{top - 4:.1f}' y2='{bottom:.1f}' class='t'/>")
        body.append(text(x(at), bottom + 12, words, "m", "middle"))
    return page(body, bottom + 24)
