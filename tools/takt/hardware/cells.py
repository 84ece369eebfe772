# SPDX-License-Identifier: Apache-2.0
"""What a design takes in cells of a library of the user's, and its clock before layout.

yosys maps flip-flops and logic to the cells, for the shortest delay that abc finds, with buffers where one cell drives
many; tools/takt/hardware/timing.py says the clock. Memories are mapped once as flip-flops and what selects among them,
which the clock is of, and once left out.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from takt.hardware import liberty, synthesis, timing
from takt.hardware.synthesis import Design
from takt.support import provision
from takt.support.errors import UserError
from takt.support.files import shown_path, write_whole

# Flip-flops without an enable: abc sees no loads in one, and puts no buffer in front of many.
_MAP = (
    "synth -flatten -top {top} -run begin:fine; memory_map {which}; opt -fast -full; techmap; opt -fast; "
    "dfflegalize -cell $_DFF_P_ x -cell $_DFF_PN0_ x -cell $_DFF_PN1_ x; dfflibmap -liberty {library}; "
    "opt -fast; abc -liberty {library} -constr {constraints} -script {script}; "
    "opt_clean; tee -q -o {stat} stat -json; write_json {netlist}"
)
# What yosys gives abc by itself with a library; then buffers, also behind flip-flops, and sizes.
_ABC = (
    "strash; &get -n; &fraig -x; &put; scorr; dc2; dretime; strash; &get -n; &dch -f; &nf; &put; "
    "buffer -p; upsize; dnsize\n"
)
_MEMORY = "$mem_v2"


@dataclass(frozen=True)
class Cells:
    """A library, and what designs are held against."""

    path: Path
    library: liberty.Library
    nand: liberty.Cell  # a gate
    buffer: liberty.Cell  # what a flip-flop drives as well as, to abc

    @property
    def name(self) -> str:
        return self.library.name


def load(path: Path) -> Cells:
    """UserError: no library, or one that lacks what every design needs."""
    library = liberty.load(path)
    try:
        buffers = [library.smallest(truth) for truth in ((False, True), (True, False))]
        nand = library.smallest((True, True, True, False))
        if nand is None:
            raise ValueError("it has no NAND of two inputs, the unit in which gates are counted")
        buffer = buffers[0] or buffers[1]
        if buffer is None:
            raise ValueError("it has neither a buffer nor an inverter")
        if not library.flip_flops():
            raise ValueError("it has no flip-flop")
    except ValueError as error:
        raise UserError(f"{shown_path(path)}: {error}", liberty.TRY) from None
    return Cells(path, library, nand, buffer)


def measure(design: Design, cells: Cells) -> dict[str, Any]:
    """Thousands of gates without memories, those of memories as flip-flops, the clock, and its longest path. UserError
    when the library does not do."""
    read = (cells.path, Path(liberty.__file__), provision.LOCKS / "liberty.lock", Path(timing.__file__))
    flow = (_MAP, _ABC, *(hashlib.sha256(path.read_bytes()).hexdigest() for path in read))
    return synthesis.kept(design, "cells", flow, partial(_mapped, cells))


def _mapped(cells: Cells, design: Design, base: Path) -> dict[str, Any]:
    provision.say(f"{design.name}: cells of {cells.name}")
    area, path = _map(cells, design)
    gate = 1000 * cells.nand.area
    found: dict[str, Any] = {"kge": round(area / gate, 1)}
    if path is None:
        whole, path = _map(cells, design, "")
        found["memory_kge"] = round((whole - area) / gate, 1)
    if path is None:
        raise UserError(f"{design.name}: it has no path from a flip-flop to a flip-flop")
    found |= {"mhz": round(1e6 / path.picoseconds, 1), "path_from": path.begin, "path_to": path.end}
    return {**found, "path_cells": len(path.stages)}


def _map(cells: Cells, design: Design, which: str = "-rom-only") -> tuple[float, timing.Path | None]:
    """The area in units of the library, and the longest path if no memory is left; `which` become logic."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        files = {each: folder / each for each in ("library", "constraints", "script", "stat", "netlist")}
        files["library"].symlink_to(cells.path.resolve())
        load = cells.buffer.input_load * cells.library.femtofarads
        write_whole(files["constraints"], f"set_driving_cell {cells.buffer.name}\nset_load {load}\n")
        write_whole(files["script"], _ABC)
        try:
            counts = synthesis.synthesize(design, _MAP.replace("{which}", which), **files)
            whole = counts.pop(_MEMORY, 0) == 0
            area = sum(cells.library.cell(kind).area * count for kind, count in counts.items())
            return area, timing.longest(files["netlist"], design.top, cells.library) if whole else None
        except (ValueError, UserError) as error:
            raise UserError(f"{shown_path(cells.path)}, {design.name}: {error}") from None
