# SPDX-License-Identifier: Apache-2.0
"""What a simulation with the mixed traffic scheduler says: to people, and as JSON (docs/json.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from takt.can.mts.simulation import Outcome
from takt.can.mts.words import identifier_text
from takt.can.words import ROWS_SHOWN, rate_text
from takt.support.durations import brief, show
from takt.support.names import shown
from takt.support.tables import Table


def broken(found: Outcome) -> list[str]:
    """Assumptions of the bounds that this simulation did not keep to."""
    masters = list(found.clocks_ppm)[: found.judged.setting.bus.masters]
    dead = {name for name, _ in found.how.dead}
    return ["every master went off the bus"] if dead.issuperset(masters) else []


def verdict(found: Outcome) -> str:
    """As of takt.can.simulation.words."""
    return "within" if is_within(found) else "broken" if broken(found) else "above"


def is_within(found: Outcome) -> bool:
    return not found.above and not found.doubled


def document(found: Outcome) -> dict[str, Any]:
    """The document of --json."""
    return {
        "scheduler": "mts",
        "verdict": verdict(found),
        "broken_assumptions": broken(found),
        "bitrate": found.judged.question.rate.nominal,
        "seed": found.how.seed,
        "drift_ppm": found.judged.question.drift_ppm,
        "epoch_ns": found.judged.setting.epoch_ns,
        "simulated_ns": found.simulated_ns,
        "counted_from_ns": found.from_ns,
        "interrupted": found.interrupted,
        "times_real_time": _speed(found),
        "load": _load(found),
        "load_max": float(found.judged.load),
        "frames": found.frames,
        "ticks": found.ticks,
        "fillers": found.fillers,
        "doubled_identifiers": found.doubled,
        "messages": [_entry(found, index) for index in range(len(found.seen))],
        "nodes": [{"name": name, "clock_ppm": ppm} for name, ppm in found.clocks_ppm.items()],
    }


def _speed(found: Outcome) -> float:
    return found.simulated_ns / 1e9 / max(found.used_s, 1e-6)


def _load(found: Outcome) -> float:
    return found.busy_ns / max(1, found.simulated_ns)


def _mean_ns(found: Outcome, index: int) -> int | None:
    seen = found.seen[index]
    return seen.sum_ns // (seen.sent - seen.apart) if seen.sent > seen.apart else None


def _entry(found: Outcome, index: int) -> dict[str, Any]:
    row, seen = found.judged.rows[index], found.seen[index]
    return {
        "name": row.message.name,
        "speed": "high" if found.judged.is_high(index) else "low",
        "released": seen.released,
        "sent": seen.sent,
        "pending": seen.pending,
        "without_epoch": seen.apart,
        "deadline_ns": row.deadline_ns,
        "observed_ns": seen.response_ns,
        "mean_ns": _mean_ns(found, index),
        "observed_at_ns": seen.at_ns,
        "response_ns": found.judged.found[index].response_ns,
        "above": found.is_above(index),
    }


def text(found: Outcome, every: bool) -> str:
    """The verdict, the figures of the bus, and the messages: those nearest to their bounds, or all."""
    return "\n".join([_headline(found), *_bus(found), "", _table(found, every).text()])


def _headline(found: Outcome) -> str:
    if is_within(found):
        return "Within the bounds: no response was longer than what is proved of it."
    names = [shown(found.judged.rows[index].message.name) for index in found.above[:3]]
    what = f"Above the bounds: {len(found.above)} of {len(found.seen)} messages ({', '.join(names)})"
    if found.doubled:
        what = f"Two nodes sent the same identifier {found.doubled} times"
    if broken(found):
        return f"{what}, since an assumption of the proof was broken: {'; '.join(broken(found))}."
    return f"{what}, although every assumption of the proof was kept: that is a fault of Takt, please report it."


def _bus(found: Outcome) -> Iterator[str]:
    early = " (interrupted)" if found.interrupted else ""
    yield (
        f"{brief(found.simulated_ns)} of the bus at {rate_text(found.judged.question.rate.nominal)}{early}: "
        f"{found.frames} frames, load {_load(found):.3f} (at most {float(found.judged.load):.3f}), "
        f"{_speed(found):.1f} times real time; seed {found.how.seed}"
    )
    ranks = ", ".join(f"{count} of rank {rank}" for rank, count in enumerate(found.ticks))
    since = "never were all nodes in an epoch" if found.from_ns is None else f"counted from {brief(found.from_ns)} on"
    apart = sum(one.apart for one in found.seen)
    yield (
        f"Epochs of {show(found.judged.setting.epoch_ns)}; ticks: {ranks}; fillers: {found.fillers}; {since} "
        f"({apart} messages before that, or without an epoch)."
    )


def _table(found: Outcome, every: bool) -> Table:
    chosen = list(range(len(found.seen)))
    title = "All messages, high-speed ones first:"
    if not every and len(chosen) > ROWS_SHOWN:
        nearest = sorted(chosen, key=lambda index: (not found.is_above(index), -_share(found, index)))
        chosen, title = sorted(nearest[:ROWS_SHOWN]), f"The {ROWS_SHOWN} nearest to their bounds (--all lists all):"
    heads = ("message", "identifier", "sent", "mean", "observed", "proved", "observed/proved", "deadline", "")
    return Table(title, heads, [_cells(found, index) for index in chosen], words=2)


def _share(found: Outcome, index: int) -> float:
    bound_ns, response_ns = found.judged.found[index].response_ns, found.seen[index].response_ns
    return response_ns / bound_ns if bound_ns and response_ns is not None else -1.0


def _cells(found: Outcome, index: int) -> list[str]:
    row, seen, bound_ns = found.judged.rows[index], found.seen[index], found.judged.found[index].response_ns
    late = seen.response_ns is not None and seen.response_ns > row.deadline_ns
    share, mean_ns = _share(found, index), _mean_ns(found, index)
    return [
        shown(row.message.name),
        identifier_text(found.judged, index),
        str(seen.sent),
        "-" if mean_ns is None else brief(mean_ns),
        "-" if seen.response_ns is None else show(seen.response_ns),
        "not proved" if bound_ns is None else show(bound_ns),
        f"{share:.3f}" if share >= 0 else "-",
        show(row.deadline_ns),
        "ABOVE" if found.is_above(index) else "LATE" if late else "",
    ]
