# SPDX-License-Identifier: Apache-2.0
"""`takt reflect hz`, `bw` and `delay`: how often an area is written, how much, and how long values are on their way."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any

import click

from takt.reflect.values import duration
from takt.support.options import json_option


@dataclass(frozen=True)
class Seen:
    """Values that came, in order."""

    written_ns: list[int]
    came_ns: list[int]
    lengths: list[int]
    lost: int


def watch(area: str, for_ns: int, count: int | None) -> Seen:
    """Takes values for a duration, or until a number of them has arrived."""
    from takt.reflect import areas
    from takt.support import console

    seen = Seen([], [], [], 0)
    with areas.Reader(area) as reader, console.doing(f"watching {area}"):
        end = areas.now_ns() + for_ns
        while count is None or len(seen.came_ns) < count:
            left_ns = end - areas.now_ns()
            if left_ns <= 0 or not reader.wait(left_ns / 1e9):
                break
            came_ns = areas.now_ns()
            value = reader.take()
            if value is not None:
                seen.written_ns.append(value.time_ns)
                seen.came_ns.append(came_ns)
                seen.lengths.append(len(value.data))
        return Seen(seen.written_ns, seen.came_ns, seen.lengths, reader.lost)


def quantile(sorted_values: list[int], percent: float) -> int:
    """A percentile: the least value that is not exceeded by `percent` of the values."""
    return sorted_values[max(0, -(-len(sorted_values) * percent // 100).__int__() - 1)]


def rate(seen: Seen) -> dict[str, Any]:
    """Of at least two values: how often, by the writer's clock."""
    gaps = [after - before for before, after in zip(seen.written_ns, seen.written_ns[1:], strict=False)]
    mean = statistics.mean(gaps)
    return {
        "values": len(seen.written_ns),
        "lost": seen.lost,
        "hz": 1e9 / mean if mean else None,
        "gap_ns_min": min(gaps),
        "gap_ns_mean": round(mean),
        "gap_ns_max": max(gaps),
        "gap_ns_deviation": round(statistics.pstdev(gaps)),
    }


def width(seen: Seen) -> dict[str, Any]:
    """Of at least two values: bytes a second, of what came after the first."""
    span_ns = seen.written_ns[-1] - seen.written_ns[0]
    total = sum(seen.lengths[1:])
    return {
        "values": len(seen.lengths),
        "lost": seen.lost,
        "bytes": total,
        "bytes_per_s": total * 1e9 / span_ns if span_ns else None,
        "value_bytes_mean": statistics.mean(seen.lengths),
    }


def delays(seen: Seen) -> dict[str, Any]:
    """Of at least one value: from its write to this process."""
    found = sorted(came - written for came, written in zip(seen.came_ns, seen.written_ns, strict=True))
    return {
        "values": len(found),
        "lost": seen.lost,
        "delay_ns_min": found[0],
        "delay_ns_p50": quantile(found, 50),
        "delay_ns_p99": quantile(found, 99),
        "delay_ns_max": found[-1],
    }


def _tell(area: str, for_ns: int, count: int | None, least: int, as_json: bool, kind: str) -> int:
    from takt.support import console

    seen = watch(area, for_ns, count)
    if len(seen.came_ns) < least:
        click.echo(f"takt: {area}: {len(seen.came_ns)} values arrived in {for_ns / 1e9:g} s", err=True)
        return 1
    document = {"rate": rate, "width": width, "delays": delays}[kind](seen)
    if as_json:
        console.print_json({"area": area, **document})
        return 0
    lost = f", {document['lost']} more were overwritten before they were read" if document["lost"] else ""
    click.echo(f"{area}: {_words(kind, document)} ({document['values']} values{lost})")
    return 0


def _words(kind: str, document: dict[str, Any]) -> str:
    def us(key: str) -> str:
        return f"{document[key] / 1000:.1f}"

    if kind == "rate":
        hz = "" if document["hz"] is None else f"{document['hz']:.1f} Hz, "
        return f"{hz}gaps {us('gap_ns_min')} to {us('gap_ns_max')} us, deviation {us('gap_ns_deviation')} us"
    if kind == "width":
        speed = "" if document["bytes_per_s"] is None else f"{document['bytes_per_s'] / 1e3:.1f} kB/s, "
        return f"{speed}values of {document['value_bytes_mean']:.1f} bytes"
    return f"delay {us('delay_ns_p50')} us, p99 {us('delay_ns_p99')}, {us('delay_ns_min')} to {us('delay_ns_max')}"


def add_command(group: click.Group) -> None:
    def command(name: str, kind: str, least: int, words: str) -> None:
        @group.command(name=name, help=words)
        @click.argument("area")
        @click.option(
            "--duration", callback=duration, default="2 s", show_default=True, metavar="T", help="How long to watch."
        )
        @click.option("--count", type=click.IntRange(2), metavar="N", help="End after N values.")
        @json_option
        def run(area: str, duration: int, count: int | None, as_json: bool) -> int:
            return _tell(area, duration, count, least, as_json, kind)

    command("hz", "rate", 2, "Print how often an area is written, by the time stamps of its values.")
    command("bw", "width", 2, "Print how many bytes per second are written to an area.")
    command("delay", "delays", 1, "Print the time from the write of a value until this reader in Python has it.")
