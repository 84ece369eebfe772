# SPDX-License-Identifier: Apache-2.0
"""`takt reproduce rtm`: the experiments of seed 001, chapter 5, on the board ibex-soc (takt.sweep.experiments).

Without options what is kept is drawn, in benchmarks/measured; with some, a grid is simulated, which goes on after a
kill. The seed's processor has 200 MHz and ours 50: shares and times are compared as cycles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from takt.bench.studies import rtm_kernels
from takt.bench.studies.rtm import CODEC, NAMES, reference
from takt.bench.studies.rtm_runs import CLOCK_HZ, CODECS, CYCLE_NS, FRAME_NS, HYPERPERIOD_MS
from takt.reproduce.rtm_studies.points import Point, point
from takt.support.provision import ROOT

if TYPE_CHECKING:
    from takt.support.tables import Table
    from takt.sweep.experiments import Study

Document = dict[str, Any]
Row = dict[str, Any]

SEED_HZ = 200_000_000
SEED_CYCLES = {"tick": SEED_HZ // 10_000, "frame": SEED_HZ // 50}  # of 100 us, and of 20 ms
FULL = ROOT / "benchmarks" / "rtm" / "full.toml"
KEPT = "reproduction-rtm"
RESULTS = ROOT / "build" / "reproduction" / "rtm"
_ROW = ("kernel", "kind", "codec", "channels", "seed", "periods", "span_ns", "late", "cycles", "responses", "jitter")


def points(document: Document, kernel: str, kind: str, codec: str) -> dict[int, Point]:
    """By number of channels, those that all seeds were tried with."""
    by_channels: dict[int, list[Row]] = {}
    for row in document["rows"]:
        if (row["kernel"], row["kind"], row["codec"]) == (kernel, kind, codec):
            by_channels.setdefault(row["channels"], []).append(row)
    whole = {channels: rows for channels, rows in by_channels.items() if len(rows) == document["seeds"]}
    return {channels: point(whole[channels]) for channels in sorted(whole)}


def value(one: Point, name: str) -> float | None:
    """What a claim is of: a category, the whole, or the most of a time. None: the kernel has none, or nothing came."""
    if name == "kernel_percent":
        return one.percent
    if name in ("response_max_ns", "jitter_max_ns"):
        seen = one.responses if name == "response_max_ns" else one.jitter
        return max(seen, default=None)
    return one.categories.get(name)


def claims(document: Document) -> list[dict[str, Any]]:
    """What the seed says that its task manager changes, and ours, in percent: the least and the most of all codecs and
    numbers of channels with which no frame is late, and where the most was. None: nothing to compare."""
    found = []
    for claim in reference()["claim"]:
        changes = []
        for codec in CODECS:
            without, with_it = (points(document, claim["kernel"], kind, codec) for kind in rtm_kernels.KINDS)
            for channels in without.keys() & with_it.keys():
                before, after = (value(some[channels], claim["of"]) for some in (without, with_it))
                if before and after is not None and not (without[channels].late or with_it[channels].late):
                    changes.append((round(100 * (after / before - 1), 1), codec, channels))
        ordered = sorted(changes, reverse=claim["percent"][-1] <= 0)
        most = ordered[-1] if ordered else (None, None, None)
        found.append(
            {
                "kernel": claim["kernel"],
                "of": claim["of"],
                "seed": claim["percent"],
                "least": ordered[0][0] if ordered else None,
                "most": most[0],
                "codec": most[1],
                "channels": most[2],
            }
        )
    return found


def fit(values: Sequence[tuple[int, float]]) -> tuple[float, float] | None:
    """The line through points that is nearest in the mean square: its value at 0, and its slope. None: of one point."""
    if len(values) < 2:
        return None
    middle = sum(across for across, _ in values) / len(values)
    mean = sum(up for _, up in values) / len(values)
    slope = sum((across - middle) * (up - mean) for across, up in values)
    slope /= sum((across - middle) ** 2 for across, _ in values)
    return mean - slope * middle, slope


def lines(document: Document) -> list[dict[str, Any]]:
    """What a category takes at each tick or frame, in cycles: the seed's, and ours by the line through all numbers of
    channels with which no frame of CODEC is late."""
    periods = {"tick": document["tick_us"] * 1000, "frame": FRAME_NS}
    found = []
    for line in reference()["line"]:
        for kind in rtm_kernels.KINDS:
            if kind not in line:
                continue
            known = points(document, line["kernel"], kind, CODEC).values()
            fitted = fit([(one.channels, one.categories[line["of"]]) for one in known if not one.late])
            percent = None if fitted is None else fitted[line["each"] == "channel"]
            found.append(
                {
                    "kernel": line["kernel"],
                    "of": line["of"],
                    "each": line["each"],
                    "in": line["in"],
                    "kind": kind,
                    "seed": round(line[kind] / 100 * SEED_CYCLES[line["in"]], 1),
                    "cycles": None if percent is None else round(percent / 100 * periods[line["in"]] / CYCLE_NS, 1),
                }
            )
    return found


def times(document: Document) -> list[dict[str, Any]]:
    """Response and jitter in cycles, of all codecs, with which no frame is late: the seed's and ours."""
    found = []
    for time in reference()["time"]:
        for kind in rtm_kernels.KINDS:
            seen: Counter[int] = Counter()
            for codec in CODECS:
                for one in points(document, time["kernel"], kind, codec).values():
                    if not one.late:
                        seen += one.responses if time["of"] == "responses" else one.jitter
            ns = None
            if seen:
                ns = max(seen) if time["which"] == "most" else seen.most_common(1)[0][0]
            us = time[kind] if time["of"] == "responses" else time[kind] / 100 * FRAME_NS / 1000
            found.append(
                {
                    **{name: time[name] for name in ("kernel", "of", "which")},
                    "kind": kind,
                    "seed": round(us * SEED_HZ / 10**6),
                    "cycles": None if ns is None else ns // CYCLE_NS,
                }
            )
    return found


