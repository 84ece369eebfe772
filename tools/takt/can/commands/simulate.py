# SPDX-License-Identifier: Apache-2.0
"""`takt can simulate`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from takt.can.commands.options import Bus, bus_options
from takt.can.commands.scheduler import Mixed, scheduler_options
from takt.support import console, durations, files
from takt.support.errors import NO, YES, UserError
from takt.support.names import shown
from takt.support.options import json_option

if TYPE_CHECKING:
    from takt.can.check import Answer
    from takt.can.simulation.bus import Asked

DURATION_MAX_NS = 1_000_000 * 1_000_000_000


def add_command(group: click.Group) -> None:
    @group.command(name="simulate")
    @bus_options
    @click.option("--duration", metavar="TIME", default="10s", show_default=True, help="Of the bus.")
    @click.option(
        "--seed", type=click.IntRange(0, (1 << 64) - 1), default=1, show_default=True, help="Of what is random."
    )
    @click.option(
        "--offsets",
        metavar="O",
        default="random",
        show_default=True,
        help="First releases: random, zero, or a .csv file with the header name,offset_ms.",
    )
    @click.option(
        "--payload",
        type=click.Choice(("random", "zero", "worst")),
        default="random",
        show_default=True,
        help="Data of the frames; worst: a pattern with many stuff bits.",
    )
    @click.option("--flips", metavar="RATE", default="0", help="Disturbances a bit, such as 1e-6.")
    @click.option("--dead", metavar="NODE@TIME", multiple=True, help="This node goes off the bus.")
    @click.option("--babble", metavar="MESSAGE", multiple=True, help="This message is sent without a pause.")
    @click.option(
        "--replay",
        metavar="LOG NODE",
        type=(click.Path(path_type=Path), str),
        help="The messages of this node are sent as in a log.",
    )
    @click.option("--log", type=click.Path(path_type=Path), help="Write the frames: .log, .asc, .blf or .pcap.")
    @click.option("--vcd", type=click.Path(path_type=Path), help="Write the levels of the bus, bit by bit: .vcd.")
    @click.option("--frames", type=click.IntRange(1, 1000), default=50, show_default=True, help="In --vcd.")
    @click.option("--picture", type=click.Path(path_type=Path), help="Write a picture of the bus: .svg.")
    @click.option("--html", "html_file", type=click.Path(path_type=Path), help="Write a page of the bus: .html.")
    @scheduler_options
    @click.option("--all", "every", is_flag=True, help="List every message.")
    @json_option
    def simulate_command(
        bus: Bus,
        mixed: Mixed | None,
        duration: str,
        seed: int,
        offsets: str,
        payload: str,
        flips: str,
        dead: tuple[str, ...],
        babble: tuple[str, ...],
        replay: tuple[Path, str] | None,
        log: Path | None,
        vcd: Path | None,
        frames: int,
        picture: Path | None,
        html_file: Path | None,
        every: bool,
        as_json: bool,
    ) -> int:
        """Simulate a bus frame by frame, and compare the responses with their bounds.

        FILE: as of `takt can check`. The frames have the stuff bits of their data; disturbances are followed bit by
        bit. Exit code 0: no response was above its bound; 1: one was; 2: misuse. docs/can.md
        """
        from takt.can.logs import write
        from takt.can.simulation import outcome, words
        from takt.can.simulation import page as pages
        from takt.can.simulation import picture as pictures
        from takt.can.view.load import Load

        if mixed is not None:
            unknown = {"--flips": flips != "0", "--babble": babble, "--replay": replay}
            _refuse({**unknown, "--vcd": vcd, "--picture": picture, "--html": html_file})
            return _simulate_mixed(mixed, bus, duration, seed, offsets, payload, dead, log, every, as_json)
        asked = bus.answer()
        how = _asked(asked, duration, seed, offsets, payload, flips, dead, babble, replay)
        if log is not None:
            write.kind_of(log)
        written = (("--picture", picture, ".svg"), ("--vcd", vcd, ".vcd"), ("--html", html_file, ".html"))
        for option, path, suffix in written:
            if path is not None and path.suffix.lower() != suffix:
                raise UserError(f'{option}: the suffix of {shown(path.name)} is not "{suffix}"', f"NAME{suffix}")
        load = None if html_file is None else Load()
        found = outcome.run(asked, how, log, picture is not None, load)
        if html_file is not None and load is not None:
            with files.refusing(html_file, "another --html"):
                files.write_whole(html_file, pages.page(found, load, bus.file.name))
        if picture is not None:
            with files.refusing(picture, "another --picture"):
                files.write_whole(picture, pictures.svg(found))
        if vcd is not None and not found.interrupted:
            with console.doing("writing the levels of the bus"), files.refusing(vcd, "another --vcd"):
                files.write_whole(vcd, outcome.vcd(asked, how, frames))
        if as_json:
            console.print_json(words.document(found))
        else:
            click.echo(words.text(found, every))
        if found.interrupted:
            raise KeyboardInterrupt
        return NO if found.above else YES


def _refuse(given: dict[str, object]) -> None:
    """UserError: an option that a simulation with --scheduler mts does not have."""
    for option, value in given.items():
        if value:
            raise UserError(
                f"{option}: not simulated with --scheduler mts", f"without {option}, or without --scheduler"
            )


def _simulate_mixed(
    mixed: Mixed,
    bus: Bus,
    duration: str,
    seed: int,
    offsets: str,
    payload: str,
    dead: tuple[str, ...],
    log: Path | None,
    every: bool,
    as_json: bool,
) -> int:
    from takt.can.logs import write
    from takt.can.mts import seen_words, simulation

    judged = mixed.judged(bus)
    how = _asked(judged.fixed, duration, seed, offsets, payload, "0", dead, (), None)
    if log is not None:
        write.kind_of(log)
    found = simulation.run(judged, how, log)
    if as_json:
        console.print_json(seen_words.document(found))
    else:
        click.echo(seen_words.text(found, every))
    if found.interrupted:
        raise KeyboardInterrupt
    return YES if seen_words.is_within(found) else NO


def _asked(
    asked: Answer,
    duration: str,
    seed: int,
    offsets: str,
    payload: str,
    flips: str,
    dead: tuple[str, ...],
    babble: tuple[str, ...],
    replay: tuple[Path, str] | None,
) -> Asked:
    from takt.can.simulation import bus, faults, given

    disturbed = faults.flips("--flips", flips)
    try:
        duration_ns = durations.parse(duration, positive=True)
    except UserError as error:
        raise UserError(f"--duration: {error.problem}", error.hint) from None
    if not 0 < duration_ns <= DURATION_MAX_NS:
        raise UserError(f"--duration: {duration} is no time that is simulated", "1 ms to 1000000 s")
    names = [row.message.name for row in asked.rows]
    messages = [row.message for row in asked.rows]
    return bus.Asked(
        duration_ns,
        seed,
        given.offsets(offsets, names),
        payload,
        disturbed,
        tuple(faults.death("--dead", text, given.nodes(asked)) for text in dead),
        tuple(faults.babbler("--babble", text, messages).name for text in babble),
        {} if replay is None else given.replayed(*replay, asked),
    )
