# SPDX-License-Identifier: Apache-2.0
"""`takt bench area`: what the task manager takes on an FPGA and in gates, at which clock, beside Ibex and its targets.

Nothing runs: yosys maps the RTL, nextpnr places it and estimates the clock (tools/takt/hardware/synthesis.py).
"""

from __future__ import annotations

import operator
import tomllib
from collections.abc import Collection, Sequence
from typing import Any

import click

from takt.bench.tables import Cell, Table
from takt.hardware import simulate, synthesis
from takt.hardware.simulate import Parameters
from takt.provision import ROOT

REFERENCE = ROOT / "benchmarks" / "reference" / "area.toml"
GOLDEN = ROOT / "benchmarks" / "measured" / "area.json"
# By records: rows without a cut, and with one behind each level of the tree; for 64 also one row at once.
SIZES = {
    16: (Parameters(16, 2), Parameters(16, 2, cuts=0b1110)),
    32: (Parameters(32, 2), Parameters(32, 2, cuts=0b11110)),
    64: (Parameters(64, 4), Parameters(64, 4, cuts=0b11110), Parameters(64, 1)),
    128: (Parameters(128, 8, cuts=0b11110),),
}
SEEDS = (1, 2)  # of placements of what has cuts; the fastest counts
TARGET_RECORDS = 64
IBEX = "ibex"


def place_name(parameters: Parameters) -> str:
    """What `--place` calls it: 64, or 64x1 for one row."""
    return f"{parameters.records}" + ("x1" if parameters.banks == 1 else "")


PLACES = (*dict.fromkeys(place_name(shape) for shapes in SIZES.values() for shape in shapes), IBEX)


def design(parameters: Parameters) -> synthesis.Design:
    """The task manager with these parameters."""
    name = f"{parameters.records} records, {parameters.banks} rows, {parameters.cuts.bit_count()} cuts"
    return synthesis.Design(name, "rtm", tuple(simulate.sources()), tuple(parameters.options()))


def measure(records: Sequence[int], place: Collection[str], with_ibex: bool = True) -> dict[str, Any]:
    """The document of `takt bench area --json` (docs/json.md). `place`: of PLACES, what a clock is wanted of.

    UserError when a tool fails.
    """
    shapes = [parameters for size in records for parameters in SIZES[size]]
    rows = [_row(parameters, place_name(parameters) in place) for parameters in shapes]
    ibex = synthesis.measure(synthesis.ibex(), (synthesis.SEED,) if IBEX in place else ()) if with_ibex else None
    return {"device": synthesis.DEVICE_NAME, "rows": rows, "ibex": ibex}


def _row(parameters: Parameters, place: bool) -> dict[str, Any]:
    shape = {name: getattr(parameters, name) for name in ("records", "banks", "cuts")}
    seeds = () if not place else SEEDS if parameters.cuts else (synthesis.SEED,)
    # The change is a cycle of its own: the record is written.
    shape |= {"next_cycles": parameters.settle_cycles + 1, "memory_bits": memory_bits(parameters)}
    return {**shape, **synthesis.measure(design(parameters), seeds)}


def memory_bits(parameters: Parameters) -> int:
    """Times; key and event of each record, and if there are rows these once more, by row."""
    record = parameters.level_width + parameters.order_width + parameters.event_width
    return parameters.records * (32 + record * (1 + (parameters.banks > 1)))


def reference() -> dict[str, Any]:
    """Targets and blocks."""
    return tomllib.loads(REFERENCE.read_text(encoding="utf-8"))


def table(document: dict[str, Any]) -> Table:
    heads = ["", "LUT6", "FF", "kGE", "memory bits", "ECP5: LUT4", "FF", "MHz", "NEXT after, cycles", "ns"]
    rows: list[list[Cell]] = [[_name(row), *_cells(row), row["next_cycles"], _ns(row)] for row in document["rows"]]
    if document["ibex"]:
        rows.append(["Ibex of the board `ibex-soc`", *_cells(document["ibex"]), None, None])
    for block in reference()["block"]:
        name = f"{block['name']}, {block['records']}*" if "records" in block else f"{block['name']}*"
        figures = [block.get(key) for key in ("lut6", "lut6_ff", "kge", "memory_bits")]
        rows.append([name, *figures, None, None, block.get("mhz"), None, None])
    targets = reference()["targets"]
    wanted = [targets[key] for key in ("lut6", "lut6_ff", "kge", "memory_bits")]
    rows.append([f"target, {TARGET_RECORDS}", *wanted, None, None, targets["mhz"], targets["next_cycles"], None])
    return Table("What the task manager takes", heads, rows)


