# SPDX-License-Identifier: Apache-2.0
"""A public benchmark suite in place of the seed's codecs: CoreMark, an iteration of it in each frame."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from takt.bench.studies import rtm_kernels
from takt.bench.studies.rtm import PERIODS, TICK_US
from takt.bench.studies.rtm_runs import BOARD, CLOCK_HZ, HYPERPERIOD_MS, SUITE, Run
from takt.reproduce.rtm_studies import kernel_share

if TYPE_CHECKING:
    from takt.support.tables import Table

Document = dict[str, Any]

NAME = "rtm-suite"
CODEC = SUITE[0]
CHANNELS = (1, 2)
SEED = 1


def runs() -> list[Run]:
    """Of each kernel, way of finding tasks and number of channels."""
    return [
        Run(kernel, kind, CODEC, channels, SEED, PERIODS, TICK_US)
        for channels in CHANNELS
        for kernel, kinds in rtm_kernels.KINDS_OF.items()
        for kind in kinds
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
        "rows": kernel_share.together(rows, ("kernel", "kind", "channels")),
    }


def table(document: Document) -> Table:
    title = f"Percent of the processor by channels of {document['codec']}"
    return kernel_share.table(document["rows"], lambda row: str(row["channels"]), title)


def markdown(document: Document) -> str:
    return table(document).markdown()
