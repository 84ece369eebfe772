# SPDX-License-Identifier: Apache-2.0
"""The simulators of boards that are our own hardware: Verilator makes C++ of hardware/NAME, which is built once."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from takt.declare.schema.boards import RECORDS_USUAL, Board
from takt.support import provision
from takt.support.compile import BUILD, compile_project, locked
from takt.support.errors import UserError
from takt.support.provision import ROOT

LOCK = "ibex"  # the Python package that carries Ibex's sources


def require(board: Board, *, pmp: bool = True, classic: bool = False, records: int = RECORDS_USUAL) -> Path | None:
    """Makes sure that the board's simulator is there and as its sources are. UserError: it cannot be built.

    None: the board has no simulator of its own and needs nothing. `pmp`: off for programs that never set the PMP of the
    processor, which take the same cycles without it, in a third of the time. `classic`: the task manager is in classic
    mode. `records`: of it.
    """
    if not board.simulator:
        return None
    variant = ("" if pmp else "-no-pmp") + ("-classic" if classic else "")
    if records != RECORDS_USUAL:
        variant += f"-{records}"
    program = BUILD / f"simulator-{board.name}{variant}" / board.name
    provision.require("host", "verilator")
    provision.require_python(LOCK)
    with locked(program.parent):
        settings = {
            "IBEX": str(ibex()),
            "IBEX_PMP": _switch(pmp),
            "RTM_RECORDS": str(records),
            "RTM_CLASSIC": _switch(classic),
        }
        source = ROOT / "hardware" / board.simulator
        compile_project(source, program.parent, settings, f"building the simulator of {board.name}", program.name)
    return program


def _switch(on: bool) -> str:
    return "ON" if on else "OFF"


def ibex() -> Path:
    """The folder with Ibex's rtl/ and vendor/."""
    package = importlib.util.find_spec("pythondata_cpu_ibex")
    folders = package.submodule_search_locations if package is not None else None
    if not folders:
        raise UserError(
            "the Python package pythondata-cpu-ibex is not installed",
            "remove .venv/ibex.lock and run the command again",
        )
    return Path(next(iter(folders))) / "system_verilog"
