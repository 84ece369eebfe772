# SPDX-License-Identifier: Apache-2.0
"""What is found of a bus with the mixed traffic scheduler: to people, and as JSON (docs/json.md)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from takt.can.mts.judge import Judged
from takt.can.words import ROWS_SHOWN, count, named, rate_text
from takt.support.durations import show
from takt.support.names import shown
from takt.support.tables import Table


def verdict(judged: Judged) -> str:
    return "proved" if judged.feasible else "undecided" if judged.undecided else "refuted"


def setting(judged: Judged) -> dict[str, Any]:
    """How the bus is laid out."""
    bus = judged.setting.bus
    return {
        "tick_load": float(judged.tick_load),
        "epoch_ns": judged.setting.epoch_ns,
        "regions": bus.regions,
        "region_ns": bus.region_ns,
        "error_ns": bus.plan.error_ns,
        "extended": bool(bus.layout.extended),
        "deadline_bits": bus.layout.deadline_bits,
        "unique_bits": bus.layout.unique_bits,
        "masters": bus.masters,
        "frames": bus.plan.frames,
    }


def document(judged: Judged) -> dict[str, Any]:
    """The document of --json."""
    return {
        "scheduler": "mts",
        "feasible": judged.feasible,
        "verdict": verdict(judged),
        "bitrate": judged.question.rate.nominal,
        "load": float(judged.load),
        **setting(judged),
        "drift_ppm": judged.question.drift_ppm,
        "messages": [_entry(judged, index) for index in range(len(judged.rows))],
        "without_period": [one.name for one in judged.fixed.left],
        "late_with_fixed_identifiers": len(judged.fixed.late),
        "warnings": list(warnings(judged)),
    }


def _entry(judged: Judged, index: int) -> dict[str, Any]:
    row = judged.rows[index]
    return {
        "name": row.message.name,
        "speed": "high" if judged.is_high(index) else "low",
        "unique": index if judged.is_high(index) else None,
        "id": judged.identifier(index),
        "sender": ", ".join(row.message.senders) or None,
        "bits_max": row.bits,
        "send_ns": row.send_ns,
        "period_ns": row.period_ns,
        "jitter_ns": row.jitter_ns,
        "deadline_ns": row.deadline_ns,
        "response_ns": judged.found[index].response_ns,
        "feasible": index not in judged.late,
    }


def warnings(judged: Judged) -> Iterator[str]:
    """What a reader of the verdict should know of the file."""
    left = judged.fixed.left
    if left:
        yield f"{count(left, 'message')} without a cycle time not counted (--period gives them one): {named(left)}"
    messages = [row.message for row in judged.rows]
    on_events = [one for one in messages if one.event and one.delay_ns is not None]
    if on_events and not judged.question.events:
        yield (
            f"{count(on_events, 'message')} sent on events too counted with the cycle (--events: with the least "
            f"distance): {named(on_events)}"
        )
    if any(one.offset_ns is not None for one in messages):
        yield "offsets do not count with this scheduler"
    several = [one for one in messages if len(one.senders) > 1]
    if several:
        yield f"{count(several, 'message')} with several senders counted once each: {named(several)}"


def text(judged: Judged, every: bool) -> str:
    """The verdict, the epoch and the identifiers, and the messages: those that are late, or all of them."""
    parts = [headline(judged), *lines(judged), "", _table(judged, every).text()]
    noted = [f"note: {one}" for one in warnings(judged)]
    return "\n".join([*parts, *(["", *noted] if noted else [])])


def headline(judged: Judged) -> str:
    counted, rate = count(judged.rows, "message"), rate_text(judged.question.rate.nominal)
    load = f"load {float(judged.load):.3f}, ticks {float(judged.tick_load):.3f} of it"
    if judged.feasible:
        share = f"the tightest at {float(judged.largest or 0):.3f} of it"
        return f"Proved with deadlines in identifiers: {counted} at {rate} ({load}) arrive by their deadlines, {share}."
    if judged.undecided:
        names = f"{len(judged.late)} of {counted} at {rate} ({load})"
        return f"Undecided: {names} have no bound within the limit of the search."
    return f"Refuted: {len(judged.late)} of {counted} at {rate} ({load}) may miss their deadlines."


def lines(judged: Judged) -> Iterator[str]:
    """The epoch, the identifiers, and what fixed ones would do."""
    setting, layout = judged.setting, judged.setting.bus.layout
    high = judged.rows[: setting.high]
    yield (
        f"Epochs of {show(setting.epoch_ns)} in {setting.bus.regions} regions of {show(setting.bus.region_ns)}, "
        f"{count(range(setting.bus.masters), 'master')}; identifiers change during frame {setting.bus.plan.frames} "
        f"after a tick; clocks within {show(setting.bus.plan.error_ns)}."
    )
    longest = show(max(row.deadline_ns for row in high))
    yield (
        f"Identifiers of {29 if layout.extended else 11} bits: {layout.deadline_bits} of them the deadline and "
        f"{layout.unique_bits} the message, of {count(high, 'high-speed message')} (deadlines up to {longest}); "
        f"{len(judged.rows) - len(high)} low-speed ones are fixed."
    )
    fixed = judged.fixed
    late = (
        f"{count(fixed.late, 'message')} may be late"
        if fixed.late
        else f"all arrive, the tightest at {_of(fixed.largest)}"
    )
    yield f"With fixed identifiers in the order of the deadlines {late}."


def _of(share: Fraction | None) -> str:
    return f"{float(share or 0):.3f} of it"


def _table(judged: Judged, every: bool) -> Table:
    chosen, title = list(range(len(judged.rows))), "All messages, high-speed ones first:"
    if not every and judged.late and len(chosen) > ROWS_SHOWN:
        chosen, title = judged.late, "Late (--all lists the others, too):"
    elif not every and len(chosen) > ROWS_SHOWN:
        shares = [Fraction(judged.found[i].response_ns or 0, judged.rows[i].deadline_ns) for i in chosen]
        chosen = sorted(sorted(chosen, key=lambda i: shares[i])[-ROWS_SHOWN:])
        title = f"The {ROWS_SHOWN} tightest (--all lists the others, too):"
    heads = ("message", "identifier", "sender", "bytes", "period", "jitter", "deadline", "response", "")
    return Table(title, heads, [_cells(judged, index) for index in chosen], words=3)


def identifier_text(judged: Judged, index: int) -> str:
    """Of a high-speed message its bits, with d for each of the deadline."""
    layout = judged.setting.bus.layout
    if judged.is_high(index):
        return f"0 {'d' * layout.deadline_bits} {index:0{layout.unique_bits}b}"
    return f"0x{judged.identifier(index):0{8 if layout.extended else 3}X}"


def _cells(judged: Judged, index: int) -> list[str]:
    row, response_ns = judged.rows[index], judged.found[index].response_ns
    senders = [shown(one) for one in row.message.senders]
    sender = (senders[0] + (f" +{len(senders) - 1}" if len(senders) > 1 else "")) if senders else "-"
    times = [show(one) if one else "0" for one in (row.period_ns, row.jitter_ns, row.deadline_ns)]
    response = "not proved" if response_ns is None else show(response_ns)
    late = "LATE" if index in judged.late else ""
    return [
        shown(row.message.name),
        identifier_text(judged, index),
        sender,
        str(row.message.size),
        *times,
        response,
        late,
    ]
