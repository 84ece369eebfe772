# SPDX-License-Identifier: Apache-2.0
"""What an explanation says: to people, as JSON (docs/json.md), and as a picture."""

from __future__ import annotations

from collections import Counter
from typing import Any

from takt.can.drawing import LEFT, RIGHT, ROW, WIDTH, axis, box, page, short, text
from takt.can.explain import Explanation
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
    if found.blocked:
        lines.append(
            f"{_name(found, frames[0].row)} has just begun when all others are queued: {show(frames[0].end_ns)}."
        )
    counts = Counter(one.row for one in frames[found.blocked : -1] if one.row != found.row)
    taken_ns = sum(counts[index] * found.asked.rows[index].send_ns for index in counts)
    later = sum(found.asked.rows[index].deadline_ns > row.deadline_ns for index in counts)
    first = f"Then {sum(counts.values())} frames of {len(counts)} messages with lower identifiers go first"
    lines.append(f"{first}, {later} of which are due later: {show(taken_ns)}." if counts else "None goes first.")
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
        )
        for index in (order if every else order[:ROWS_SHOWN])
        for one in (found.asked.rows[index],)
    ]
    table = Table("They are", ("message", "id", "frames", "time", "period", "deadline"), rows, 2)
    more = "" if every or len(order) <= ROWS_SHOWN else f"\n{len(order) - ROWS_SHOWN} others: --all"
    return "\n".join(lines) + (f"\n\n{table.text()}{more}" if order else "")


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
        "instance": found.instance,
        "released_ns": found.released_ns,
        "blocked_by": found.asked.rows[found.frames[0].row].message.name if found.blocked else None,
        "frames": [
            {
                "name": found.asked.rows[one.row].message.name,
                "queued_ns": one.queued_ns,
                "start_ns": one.start_ns,
                "end_ns": one.end_ns,
            }
            for one in found.frames
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
    body.append(text(12, 36, f"Grey blocks; all others are queued at 0 ms, for the first time.{others}", "m"))
    top, bottom = 66.0, 90.0 + ROW * len(drawn)
    body += axis(x, begin, end, top - 6, bottom)
    body.append(text(LEFT - 8, top + 10, "bus", "", "end"))
    line = {index: top + 20 + ROW * number for number, index in enumerate(drawn)}
    for number, one in enumerate(frames):
        kind = "l" if found.blocked and number == 0 else "n" if one.row == found.row else "f"
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
