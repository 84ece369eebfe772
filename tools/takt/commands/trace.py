# SPDX-License-Identifier: Apache-2.0
"""`takt trace`: prints a trace file, or writes it in another form."""

from __future__ import annotations

import json
from pathlib import Path

import click

from takt.support.files import refusing, shown_path, write_whole
from takt.trace import log_lines
from takt.trace.records import Event, columns
from takt.trace.segments import Recorded, read

_OF_LOG = frozenset({Event.LOG, Event.LOST_RECORDS})


def _write(path: Path, text: str) -> None:
    """UserError: it cannot be."""
    with refusing(path, "a file in a folder that exists"):
        write_whole(path, text)
    click.echo(shown_path(path))


def add_command(cli: click.Group) -> None:
    from takt.support.options import json_option

    @cli.command(name="trace")
    @click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
    @click.option("--html", metavar="OUT", type=click.Path(path_type=Path), help="Write the timeline as one HTML page.")
    @click.option(
        "--perfetto", metavar="OUT", type=click.Path(path_type=Path), help="Write a file for https://ui.perfetto.dev."
    )
    @click.option(
        "--log", "only_log", is_flag=True, help="Print only the messages of the log, and where records were lost."
    )
    @json_option
    def command(file: Path, html: Path | None, perfetto: Path | None, only_log: bool, as_json: bool) -> int:
        """Print a trace that `takt run` left behind, one event a line (docs/trace.md).

        With --json each line is a JSON object: time_ns, event, task, job, band, object; null where there is none.
        """
        recorded = Recorded(file)
        recorded.check()
        names = recorded.names
        if only_log:
            logged = (entry.named(names) for entry in recorded.of_log() if entry.event in _OF_LOG)
            texts = log_lines.shown(recorded)
            for line in (
                (json.dumps(one) for one in logged if not one["event"].startswith("mark")) if as_json else texts
            ):
                print(line)
            return 0
        if html is not None:
            from takt.report import page as report

            _write(html, report.trace_page(recorded))
        if perfetto is not None:
            from takt.report.perfetto import export

            _write(perfetto, json.dumps(export(read(file))))
        if html is not None or perfetto is not None:
            return 0
        entries = recorded.entries()
        lines = (json.dumps(entry.named(names)) for entry in entries) if as_json else columns(names, entries)
        for line in lines:
            print(line)
        return 0
