# SPDX-License-Identifier: Apache-2.0
"""What a log says: to people, and as JSON (docs/json.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from takt.can.logs.against import Finding
from takt.can.logs.measure import Measured, Stream
from takt.support.durations import brief
from takt.support.names import shown
from takt.support.tables import Table

ROWS_SHOWN = 30


@dataclass(frozen=True)
class Read:
    """`findings`, `missing`: None without a file to compare with. `names`: of messages, by identifier. `rated`: a bit
    rate was given, so that loads are known."""

    measured: Measured
    rated: bool
    names: dict[tuple[int, bool], str]
    findings: list[Finding] | None
    missing: list[str]


def document(read: Read) -> dict[str, Any]:
    """The document of --json."""
    found = read.measured
    findings = read.findings
    return {
        "frames": found.frames,
        "errors": found.errors,
        "duration_ns": found.end_ns - found.begin_ns,
        "out_of_order": found.backwards,
        "load": found.load if read.rated else None,
        "load_max": found.load_max if read.rated else None,
        "window_ns": found.window_ns,
        "messages": [_entry(read, key, one) for key, one in sorted(found.streams.items())],
        "findings": None
        if findings is None
        else [
            {"kind": one.kind, "id": one.identifier, "extended": one.extended, "name": one.name, "text": one.text}
            for one in findings
        ],
        "missing": read.missing,
    }


def _entry(read: Read, key: tuple[int, bool], one: Stream) -> dict[str, Any]:
    return {
        "id": one.identifier,
        "extended": one.extended,
        "name": read.names.get(key),
        "count": one.count,
        "period_mean_ns": one.period_ns,
        "period_min_ns": one.gap_min_ns,
        "period_max_ns": one.gap_max_ns,
        "jitter_ns": one.jitter_ns,
        "bytes_min": min(one.sizes),
        "bytes_max": max(one.sizes),
        "load": _load(read, one) if read.rated else None,
    }


def _load(read: Read, one: Stream) -> float:
    return one.busy_ns / max(1, read.measured.end_ns - read.measured.begin_ns)


def text(read: Read, every: bool) -> str:
    """What is not as declared, the figures of the log, and a table of its identifiers."""
    return "\n".join([*_headline(read), "", _table(read, every).text(), *_notes(read)])


def headline(read: Read) -> str:
    """The verdict, if there is something to compare with."""
    if read.findings:
        return f"Not as declared: {len(read.findings)} findings."
    if read.findings is not None:
        return "As declared: each message of the log has its length and period, and distances that the bounds allow."
    return "Nothing to compare with (--against)."


def _headline(read: Read) -> Iterator[str]:
    found = read.measured
    if read.findings is not None:
        yield headline(read)
    if read.findings:
        for one in read.findings[:ROWS_SHOWN]:
            name = (
                f"{shown(one.name)} ({id_text(one.identifier, one.extended)})"
                if one.name
                else id_text(one.identifier, one.extended)
            )
            yield f"  {one.kind}: {name} {one.text}"
        if len(read.findings) > ROWS_SHOWN:
            yield f"  and {len(read.findings) - ROWS_SHOWN} others (--json lists all)"
    load = ""
    if read.rated:
        load = f", load {found.load:.3f}, at most {found.load_max:.3f} in {brief(found.window_ns)}"
    errors = f", {found.errors} error frames" if found.errors else ""
    length = brief(found.end_ns - found.begin_ns)
    yield f"{found.frames} frames of {len(found.streams)} identifiers in {length}{load}{errors}"


def id_text(identifier: int, extended: bool) -> str:
    """As tools of CAN show it."""
    return f"0x{identifier:0{8 if extended else 3}X}"


def _notes(read: Read) -> Iterator[str]:
    if read.missing:
        names = ", ".join(map(shown, read.missing[:5])) + (" ..." if len(read.missing) > 5 else "")
        yield f"\nnote: {len(read.missing)} messages of the file are not in the log: {names}"
    if read.measured.backwards:
        yield f"\nnote: {read.measured.backwards} time stamps are before the one above them"
    if not read.rated:
        yield "\nnote: without --bitrate no load"


def _table(read: Read, every: bool) -> Table:
    keys = sorted(read.measured.streams)
    title = "Identifiers:"
    if not every and len(keys) > ROWS_SHOWN:
        busiest = sorted(keys, key=lambda key: -read.measured.streams[key].busy_ns)
        keys, title = sorted(busiest[:ROWS_SHOWN]), f"The {ROWS_SHOWN} busiest identifiers (--all lists all):"
    heads = ("id", "message", "count", "mean period", "least", "most", "jitter", "bytes", "load")
    return Table(title, heads, [_cells(read, key) for key in keys], words=2)


def _cells(read: Read, key: tuple[int, bool]) -> list[str]:
    one = read.measured.streams[key]
    times = (one.period_ns, one.gap_min_ns, one.gap_max_ns, one.jitter_ns)
    sizes = str(min(one.sizes)) if len(one.sizes) == 1 else f"{min(one.sizes)}-{max(one.sizes)}"
    return [
        id_text(*key),
        shown(read.names.get(key, "-")),
        str(one.count),
        *("-" if value is None else brief(value) if value > 0 else str(value) for value in times),
        sizes,
        f"{_load(read, one):.4f}" if read.rated else "-",
    ]
