# SPDX-License-Identifier: Apache-2.0
"""`takt bench area`: what the task manager takes on an FPGA, in gates and in cycles, at which clock, beside Ibex and
its targets.

yosys maps the RTL, nextpnr places it and estimates the clock (tools/takt/hardware/synthesis.py), Verilator simulates it
(tools/takt/hardware/cycles.py). With a library of cells, which is the user's to bring, it is mapped to them too
(tools/takt/hardware/cells.py).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import click

from takt.hardware import area_page, cells, cycles, simulate, synthesis
from takt.hardware.simulate import Parameters
from takt.support import provision
from takt.support.provision import ROOT

GOLDEN = ROOT / "benchmarks" / "measured" / "area.json"
# By records: rows without a cut, and with one behind each level of the tree; for 64 also one row at once.
SIZES = {
    16: (Parameters(16, 2), Parameters(16, 2, cuts=0b1110)),
    32: (Parameters(32, 2), Parameters(32, 2, cuts=0b11110)),
    64: (Parameters(64, 4), Parameters(64, 4, cuts=0b11110), Parameters(64, 1)),
    128: (Parameters(128, 8, cuts=0b11110),),
}
SEEDS = (1, 2)  # of placements of what has cuts; the fastest counts
IBEX = "ibex"
MAPPED = ("kge", "lut6", "lut6_ff")  # alike: it is the same RTL, or as good as
PLACED = ("lut4", "ff", "multipliers", "mhz", "path_from", "path_to", "path_routing_percent")


def shape_label(parameters: Parameters) -> str:
    """What `--place` calls it: 64, or 64x1 for one row."""
    return f"{parameters.records}" + ("x1" if parameters.banks == 1 else "")


PLACEABLE = (*dict.fromkeys(shape_label(shape) for shapes in SIZES.values() for shape in shapes), IBEX)


def design(parameters: Parameters) -> synthesis.Design:
    """The task manager with these parameters."""
    name = f"{parameters.records} records, {parameters.banks} rows, {parameters.cuts.bit_count()} cuts"
    return synthesis.Design(name, "rtm", tuple(simulate.sources()), tuple(parameters.options()))


def measure(
    records: Sequence[int], timed: Collection[str], with_ibex: bool = True, library: Path | None = None
) -> dict[str, Any]:
    """The document of `takt bench area --json` (docs/json.md). `timed`: of PLACEABLE, what a clock is wanted of;
    `library`: a Liberty file.

    UserError when a tool fails, or the library does not do.
    """
    known = cells.load(library) if library else None
    shapes = [parameters for size in records for parameters in SIZES[size]]
    rows = [_row(parameters, shape_label(parameters) in timed) for parameters in shapes]
    ibex = synthesis.measure(synthesis.ibex(), (synthesis.SEED,) if IBEX in timed else ()) if with_ibex else None
    mapped = _in_cells(known, shapes, with_ibex) if known else None
    return {"device": synthesis.DEVICE_NAME, "rows": rows, "ibex": ibex, "cells": mapped}


def _shape(parameters: Parameters) -> dict[str, int]:
    return {name: getattr(parameters, name) for name in ("records", "banks", "cuts")}


def _row(parameters: Parameters, timed: bool) -> dict[str, Any]:
    seeds = () if not timed else SEEDS if parameters.cuts else (synthesis.SEED,)
    accesses = [
        {"way": way, "kind": kind, **found}
        for way in cycles.WAYS
        for kind, found in cycles.access_cycles(parameters, way).items()
    ]
    simulated = {**cycles.events(parameters), "accesses": accesses}
    mapped = {"memory_bits": memory_bits(parameters), **synthesis.measure(design(parameters), seeds)}
    return {**_shape(parameters), **simulated, **mapped}


def _in_cells(known: cells.Cells, shapes: Sequence[Parameters], with_ibex: bool) -> dict[str, Any]:
    rows = [{**_shape(parameters), **cells.measure(design(parameters), known)} for parameters in shapes]
    return {
        "library": known.name,
        "rows": rows,
        "ibex": cells.measure(synthesis.ibex(), known) if with_ibex else None,
    }


def memory_bits(parameters: Parameters) -> int:
    """Times; key and event of each record, and if there are rows these once more, by row."""
    record = parameters.level_width + parameters.order_width + parameters.event_width
    return parameters.records * (32 + record * (1 + (parameters.banks > 1)))


def merged(document: dict[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
    """With what was kept of placements and of cells and not measured now, where all is mapped as it was then."""
    pairs = [
        (row, before)
        for row in document["rows"]
        for before in kept["rows"]
        if area_page.same_shape(row, before) and _alike(row, before)
    ]
    found = {**document, "rows": [_placed(row, [b for r, b in pairs if r is row]) for row in document["rows"]]}
    ibex, before = document["ibex"], kept["ibex"]
    same = bool(ibex and before and _alike(ibex, before))
    found["ibex"] = _placed(ibex, [before] if same else []) if ibex else None
    in_cells = kept.get("cells")
    if document["cells"] is None and in_cells:
        rows = [row for row in in_cells["rows"] if any(area_page.same_shape(row, now) for now, _ in pairs)]
        found["cells"] = {**in_cells, "rows": rows, "ibex": in_cells["ibex"] if same else None}
        if len(rows) < len(in_cells["rows"]) or found["cells"]["ibex"] != in_cells["ibex"]:
            provision.say(
                f"figures of {in_cells['library']} are dropped where the RTL has changed; --liberty measures them anew"
            )
    return found


def _alike(row: dict[str, Any], before: dict[str, Any]) -> bool:
    return all(row[key] == before[key] for key in MAPPED)


def _placed(row: dict[str, Any], before: list[dict[str, Any]]) -> dict[str, Any]:
    return (
        {**row, **{key: before[0][key] for key in PLACED if key in before[0]}} if before and "mhz" not in row else row
    )


def add_command(group: click.Group) -> None:
    from takt.support.options import json_option

    @group.command(name="area")
    @click.option(
        "--records", default=",".join(map(str, SIZES)), show_default=True, metavar="N,N", help="Numbers of records."
    )
    @click.option(
        "--place",
        "wanted",
        default=",".join(PLACEABLE),
        show_default=True,
        metavar="N,...",
        help="Sizes to place and route for an estimate of the clock, minutes each; or none.",
    )
    @click.option(
        "--liberty",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Also map to the cells of this library (.lib): gates, and the clock before layout.",
    )
    @click.option("--no-ibex", is_flag=True, help="Do not measure the processor Ibex.")
    @click.option(
        "--update",
        is_flag=True,
        help="Also store the figures (benchmarks/measured). Others of the same RTL are kept.",
    )
    @json_option
    def command(records: str, wanted: str, liberty: Path | None, no_ibex: bool, update: bool, as_json: bool) -> int:
        """Measure the hardware task manager: area on FPGAs, gates, cycles and clock, compared with Ibex and the
        targets."""
        from takt.bench.documents import keep, results
        from takt.support import console
        from takt.support.errors import UserError

        sizes, placed = records.split(","), [name for name in wanted.split(",") if name != "none"]
        if not set(sizes) <= {str(size) for size in SIZES}:
            raise UserError(f"--records {records}: expected some of {', '.join(map(str, SIZES))}")
        if not set(placed) <= set(PLACEABLE):
            raise UserError(f"--place {wanted}: expected some of {', '.join(PLACEABLE)}, or none")
        if update and (no_ibex or len(sizes) < len(SIZES)):
            raise UserError("--update stores the figures of all sizes", "leave out --records and --no-ibex")
        document = measure([int(size) for size in sizes], placed, not no_ibex, liberty)
        if update:
            document = merged(document, results("area"))
            keep(GOLDEN, document)
        if as_json:
            console.print_json(document)
        else:
            click.echo(area_page.text(document))
        return 0
