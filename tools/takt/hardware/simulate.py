# SPDX-License-Identifier: Apache-2.0
"""The task manager in simulation: Verilator makes C++ of it, that becomes a library, and Python drives it by cycles."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
from dataclasses import dataclass, fields
from pathlib import Path

from takt.support import children, provision
from takt.support.errors import UserError
from takt.support.provision import ROOT

RTL = ROOT / "hardware" / "rtl"
PUBLIC = ROOT / "hardware" / "simulation" / "public.vlt"
STEP = ROOT / "hardware" / "simulation" / "step.cpp"
# Modules with the ports of rtm.sv, and where that is in them.
TOPS = {"rtm": "rtm", "rtm_at_ibex": "rtm_at_ibex__DOT__u_wrapper__DOT__u_rtm", "rtm_at_csr": "rtm_at_csr__DOT__u_rtm"}
BUILD = ROOT / "build" / "hardware"


@dataclass(frozen=True)
class Parameters:
    """Of rtm.sv, with its names in snake case, and its defaults. Elaboration says which are legal."""

    records: int = 64
    banks: int = 0  # 0: as many as rtm.sv has then
    level_width: int = 8
    order_width: int = 24
    event_width: int = 8
    classic: bool = False
    cuts: int = 0

    def __post_init__(self) -> None:
        if not self.banks:
            object.__setattr__(self, "banks", max(1, self.records // 16))

    def options(self) -> list[str]:
        """For Verilator and other tools: -GRecords=64 ..."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return [
            f"-G{''.join(part.capitalize() for part in name.split('_'))}={int(value)}" for name, value in values.items()
        ]

    @property
    def settle_cycles(self) -> int:
        """The cycles from a change to NEXT; as many more to AFTER."""
        return self.banks + self.cuts.bit_count()


def sources() -> list[Path]:
    """The RTL, the packages first."""
    packages = [RTL / "rtm_pkg.sv", RTL / "rtm_shape_pkg.sv"]
    return [*packages, *sorted(set(RTL.glob("*.sv")) - set(packages))]


class Out(ctypes.Structure):
    """What a cycle showed; the order is that of struct out in step.cpp."""

    _fields_ = tuple(
        (name, ctypes.c_uint32)
        for name in ("ready", "done", "data", "error", "switch", "slot", "index", "settled", "some", "next", "waits")
    )
    ready: int
    done: int
    data: int
    error: int
    switch: int
    slot: int
    index: int
    settled: int
    some: int
    next: int
    waits: int


class Simulation:
    """One task manager, fresh from reset; `top` and `options` as in `library`. `out` is what the last cycle showed."""

    def __init__(self, parameters: Parameters, top: str = "rtm", *options: str) -> None:
        self._library = ctypes.CDLL(str(library(parameters, top, *options)))
        self._library.rtm_new.restype = ctypes.c_void_p
        self._library.rtm_delete.argtypes = [ctypes.c_void_p]
        self._step = self._library.rtm_step
        self._step.argtypes = [ctypes.c_void_p, *(ctypes.c_uint32,) * 5, ctypes.POINTER(Out)]
        self._handle = self._library.rtm_new()
        self.out = Out()
        self._pointer = ctypes.pointer(self.out)

    def close(self) -> None:
        self._library.rtm_delete(self._handle)

    def step(self, now: int, valid: bool = False, write: bool = False, address: int = 0, data: int = 0) -> Out:
        """A cycle with these inputs."""
        self._step(self._handle, now, valid, write, address, data, self._pointer)
        return self.out


def library(parameters: Parameters, top: str = "rtm", *more: str) -> Path:
    """The library for these parameters, built unless the same sources have been built before.

    `top` is one of TOPS, `more` are parameters of it as Verilator has them.
    """
    provision.require("verilator")
    digest = hashlib.sha256(repr((parameters, top, more)).encode())
    wrapper = [] if top == "rtm" else [STEP.parent / f"{top}.sv"]
    for path in (*sources(), *wrapper, PUBLIC, STEP):
        digest.update(path.read_bytes())
    folder = BUILD / f"rtm-{digest.hexdigest()[:16]}"
    made = folder / "librtm.so"
    if made.exists():
        return made
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    options = ["--cc", "--top-module", top, "--prefix", "Vrtm", "-O3", "--Mdir", str(folder), "-Wno-fatal"]
    _run(["verilator", *options, *parameters.options(), *more, str(PUBLIC), *map(str, [*sources(), *wrapper])])
    code = [str(path) for path in (*sorted(folder.glob("*.cpp")), STEP)]
    partial = folder / "librtm.partial"
    _run(
        [
            "g++",
            *_flags(),
            "-O1",
            f"-DUNIT={TOPS[top]}__DOT__",
            f"-I{folder}",
            "-shared",
            "-o",
            str(partial),
            *code,
            *_runtime(),
            "-latomic",
        ]
    )
    partial.rename(made)
    return made


def _include() -> Path:
    return Path(_run(["verilator", "--getenv", "VERILATOR_ROOT"]).strip()) / "include"


def _flags() -> list[str]:
    include = _include()
    return ["-std=c++17", "-fPIC", "-pthread", f"-I{include}", f"-I{include}/vltstd"]


def _runtime() -> list[str]:
    """What every library needs of Verilator, compiled once."""
    objects = []
    for name in ("verilated", "verilated_threads"):
        made = BUILD / f"{name}.o"
        if not made.exists():
            partial = BUILD / f"{name}.{os.getpid()}.o"
            _run(["g++", *_flags(), "-O1", "-c", str(_include() / f"{name}.cpp"), "-o", str(partial)])
            partial.rename(made)
        objects.append(str(made))
    return objects


def _run(command: list[str]) -> str:
    done = children.run(command, cwd=ROOT)
    if done.returncode != 0:
        raise UserError(f"{command[0]} failed:\n{(done.stderr or done.stdout)[:4000]}")
    return done.stdout
