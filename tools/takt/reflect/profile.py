# SPDX-License-Identifier: Apache-2.0
"""`takt reflect profile`: what servers and the link between two nodes take, measured by the server itself (seed 002,
7.2), and written as admission reads it."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from takt.declare import declaration
from takt.declare.channels import BURST_MAX_NS, Node, Plant
from takt.declare.schema import reader
from takt.reflect import admit, plan, profile_costs
from takt.reflect import keys as key_files
from takt.reflect.keys import Keys
from takt.reflect.profile_costs import Costs, Speed
from takt.reflect.serve import PRIORITY, give
from takt.support import children, console
from takt.support.c.admission import PLAN_PRIORITY_MAX, PROFILE_NO_ANSWER, PROFILE_SMALL
from takt.support.durations import MARGIN_PERCENT, show
from takt.support.errors import UserError
from takt.support.files import shown_path, write_whole
from takt.support.options import application, json_option

TRAINS, TRAINS_WITHIN_S = 20, 2
SMALL, VALUES, VALUES_WITHIN_S = 200, 50, 10
PATIENCE_S = 10  # for the first answer
SHOWN = {
    "send_first": "send, first block",
    "send_next": "send, next block",
    "receive_next": "receive, block",
    "receive_last": "receive, last block",
    "hand_over": "write to pusher",
    "timer": "pusher's timer",
    "write": "write, call",
    "read": "read, call",
}


@dataclass(frozen=True)
class Pair:
    """Two nodes, and how they are to talk."""

    plant: Plant
    node: Node
    other: Node
    keys: list[Keys] | None
    priority: int

    @property
    def size(self) -> int:
        return profile_costs.size(self.plant)

    @property
    def length(self) -> int:
        """Of the values whose costs are measured: the longest that either of them has to send or take."""
        names = {self.node.name, self.other.name}
        sizes = [channel.size for channel in self.plant.channels if names & {channel.writer, channel.reader}]
        return max([PROFILE_SMALL, *sizes])


def pair_of(application: str | None, node: str, other: str, file: str | None, priority: int) -> Pair:
    """What is declared of them. UserError: they are not, or there are no keys, and there have to be."""
    plant = admit.load(application)
    if node == other:
        raise UserError(f'--node and --with are both "{node}"', "two different nodes")
    here, there = plan.node_named(plant, node), plan.node_named(plant, other)
    if file is None and not (here.is_here and there.is_here):
        raise UserError(f'"{node}" and "{other}" are on other machines, and have no keys', "takt reflect keys, --keys")
    found = None
    if file is not None:
        read = key_files.read(Path(file), profile_costs.between(plant, node, other))
        found = profile_costs.keys(plant, node, other, read)
    return Pair(plant, here, there, found, priority)


class Measuring:
    """Runs of the program, each against the node that answers all of them."""

    def __init__(self, pair: Pair, program: Path) -> None:
        self.pair, self.program = pair, program
        self.run = secrets.randbits(62)  # of none before

    def one(self, rate_bps: int, block: int, small: int, values: int, length: int, within_s: int) -> dict[str, Any]:
        """The records of both sides. UserError: no answer, or the system refused a request."""
        pair = self.pair
        self.run += 1
        text = profile_costs.measuring(pair.node, pair.other, pair.size, rate_bps, block, pair.priority, pair.keys)
        words = [str(word) for word in (self.program, "measure", self.run, small, values, length, within_s, PATIENCE_S)]
        done = children.run(words, given=text)
        if done.returncode == 0:
            seen: dict[str, Any] = json.loads(done.stdout)
            return seen
        name = pair.other.name
        if done.returncode == PROFILE_NO_ANSWER:
            try_this = f"start on its machine: takt reflect profile APP --node {name} --with {pair.node.name} --answer"
            raise UserError(f'"{name}" does not answer at {pair.other.address}, or has different keys', try_this)
        said = done.stderr.strip().splitlines()
        why = said[-1].removeprefix("takt-reflect-profile: ") if said else f"exit code {done.returncode}"
        raise UserError(why, f"stop the server of {pair.node.name}, if it runs: it uses the same port")


def measure_speeds(measuring: Measuring) -> list[Speed]:
    """How fast each size of blocks comes, when nothing holds it back. UserError: as Measuring.one, or all was lost."""
    node, size = measuring.pair.node, measuring.pair.size
    sizes = profile_costs.candidates(node.mtu, node.ipv6)
    found = []
    with console.counting("blocks of several sizes", len(sizes)) as count:
        for block in sizes:
            length = min(size, profile_costs.SIZE_LEAST)
            seen = measuring.one(profile_costs.UNPACED_BPS, block, 0, TRAINS, length, TRAINS_WITHIN_S)
            speed = profile_costs.speed(block, seen["there"]["trains"], seen["lost"])
            found += [] if speed is None else [speed]
            count()
    if not found:
        raise UserError(
            "no complete value arrived: the link loses too many packets", "tc -s qdisc, and counters of the interface"
        )
    return found


@dataclass(frozen=True)
class Profile:
    """All that was found."""

    pair: Pair
    speeds: list[Speed]
    block: int
    rate_bps: int
    seen: dict[str, Any]  # here, there, lost
    here: Costs
    there: Costs


def costs_of(pair: Pair, seen: dict[str, Any], rate_bps: int, margin: int) -> list[Costs]:
    """Of both nodes, from what Measuring.one has with that rate."""
    here, there, small = seen["here"], seen["there"], seen["small_wire_bytes"]
    wire_ns = sum(profile_costs.wire_ns(rate, small) for rate in (rate_bps, pair.other.rate_bps))
    way_ns = profile_costs.propagation(here, there, wire_ns)
    return [profile_costs.costs(figures, way_ns, margin) for figures in (here, there)]


def measure(pair: Pair, margin: int) -> Profile:
    """Blocks first, then costs with the best of them. UserError: as Measuring.one."""
    from takt.support import compile

    measuring = Measuring(pair, compile.host_program("reflect-profile"))
    speeds = measure_speeds(measuring)
    block = profile_costs.best(speeds, pair.node.rate_bps).block
    rate_bps = profile_costs.rate(pair.node.rate_bps, speeds)
    with console.doing(f"costs with blocks of {block} bytes"):
        seen = measuring.one(rate_bps, block, SMALL, VALUES, pair.length, VALUES_WITHIN_S)
    found = costs_of(pair, seen, rate_bps, margin)
    return Profile(pair, speeds, block, rate_bps, seen, *found)


def text(profile: Profile, raw: dict[str, dict[str, Any]]) -> str:
    """[[node]] of both, for system.toml."""
    pair = profile.pair
    measured: dict[str, str | int] = {"rate": profile_costs.show_rate(profile.rate_bps), "block": profile.block}
    here = profile_costs.toml(raw[pair.node.name], pair.node, profile.here, measured)
    there = profile_costs.toml(raw[pair.other.name], pair.other, profile.there, {})
    return f"{here}\n{there}"


def document(profile: Profile, written: str) -> dict[str, Any]:
    """docs/json.md, takt reflect profile."""
    pair = profile.pair
    nodes = [(pair.node, profile.here, profile.seen["here"]), (pair.other, profile.there, profile.seen["there"])]
    return {
        "block": profile.block,
        "rate_bps": profile.rate_bps,
        "lost": profile.seen["lost"],
        "blocks": [vars(speed) for speed in profile.speeds],
        "round_trip": {
            way: profile.seen["here"]["stages"][key] for way, key in (("memories", "memory"), ("applications", "trip"))
        },
        "nodes": [
            {
                "name": node.name,
                "real_time": figures["real_time"],
                "costs": {f"{key}_ns": time for key, time in vars(costs).items()},
                "stages": {stage: figures["stages"][stage] for stage in SHOWN},
            }
            for node, costs, figures in nodes
        ],
        "toml": written,
    }


def _us(time_ns: int) -> str:
    return f"{time_ns / 1000:.1f}"


def show_result(profile: Profile) -> None:
    """Tables of blocks and of stages, on standard output."""
    out = console.out()
    blocks = Table(title=None, box=None, header_style="bold", pad_edge=False)
    for name in ("block", "values, Mbit/s", "on the wire, Mbit/s", "lost", ""):
        blocks.add_column(name, justify="left" if name == "" else "right")
    for speed in profile.speeds:
        rates = [f"{bps / 1e6:.1f}" for bps in (speed.goodput_bps, speed.wire_bps)]
        blocks.add_row(str(speed.block), *rates, str(speed.lost), "best" if speed.block == profile.block else "")
    out.print(blocks)
    stages = Table(title=None, box=None, header_style="bold", pad_edge=False)
    names = (profile.pair.node.name, profile.pair.other.name)
    for name in ("stage", *(f"{name}, {statistic}" for name in names for statistic in ("median", "most"))):
        stages.add_column(name, justify="left" if name == "stage" else "right")
    for stage, words in SHOWN.items():
        seen = [profile.seen[side]["stages"][stage] for side in ("here", "there")]
        if any(times["count"] for times in seen):
            cells = [_us(times[key]) if times["count"] else "" for times in seen for key in ("median_ns", "most_ns")]
            stages.add_row(words, *cells)
    out.print()
    out.print(stages)
    trips = [profile.seen["here"]["stages"][stage] for stage in ("memory", "trip")]
    memory, trip = (f"{_us(times['median_ns'])} us, at most {_us(times['most_ns'])}" for times in trips)
    out.print(f"\ntimes in us; there and back: memories {memory}; applications {trip}")
    lost = profile.seen["lost"]
    if lost:
        out.print(f"{lost} values did not return within 3 s")
    for side, name in zip(("here", "there"), names, strict=True):
        if not profile.seen[side]["real_time"]:
            out.print(f"{name}: it has no real-time priority, so these times include other programs")
    if profile.rate_bps != profile.pair.node.rate_bps:
        declared = profile_costs.show_rate(profile.pair.node.rate_bps)
        out.print(f"the link carries {profile_costs.show_rate(profile.rate_bps)}, but {declared} is declared")
    if max(profile.here.wake, profile.there.wake) > BURST_MAX_NS:
        out.print(f"wake is longer than {show(BURST_MAX_NS)}: this node cannot keep deadlines")


@click.command()
@application
@click.option("--node", required=True, metavar="NODE", help="The [[node]] of this machine.")
@click.option("--with", "other", required=True, metavar="NODE", help="The other [[node]].")
@click.option("--answer", is_flag=True, help="Only answer the other node, which measures, until Ctrl-C.")
@click.option("--keys", "file", metavar="FILE", help="Keys of this node's channels, from `takt reflect keys`.")
@click.option(
    "--priority",
    type=click.IntRange(0, PLAN_PRIORITY_MAX),
    default=PRIORITY,
    show_default=True,
    help="SCHED_FIFO priority of the threads, the same as for takt reflectd; 0: no real-time priority.",
)
@click.option(
    "--margin", type=click.IntRange(0, 1000), default=MARGIN_PERCENT, show_default=True, help="Added margin in percent."
)
@click.option("--to", "path", metavar="FILE", help="File for both [[node]] tables, instead of standard output.")
@json_option
def profile(
    application: str | None,
    node: str,
    other: str,
    answer: bool,
    file: str | None,
    priority: int,
    margin: int,
    path: str | None,
    as_json: bool,
) -> None:
    """Measure the costs of two nodes for admission, and the best size of blocks from the first to the second.

    Start it on the other node first, with --answer. The servers of both nodes must not run, since they use the same
    ports. Costs are the longest measured times plus a margin, and so not bounds.
    """
    pair = pair_of(application, node, other, file, priority)
    if answer:
        from takt.support import compile

        program = compile.host_program("reflect-profile")
        give(profile_costs.answering(pair.node, pair.other, pair.size, priority, pair.keys))
        os.execv(program, [str(program), "answer"])
    if path is not None and os.path.lexists(path):
        raise UserError(f"{shown_path(Path(path))}: the file exists already", "another name, or remove it first")
    found = measure(pair, margin)
    tables = {table["name"]: table for table in reader.load(declaration.find(application)).data["node"]}
    written = text(found, tables)
    if path is not None:
        write_whole(Path(path), written)
    if as_json:
        console.print_json(document(found, written))
        return
    show_result(found)
    click.echo(f"\n{written}" if path is None else f"Written: {shown_path(Path(path))}.", nl=path is not None)


def add_command(group: click.Group) -> None:
    group.add_command(profile)