def _name(row: dict[str, Any]) -> str:
    cuts = row["cuts"].bit_count()
    return f"{row['records']} records, {row['banks']} row{'s' * (row['banks'] > 1)}" + (
        f", {cuts} cuts" if cuts else ""
    )


def _cells(row: dict[str, Any]) -> list[Cell]:
    placed = [row["lut4"], row["ff"], max(row["mhz"])] if "mhz" in row else [None] * 3
    return [row["lut6"], row["lut6_ff"], row["kge"], row.get("memory_bits"), *placed]


def _ns(row: dict[str, Any]) -> Cell:
    return round(1000 * row["next_cycles"] / max(row["mhz"])) if "mhz" in row else None


def verdict(document: dict[str, Any]) -> list[str]:
    """For each target what comes closest to it, and whether that is enough."""
    targets = reference()["targets"]
    rows = [row for row in document["rows"] if row["records"] == TARGET_RECORDS]
    names = {
        "lut6": "LUT6",
        "lut6_ff": "flip-flops",
        "kge": "kGE",
        "memory_bits": "bits of memory",
        "mhz": "MHz",
        "next_cycles": "cycles to NEXT",
    }
    said = []
    for key, name in names.items():
        best_of, meets = (max, operator.ge) if key == "mhz" else (min, operator.le)
        values = [(max(row[key]) if key == "mhz" else row[key], row) for row in rows if key in row]
        if not values:
            continue
        best, row = best_of(values, key=lambda pair: pair[0])
        met_by = sum(meets(value, targets[key]) for value, _ in values)
        off = "met" if met_by else f"missed by {abs(best / targets[key] - 1):.0%}"
        of = f", by {met_by} of {len(values)} shapes" if 0 < met_by < len(values) else ""
        said.append(f"{name}: {off}{of} ({best:g}, {_name(row)}; target {targets[key]})")
    return said


def limits(document: dict[str, Any]) -> Table:
    """What the clock waits for."""
    placed = [("Ibex", document["ibex"])] if document["ibex"] else []
    placed = [(_name(row), row) for row in document["rows"]] + placed
    rows: list[list[Cell]] = [
        [name, " to ".join(_part(row[key]) for key in ("path_from", "path_to")), f"{row['path_routing_percent']:.0f}"]
        for name, row in placed
        if "mhz" in row
    ]
    return Table("The longest path", ["", "from, to", "of it wires, %"], rows, words=2)


def _part(cell: str) -> str:
    """The instance that a cell is in: `u_sweep.u_tree`; what yosys made of it is cut off."""
    return ".".join(part for part in cell.split(".")[:3] if part.startswith("u_")) or "the command port"


def markdown(document: dict[str, Any]) -> str:
    """The section of docs/performance.md."""
    said = "Against the targets, each by the shape that does best:\n\n" + "\n".join(
        f"- {line}" for line in verdict(document)
    )
    return "\n\n".join([table(document).markdown(), said, limits(document).markdown()])


def add_command(group: click.Group) -> None:
    from takt.cli import json_option

    @group.command(name="area")
    @click.option("--records", default=",".join(map(str, SIZES)), show_default=True, metavar="N,N", help="How many.")
    @click.option(
        "--place",
        default=",".join(PLACES),
        show_default=True,
        metavar="N,...",
        help="Of which there is to be a clock, which takes minutes each; none: of none.",
    )
    @click.option("--no-ibex", is_flag=True, help="Without the processor beside it.")
    @click.option("--update", is_flag=True, help="Also keep the figures (benchmarks/measured).")
    @json_option
    def command(records: str, place: str, no_ibex: bool, update: bool, as_json: bool) -> int:
        """What the hardware task manager takes on FPGAs and in gates, and its clock, beside Ibex and the targets."""
        from takt import console
        from takt.bench.docs import keep
        from takt.errors import UserError

        sizes, placed = records.split(","), [name for name in place.split(",") if name != "none"]
        if not set(sizes) <= {str(size) for size in SIZES}:
            raise UserError(f"--records {records}: there are {', '.join(map(str, SIZES))}")
        if not set(placed) <= set(PLACES):
            raise UserError(f"--place {place}: there are {', '.join(PLACES)}, none")
        if update and (no_ibex or len(sizes) < len(SIZES)):
            raise UserError("--update keeps all of them", "leave out --records and --no-ibex")
        document = measure([int(size) for size in sizes], placed, not no_ibex)
        if update:
            keep(GOLDEN, document)
        if as_json:
            console.print_json(document)
            return 0
        parts = [table(document).text(), "\n".join(verdict(document))]
        click.echo("\n\n".join([*parts, *([limits(document).text()] if placed else [])]))
        return 0
