# SPDX-License-Identifier: Apache-2.0
"""A run of seed 001's workload on one of the kernels of benchmarks/rtm, cycle by cycle on the board ibex-soc, and the
images of them.

A function belongs to one category, and its cycles are counted where they retire (tools/takt/observe/cycles.py).
"""

from __future__ import annotations

import hashlib
import struct
import subprocess
import tempfile
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path

from takt.bench import peers
from takt.bench.studies import rtm_kernels
from takt.declare.schema import boards
from takt.image import simulator
from takt.image.build import GROUPS, engine_setting, rooms
from takt.observe import cycles
from takt.support import children
from takt.support.compile import BUILD, compile_project, locked
from takt.support.errors import UserError
from takt.support.provision import ROOT, require, require_python

CLOCK_HZ = 50_000_000
CYCLE_NS = 10**9 // CLOCK_HZ
FRAME_NS = 20_000_000
HYPERPERIOD_MS = 160  # after which all tasks meet again
TICKS_US = ("100", "200", "400")  # they divide both periods
CODECS = (
    "gsm encode",
    "gsm decode",
    "g726 encode",
    "g726 decode",
    "adpcm encode",
    "adpcm decode",
    "cipher encrypt",
    "cipher decrypt",
)
SUITE = ("coremark performance", "coremark validation")  # not of the seed
RUN_S = 1800
# What a run depends on, besides what belongs to its kernel alone.
PROGRAM = (
    *(
        "hardware/rtl/*",
        "hardware/soc/**/*",
        "boards/ibex-soc/*",
        "chips/emulated/*.[ch]",
        "chips/riscv/*",
        "chips/ibex/*",
    ),
    *("cmake/riscv.cmake", "benchmarks/rtm/CMakeLists.txt", "benchmarks/rtm/*.[ch]", "benchmarks/rtm/board/*"),
    *("benchmarks/rtm/codecs/**/*", "benchmarks/rtm/kernels/*.h", "tools/takt/observe/cycles.py"),
    "tools/takt/bench/studies/rtm_runs.py",
)
PROGRAM_OF = {
    "freertos": ("benchmarks/kernel/freertos/*.h", "benchmarks/rtm/kernels/freertos/**/*"),
    "takt": (
        *(
            "base/*.[ch]",
            "kernel/include/**/*",
            "kernel/*.h",
            "kernel/[c-t]*/*.[ch]",
            "kernel/engine/*/*.[ch]",
            "kernel/config/sched/**/*",
        ),
        *("kernel/config/preset/lean/*", "ports/rv32/*", "hardware/driver/*.[ch]"),
    ),
}


@dataclass(frozen=True)
class Run:
    """`kind`: the finder of tasks, of KINDS. `periods`: of 160 ms. `*_waits`: wait states of the memory, when a word of
    instructions is fetched, and when data is read or written."""

    kernel: str
    kind: str
    codec: str
    channels: int
    seed: int
    periods: int
    tick_us: int
    fetch_waits: int = 0
    data_waits: int = 0

    def options(self) -> dict[str, int]:
        names = ("channels", "seed", "periods", "tick_us")
        return {"codec": (*CODECS, *SUITE).index(self.codec), **{name: getattr(self, name) for name in names}}

    def waits(self) -> list[str]:
        """Options of the simulator."""
        return ["--fetch-waits", str(self.fetch_waits), "--data-waits", str(self.data_waits)]


@dataclass(frozen=True)
class Seen:
    """Of a run. Times in ns. `counted`: cycles by category, in `span_ns`.

    `digests`: by channel, of all that it put out. `uncounted`: cycles of functions of the kernel in no category.
    """

    span_ns: int
    late: int
    responses: list[int]
    jitter: list[int]
    counted: dict[str, int]
    digests: tuple[int, ...] = ()
    uncounted: dict[str, int] = field(default_factory=dict)

    @property
    def utilization(self) -> dict[str, float]:
        """Percent of the processor, by category."""
        return {name: 100 * count * CYCLE_NS / self.span_ns for name, count in self.counted.items()}


def figures_of(data: bytes) -> tuple[int, int, list[int], list[int]]:
    """What benchmarks/rtm/workload.c writes at its end: span, late frames, responses, and the jitter of outputs.

    Jitter as in 4.5 of the seed: by how much the distance of two outputs of a channel differs from the period.
    """
    words = iter(struct.unpack(f"<{len(data) // 4}I", data))
    span, channels, late, answered = (next(words) for _ in range(4))
    responses = [next(words) for _ in range(answered)]
    jitter = []
    for _ in range(channels):
        times = [next(words) for _ in range(next(words))]
        jitter += [abs(after - before - FRAME_NS) for before, after in pairwise(times)]
    return span, late, responses, jitter