def beside(document: Document) -> list[dict[str, Any]]:
    """All kernels with the channels that the target is of: the kernel's share and its change against the classical
    one in software, response and jitter in cycles. Without those of which there are no rows."""
    channels = reference()["target"]["channels"]
    found: list[dict[str, Any]] = []
    first: float | None = None
    for kernel, kinds in rtm_kernels.KINDS_OF.items():
        for kind in kinds:
            one = points(document, kernel, kind, CODEC).get(channels)
            if one is None or one.late:
                continue
            first = one.percent if (kernel, kind) == ("classic", "software") else first
            found.append(
                {
                    "kernel": kernel,
                    "kind": kind,
                    "channels": channels,
                    "percent": round(one.percent, 3),
                    "change_percent": None if first is None else round(100 * (one.percent / first - 1), 1),
                    "response_cycles": one.responses.most_common(1)[0][0] // CYCLE_NS if one.responses else None,
                    "response_cycles_max": max(one.responses) // CYCLE_NS if one.responses else None,
                    "jitter_cycles_max": max(one.jitter) // CYCLE_NS if one.jitter else None,
                }
            )
    return found


def document_of(study: Study, rows: Sequence[Row], overload: Sequence[dict[str, Any]]) -> Document:
    """The document of `takt reproduce rtm --json` (docs/json.md), of a finished study."""
    found: Document = {
        "board": "ibex-soc",
        "clock_hz": CLOCK_HZ,
        "tick_us": study.tick_us,
        "seeds": study.seeds,
        "channels": {codec: list(channels) for codec, channels in study.channels.items()},
        "overload": list(overload),
        "rows": [{name: row[name] for name in _ROW} for row in rows],
    }
    return {**found, "claims": claims(found), "lines": lines(found), "times": times(found), "beside": beside(found)}


def full() -> Study:
    """The grid whose rows are kept."""
    from takt.sweep import experiments

    return experiments.load(FULL)


