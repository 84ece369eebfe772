# SPDX-License-Identifier: Apache-2.0
"""`takt bench docs`: writes docs/performance.md, docs/reproduction.md and the pages of the other reproductions, their
pictures and docs/calls.md from figures that are kept.

The text is benchmarks/performance.md.in. A line @NAME WORDS@ in it is a table: that of the function in PARTS, or what
the module NAME in MODULES makes of its document. Kept are the reviewed figures of the kernel (benchmarks/golden), which
tests measure anew, and the documents of the other commands (takt.bench.documents). Nothing is measured without
--measure, so a test can hold the page against the figures.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from takt.accelerator import bench as accelerator
from takt.bench import calls, ipc, kernel, kernel_page, processes, producer_consumer, rhealstone, size
from takt.bench.documents import FOLDER, keep, results
from takt.bench.seed000 import share
from takt.bench.seed000 import study as seed000
from takt.bench.studies import analysis, reflect, rtm, schedulers, selection, simulation
from takt.bench.tool import waits
from takt.hardware import area, area_page
from takt.reproduce import csd, page, rtm_page, semaphores, sets
from takt.reproduce import rtm as reproduced_rtm
from takt.reproduce.can import command as can
from takt.reproduce.can import page as can_page
from takt.reproduce.can import study as can_study
from takt.reproduce.midart import command as midart
from takt.reproduce.midart import page as midart_page
from takt.support import tables
from takt.support.files import read_text, write_whole
from takt.support.provision import ROOT

TEMPLATE = ROOT / "benchmarks" / "performance.md.in"
PAGE = ROOT / "docs" / "performance.md"
# Modules with measure(board) and markdown(document), and picture(document) if they draw.
MODULES: dict[str, Any] = {
    "rhealstone": rhealstone,
    "seed000": seed000,
    "share": share,
    "schedulers": schedulers,
    "processes": processes,
}
BY_BOARD = tuple(MODULES)
_PART = re.compile(r"^@([a-z0-9_]+)((?: [\w-]+)*)@$", re.MULTILINE)


def _golden(board: str) -> kernel.Golden:
    golden: kernel.Golden = json.loads(read_text(kernel.golden_path(board)))
    return golden


def _goldens() -> dict[str, kernel.Golden]:
    return {board: _golden(board) for board in kernel.BOARDS}


def _measure_kernel() -> None:
    for board in kernel.BOARDS:
        keep(kernel.golden_path(board), kernel.golden(kernel.measure(kernel.golden_plan(board))))


def _measure_peers() -> None:
    for board in kernel.BOARDS:
        keep(FOLDER / f"peers-{board}.json", kernel_page.measure_peers(board))


def _measure_selection() -> None:
    keep(FOLDER / "selection.json", selection.measure(list(selection.TARGETS), list(selection.STRUCTURES)))


def _measure_host() -> None:
    sets, utilizations = simulation.TASKS, simulation.UTILIZATIONS
    document = simulation.measure(sets, utilizations, jobs=simulation.JOBS, rounds=simulation.ROUNDS, count=True)
    keep(FOLDER / "host.json", document)


def _measure_producer_consumer() -> None:
    keep(FOLDER / "producer_consumer.json", producer_consumer.measure())


def _measure_ipc() -> None:
    keep(FOLDER / "ipc.json", ipc.measure(ipc.ROUNDS, True))


def _measure_reflect() -> None:
    keep(FOLDER / "reflect.json", reflect.measure(reflect.ROUNDS, reflect.VALUES))


def _measure_analysis() -> None:
    keep(FOLDER / "analysis.json", analysis.measure(list(analysis.SETS), analysis.ROUNDS, with_peer=True, count=True))


def _measure_area() -> None:
    keep(FOLDER / "area.json", area.merged(area.measure(list(area.SIZES), area.PLACEABLE), results("area")))


def _measure_tool() -> None:
    keep(FOLDER / "tool.json", waits.measure())


def _measure_calls() -> None:
    keep(FOLDER / "calls.json", calls.measure(kernel.BOARDS[0]))


def _measure_rtm() -> None:
    keep(FOLDER / "rtm.json", rtm.measure(rtm.CODEC, list(rtm.CHANNELS), rtm.SEEDS, rtm.PERIODS, rtm.TICK_US))


def _measure_accelerator() -> None:
    keep(FOLDER / "accelerator.json", accelerator.measure())


def _measure_reproduction(name: str, measure: Callable[[], Any]) -> None:
    keep(FOLDER / f"reproduction-{name}.json", measure())


def _measure_midart() -> None:
    keep(FOLDER / f"{midart.KEPT}.json", midart.measure())


def _measure_reproduce_rtm() -> None:
    """Goes on where it was stopped."""
    keep(
        FOLDER / f"{reproduced_rtm.KEPT}.json",
        reproduced_rtm.measure(reproduced_rtm.full(), reproduced_rtm.RESULTS, kernel.WORKERS),
    )


def _measure_rtm_study(study: Any) -> Callable[[], None]:
    """Goes on where it was stopped."""
    return lambda: keep(FOLDER / f"{study.NAME}.json", study.measure(reproduced_rtm.RESULTS, kernel.WORKERS))


def _by_board(name: str) -> Callable[[], None]:
    def measure() -> None:
        for board in kernel.BOARDS:
            keep(FOLDER / f"{name}-{board}.json", MODULES[name].measure(board))

    return measure


MEASURES: dict[str, Callable[[], None]] = {
    "kernel": _measure_kernel,
    "peers": _measure_peers,
    "selection": _measure_selection,
    **{name: _by_board(name) for name in BY_BOARD},
    "size": size.write_golden,
    "host": _measure_host,
    "producer_consumer": _measure_producer_consumer,
    "ipc": _measure_ipc,
    "reflect": _measure_reflect,
    "analysis": _measure_analysis,
    "tool": _measure_tool,
    "calls": _measure_calls,
    "rtm": _measure_rtm,
    "accelerator": _measure_accelerator,
    "area": _measure_area,
    "csd": lambda: _measure_reproduction("csd", csd.measure),
    "semaphores": lambda: _measure_reproduction("semaphores", semaphores.measure),
    "can": lambda: _measure_reproduction("can", lambda: can_study.measure(can_study.WORKLOADS, can.SEED)),
    sets.KEPT: lambda: keep(FOLDER / f"{sets.KEPT}.json", sets.measure(kernel.WORKERS)),
    "reproduce-rtm": _measure_reproduce_rtm,
    **{study.NAME: _measure_rtm_study(study) for study in rtm_page.STUDIES},
    "midart": _measure_midart,
}
PARTS: dict[str, Callable[..., str]] = {
    "peers": lambda board: kernel_page.peers_table(board, _golden(board), results(f"peers-{board}")),
    "verdict": lambda board: kernel_page.verdict(board, _golden(board), results(f"peers-{board}")),
    "bands": lambda board: kernel_page.bands_table(board, _golden(board)),
    "waits": lambda: kernel_page.waits_table(_goldens()),
    "selection": lambda board: selection.markdown(results("selection"), board),
    "size": lambda: size.markdown(size.golden()),
    "host": lambda: simulation.markdown(results("host")),
    "producer_consumer": lambda: producer_consumer.markdown(results("producer_consumer")),
    "ipc": lambda: ipc.markdown(results("ipc")),
    "reflect": lambda: reflect.markdown(results("reflect")),
    "analysis": lambda: analysis.markdown(results("analysis")),
    "tool": lambda: waits.markdown(results("tool")),
    "rtm": lambda: rtm.markdown(results("rtm")),
    "accelerator": lambda: accelerator.markdown(results("accelerator")),
    "area": lambda: area_page.markdown(results("area")),
    **{name: lambda board, name=name: MODULES[name].markdown(results(f"{name}-{board}")) for name in BY_BOARD},
}


def files() -> dict[Path, str]:
    """The pages and their pictures, as they should be."""
    template = read_text(TEMPLATE)
    wanted = {PAGE: _PART.sub(lambda found: PARTS[found[1]](*found[2].split()), template)}
    wanted[PAGE.parent / "calls.md"] = calls.markdown(results("calls"))
    for name in BY_BOARD:
        if hasattr(MODULES[name], "picture"):
            for board in kernel.BOARDS:
                path = PAGE.parent / f"{name}-{board}.svg"
                wanted[path] = MODULES[name].picture(results(f"{name}-{board}"))
    wanted.update(page.files(PAGE.parent, results("reproduction-csd"), results("reproduction-semaphores")))
    wanted.update(sets.files(PAGE.parent, results(sets.KEPT), read_text(PAGE.parent / sets.PAGE)))
    wanted.update(can_page.files(PAGE.parent, results(can.KEPT)))
    wanted.update(rtm_page.files(PAGE.parent, results("reproduction-rtm")))
    wanted.update(midart_page.files(PAGE.parent, results("reproduction-midart")))
    return {path: tables.wrapped(text) if path.suffix == ".md" else text for path, text in wanted.items()}


def add_command(group: click.Group) -> None:
    @group.command(name="docs")
    @click.option("--check", is_flag=True, help="Write nothing; exit code 1 if a file does not match the figures.")
    @click.option(
        "--measure",
        "names",
        type=click.Choice(["all", *MEASURES]),
        multiple=True,
        help="First repeat the measurements of these figures; all of them take an hour.",
    )
    def command(check: bool, names: tuple[str, ...]) -> int:
        """Write docs/performance.md, docs/reproduction.md and the pages of the other reproductions, their pictures,
        docs/calls.md and the figures of docs/sweep.md from the stored figures."""
        FOLDER.mkdir(exist_ok=True)
        for name in MEASURES if "all" in names else names:
            MEASURES[name]()
        wanted = files()
        old = [path for path, text in wanted.items() if not path.exists() or read_text(path) != text]
        for path in old:
            if check:
                said = f"{path.relative_to(ROOT)} does not match the figures; ./takt bench docs writes it"
                click.echo(said, err=True)
            else:
                write_whole(path, wanted[path])
        return 1 if check and old else 0
