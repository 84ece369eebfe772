# SPDX-License-Identifier: Apache-2.0
"""`takt bench producer_consumer`: the programs of seed 003, chapter V, counted beside what it says of its own.

One and many producers and consumers, fixed bands (its MLQ) against edf, the mailbox against rings. Switches and locked
sections are counted on the host port, between the kernel and the port (benchmarks/producer_consumer/counts.c), where
the kernel takes no time: a schedule is exactly that of the declared work. Instructions are counted on the emulated
boards by what a background task misses (telecom's idle-time method), so everything but the declared work is in them.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from takt.bench.kernel import WORKERS
from takt.declare.schema import boards
from takt.support.files import read_text
from takt.support.provision import ROOT
from takt.support.tables import Cell, Table

FOLDER = ROOT / "benchmarks" / "producer_consumer"
REFERENCE = ROOT / "benchmarks" / "reference" / "seed-003.toml"
HOST = "host"
BOARDS = ("mps2-an385", "rv32-virt")
SCHEDULERS = {"fixed": "fixed", "edf": "bands"}  # and the folder of kernel/config/sched/
CHANNELS = ("mailbox", "mailbox, woken", "ring")  # in the order of enum channel
LAYOUTS = 5  # different first releases
BOARD_ITEMS = 20  # of each producer: emulators execute what the host port only counts
WRAPPED = ("takt_port_enter", "takt_port_lock", "takt_port_switch", "takti_timer_interrupt", "takti_switch_pended")

ORDERS = ("consumers last", "consumers first", "all alike")  # of priorities, in the order of enum order
# Of a producer's period by what an item takes to make, and to take: fifteen producers need nine tenths.
PRODUCE, CONSUME = 20, 100
TURN_US = {HOST: 1000}  # of the background task; elsewhere it has to tell instructions
TURNS_BEFORE = 3200  # before the first release: more than it takes to calibrate them

Found = dict[str, Any]


@dataclass(frozen=True)
class Reading:
    """What the seed does not say of its programs."""

    produce: int = PRODUCE
    consume: int = CONSUME
    order: str = ORDERS[0]
    together: bool = False  # all first releases, in place of layouts

    def text(self) -> str:
        releases = "released together" if self.together else "spread"
        return f"1/{self.produce}, 1/{self.consume}, {self.order}, {releases}"


USUAL = Reading()
HEAVY = 6  # five producers, or what is taken of them, need five sixths
READINGS = tuple(
    Reading(produce, consume, order, together)
    for produce, consume in ((PRODUCE, CONSUME), (HEAVY, CONSUME), (CONSUME, HEAVY))
    for order in ORDERS
    for together in (False, True)
)
READ = ("5-2", "5-3")  # figures of which no text fixes what their percents come from


@dataclass(frozen=True)
class Program:
    """One run of it."""

    board: str
    scheduler: str
    channel: int
    figure: str
    producers: int
    consumers: int
    period_ms: int
    consumer_period_ms: int
    items: int
    layout: int
    reading: Reading = USUAL

    def options(self) -> dict[str, object]:
        turn_us = TURN_US.get(self.board, 2)
        return {
            "producers": self.producers,
            "consumers": self.consumers,
            "items": self.items,
            "period_us": self.period_ms * 1000,
            "consumer_period_us": self.consumer_period_ms * 1000,
            "produce_us": self.produce_us,
            "consume_us": self.consume_us,
            "turn_us": turn_us,
            "start_us": TURNS_BEFORE * turn_us * 2,
            "seed": self.seed,
            "channel": self.channel,
            "together": int(self.reading.together),
            "order": ORDERS.index(self.reading.order),
        }

    @property
    def seed(self) -> int:
        """The layout's, far from that of the one before."""
        return random.Random(self.layout).getrandbits(32)

    @property
    def produce_us(self) -> int:
        return self.period_ms * 1000 // self.reading.produce

    @property
    def consume_us(self) -> int:
        return self.period_ms * 1000 // self.reading.consume

    @property
    def items_in_all(self) -> int:
        return self.producers * self.items

    def image(self) -> Path:
        from takt.bench import images

        counts = "counts.c" if self.board == HOST else "nothing.c"
        link = ",".join(["-Wl", *(f"--wrap={name}" for name in WRAPPED)]) if self.board == HOST else ""
        sources = [FOLDER / "channel.c", FOLDER / counts]
        return images.with_takt(self.board, "lean", SCHEDULERS[self.scheduler], FOLDER, sources, [FOLDER], link=link)


