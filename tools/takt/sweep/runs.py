# SPDX-License-Identifier: Apache-2.0
"""Rows of simulated runs, and a folder of them. A row belongs to its run and to the program that made it, not to a
study: any study goes on with the rows that are there, and what another program made is made anew.

runs.json          that it is such a folder
runs/NAME.json     the row of a run, written whole or not at all
rows.csv           of the study that was asked for last
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any

from takt.bench.studies import rtm_runs
from takt.bench.studies.rtm_runs import Run
from takt.support.files import read_text, write_whole
from takt.sweep.rows import here
from takt.sweep.store import table

Row = dict[str, Any]
MARK = "runs.json"
COLUMNS = (
    *("kernel", "kind", "codec", "channels", "seed", "periods", "tick_us", "fetch_waits", "data_waits"),
    *("span_ns", "late", "cycles", "responses", "jitter", "worker", "program"),
)
_NESTED = ("cycles", "responses", "jitter")


def counts(values: Sequence[int]) -> dict[str, int]:
    """How often each value is there."""
    return {str(value): number for value, number in sorted(Counter(values).items())}


def compute(run: Run) -> Row:
    """A row: cycles by category, and how often each response time and jitter was seen, in ns. UserError: it failed."""
    seen = rtm_runs.execute(run)
    return {
        **asdict(run),
        "span_ns": seen.span_ns,
        "late": seen.late,
        "cycles": seen.counted,
        "responses": counts(seen.responses),
        "jitter": counts(seen.jitter),
        "worker": here(),
        "program": rtm_runs.program(run.kernel),
    }


def run_of(row: Row) -> Run:
    """TypeError: the row is of no run."""
    return Run(**{name: row[name] for name in Run.__dataclass_fields__ if name in row})


class RunStore:
    """A folder, made if there is none; one process at a time has it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = folder / "runs"
        self.runs.mkdir(parents=True, exist_ok=True)
        for rest in self.runs.glob(".*"):  # of a kill in the middle of a write
            rest.unlink()
        write_whole(folder / MARK, json.dumps({"format": 1}) + "\n")

    def _path(self, run: Run) -> Path:
        return self.runs / ("-".join(str(part).replace(" ", "_") for part in astuple(run)) + ".json")

    def keep(self, run: Run, row: Row) -> None:
        """From here on it is there."""
        write_whole(self._path(run), json.dumps(row) + "\n")

    def rows(self) -> dict[Run, Row]:
        """Those that this program made; what is damaged is not there."""
        found = {}
        for path in sorted(self.runs.glob("*.json")):
            try:
                row = json.loads(read_text(path))
                run = run_of(row)
                known = path == self._path(run) and row["program"] == rtm_runs.program(run.kernel)
            except (ValueError, KeyError, TypeError):
                continue
            if known:
                found[run] = row
        return found

    def write(self, rows: Sequence[Row]) -> Path:
        """The table, whole."""
        flat = [{**row, **{name: json.dumps(row[name]) for name in _NESTED}} for row in rows]
        path = self.folder / "rows.csv"
        write_whole(path, table(flat, COLUMNS))
        return path
