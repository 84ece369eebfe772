# SPDX-License-Identifier: Apache-2.0
"""What an assignment says: to people, and as JSON (docs/json.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from takt.can import words
from takt.can.check import Answer, Row
from takt.can.identifiers.assign import Assigned, Refusal, kept
from takt.can.identifiers.queues import is_like_priority
from takt.can.messages import Message
from takt.support.durations import show
from takt.support.names import shown
from takt.support.tables import Table


@dataclass(frozen=True)
class Result:
    """`after`: the answer of the new file. `refusal`: there is none. `unnamed`: messages whose identifier is not
    written in the file in a way that can change. `written`: the file that has it now."""

    found: Assigned
    after: Answer | None
    refusal: Refusal | None
    unnamed: list[Message]
    written: str | None

    @property
    def changes(self) -> list[tuple[Message, int]]:
        return sorted((self.found.identifiers or {}).items(), key=lambda one: one[0].arbitration)


def verdict(result: Result) -> str:
    if result.after is not None:
        return words.verdict(result.after)
    return "refuted" if result.found.proved else "undecided"


def document(result: Result) -> dict[str, Any]:
    """The document of --json."""
    asked, after = result.found.asked, result.after
    return {
        "feasible": after is not None and after.feasible,
        "verdict": verdict(result),
        "bitrate": asked.question.rate.nominal,
        "load": float(asked.load),
        "late": [asked.rows[index].message.name for index in asked.late],
        "largest": words.number(asked.largest),
        "largest_assigned": None if after is None else words.number(after.largest),
        "least": after is not None and result.found.proved,
        "changes": [_change(result, message, identifier) for message, identifier in result.changes],
        "unnamed": [one.name for one in result.unnamed],
        "without_slot": [row.message.name for row in result.found.stuck],
        "unlimited": None if result.refusal is None else result.refusal.unlimited,
        "least_bitrate": None if result.refusal is None else result.refusal.least_bitrate,
        "warnings": list(_notes(result)),
        "written": result.written,
    }


def _change(result: Result, message: Message, identifier: int) -> dict[str, Any]:
    return {
        "name": message.name,
        "id": message.identifier,
        "new_id": identifier,
        "extended": message.extended,
        "deadline_ns": _row(result.found.asked, message).deadline_ns,
        "response_ns": _response(result.found.asked, message),
        "new_response_ns": None
        if result.after is None
        else _response(result.after, replace(message, identifier=identifier)),
    }


def _row(answer: Answer, message: Message) -> Row:
    return next(row for row in answer.rows if row.message == message)


def _response(answer: Answer, message: Message) -> int | None:
    index = next(index for index, row in enumerate(answer.rows) if row.message == message)
    return answer.found[index].response_ns


def text(result: Result) -> str:
    """What was found, or why nothing was, and the messages whose identifiers change."""
    parts = list(_found(result) if result.after is not None else _refused(result))
    notes = [f"note: {one}" for one in _notes(result)]
    return "\n".join([*parts, *(["", *notes] if notes else [])])


def _found(result: Result) -> Iterator[str]:
    asked, after = result.found.asked, result.after
    assert after is not None
    count, rate = words.count(asked.rows, "message"), words.rate_text(asked.question.rate.nominal)
    late = f"{len(asked.late)} of them may be late now" if asked.late else f"now at {_share(asked.largest)}"
    changes = words.count(result.changes, "identifier")
    yield (
        f"Assigned: with {changes} changed all {count} at {rate} arrive by their deadlines, the tightest at "
        f"{_share(after.largest)} of it ({late})."
        if result.changes
        else f"Nothing to change: {count} at {rate} arrive by their deadlines, the tightest at {_share(after.largest)}."
    )
    if result.found.limits.within is None:
        yield (
            "No assignment within the limits makes the tightest less tight."
            if result.found.proved
            else "Another assignment within the limits may make the tightest less tight."
        )
    if result.changes:
        yield ""
        yield _table(result).text()


def _share(value: Fraction | None) -> str:
    return f"{float(value or 0):.3f}"


def _table(result: Result) -> Table:
    rows = []
    for message, identifier in result.changes:
        new = replace(message, identifier=identifier)
        before = _response(result.found.asked, message)
        assert result.after is not None
        after = _response(result.after, new)
        deadline = show(_row(result.found.asked, message).deadline_ns)
        responses = ["unbounded" if one is None else show(one) for one in (before, after)]
        rows.append([shown(message.name), message.id_text, new.id_text, deadline, *responses])
    heads = ("message", "id", "new id", "deadline", "response", "new response")
    return Table("Changed:", heads, rows, words=3)


def _refused(result: Result) -> Iterator[str]:
    found, refusal = result.found, result.refusal
    assert refusal is not None
    asked = found.asked
    count, rate = words.count(asked.rows, "message"), words.rate_text(asked.question.rate.nominal)
    load = f"load {float(asked.load):.3f}, {float(asked.load_unstuffed):.3f} without stuff bits"
    yield (
        f"Refuted: with no assignment of identifiers {count} at {rate} ({load}) arrive by their deadlines."
        if found.proved
        else f"Undecided: no assignment was found with which {count} at {rate} ({load}) arrive by their deadlines."
    )
    if asked.load > 1:
        yield f"The load {float(asked.load):.3f} exceeds the bus."
    elif refusal.unlimited:
        yield "If any message might have any identifier there would be one: --range gives more, --frozen takes them."
    if found.nearest is not None:
        yield (
            f"In the best order that was found {words.count(found.stuck, 'message')} may be late, the tightest at "
            f"{_share(found.nearest)}: {words.named([row.message for row in found.stuck])}."
        )
    elif found.stuck and asked.load <= 1:
        yield f"No identifier that is left is early enough for {words.named([row.message for row in found.stuck])}."
    least = "none up to 1 Mbit/s" if refusal.least_bitrate is None else words.rate_text(refusal.least_bitrate)
    yield f"The least bit rate at which an assignment proves: {least}."


def _notes(result: Result) -> Iterator[str]:
    rows = [row.message for row in result.found.asked.rows]
    coded = [one for one in rows if one.j1939 and not kept(one, result.found.limits)]
    if coded:
        yield (
            f"{words.count(coded, 'message')} of J1939, whose identifiers say what they are: only the three bits of "
            f"priority may change: {words.named(coded)}"
        )
    if result.unnamed:
        yield (
            f"{words.count(result.unnamed, 'message')} whose identifiers cannot change, as the file has them in "
            f"a range or in a way that takt does not rewrite: {words.named(result.unnamed)}"
        )
    if not is_like_priority(result.found.asked.question.controllers):
        yield (
            "where nodes queue other than by priority, no search knows whether an assignment exists: the candidates "
            "are found by rule, and each is judged as `takt can check --controller` does"
        )
    yield from words.warnings(result.found.asked)
