# SPDX-License-Identifier: Apache-2.0
"""What an outcome says: to people, and as JSON (docs/json.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from takt.can.simulation.outcome import Outcome
from takt.can.words import rate_text
from takt.support.durations import brief, show
from takt.support.names import shown
from takt.support.tables import Table

ROWS_SHOWN = 20


def verdict(found: Outcome) -> str:
    """`within`, or `above` what is proved; `broken`: above, and an assumption of the bounds was not kept."""
    return "within" if not found.above else "broken" if found.broken else "above"


def document(found: Outcome) -> dict[str, Any]:
    """The document of --json."""
    return {
        "verdict": verdict(found),
        "broken_assumptions": found.broken,
        "bitrate": found.asked.question.rate.nominal,
        "seed": found.how.seed,
        "drift_ppm": found.asked.question.drift_ppm,
        "simulated_ns": found.simulated_ns,
        "interrupted": found.interrupted,
        "times_real_time": _speed(found),
        "load": float(found.load),
        "load_max": float(found.asked.load),
        "frames": sum(one.sent for one in found.seen),
        "errors": found.errors,
        "messages": [_entry(found, index) for index in range(len(found.seen))],
        "nodes": [
            {
                "name": name,
                "transmit_errors": transmit,
                "receive_errors": receive,
                "clock_ppm": found.clocks_ppm[name],
            }
            for name, (transmit, receive) in found.counters.items()
        ],
    }


def _speed(found: Outcome) -> float:
    return found.simulated_ns / 1e9 / max(found.used_s, 1e-6)


def _entry(found: Outcome, index: int) -> dict[str, Any]:
    row, seen = found.asked.rows[index], found.seen[index]
    return {
        "name": row.message.name,
        "id": row.message.identifier,
        "extended": row.message.extended,
        "released": seen.released,
        "sent": seen.sent,
        "lost": seen.lost,
        "pending": seen.pending,
        "failed": seen.failed,
        "controller": found.asked.question.controllers.of(row.message).text,
        "deadline_ns": row.deadline_ns,
        "observed_ns": seen.response_ns,
        "mean_ns": seen.mean_ns,
        "observed_at_ns": seen.at_ns,
        "response_ns": found.asked.found[index].response_ns,
        "above": found.is_above(index),
    }


def text(found: Outcome, every: bool) -> str:
    """The verdict, the figures of the bus, and the messages: those nearest to their bounds, or all."""
    return "\n".join([headline(found), *_bus(found), "", _table(found, every).text()])


def headline(found: Outcome) -> str:
    """The verdict in a sentence."""
    name = [shown(found.asked.rows[index].message.name) for index in found.above[:3]]
    more = " ..." if len(found.above) > 3 else ""
    if not found.above:
        return "Within the bounds: no response was longer than what is proved of it."
    count = f"Above the bounds: {len(found.above)} of {len(found.seen)} messages ({', '.join(name)}{more})"
    if found.broken:
        return f"{count}, since an assumption of the proof was broken: {'; '.join(found.broken)}."
    return f"{count}, although every assumption of the proof was kept: that is a fault of Takt, please report it."


def _bus(found: Outcome) -> Iterator[str]:
    frames = sum(one.sent for one in found.seen)
    early = " (interrupted)" if found.interrupted else ""
    yield (
        f"{brief(found.simulated_ns)} of the bus at {rate_text(found.asked.question.rate.nominal)}{early}: "
        f"{frames} frames, load {float(found.load):.3f} (at most {float(found.asked.load):.3f}), "
        f"{_speed(found):.0f} times real time; seed {found.how.seed}"
    )
    lost, pending = sum(one.lost for one in found.seen), sum(one.pending for one in found.seen)
    if found.errors or lost or pending > len(found.seen):
        counters = ", ".join(
            f"{shown(name)} {transmit}/{receive}"
            for name, (transmit, receive) in found.counters.items()
            if transmit or receive
        )
        yield (
            f"Errors: {found.errors}; frames lost {lost}, not sent yet {pending}; error counters "
            f"(sending/receiving): {counters or 'all 0'}"
        )


def _table(found: Outcome, every: bool) -> Table:
    chosen = list(range(len(found.seen)))
    title = "All messages, by identifier:"
    if not every and len(chosen) > ROWS_SHOWN:
        nearest = sorted(chosen, key=lambda index: (not found.is_above(index), -_share(found, index)))
        chosen, title = sorted(nearest[:ROWS_SHOWN]), f"The {ROWS_SHOWN} nearest to their bounds (--all lists all):"
    heads = ("message", "id", "sent", "mean", "observed", "proved", "observed/proved", "deadline", "")
    return Table(title, heads, [_cells(found, index) for index in chosen], words=2)


def _share(found: Outcome, index: int) -> float:
    bound_ns, response_ns = found.asked.found[index].response_ns, found.seen[index].response_ns
    return response_ns / bound_ns if bound_ns and response_ns is not None else -1.0


def _cells(found: Outcome, index: int) -> list[str]:
    row, seen, bound_ns = found.asked.rows[index], found.seen[index], found.asked.found[index].response_ns
    late = seen.response_ns is not None and seen.response_ns > row.deadline_ns
    share = _share(found, index)
    return [
        shown(row.message.name),
        row.message.id_text,
        str(seen.sent),
        "-" if seen.mean_ns is None else brief(seen.mean_ns),
        "-" if seen.response_ns is None else show(seen.response_ns),
        "unbounded" if bound_ns is None else show(bound_ns),
        f"{share:.3f}" if share >= 0 else "-",
        show(row.deadline_ns),
        "ABOVE" if found.is_above(index) else "LATE" if late else "",
    ]
