# SPDX-License-Identifier: Apache-2.0
"""What an answer says: to people, and as JSON (docs/json.md)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from takt.can import check
from takt.can.check import Answer
from takt.can.controllers import ALL_BY_PRIORITY
from takt.can.lengths import is_fd
from takt.can.messages import Message
from takt.can.phases import clock
from takt.support.durations import show
from takt.support.names import shown
from takt.support.tables import Table

ROWS_SHOWN = 20
NAMES_SHOWN = 5


def verdict(asked: Answer) -> str:
    return "proved" if asked.feasible else "undecided" if asked.undecided else "refuted"


@dataclass(frozen=True)
class More:
    """What is said beside the bounds: `lines` below the verdict, and of each message `cells` below `heads`. Those with
    the greatest `shares` are listed, as `kind`."""

    lines: Sequence[str]
    heads: Sequence[str]
    cells: Sequence[Sequence[str]]
    shares: Sequence[Fraction]
    kind: str


def document(asked: Answer) -> dict[str, Any]:
    """The document of --json."""
    rate = asked.question.rate
    least, ordered = _least_rates(asked)
    return {
        "feasible": asked.feasible,
        "verdict": verdict(asked),
        "bitrate": rate.nominal,
        "data_bitrate": rate.data,
        "load": float(asked.load),
        "load_unstuffed": float(asked.load_unstuffed),
        "messages": _entries(asked),
        "drift_ppm": asked.question.drift_ppm,
        "without_period": [one.name for one in asked.left],
        "warnings": list(warnings(asked)),
        "largest_by_deadline": number(check.largest_by_deadline(asked)),
        "least_bitrate": least,
        "least_bitrate_by_deadline": ordered,
        "late_by_priority": len(check.with_controllers(asked, ALL_BY_PRIORITY).late),
        "late_without_offsets": len(check.without_offsets(asked).late),
    }


def number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _entries(asked: Answer) -> list[dict[str, Any]]:
    with_offset = {id(one) for one in check.with_offset(asked)}
    return [{**_entry(asked, index), "offset_ns": row.message.offset_ns if id(row.message) in with_offset else None}
            for index, row in enumerate(asked.rows)]  # fmt: skip


def _entry(asked: Answer, index: int) -> dict[str, Any]:
    row = asked.rows[index]
    return {
        "name": row.message.name,
        "id": row.message.identifier,
        "extended": row.message.extended,
        "sender": ", ".join(row.message.senders) or None,
        "controller": asked.question.controllers.of(row.message).text,
        "bits_max": row.bits,
        "send_ns": row.send_ns,
        "period_ns": row.period_ns,
        "jitter_ns": row.jitter_ns,
        "deadline_ns": row.deadline_ns,
        "response_ns": asked.found[index].response_ns,
        "feasible": asked.holds(index),
    }


def _least_rates(asked: Answer) -> tuple[int | None, int | None]:
    """With the identifiers as they are, and by deadline; not asked where all is proved."""
    if asked.feasible:
        return None, None
    return check.least_rate(asked, False), check.least_rate(asked, True)


def warnings(asked: Answer) -> Iterator[str]:
    """What a reader of the verdict should know of the file."""
    question, messages = asked.question, [row.message for row in asked.rows]
    if asked.left:
        names = named(asked.left)
        yield f"{count(asked.left, 'message')} without a cycle time not counted (--period gives them one): {names}"
    on_events = [one for one in messages if one.event and one.delay_ns is not None]
    if on_events and not question.events:
        yield (
            f"{count(on_events, 'message')} sent on events too counted with the cycle (--events: with the least "
            f"distance): {named(on_events)}"
        )
    called_fd = [one for one in messages if one.fd and not is_fd(one, question.fd)]
    if called_fd:
        yield f"{count(called_fd, 'message')} called FD frames by the file counted as classic (--fd: as FD frames)"
    long = [one for one in messages if is_fd(one, False)]
    if long and not question.fd:
        yield f"{count(long, 'message')} of more than 8 bytes counted as FD frames: {named(long)}"
    if question.rate.data is None and any(is_fd(one, question.fd) for one in messages):
        yield "FD frames counted without a higher rate of their data (--data-bitrate)"
    if question.drift_ppm:
        yield f"clocks that differ counted: periods shorter, frames and jitter longer by {question.drift_ppm} ppm"
    several = [one for one in messages if len(one.senders) > 1]
    if several:
        queued = "" if question.controllers.all_by_priority else ", as queued by the first"
        yield f"{count(several, 'message')} with several senders counted once each{queued}: {named(several)}"
    yield from _offset_warnings(asked)
    none = [one for one in messages if not one.senders]
    if none:
        yield f"{count(none, 'message')} without a sender: {named(none)}"


def _offset_warnings(asked: Answer) -> Iterator[str]:
    given = [row.message for row in asked.rows if row.message.offset_ns is not None]
    if not asked.question.offsets or not given:
        return
    held = [one for one in given if asked.question.controllers.is_held(one)]
    if held:
        yield f"{count(held, 'offset')} not counted, of nodes that do not queue by priority: {named(held)}"
    free = [one for one in given if clock(one) is None and one not in held]
    if free:
        yield f"{count(free, 'offset')} not counted (sent on events too, or no or several senders): {named(free)}"


def count(some: Collection[Any], noun: str) -> str:
    return f"{len(some)} {noun}{'' if len(some) == 1 else 's'}"


def named(messages: Sequence[Message]) -> str:
    names = [shown(one.name) for one in messages[:NAMES_SHOWN]]
    return ", ".join(names) + (" ..." if len(messages) > NAMES_SHOWN else "")


def rate_text(bit_rate: int) -> str:
    return f"{bit_rate / 1000:g} kbit/s"


def text(asked: Answer, every: bool, more: More | None = None) -> str:
    """The verdict, why, and the messages: those that are late, or all of them."""
    lines = more.lines if more else ()
    parts = [_headline(asked), *_offsets(asked), *_reasons(asked), *lines, "", _table(asked, every, more).text()]
    noted = [f"note: {one}" for one in warnings(asked)]
    return "\n".join([*parts, *(["", *noted] if noted else [])])


def _headline(asked: Answer) -> str:
    counted, rate = count(asked.rows, "message"), rate_text(asked.question.rate.nominal)
    load = f"load {float(asked.load):.3f}, {float(asked.load_unstuffed):.3f} without stuff bits"
    if asked.feasible:
        proved = "Proved" if asked.question.at_random is None else "Proved without errors"
        return (
            f"{proved}: {counted} at {rate} ({load}) arrive by their deadlines, the tightest at {_share(asked)} of it."
        )
    if asked.undecided:
        return (
            f"Undecided: {len(asked.late)} of {counted} at {rate} ({load}) have no bound within the limit of the "
            "search."
        )
    return f"Refuted: {len(asked.late)} of {counted} at {rate} ({load}) may miss their deadlines."


def _offsets(asked: Answer) -> Iterator[str]:
    with_offset = check.with_offset(asked)
    if with_offset:
        plain = check.without_offsets(asked)
        late = f"{count(plain.late, 'message')} may be late" if plain.late else f"the tightest is at {_share(plain)}"
        nodes = count({clock(one) for one in with_offset}, "node")
        yield (
            f"Offsets of {count(with_offset, 'message')} of {nodes} count (--offsets none: not); without them {late}."
        )


def _share(asked: Answer) -> str:
    return f"{float(asked.largest or 0):.3f}"


def _reasons(asked: Answer) -> Iterator[str]:
    """Of a refutation: the message that is latest, what is before it, and what would prove it."""
    if asked.feasible:
        return
    row = asked.rows[_latest(asked)]
    before = asked.rows[: _latest(asked)]
    slower = [one for one in before if one.deadline_ns - one.jitter_ns > row.deadline_ns - row.jitter_ns]
    response_ns = asked.found[_latest(asked)].response_ns
    takes = "has no bound on its response" if response_ns is None else f"may take {show(response_ns)}"
    yield (
        f"{shown(row.message.name)} ({row.message.id_text}), due {show(row.deadline_ns)} after its release, {takes}: "
        f"{count(before, 'message')} with lower identifiers, {len(slower)} of them due later."
    )
    yield from _queue_reason(asked)
    if asked.load > 1:
        yield f"No assignment of identifiers helps: the load {float(asked.load):.3f} exceeds the bus."
    else:
        largest = check.largest_by_deadline(asked)
        if largest is not None and largest <= 1:
            yield (
                "With identifiers in the order of the deadlines all would arrive by them, the tightest at "
                f"{float(largest):.3f} of it."
            )
    least, ordered = ("none up to 1 Mbit/s" if rate is None else rate_text(rate) for rate in _least_rates(asked))
    yield f"The least bit rate that proves: {least} with these identifiers, {ordered} in the order of the deadlines."


def _queue_reason(asked: Answer) -> Iterator[str]:
    """Of a refutation: whether the queue of the latest message's sender is the reason, or those of others."""
    question, index = asked.question, _latest(asked)
    row = asked.rows[index]
    if question.controllers.all_by_priority:
        return
    if row.message.senders:
        node, controller = row.message.senders[0], question.controllers.of(row.message)
        own = check.with_controllers(asked, question.controllers.without(node))
        response_ns = own.found[index].response_ns
        if controller != question.controllers.without(node).of(row.message) and response_ns is not None:
            yield (
                f"It waits in its sender: {shown(node)} queues {controller.words}; by priority it would take "
                f"{show(response_ns)}{'' if own.holds(index) else ', too long as well'}."
            )
    late = check.with_controllers(asked, ALL_BY_PRIORITY).late
    late_text = f"{count(late, 'message')} would be late" if late else "all would arrive in time"
    yield f"If every node queued by priority, {late_text}."


