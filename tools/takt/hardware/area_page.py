# SPDX-License-Identifier: Apache-2.0
"""What `takt bench area` prints: tables of its document, and what they say of the targets."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from takt.hardware import cycles
from takt.support.files import read_text
from takt.support.provision import ROOT
from takt.support.tables import Cell, Table

REFERENCE = ROOT / "benchmarks" / "reference" / "area.toml"
TARGET_RECORDS = 64
EXACT = "cycles"  # in the key of a target whose miss is counted in cycles, not in percent


def reference() -> dict[str, Any]:
    """Targets, blocks, and why a target is missed."""
    found: dict[str, Any] = tomllib.loads(read_text(REFERENCE))
    return found


def shape_name(row: dict[str, Any]) -> str:
    cuts = row["cuts"].bit_count()
    return f"{row['records']} records, {row['banks']} row{'s' * (row['banks'] > 1)}" + (
        f", {cuts} cuts" if cuts else ""
    )


def same_shape(row: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(row[key] == other[key] for key in ("records", "banks", "cuts"))


def cells_row(document: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """What cells of a library say of a row; nothing when there is none."""
    rows = document["cells"]["rows"] if document["cells"] else []
    return next((found for found in rows if same_shape(found, row)), {})


def table(document: dict[str, Any]) -> Table:
    heads = ["", "LUT6", "FF", "kGE", "memory bits", "ECP5: LUT4", "FF", "MHz", "NEXT after, cycles", "ns"]
    rows: list[list[Cell]] = [
        [shape_name(row), *_figures(row), row["next_cycles"], _ns(row)] for row in document["rows"]
    ]
    if document["ibex"]:
        rows.append(["Ibex of the board `ibex-soc`", *_figures(document["ibex"]), None, None])
    for block in reference()["block"]:
        name = f"{block['name']}, {block['records']}*" if "records" in block else f"{block['name']}*"
        figures = [block.get(key) for key in ("lut6", "lut6_ff", "kge", "memory_bits")]
        rows.append([name, *figures, None, None, block.get("mhz"), None, None])
    targets = reference()["targets"]
    wanted = [targets[key] for key in ("lut6", "lut6_ff", "kge", "memory_bits")]
    rows.append([f"target, {TARGET_RECORDS}", *wanted, None, None, targets["mhz"], targets["next_cycles"], None])
    return Table("Area and clock of the task manager", heads, rows)


def _figures(row: dict[str, Any]) -> list[Cell]:
    placed = [row["lut4"], row["ff"], max(row["mhz"])] if "mhz" in row else [None] * 3
    return [row["lut6"], row["lut6_ff"], row["kge"], row.get("memory_bits"), *placed]


def _ns(row: dict[str, Any]) -> Cell:
    return round(1000 * row["next_cycles"] / max(row["mhz"])) if "mhz" in row else None


def library_table(document: dict[str, Any]) -> Table:
    """Of the cells of a library."""
    heads = ["", "longest path", "cells on it", "MHz", "kGE", "memories, kGE"]
    found = document["cells"]
    rows = [[shape_name(row), *_mapped(row)] for row in found["rows"]]
    if found["ibex"]:
        rows.append(["Ibex", *_mapped(found["ibex"])])
    targets = reference()["targets"]
    rows.append([f"target, {TARGET_RECORDS}", None, None, targets["cells_mhz"], targets["kge"], None])
    return Table(f"In cells of {found['library']}, before layout", heads, rows, words=2)


def _mapped(row: dict[str, Any]) -> list[Cell]:
    path = " to ".join(_part(row[key]) for key in ("path_from", "path_to"))
    return [path, row["path_cells"], row["mhz"], row["kge"], row.get("memory_kge")]


def events_table(document: dict[str, Any]) -> Table:
    """By simulation."""
    heads = ["", "a command to NEXT", "to the interrupt", "a release to NEXT", "a time to NEXT"]
    keys = ("next_cycles", "interrupt_cycles", "release_cycles")
    rows: list[list[Cell]] = [
        [shape_name(row), *(row[key] for key in keys), _range(row["expiry_cycles"])] for row in document["rows"]
    ]
    targets = reference()["targets"]
    rows.append([f"target, {TARGET_RECORDS}", targets["next_cycles"], targets["interrupt_cycles"], None, None])
    return Table("Cycles from an event", heads, rows)


def access_table(document: dict[str, Any]) -> Table:
    """By simulation."""
    kinds = list(dict.fromkeys(access["kind"] for row in document["rows"] for access in row["accesses"]))
    rows: list[list[Cell]] = []
    for row in document["rows"]:
        ways = {
            way: {each["kind"]: _range(each) for each in row["accesses"] if each["way"] == way} for way in cycles.WAYS
        }
        bus, csr = ways[cycles.BUS], ways[cycles.CSR]
        if bus.items() <= csr.items():
            ways = {f"{cycles.BUS}, {cycles.CSR}": csr}
        rows += [[shape_name(row), way, *(found.get(kind) for kind in kinds)] for way, found in ways.items()]
    return Table("Cycles of an access", ["", "", *kinds], rows, words=2)


def _range(found: dict[str, int]) -> str:
    least, most = found["least"], found["most"]
    return f"{least}" if least == most else f"{least} to {most}"


@dataclass(frozen=True)
class Target:
    """A key of the targets, its name, where the figure of a shape is, and whether more is better."""

    key: str
    name: str
    figure: Callable[[dict[str, Any]], float | None]
    more: bool = False

    def meets(self, value: float, wanted: float) -> bool:
        return value >= wanted if self.more else value <= wanted

    def off(self, value: float, wanted: float) -> str:
        """By how much it is missed."""
        if EXACT in self.key:
            return f"{value - wanted:g}"
        return f"{abs(value / wanted - 1):.0%}"


def _targets(document: dict[str, Any]) -> list[Target]:
    def plain(key: str) -> Callable[[dict[str, Any]], float | None]:
        return lambda row: row.get(key)

    def accesses(way: str) -> Callable[[dict[str, Any]], float | None]:
        return lambda row: max(access["most"] for access in row["accesses"] if access["way"] == way)

    library = document["cells"]["library"] if document["cells"] else ""
    return [
        Target("lut6", "LUT6", plain("lut6")),
        Target("lut6_ff", "flip-flops", plain("lut6_ff")),
        Target("kge", "kGE", plain("kge")),
        Target("memory_bits", "bits of memory", plain("memory_bits")),
        Target("mhz", "MHz", lambda row: max(row["mhz"]) if "mhz" in row else None, more=True),
        Target("kge", f"kGE of {library}", lambda row: cells_row(document, row).get("kge")),
        Target("cells_mhz", f"MHz of {library}", lambda row: cells_row(document, row).get("mhz"), more=True),
        Target("next_cycles", "cycles to NEXT", plain("next_cycles")),
        Target("interrupt_cycles", "cycles to the interrupt", plain("interrupt_cycles")),
        Target("bus_cycles", "cycles of a memory-mapped access", accesses(cycles.BUS)),
        Target("csr_cycles", "cycles of an access by CSR", accesses(cycles.CSR)),
        Target("varying_cycles", "cycles by which an access varies", _varying),
    ]


def _varying(row: dict[str, Any]) -> float:
    return float(max(access["most"] - access["least"] for access in row["accesses"]))


def _against(document: dict[str, Any]) -> list[tuple[Target, float, list[tuple[float, dict[str, Any]]]]]:
    """Each target, what is wanted, and the shapes of that size with their figures, where there are any."""
    wanted = reference()["targets"]
    rows = [row for row in document["rows"] if row["records"] == TARGET_RECORDS]
    found = []
    for target in _targets(document):
        values = [(value, row) for row in rows if (value := target.figure(row)) is not None]
        if values:
            found.append((target, wanted[target.key], values))
    return found


def verdict(document: dict[str, Any]) -> list[str]:
    """For each target what comes closest to it, whether that is enough, and if it is not, why."""
    said = []
    why = reference()["why"]
    for target, wanted, values in _against(document):
        best, row = (max if target.more else min)(values, key=lambda pair: pair[0])
        met_by = sum(target.meets(value, wanted) for value, _ in values)
        off = "met" if met_by else f"missed by {target.off(best, wanted)}"
        of = f", by {met_by} of {len(values)} shapes" if 0 < met_by < len(values) else ""
        because = f": {why[target.key]}" if not met_by and target.key in why else ""
        said.append(f"{target.name}: {off}{of} ({best:g}, {shape_name(row)}; target {wanted}){because}")
    return said


def missed(document: dict[str, Any]) -> list[str]:
    """Of each shape what it misses: no shape may do what another one does."""
    by_shape: dict[str, list[str]] = {}
    for target, wanted, values in _against(document):
        for value, row in values:
            misses = by_shape.setdefault(shape_name(row), [])
            if not target.meets(value, wanted):
                misses.append(f"{target.name} by {target.off(value, wanted)}")
    return [f"{name}: {', '.join(misses) or 'none'}" for name, misses in by_shape.items()]


def limits(document: dict[str, Any]) -> Table:
    """What the clock waits for."""
    placed = [("Ibex", document["ibex"])] if document["ibex"] else []
    placed = [(shape_name(row), row) for row in document["rows"]] + placed
    rows: list[list[Cell]] = [
        [name, " to ".join(_part(row[key]) for key in ("path_from", "path_to")), f"{row['path_routing_percent']:.0f}"]
        for name, row in placed
        if "mhz" in row
    ]
    return Table("The longest path", ["", "from, to", "of it in wires, %"], rows, words=2)


def gates_of_rbe(document: dict[str, Any]) -> float:
    """Gates of a register-bit equivalent: a register file has so many of them, and a bit of memory in cells, with what
    selects it, is as large in the largest shape."""
    seed = reference()["seed_001"]
    row = document["cells"]["rows"][-1]
    bits = next(found["memory_bits"] for found in document["rows"] if same_shape(found, row))
    gates: float = 1000 * row["memory_kge"] / bits * seed["file_bits"] / seed["rbe"]
    return gates


def rbe_table(document: dict[str, Any]) -> Table:
    """Shapes with as many records as the seed's, beside what it gives for its own."""
    seed = reference()["seed_001"]
    gates = gates_of_rbe(document)
    rows: list[list[Cell]] = [["seed 001, 3.2 (cited)", None, None, str(seed["rbe"]), "1.00"]]
    shapes: list[tuple[str, float, float | None]] = [
        (f"{block['name']}*", block["kge"], None) for block in reference()["block"] if block["name"] == seed["block"]
    ]
    shapes += [
        (shape_name(row), row["kge"], row["memory_kge"])
        for row in document["cells"]["rows"]
        if row["records"] == seed["records"]
    ]
    for name, logic, memory in shapes:
        rbe = 1000 * (logic + (memory or 0)) / gates
        rows.append([name, logic, memory, f"{rbe:.0f}", f"{rbe / seed['rbe']:.2f}"])
    heads = ["", "logic and flip-flops, kGE", "memory, kGE", "RBE", "by the seed's"]
    return Table(f"Register-bit equivalents, {seed['records']} records", heads, rows)