def digests(data: bytes) -> tuple[int, ...]:
    """What it writes after that: for each channel one of all that was put out."""
    channels = struct.unpack_from("<I", data, 4)[0]
    return struct.unpack(f"<{channels}I", data[-4 * channels :])


def simulate(run: Run) -> Path:
    """The simulator of a run, built if need be: kernels with ticks have the task manager in classic mode."""
    classic = run.kernel in rtm_kernels.CLASSIC and run.kind == "manager"
    program = simulator.require(boards.load(BOARD), pmp=False, classic=classic)
    assert program is not None
    return program


def execute(run: Run) -> Seen:
    """UserError: it failed, or takes too long."""
    program = simulate(run)
    image = workload(run.kernel, run.kind, run.tick_us)
    options = [f"{name}={value}" for name, value in run.options().items()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [str(program), *run.waits(), "--figures", cycles.FILE, str(image), "stream=figures", *options]
        try:
            done = children.run(command, cwd=folder, within_s=RUN_S)
        except subprocess.TimeoutExpired:
            raise UserError(f"{run}: it did not end within {RUN_S} s", "fewer --periods") from None
        counted = cycles.read(folder / cycles.FILE, image)
        if done.returncode != 0 or counted is None:
            raise UserError(f"{run}: exit code {done.returncode}\n{(done.stdout + done.stderr)[-500:]}")
        data = (folder / "figures").read_bytes()
    shares = rtm_kernels.categories(run.kernel, counted)
    return Seen(*figures_of(data), shares, digests(data), rtm_kernels.uncounted(run.kernel, counted, image))


@cache
def program(kernel: str) -> str:
    """Hash of what makes the runs of a kernel."""
    patterns = (*PROGRAM, f"benchmarks/rtm/kernels/{kernel}*", *PROGRAM_OF.get(kernel, ()))
    digest = hashlib.sha256(repr(rtm_kernels.CATEGORIES[kernel]).encode())
    for path in sorted({path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file()}):
        digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


SOURCE = ROOT / "benchmarks" / "rtm"
BOARD = "ibex-soc"
HOST = "host"
LEVELS = 64  # 62 tasks have one each, and idle
TAKT = "takt"
ENGINES = {"software": "software", "manager": "rtm"}


def build(target: str, board: str = BOARD, kernel: Path | None = None) -> Path:
    """A program of benchmarks/rtm/CMakeLists.txt. UserError: it cannot be built, or a package not be fetched.

    `kernel`: Takt's, which the target is linked with (takt.image.build.rooms).
    """
    require("host", "peers", *(("riscv",) if board == BOARD else ()))
    require_python(simulator.LOCK)
    settings = {
        "CMAKE_BUILD_TYPE": "Release",
        "BOARD": board,
        "GSM": str(peers.fetch(peers.GSM)),
        "SPANDSP": str(peers.fetch(peers.SPANDSP)),
        "MONOCYPHER": str(peers.fetch(peers.MONOCYPHER)),
        "COREMARK": str(simulator.ibex() / "vendor" / "eembc_coremark"),
    }
    folder = BUILD / f"benchmark-rtm-{board}"
    if kernel is not None:
        settings["TAKT_ROOMS"] = str(kernel)
        folder = folder.with_name(f"{folder.name}-{kernel.name}")
    elif board == BOARD:
        settings["FREERTOS"] = str(peers.fetch(peers.FREERTOS))
    with locked(folder):
        compile_project(SOURCE, folder, settings, f"building benchmarks/rtm for {board}", target)
    return folder / (target if board == HOST else f"{target}.elf")


def workload(kernel: str, kind: str, tick_us: int) -> Path:
    """The workload on a kernel; beside it the linker's map. UserError: as build."""
    if kernel == TAKT:
        return build(f"workload-{TAKT}", kernel=_rooms(kind))
    image = f"workload-{kernel}-{kind}"
    return build(f"{image}-{tick_us}" if kernel == "freertos" else image)


def _rooms(kind: str) -> Path:
    """Takt as `takt build` would make it for a lean system of fixed bands."""
    board = boards.load(BOARD)
    wanted = {
        "TAKT_BOARD": BOARD,
        "TAKT_PORT": board.port,
        "TAKT_PRESET": "lean",
        "TAKT_SCHED": "fixed",
        "TAKT_LEVELS": str(LEVELS),
        **engine_setting(ENGINES[kind]),
    }
    require(*GROUPS[board.port])
    return rooms(board, wanted)