def _latest(asked: Answer) -> int:
    """The first message without a bound, else that with the largest response / deadline."""

    def key(index: int) -> Fraction:
        response_ns = asked.found[index].response_ns
        return Fraction(1 << 70) if response_ns is None else Fraction(response_ns, asked.rows[index].deadline_ns)

    return max(range(len(asked.rows)), key=key)


def _table(asked: Answer, every: bool, more: More | None) -> Table:
    chosen = list(range(len(asked.rows)))
    title = "All messages, by identifier:"
    if not every and asked.late and len(chosen) > ROWS_SHOWN:
        chosen, title = asked.late, "Late (--all lists the others, too):"
    elif not every and len(chosen) > ROWS_SHOWN:
        shares = [Fraction(asked.found[i].response_ns or 0, asked.rows[i].deadline_ns) for i in chosen]
        shares = list(more.shares) if more else shares
        chosen = sorted(sorted(chosen, key=lambda i: shares[i])[-ROWS_SHOWN:])
        title = f"The {ROWS_SHOWN} {more.kind if more else 'tightest'} (--all lists the others, too):"
    heads = ["message", "id", "sender", "bytes", "period", "jitter", "deadline", "response", ""]
    rows = [_cells(asked, index) for index in chosen]
    if more:
        heads[-1:] = [*more.heads, ""]
        rows = [[*row[:-1], *more.cells[index], row[-1]] for index, row in zip(chosen, rows, strict=True)]
    return Table(title, heads, rows, words=3)


def _cells(asked: Answer, index: int) -> list[str]:
    row, response_ns = asked.rows[index], asked.found[index].response_ns
    senders = [shown(one) for one in row.message.senders]
    sender = (senders[0] + (f" +{len(senders) - 1}" if len(senders) > 1 else "")) if senders else "-"
    response = "unbounded" if response_ns is None else show(response_ns)
    times = [show(one) if one else "0" for one in (row.period_ns, row.jitter_ns, row.deadline_ns)]
    late = "" if asked.holds(index) else "LATE"
    return [shown(row.message.name), row.message.id_text, sender, str(row.message.size), *times, response, late]
