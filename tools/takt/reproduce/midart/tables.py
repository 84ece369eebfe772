# SPDX-License-Identifier: Apache-2.0
"""What is said of a document: a table for each experiment. Times in them are ms where 7.3 has ms, us otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from takt.support.tables import Cell, Table

Document = dict[str, Any]
Row = dict[str, Any]


def name_of(row: Row) -> str:
    """A carrier and its setting, as tables and pictures have them."""
    return f"{row['carrier']}, {row['setting']}"


def _us(summary: Row) -> list[Cell]:
    return [summary["p50"], summary["p99"], summary["max"]]


def priority_table(document: Document) -> Table:
    rows: list[list[Cell]] = []
    for row in document["priority"]:
        link = row["link_bytes"] / 1e6
        counts: list[Cell] = [row["sent"], row["lost"] + row["broken"], *_us(row["latency_us"]), link]
        counts.insert(-1, row["round_p99_us"])
        rows.append([f"{row['load']} %", name_of(row), row["queue"], row["stream"], *counts])
    title = (
        "Figures 4 to 7: values, how many of them never came whole, from release to receive in us, the 99th percentile"
        " of the median round, and MB on the link"
    )
    heads = ["load", "carrier", "queue", "stream", "sent", "lost", "p50", "p99", "max", "round", "MB"]
    return Table(title, heads, rows, words=4)


def _block(row: Row) -> str:
    return f"{row['block'] // 1024} KB" if row["block"] else "its own"


def sizes_table(document: Document) -> Table:
    """Of sends the medians: what a call takes, until the value is there, and what came of a burst."""
    rows: list[list[Cell]] = []
    for row in document["sizes"]:
        rate = row["burst_bytes_per_s"]
        share = 100 * row["burst_lost"] / row["burst_sent"]
        figures: list[Cell] = [row["send_us"]["p50"], row["latency_us"]["p50"], None if rate is None else rate / 1e6]
        rows.append([row["carrier"], _block(row), row["bytes"] // 1024, *figures, share])
    title = (
        "Figures 8 and 9: KB of a message, medians of the time of sending and until it is received in us, MB/s at the"
        " receiver of messages without a pause, and percent of those that were lost"
    )
    return Table(title, ["carrier", "blocks", "KB", "send", "receive", "MB/s", "lost"], rows, words=2)


def timers_table(document: Document) -> Table:
    rows: list[list[Cell]] = [
        [row["source"], row["timers"], *_us(row["late_us"]), row["processor_us"]["p50"]] for row in document["timers"]
    ]
    title = "Figure 10: timers that are due at once, us until the last is handled, and of the processor"
    return Table(title, ["source", "timers", "p50", "p99", "max", "processor"], rows, words=1)


def readers_table(document: Document) -> Table:
    """The two of the highest rates, and of all those that keep their period worst."""
    rows: list[list[Cell]] = []
    by_name: dict[str, list[Row]] = {}
    for row in document["readers"]:
        by_name.setdefault(name_of(row), []).append(row)
    for name, group in by_name.items():
        sigmas: list[Cell] = [row["sigma_us"] for row in group[:2]]
        sent, lost = (sum(row[key] for row in group) for key in ("sent", "lost"))
        shares = [
            _worst_share(group, value)
            for value in (lambda row: row["deviation_us"]["p99"], lambda row: row["round_p99_us"])
        ]
        percent: list[Cell] = [None if share is None else 100 * share for share in shares]
        rows.append([name, *sigmas, *percent, sent, lost])
    title = (
        "Figure 11: of the two highest rates the standard deviation of the period in us; the 99th percentile of the"
        " deviation in percent of the period, of the reader with the largest: of all rounds, and of the median round;"
        " values"
    )
    return Table(title, ["carrier", "R1", "R2", "all", "round", "sent", "lost"], rows)


def _worst_share(rows: list[Row], value: Callable[[Row], float | None]) -> float | None:
    """The most of values by their periods. None: there is none."""
    return max((found / row["period_us"] for row in rows if (found := value(row)) is not None), default=None)


def background_table(document: Document) -> Table:
    """A column for each number of readers."""
    numbers = sorted({row["readers"] for row in document["background"]})
    by_name: dict[str, dict[int, Row]] = {}
    for row in document["background"]:
        by_name.setdefault(name_of(row), {})[row["readers"]] = row
    rows: list[list[Cell]] = []
    for name, found in by_name.items():
        elapsed: list[Cell] = [found[number]["elapsed_ms"] for number in numbers]
        rows.append([name, *elapsed, sum(row["lost"] + row["readers_lost"] for row in found.values())])
    megabytes = {round(row["bytes"] / 2**20, 1) for row in document["background"]}
    title = (
        f"Figure 12: ms from the first to the last block of {', '.join(f'{one:g}' for one in sorted(megabytes))} MB"
        " beside so many readers, and values lost of all"
    )
    return Table(title, ["carrier", *map(str, numbers), "lost"], rows)


def filtered_table(document: Document) -> Table:
    rows: list[list[Cell]] = [
        [name_of(row), row["sent"], row["received"], row["link_bytes"] / 1e3] for row in document["filtered"]
    ]
    title = "A topic of 1 kHz whose reader wants 10 Hz: values written and received, and KB on the link"
    return Table(title, ["carrier", "written", "received", "KB"], rows)


def alone(document: Document) -> dict[str, float | None]:
    """Of ours in its default setting: values lost of both streams by load; the largest 99th percentile of a reader's
    deviation in the median round by its period. None: not measured."""
    found: dict[str, float | None] = {}
    ours = _ours(document["priority"])
    for load in sorted({row["load"] for row in ours}):
        found[f"lost_{load}"] = sum(row["lost"] + row["broken"] for row in ours if row["load"] == load)
    found["deviation"] = _worst_share(_ours(document["readers"]), lambda row: row["round_p99_us"])
    return found


def _ours(rows: list[Row]) -> list[Row]:
    return [row for row in rows if (row["carrier"], row["setting"]) == ("takt", "default")]


def ratios(document: Document) -> dict[str, float | None]:
    """Ours in its default setting by the best of the peers' defaults: 99th percentile of T1 in the median round, median
    of T2, each by load; bytes on the link of the reader of 10 Hz. None: not measured."""
    found: dict[str, float | None] = {}
    for load in sorted({row["load"] for row in document["priority"]}):
        for stream, value in (("T1", lambda row: row["round_p99_us"]), ("T2", lambda row: row["latency_us"]["p50"])):
            rows = [row for row in document["priority"] if (row["load"], row["stream"]) == (load, stream)]
            found[f"{stream}_{load}"] = _ratio(rows, value)
    found["filtered"] = _ratio(document["filtered"], lambda row: row["link_bytes"])
    return found


def _ratio(rows: list[Row], value: Callable[[Row], float | None]) -> float | None:
    defaults = {row["carrier"]: value(row) for row in rows if row["setting"] == "default"}
    ours = defaults.pop("takt", None)
    peers = [one for one in defaults.values() if one is not None]
    return round(ours / min(peers), 3) if ours is not None and peers and min(peers) else None


def ratios_text(document: Document) -> str:
    said = [
        f"{name.replace('_', ' at ')}{' %' if name[-1].isdigit() else ''}: {value:g}"
        for name, value in ratios(document).items()
        if value is not None
    ]
    return f"Ours by the best of the peers, all as they are: {'; '.join(said)}." if said else ""


TABLES: dict[str, Callable[[Document], Table]] = {
    "priority": priority_table,
    "sizes": sizes_table,
    "timers": timers_table,
    "readers": readers_table,
    "background": background_table,
    "filtered": filtered_table,
}


def note(document: Document) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in document["versions"].items() if version)
    realtime = "SCHED_FIFO" if document["realtime"] else "no SCHED_FIFO, which this machine refuses"
    return (
        f"{document['system']}, {document['processors']} processors, {realtime}; link: {document['shape']}; TCP:"
        f" {document['tcp']}; {versions or 'no packages'}; rounds: {document['rounds']}."
    )


def text(document: Document) -> str:
    shown = [table(document).text() for name, table in TABLES.items() if document[name]]
    return "\n\n".join([*shown, *([said] if (said := ratios_text(document)) else []), note(document)])
