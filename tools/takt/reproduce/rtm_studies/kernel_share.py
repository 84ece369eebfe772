# SPDX-License-Identifier: Apache-2.0
"""The kernel's share by kernel, and what the task manager changes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from takt.bench.studies import rtm_kernels
from takt.reproduce.rtm_studies.points import point

if TYPE_CHECKING:
    from takt.support.tables import Table

Row = dict[str, Any]
LATE = "late"


def together(rows: Sequence[Row], names: Sequence[str]) -> list[Row]:
    """Rows of runs that differ in their seed alone are one, with `percent` of the processor and how many frames are
    late. `names`: what else is kept of them, which tells configurations apart."""
    some: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        some.setdefault(tuple(row[name] for name in names), []).append(row)
    points = {key: point(own) for key, own in some.items()}
    return [
        {**dict(zip(names, key, strict=True)), "late": one.late, "percent": round(one.percent, 4)}
        for key, one in points.items()
    ]


def table(rows: Sequence[Row], column: Callable[[Row], str], title: str) -> Table:
    """A line for each kernel and way of finding tasks, and one for what the task manager changes. `column`: the head of
    the column that a row is in."""
    from takt.support.tables import Cell, Table

    heads = list(dict.fromkeys(column(row) for row in rows))
    shares = {(row["kernel"], row["kind"], column(row)): None if row["late"] else row["percent"] for row in rows}
    lines: list[list[Cell]] = []
    for kernel in dict.fromkeys(row["kernel"] for row in rows):
        found = {kind: [shares.get((kernel, kind, head)) for head in heads] for kind in rtm_kernels.KINDS}
        for kind, values in found.items():
            lines.append([kernel, kind, *(LATE if value is None else f"{value:.2f}" for value in values)])
        changes = (_change(*pair) for pair in zip(*found.values(), strict=True))
        lines.append([kernel, "change, %", *changes])
    return Table(title, ["kernel", "", *heads], lines, words=2)


def _change(without: float | None, with_it: float | None) -> str | None:
    """By the task manager, in percent; None: frames are late."""
    return f"{100 * (with_it / without - 1):+.0f}" if without and with_it is not None else None