def figures() -> list[dict[str, Any]]:
    """benchmarks/reference/seed-003.toml."""
    found: list[dict[str, Any]] = tomllib.loads(read_text(REFERENCE))["figure"]
    return found


def programs(board: str, figure: dict[str, Any], layouts: int) -> Iterator[Program]:
    """What is run for a figure of the seed on one board."""
    names = ("producers", "consumers", "period_ms", "consumer_period_ms")
    shape = {name: figure[name] for name in names}
    items = figure["items"] if board == HOST else min(figure["items"], BOARD_ITEMS)
    for scheduler in SCHEDULERS:
        for channel, name in enumerate(CHANNELS):
            if name == "mailbox, woken" and figure["consumers"] > 1:
                continue
            for layout in range(1, layouts + 1):
                yield Program(board, scheduler, channel, figure["number"], **shape, items=items, layout=layout)


def read_programs(figure: dict[str, Any], layouts: int, reading: Reading) -> list[Program]:
    """Those of a figure with the mailbox, otherwise read."""
    alike = 1 if reading.together else layouts
    some = [run for run in programs(HOST, figure, alike) if CHANNELS[run.channel] == "mailbox"]
    return [replace(run, reading=reading) for run in some]


def run_all(runs: list[Program]) -> dict[Program, Found]:
    """What they print. Images are built first, one by one."""
    from takt.bench import images
    from takt.support import console

    built = {(run.board, run.scheduler): run for run in runs}
    paths = {key: run.image() for key, run in built.items()}
    with console.counting("measuring", len(runs)) as done, ThreadPoolExecutor(WORKERS) as pool:

        def work(run: Program) -> Found:
            found = images.run(run.board, paths[run.board, run.scheduler], run.options())
            done()
            return found

        return dict(zip(runs, pool.map(work, runs), strict=True))


def instruction_ns(program: Program) -> int:
    return boards.load(program.board).instruction_ns or 1


def besides_work_ns(program: Program, found: Found) -> int:
    """What neither the turns nor the declared work took: within a turn exact."""
    grain_ns = instruction_ns(program)
    turn_ns = round(found["calibration_ns"] / found["calibration"] / grain_ns) * grain_ns
    work_ns = program.items_in_all * (program.produce_us + program.consume_us) * 1000
    left: int = found["elapsed_ns"] - found["turns"] * turn_ns - work_ns
    return left


def mean(values: list[float]) -> float:
    return round(sum(values) / len(values), 1)


def measure(board_names: tuple[str, ...] = BOARDS, layouts: int = LAYOUTS) -> dict[str, Any]:
    """The document of `takt bench producer_consumer --json` (docs/json.md)."""
    runs = [run for figure in figures() for run in programs(HOST, figure, layouts)]
    runs += [run for board in board_names for figure in figures() for run in programs(board, figure, 1)]
    read = [figure for figure in figures() if figure["number"] in READ]
    runs += [run for figure in read for reading in READINGS for run in read_programs(figure, layouts, reading)]
    found = run_all(runs)
    return {
        "layouts": layouts,
        "figures": [_figure(figure, board_names, layouts, found) for figure in figures()],
        "readings": [_reading(figure, layouts, reading, found) for reading in READINGS for figure in read],
    }


