# SPDX-License-Identifier: Apache-2.0
"""The simulators of boards that are our own hardware: Verilator makes C++ of hardware/NAME, which is built once."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from takt import provision
from takt.boards import Board
from takt.compile import compile_project, locked
from takt.errors import UserError
from takt.provision import ROOT

LOCK = "ibex"  # the Python package that carries Ibex's sources


def require(board: Board, classic: bool = False) -> Path | None:
    """Makes sure that board.simulator_path is there and as its sources are. UserError: it cannot be built.

    None: the board has no simulator of its own and needs nothing. `classic`: another one, whose task manager is in
    classic mode; what is there then is returned.
    """
    program = board.simulator_path
    if program is None:
        return None
    if classic:
        program = program.parent.with_name(f"{program.parent.name}-classic") / program.name
    provision.require("host", "verilator")
    provision.require_python(LOCK)
    with locked(program.parent):
        settings = {"IBEX": str(ibex()), "RTM_CLASSIC": "ON" if classic else "OFF"}
        source = ROOT / "hardware" / board.simulator
        compile_project(source, program.parent, settings, f"building the simulator of {board.name}", program.name)
    return program


def ibex() -> Path:
    """The folder with Ibex's rtl/ and vendor/."""
    package = importlib.util.find_spec("pythondata_cpu_ibex")
    places = package.submodule_search_locations if package is not None else None
    if not places:
        raise UserError("the Python package pythondata-cpu-ibex is not there", "remove .venv/ibex.lock and try again")
    return Path(next(iter(places))) / "system_verilog"
