# SPDX-License-Identifier: Apache-2.0
"""`takt bench docs`: writes docs/performance.md, docs/reproduction.md, docs/reproduction-rtm.md, their pictures and
docs/calls.md from figures that are kept.

The text is benchmarks/performance.md.in. A line @NAME WORDS@ in it is a table: that of the function in PARTS, or what
takt.bench.NAME makes of its document. Kept are the reviewed figures of the kernel (benchmarks/golden), which tests
measure anew, and the documents of the other commands (benchmarks/measured). Nothing is measured without --measure, so a
test can hold the page against the figures.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from takt.bench import kernel
from takt.support import prose
from takt.support.files import read_text, write_whole
from takt.support.provision import ROOT

FOLDER = ROOT / "benchmarks" / "measured"
TEMPLATE = ROOT / "benchmarks" / "performance.md.in"
PAGE = ROOT / "docs" / "performance.md"

BY_BOARD = ("rhealstone", "seed000", "share", "schedulers", "processes")
# modules with measure(board) and markdown(document), and picture(document) if they draw
ROW_MAX = 400  # characters

_PART = re.compile(r"^@([a-z0-9_]+)((?: [\w-]+)*)@$", re.MULTILINE)


def results(name: str) -> Any:
    """A document that is kept."""
    return json.loads(read_text(FOLDER / f"{name}.json"))


def keep(path: Path, document: Any) -> None:
    """Writes figures, about a row a line: a change is a short diff."""
    write_whole(path, _text(document) + "\n")


def _text(value: Any) -> str:
    flat = json.dumps(value)
    if len(flat) <= ROW_MAX or not isinstance(value, dict | list):
        return flat
    if isinstance(value, list):
        return "[" + ",\n".join(map(_text, value)) + "]"
    return "{" + ",\n".join(f"{json.dumps(key)}: {_text(inner)}" for key, inner in value.items()) + "}"


def _module(name: str) -> Any:
    return importlib.import_module(f"takt.bench.{name}")


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
        keep(FOLDER / f"peers-{board}.json", _module("kernel_page").measure_peers(board))


def _measure_selection() -> None:
    selection = _module("selection")
    keep(FOLDER / "selection.json", selection.measure(list(selection.TARGETS), list(selection.STRUCTURES)))


def _measure_host() -> None:
    host, simulation = _module("host"), _module("simulation")
    sets, utilizations = simulation.TASKS, simulation.UTILIZATIONS
    document = simulation.measure(sets, utilizations, jobs=host.JOBS, rounds=host.ROUNDS, count=True)
    keep(FOLDER / "host.json", document)


def _measure_producer_consumer() -> None:
    keep(FOLDER / "producer_consumer.json", _module("producer_consumer").measure())


def _measure_ipc() -> None:
    ipc = _module("ipc")
    keep(FOLDER / "ipc.json", ipc.measure(ipc.ROUNDS, True))


def _measure_reflect() -> None:
    reflect = _module("reflect")
    keep(FOLDER / "reflect.json", reflect.measure(reflect.ROUNDS, reflect.VALUES))


def _measure_analysis() -> None:
    analysis = _module("analysis")
    keep(FOLDER / "analysis.json", analysis.measure(list(analysis.SETS), analysis.ROUNDS, with_peer=True, count=True))


def _measure_area() -> None:
    area = _module("area")
    keep(FOLDER / "area.json", area.merged(area.measure(list(area.SIZES), area.PLACES), results("area")))


def _measure_calls() -> None:
    keep(FOLDER / "calls.json", _module("calls").measure(kernel.BOARDS[0]))


def _measure_rtm() -> None:
    rtm = _module("rtm")
    keep(FOLDER / "rtm.json", rtm.measure(rtm.CODEC, list(rtm.CHANNELS), rtm.SEEDS, rtm.PERIODS, rtm.TICK_US))


def _measure_accelerator() -> None:
    keep(FOLDER / "accelerator.json", _module("accelerator").measure())


def _measure_reproduction(name: str) -> None:
    keep(FOLDER / f"reproduction-{name}.json", importlib.import_module(f"takt.reproduce.{name}").measure())


def _measure_midart() -> None:
    midart = importlib.import_module("takt.reproduce.midart")
    keep(FOLDER / f"{midart.KEPT}.json", midart.measure())


def _measure_reproduce_rtm() -> None:
    """Goes on where it was stopped."""
    rtm = importlib.import_module("takt.reproduce.rtm")
    keep(FOLDER / f"{rtm.KEPT}.json", rtm.measure(rtm.full(), rtm.RESULTS, kernel.WORKERS))


def _by_board(name: str) -> Callable[[], None]:
    def measure() -> None:
        for board in kernel.BOARDS:
            keep(FOLDER / f"{name}-{board}.json", _module(name).measure(board))

    return measure


MEASURES: dict[str, Callable[[], None]] = {
    "kernel": _measure_kernel,
    "peers": _measure_peers,
    "selection": _measure_selection,
    **{name: _by_board(name) for name in BY_BOARD},
    "size": lambda: _module("size").write_golden(),
    "host": _measure_host,
    "producer_consumer": _measure_producer_consumer,
    "ipc": _measure_ipc,
    "reflect": _measure_reflect,
    "analysis": _measure_analysis,
    "calls": _measure_calls,
    "rtm": _measure_rtm,
    "accelerator": _measure_accelerator,
    "area": _measure_area,
    "csd": lambda: _measure_reproduction("csd"),
    "semaphores": lambda: _measure_reproduction("semaphores"),
    "reproduce-rtm": _measure_reproduce_rtm,
    "midart": _measure_midart,
}

PARTS: dict[str, Callable[..., str]] = {
    "peers": lambda board: _module("kernel_page").peers_table(board, _golden(board), results(f"peers-{board}")),
    "verdict": lambda board: _module("kernel_page").verdict(board, _golden(board), results(f"peers-{board}")),
    "bands": lambda board: _module("kernel_page").bands_table(board, _golden(board)),
    "waits": lambda: _module("kernel_page").waits_table(_goldens()),
    "selection": lambda board: _module("selection").markdown(results("selection"), board),
    "size": lambda: _module("size").markdown(_module("size").golden()),
    "host": lambda: _module("host").markdown(results("host")),
    "producer_consumer": lambda: _module("producer_consumer").markdown(results("producer_consumer")),
    "ipc": lambda: _module("ipc").markdown(results("ipc")),
    "reflect": lambda: _module("reflect").markdown(results("reflect")),
    "analysis": lambda: _module("analysis").markdown(results("analysis")),
    "rtm": lambda: _module("rtm").markdown(results("rtm")),
    "accelerator": lambda: _module("accelerator").markdown(results("accelerator")),
    "area": lambda: _module("area_page").markdown(results("area")),
    **{name: lambda board, name=name: _module(name).markdown(results(f"{name}-{board}")) for name in BY_BOARD},
}


def files() -> dict[Path, str]:
    """The pages and their pictures, as they should be."""
    template = read_text(TEMPLATE)
    wanted = {PAGE: _PART.sub(lambda found: PARTS[found[1]](*found[2].split()), template)}
    wanted[PAGE.parent / "calls.md"] = _module("calls").markdown(results("calls"))
    for name in BY_BOARD:
        if hasattr(_module(name), "picture"):
            for board in kernel.BOARDS:
                path = PAGE.parent / f"{name}-{board}.svg"
                wanted[path] = _module(name).picture(results(f"{name}-{board}"))
    page = importlib.import_module("takt.reproduce.page")
    wanted.update(page.files(PAGE.parent, results("reproduction-csd"), results("reproduction-semaphores")))
    rtm_page = importlib.import_module("takt.reproduce.rtm_page")
    wanted.update(rtm_page.files(PAGE.parent, results("reproduction-rtm")))
    midart_page = importlib.import_module("takt.reproduce.midart.page")
    wanted.update(midart_page.files(PAGE.parent, results("reproduction-midart")))
    return {path: prose.wrapped(text) if path.suffix == ".md" else text for path, text in wanted.items()}


def add_command(group: click.Group) -> None:
    @group.command(name="docs")
    @click.option("--check", is_flag=True, help="Write nothing; exit code 1 when a file is not as the figures say.")
    @click.option(
        "--measure",
        "names",
        type=click.Choice(["all", *MEASURES]),
        multiple=True,
        help="First measure anew what is kept; all takes an hour.",
    )
    def command(check: bool, names: tuple[str, ...]) -> int:
        """Write docs/performance.md, docs/reproduction.md, docs/reproduction-rtm.md, their pictures and docs/calls.md
        from the figures that are kept."""
        FOLDER.mkdir(exist_ok=True)
        for name in MEASURES if "all" in names else names:
            MEASURES[name]()
        wanted = files()
        old = [path for path, text in wanted.items() if not path.exists() or read_text(path) != text]
        for path in old:
            if check:
                click.echo(f"{path.relative_to(ROOT)}: not as the figures say; ./takt bench docs writes it", err=True)
            else:
                write_whole(path, wanted[path])
        return 1 if check and old else 0