def _reading(figure: dict[str, Any], layouts: int, reading: Reading, found: Mapping[Program, Found]) -> dict[str, Any]:
    """Switches of all layouts together, under each scheduler."""
    switches = dict.fromkeys(SCHEDULERS, 0)
    programs = read_programs(figure, layouts, reading)
    for run in programs:
        switches[run.scheduler] += found[run]["switches"]
    items = sum(run.items_in_all for run in programs) / len(SCHEDULERS)
    return {
        "figure": figure["number"],
        "produce": reading.produce,
        "consume": reading.consume,
        "order": reading.order,
        "together": reading.together,
        "fixed": round(switches["fixed"] / items, 3),
        "edf": round(switches["edf"] / items, 3),
        "lower_percent": round(100 * (1 - switches["edf"] / switches["fixed"]), 1),
    }


def _figure(
    figure: dict[str, Any], board_names: tuple[str, ...], layouts: int, found: dict[Program, Found]
) -> dict[str, Any]:
    rows = []
    alike: dict[tuple[str, str], list[Program]] = {}
    for run in programs(HOST, figure, layouts):
        alike.setdefault((run.scheduler, CHANNELS[run.channel]), []).append(run)
    for (scheduler, channel), runs in alike.items():
        counts = {name: mean([found[run][name] for run in runs]) for name in ("switches", "locks", "calls")}
        instructions = {
            board: _instructions(run, found[run])
            for board in board_names
            for run in programs(board, figure, 1)
            if (run.scheduler, CHANNELS[run.channel]) == (scheduler, channel)
        }
        rows.append({"scheduler": scheduler, "channel": channel, **counts, "instructions": instructions})
    named = ("number", "quantity", "producers", "consumers", "period_ms", "consumer_period_ms", "items", "said")
    document = {name: figure[name] for name in named} | {"seed_percent": figure.get("lower_percent")}
    return {**document, "at_least": figure.get("at_least", False), "rows": rows}


def _instructions(run: Program, found: Found) -> float:
    """Per item, everything but the declared work."""
    return round(besides_work_ns(run, found) / instruction_ns(run) / run.items_in_all, 1)


def lower_percent(figure: dict[str, Any]) -> dict[str, float]:
    """What the seed's figure is about, ours: how many fewer under edf, by channel; or with the ring, by scheduler."""
    rows = {(row["scheduler"], row["channel"]): row for row in figure["rows"]}
    switches = figure["quantity"] == "switches"
    pairs = {
        key[1] if switches else key[0]: (row, rows["fixed", key[1]] if switches else rows[key[0], "mailbox"])
        for key, row in rows.items()
        if (key[0] == "edf" if switches else key[1] == "ring")
    }
    quantity = figure["quantity"]
    return {name: round(100 * (1 - row[quantity] / other[quantity]), 1) for name, (row, other) in pairs.items()}


def shape(figure: dict[str, Any]) -> str:
    """1/1, 250 ms."""
    period, consumer = figure["period_ms"], figure["consumer_period_ms"]
    periods = f"{period} ms" if period == consumer else f"{period} and {consumer} ms"
    return f"{figure['producers']}/{figure['consumers']}, {periods}, {figure['items']} items"


def comparison(document: dict[str, Any]) -> Table:
    """Beside what the seed says."""
    rows: list[list[Cell]] = []
    for figure in document["figures"]:
        ours = ", ".join(f"{percent:g} ({name})" for name, percent in lower_percent(figure).items())
        compared = "edf for fixed" if figure["quantity"] == "switches" else "ring for mailbox"
        rows.append([f"{figure['number']}: {shape(figure)}", f"{figure['quantity']}, {compared}", figure["said"], ours])
    return Table(
        "By how many percent fewer", ["figure: producers/consumers, periods", "quantity", "seed 003", "here"], rows
    )


def counts(document: dict[str, Any]) -> Table:
    """Everything that was counted, per item."""
    rows: list[list[Cell]] = []
    columns = list(document["figures"][0]["rows"][0]["instructions"])
    for figure in document["figures"]:
        items = figure["producers"] * figure["items"]
        for row in figure["rows"]:
            cells = [f"{row[name] / items:.2f}" for name in ("switches", "locks", "calls")]
            cells += [f"{row['instructions'][board]:.0f}" for board in columns]
            rows.append([f"{figure['number']}, {row['scheduler']}, {row['channel']}", *cells])
    return Table("Per item", ["", "switches", "locked sections", "in the channel", *columns], rows)


