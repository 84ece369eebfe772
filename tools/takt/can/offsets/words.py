# SPDX-License-Identifier: Apache-2.0
"""What a choice of offsets says: to people, and as JSON (docs/json.md)."""

from __future__ import annotations

from typing import Any

from takt.can import words
from takt.can.offsets.choose import Choice
from takt.can.words import count, number
from takt.support.durations import show
from takt.support.names import shown
from takt.support.tables import Table


def document(choice: Choice, output: str | None) -> dict[str, Any]:
    """The document of --json."""
    before, after = choice.before, choice.after
    return {
        "feasible": after.feasible,
        "verdict": words.verdict(after),
        "bitrate": after.question.rate.nominal,
        "load": float(after.load),
        "late": len(after.late),
        "late_before": len(before.late),
        "largest": number(after.largest),
        "largest_before": number(before.largest),
        "messages": [_entry(choice, index) for index in range(len(after.rows))],
        "output": output,
        "warnings": list(words.warnings(after)),
    }


def _entry(choice: Choice, index: int) -> dict[str, Any]:
    row = choice.after.rows[index]
    return {
        "name": row.message.name,
        "id": row.message.identifier,
        "extended": row.message.extended,
        "sender": ", ".join(row.message.senders) or None,
        "period_ns": row.period_ns,
        "deadline_ns": row.deadline_ns,
        "offset_ns": choice.offsets.get(row.message.name),
        "offset_before_ns": choice.before.rows[index].message.offset_ns,
        "response_ns": choice.after.found[index].response_ns,
        "response_before_ns": choice.before.found[index].response_ns,
        "feasible": choice.after.holds(index),
    }


def text(choice: Choice) -> str:
    """The verdict, and the offsets with the bounds before and after."""
    before, after = choice.before, choice.after
    nodes = {row.message.senders[0] for row in after.rows if row.message.name in choice.offsets}
    head = f"{count(choice.offsets, 'message')} of {count(nodes, 'node')}"
    if after.feasible:
        said = (
            f"Proved: with offsets of {head} all {len(after.rows)} messages arrive by their deadlines, the tightest at "
            f"{_largest(after.largest)} of it (now {_largest(before.largest)})."
        )
    else:
        said = (
            f"Not proved: with offsets of {head} {len(after.late)} of {len(after.rows)} messages may be late (now "
            f"{len(before.late)}), the tightest at {_largest(after.largest)} of its deadline (now "
            f"{_largest(before.largest)})."
        )
    heads = ("message", "id", "sender", "period", "offset", "now", "with it", "deadline", "")
    table = Table("All messages, by identifier:", heads, [_cells(choice, i) for i in range(len(after.rows))], words=3)
    noted = [f"note: {one}" for one in words.warnings(after)]
    return "\n".join([said, "", table.text(), *(["", *noted] if noted else [])])


def _largest(share: Any) -> str:
    return "no bound" if share is None else f"{float(share):.3f}"


def _cells(choice: Choice, index: int) -> list[str]:
    row = choice.after.rows[index]
    offset = choice.offsets.get(row.message.name)
    responses = [one.found[index].response_ns for one in (choice.before, choice.after)]
    return [
        shown(row.message.name),
        row.message.id_text,
        shown(row.message.senders[0]) if row.message.senders else "-",
        show(row.period_ns),
        "-" if offset is None else show(offset) if offset else "0",
        *("unbounded" if one is None else show(one) for one in responses),
        show(row.deadline_ns),
        "" if choice.after.holds(index) else "LATE",
    ]
