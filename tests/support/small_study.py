# SPDX-License-Identifier: Apache-2.0
"""A study of a few rows, and where its results are: what tests of `takt sweep` share."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

from takt.sweep import study as studies
from takt.sweep.study import Study

SMALL = """
generator = "uunifast"
n = [3, 5]
sets = 12
utilizations = [0.7, 1.0]
schedulers = ["rm", "edf"]
overheads = ["none", "mps2-an385"]
"""

Write = Callable[[str], Path]


def table(folder: Path) -> list[dict[str, str]]:
    with (folder / "rows.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def load(path: Path) -> Study:
    return studies.load(path)


def results(path: Path) -> Path:
    return path.with_name("study-results")