def readings(document: dict[str, Any]) -> Table:
    """What figures 5-2 and 5-3 may be of."""
    by_reading: dict[Reading, list[Cell]] = {}
    for row in document["readings"]:
        reading = Reading(*(row[name] for name in ("produce", "consume", "order", "together")))
        cells = by_reading.setdefault(reading, [reading.text()])
        cells += [f"{row['fixed']:.2f}", f"{row['edf']:.2f}", f"{row['lower_percent']:g}"]
    heads = ["work for an item: made, taken; priorities; first releases"]
    heads += [f"{number}, {what}" for number in READ for what in ("fixed", "edf", "percent")]
    return Table("Readings of figures 5-2 and 5-3: switches per item", heads, list(by_reading.values()))


def readings_notes(document: dict[str, Any]) -> tuple[str, ...]:
    rows = document["readings"]
    most = {number: max(row["lower_percent"] for row in rows if row["figure"] == number) for number in READ}
    alike = max(row["lower_percent"] for row in rows if row["together"] or row["order"] == ORDERS[2])
    return (
        "The seed's text does not fix what gives 15 and 30 percent: the work of an item, the priorities and the first"
        " releases are not in it, and its curves are lost. What matters is the work: of these readings the most is"
        f" {most['5-2']:g} percent for 5-2 and {most['5-3']:g} for 5-3, where an item takes a sixth of a period, so"
        " that producers or consumers overlap. With equal priorities, as MLQ permits, or where all are released"
        f" together, edf spares at most {alike:g} percent.",
        "Its counts for 5-2, about 3000 and 2500 switches for 2500 items, are six and five in a round of five items."
        " Six are five producers and the consumer, one after the other, without the switch to what is below: released"
        " together, ours are seven, the task below among them, under both schedulers. Which switch EDF spares there the"
        " text does not say.",
    )


def notes(document: dict[str, Any]) -> tuple[str, ...]:
    return (
        f"Counted on `host`, as means of {document['layouts']} layouts of first releases; instructions per item, of"
        f" {BOARD_ITEMS} items of each producer, are all that is not declared work: releases, switches, the channel and"
        " the programs' own loops. *in the channel*: locked sections that a call of the channel entered; a ring has"
        " none. *woken*: the mailbox releases a job of the consumer for each item; otherwise a consumer looks once a"
        " period and takes what there is. Many producers have a ring each, which the consumers share out among"
        " themselves.",
        f"Work: a {PRODUCE}th of the period for each item made, a {CONSUME}th for each taken; the seed does not tell"
        " its own. Under fixed every task has a priority of its own, consumers the lowest; under edf the deadline is"
        " the period.",
    )


def markdown(document: dict[str, Any]) -> str:
    """The section of docs/performance.md."""
    tables = (comparison(document).markdown(), readings(document).markdown(), *readings_notes(document))
    return "\n\n".join([*tables, counts(document).markdown(), *notes(document)])


def add_command(group: click.Group) -> None:
    from takt.support.options import count_option, json_option

    @group.command(name="producer_consumer")
    @count_option("--layouts", LAYOUTS, "Number of layouts of first releases.")
    @click.option("--no-boards", is_flag=True, help="Only count on the host port; measure no instructions.")
    @json_option
    def command(layouts: int, no_boards: bool, as_json: bool) -> int:
        """Compare fixed with edf and mailbox with ring for the producers and consumers of seed 003.

        Counts switches and locked sections on the host port and instructions per item on the emulated boards, and
        prints the seed's own figures.
        """
        from takt.support import console

        document = measure(() if no_boards else BOARDS, layouts)
        if as_json:
            console.print_json(document)
        else:
            tables = (comparison(document).text(), readings(document).text(), *readings_notes(document))
            click.echo("\n\n".join([*tables, counts(document).text(), *notes(document)]))
        return 0
