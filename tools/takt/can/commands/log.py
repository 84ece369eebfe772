# SPDX-License-Identifier: Apache-2.0
"""`takt can log`"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from takt.can.commands.values import DATA_RATE_MAX, RATE_MAX, bit_rate, jitter
from takt.support import console, durations
from takt.support.errors import NO, YES, UserError
from takt.support.files import refusing, shown_path, write_whole
from takt.support.options import json_option

_Value = TypeVar("_Value")


def _value(option: str, text: str, read: Callable[[str], _Value]) -> _Value:
    """Of an option. UserError: with its name."""
    try:
        return read(text)
    except UserError as error:
        raise UserError(f"{option}: {error.problem}", error.hint) from None


def add_command(group: click.Group) -> None:
    @group.command(name="log")
    @click.argument("logfile", type=click.Path(path_type=Path))
    @click.option("--bitrate", metavar="RATE", help="Of the bus: 500k, 1M ...; without it there is no load.")
    @click.option("--data-bitrate", metavar="RATE", help="Of the data of FD frames (default: as --bitrate).")
    @click.option("--against", metavar="FILE", type=click.Path(path_type=Path), help="Compare with a description.")
    @click.option("--jitter", "lateness", metavar="J", help="With --against: of releases, 10% or a time (default: 0).")
    @click.option("--period", metavar="TIME", help="With --against: of messages whose file says none.")
    @click.option("--bus", "name", metavar="NAME", help="With --against: of a file that describes several buses.")
    @click.option("--tolerance", metavar="TIME", default="2us", show_default=True, help="Of the time stamps.")
    @click.option("--channel", metavar="NAME", help="Of a log with several channels.")
    @click.option("--window", metavar="TIME", default="100ms", show_default=True, help="Of the greatest load.")
    @click.option("--html", "html_file", type=click.Path(path_type=Path), help="Write a page of the bus: .html.")
    @click.option("--all", "every", is_flag=True, help="List every identifier.")
    @json_option
    def log_command(
        logfile: Path,
        bitrate: str | None,
        data_bitrate: str | None,
        against: Path | None,
        lateness: str | None,
        period: str | None,
        name: str | None,
        tolerance: str,
        channel: str | None,
        window: str,
        html_file: Path | None,
        every: bool,
        as_json: bool,
    ) -> int:
        """Read a log of a bus: periods, jitter and load of each identifier, and what is not as declared.

        LOGFILE: of candump (.log), Vector's .asc and .blf, or .pcap. With --against and --bitrate the distances of
        frames are compared with what the file declares and with the bounds of `takt can check`. Exit code 0: as
        declared, or nothing to compare with; 1: not so; 2: misuse. docs/can.md
        """
        from takt.can import check
        from takt.can.check import Jitter, Question
        from takt.can.files import read as description
        from takt.can.lengths import Rate
        from takt.can.logs import against as comparison
        from takt.can.logs import measure, page, read, words

        nominal = None if bitrate is None else _value("--bitrate", bitrate, lambda text: bit_rate(text, RATE_MAX))
        if against is not None and nominal is None:
            raise UserError("--against needs the bit rate of the bus", "--bitrate 500k")
        if html_file is not None and html_file.suffix.lower() != ".html":
            raise UserError(f"--html {shown_path(html_file)}: it is an HTML file", "a name that ends in .html")
        if html_file is not None and nominal is None:
            raise UserError("--html needs the bit rate of the bus", "--bitrate 500k")
        data = (
            _value("--data-bitrate", data_bitrate, lambda text: bit_rate(text, DATA_RATE_MAX)) if data_bitrate else None
        )
        rate = Rate(nominal or 1_000_000, data)
        window_ns = _value("--window", window, lambda text: durations.parse(text, positive=True))
        tolerance_ns = _value("--tolerance", tolerance, durations.parse)
        messages = [] if against is None else description.load(against, name)
        with console.filling("reading the log") as fill:
            seen = None if html_file is None else page.Seen(rate)
            note = None if seen is None else seen.note
            found = measure.measure(read.entries(logfile, channel, fill), rate, window_ns, note)
        if found.frames == 0:
            raise UserError(f"{shown_path(logfile)}: no frame in it", "a log of a bus, or another --channel")
        findings, missing, asked = None, [], None
        if against is not None:
            question = Question(
                rate,
                jitter=_value("--jitter", lateness, jitter) if lateness else Jitter(),
                period_ns=_value("--period", period, lambda text: durations.parse(text, positive=True))
                if period
                else None,
            )
            asked = check.answer(messages, question)
            findings = comparison.findings(found, messages, asked, tolerance_ns)
            missing = comparison.missing(found, asked)
        names = {(one.identifier, one.extended): one.name for one in messages}
        result = words.Read(found, nominal is not None, names, findings, missing)
        if html_file is not None and seen is not None:
            with refusing(html_file, "another --html"):
                write_whole(html_file, page.html(seen, result, shown_path(logfile), asked))
        if as_json:
            console.print_json(words.document(result))
        else:
            click.echo(words.text(result, every))
        return NO if findings else YES