def rbe_note(document: dict[str, Any]) -> str:
    seed = reference()["seed_001"]
    bits = seed["records"] * seed["record_bits"]
    ours = sorted(
        {row["memory_bits"] // row["records"] for row in document["rows"] if row["records"] == seed["records"]}
    )
    return (
        f"Seed 001, 3.2, gives {seed['rbe']} RBE, about a register file of {seed['file_bits']} bits, by models of area"
        f" that it names, and does not say of what parts. Its {seed['records']} records are {bits} bits: the figure is"
        " nearly that of their storage, and leaves little for its 63 comparisons of priorities, 64 subtractions of 16"
        " bits and 64 comparisons of events. Here a gate is of NangateOpenCellLibrary, memories are flip-flops with"
        f" what selects them, and an RBE is {gates_of_rbe(document):.1f} gates, as if the register file were one of"
        f" those. Most of ours is memory: a record has {' or '.join(map(str, ours))} bits, the seed's"
        f" {seed['record_bits']}, since times are absolute, keys may be deadlines, and rows keep keys and events twice."
    )


def _part(cell: str) -> str:
    """The instance that a cell is in: `u_sweep.u_tree`; what yosys made of it is cut off."""
    return ".".join(part for part in cell.split(".")[:3] if part.startswith("u_")) or "the command port"


def _list(title: str, lines: list[str], bullet: str = "") -> str:
    return "\n".join([f"{title}:", *([""] if bullet else []), *(f"{bullet}{line}" for line in lines)])


def _parts(document: dict[str, Any], bullet: str) -> list[Table | str]:
    found: list[Table | str] = [table(document)]
    if document["cells"]:
        found += [library_table(document), rbe_table(document), rbe_note(document)]
    found += [events_table(document), access_table(document)]
    if lines := verdict(document):
        found.append(_list("Compared with the targets, each by the best shape", lines, bullet))
        found.append(_list("Targets that each shape misses", missed(document), bullet))
    placed = limits(document)
    return [*found, placed] if placed.rows else found


def markdown(document: dict[str, Any]) -> str:
    """The section of docs/performance.md."""
    return "\n\n".join(part if isinstance(part, str) else part.markdown() for part in _parts(document, "- "))


def text(document: dict[str, Any]) -> str:
    """For a terminal."""
    return "\n\n".join(part if isinstance(part, str) else part.text() for part in _parts(document, ""))
