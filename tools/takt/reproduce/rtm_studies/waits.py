# SPDX-License-Identifier: Apache-2.0
"""The kernel's share, and what the task manager changes, with wait states of the memory. The seed's simulator had
none (4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from takt.bench.studies import rtm_kernels
from takt.bench.studies.rtm import CODEC, PERIODS, TICK_US
from takt.bench.studies.rtm_runs import BOARD, CLOCK_HZ, HYPERPERIOD_MS, Run
from takt.reproduce.rtm_studies import kernel_share

if TYPE_CHECKING:
    from takt.support.tables import Table

Document = dict[str, Any]

NAME = "rtm-waits"
CHANNELS = (8,)
WAITS = ((0, 0), (1, 1), (2, 2), (2, 0), (0, 2))  # of a fetch, of data
SEED = 1


def runs() -> list[Run]:
    """One for each kernel, way of finding tasks, number of channels and memory."""
    return [
        Run(kernel, kind, CODEC, channels, SEED, PERIODS, TICK_US, *waits)
        for channels in CHANNELS
        for kernel, kinds in rtm_kernels.KINDS_OF.items()
        for kind in kinds
        for waits in WAITS
    ]


def measure(folder: Path, jobs: int = 1) -> Document:
    """What a folder does not have yet is simulated. UserError: a run failed."""
    from takt.sweep import experiments

    return document(experiments.rows_of(runs(), folder, jobs))


def document(rows: Sequence[dict[str, Any]]) -> Document:
    """The document that is kept, of rows of runs."""
    return {
        "board": BOARD,
        "clock_hz": CLOCK_HZ,
        "tick_us": TICK_US,
        "codec": CODEC,
        "seed": SEED,
        "simulated_ms": PERIODS * HYPERPERIOD_MS,
        "rows": kernel_share.together(rows, ("kernel", "kind", "channels", "fetch_waits", "data_waits")),
    }


def table(document: Document, channels: int) -> Table:
    rows = [row for row in document["rows"] if row["channels"] == channels]
    title = (
        f"Percent of the processor by wait states of a fetch and of data, {channels} channels of {document['codec']}"
    )
    return kernel_share.table(rows, lambda row: f"{row['fetch_waits']}, {row['data_waits']}", title)


def markdown(document: Document) -> str:
    channels = dict.fromkeys(row["channels"] for row in document["rows"])
    return "\n\n".join(table(document, number).markdown() for number in channels)