def measure(study: Study, folder: Path, jobs: int = 1) -> Document:
    """Simulates what a folder does not have yet. UserError: see takt.sweep.experiments."""
    from takt.sweep import experiments

    swept, rows = experiments.sweep(study, folder, jobs)
    return document_of(study, rows, swept["overload"])


def _change(percent: float | None) -> str | None:
    return None if percent is None else f"{percent:+.0f}"


def claim_table(document: Document) -> Table:
    from takt.support.tables import Cell, Table

    rows: list[list[Cell]] = []
    for one in document["claims"]:
        theirs = " to ".join(f"{percent:+d}" for percent in one["seed"])
        where = None if one["codec"] is None else f"{one['codec']}, {one['channels']}"
        rows.append(
            [one["kernel"], NAMES.get(one["of"], one["of"]), theirs, _change(one["least"]), _change(one["most"]), where]
        )
    title = "Changes by the task manager, in percent: the seed's, ours at least and at most, and with how many channels"
    return Table(title, ["kernel", "of", "seed 001", "least", "most", "where"], rows, words=2)


def line_table(document: Document) -> Table:
    from takt.support.tables import Cell, Table

    rows: list[list[Cell]] = []
    for one in document["lines"]:
        quantity = f"{one['each']}, each {one['in']}"
        rows.append([one["kernel"], one["of"], quantity, one["kind"], one["seed"], one["cycles"]])
    for one in document["times"]:
        quantity = "response" if one["of"] == "responses" else "jitter"
        rows.append([one["kernel"], quantity, one["which"], one["kind"], one["seed"], one["cycles"]])
    return Table("Cycles: the seed's and ours", ["kernel", "of", "", "", "seed 001", "here"], rows, words=4)


def beside_table(document: Document) -> Table:
    """With a row of what was to be reached."""
    from takt.support.tables import Cell, Table

    target = reference()["target"]
    rows: list[list[Cell]] = []
    for one in document["beside"]:
        cycles = (one[key] for key in ("response_cycles", "response_cycles_max", "jitter_cycles_max"))
        rows.append([one["kernel"], one["kind"], f"{one['percent']:.2f}", _change(one["change_percent"]), *cycles])
    rows.append(["target", None, None, _change(target["kernel_percent"]), target["response_cycles"], None, None])
    heads = ["kernel", "", "percent", "change", "response", "longest", "most jitter"]
    title = f"With {target['channels']} channels of {CODEC}: share, change against classic in software, times in cycles"
    return Table(title, heads, rows, words=2)


def overload_table(document: Document) -> Table:
    """Channels with which no frame is late, in a column for each codec."""
    from takt.support.tables import Cell, Table

    codecs = list(dict.fromkeys(one["codec"] for one in document["overload"]))
    by_kernel: dict[tuple[str, str], dict[str, str]] = {}
    for one in document["overload"]:
        more = "" if one["late"] else " and more"
        by_kernel.setdefault((one["kernel"], one["kind"]), {})[one["codec"]] = f"{one['in_time']}{more}"
    rows: list[list[Cell]] = [[*key, *(said.get(codec) for codec in codecs)] for key, said in by_kernel.items()]
    return Table("Channels with which no frame is late", ["kernel", "", *codecs], rows, words=2)


def tables(document: Document) -> list[Table]:
    return [claim_table(document), line_table(document), beside_table(document), overload_table(document)]


def note(document: Document) -> str:
    spans = " or ".join(str(HYPERPERIOD_MS * number) for number in sorted({row["periods"] for row in document["rows"]}))
    return (
        f"{len(document['rows'])} runs of {spans} ms at {document['clock_hz'] // 10**6} MHz, a tick"
        f" every {document['tick_us']} us; seeds: {document['seeds']} (1 and on)."
    )


def text(document: Document) -> str:
    return "\n\n".join([*(table.text() for table in tables(document)), note(document)])
