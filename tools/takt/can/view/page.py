# SPDX-License-Identifier: Apache-2.0
"""The markup of a bus's load: a section with its table, and a page of its own."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from pathlib import Path

from takt.can.view.load import Load, Row, share
from takt.support.durations import brief
from takt.support.files import read_text
from takt.support.version import version

TABLE_MAX = 2_000


@dataclass(frozen=True)
class View:
    """A bus. `observed`, `proved`: what the columns of the table are called. `notes`: sentences below the picture."""

    name: str
    load: Load
    rows: list[Row]
    observed: str = "observed"
    proved: str = "proved"
    notes: tuple[str, ...] = ()


def page(title: str, verdict: tuple[str, bool], facts: list[tuple[str, str]], views: list[View]) -> str:
    """One file that needs nothing else. `verdict`: a sentence, and whether all is well."""
    cells = "".join(f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>" for name, value in facts)
    kind = "good" if verdict[1] else "bad"
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="generator" content="Takt {version()}">\n<title>Takt: {html.escape(title)}</title>\n'
        f"<style>{_asset('page.css')}</style>\n</head>\n<body class='bus-page'>\n<h1>{html.escape(title)}</h1>\n"
        f"<p class='verdict {kind}'>{html.escape(verdict[0])}</p>\n<dl class='facts'>{cells}</dl>\n"
        f"{sections(views)}\n</body>\n</html>\n"
    )


def sections(views: list[View]) -> str:
    """For a page of ours, with style and script; nothing without a bus."""
    if not views:
        return ""
    style, script = _asset("bus.css"), _asset("bus.js")
    return f"<style>{style}</style>{''.join(map(_section, views))}<script>{script}</script>"


def _section(view: View) -> str:
    data = json.dumps(view.load.document(view.rows), separators=(",", ":")).replace("<", "\\u003c")
    notes = "".join(f"<p class='note'>{html.escape(one)}</p>" for one in (*_notes(view.load), *view.notes))
    return (
        f"<section class='bus'><h2>Bus {html.escape(view.name)}</h2>"
        f"<script type='application/json'>{data}</script>"
        "<div class='bus-tools'><button data-to='all'>whole time</button><button data-to='first'>first 50 ms</button>"
        "<button data-to='error'>next error</button><span class='bus-span'></span>"
        "<span class='bus-hint'>wheel: zoom, drag: move</span></div>"
        "<div class='bus-picture'><canvas></canvas><div class='bus-tip' hidden></div></div>"
        f"{notes}{_table(view)}</section>"
    )


def _notes(load: Load) -> list[str]:
    if load.kept_until_ns is None:
        return []
    return [
        f"After {brief(load.kept_until_ns)} only the load is drawn, and the frames around what came nearest to its "
        "bound and around errors."
    ]


def _table(view: View) -> str:
    numbers = "".join(f"<th class=n>{html.escape(one)}</th>" for one in ("frames", view.observed, view.proved))
    head = f"<th>message</th><th>id</th>{numbers}<th></th><th></th>"
    order = sorted(view.rows, key=lambda row: (-share(row), -row.frames))
    rows = "".join(map(_row, order[:TABLE_MAX]))
    more = f"<p class='note'>{len(order) - TABLE_MAX} others are not listed.</p>" if len(order) > TABLE_MAX else ""
    return f"<div class='bus-table'><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{more}"


def _row(row: Row) -> str:
    times = ["–" if one is None else brief(one) for one in (row.observed_ns, row.proved_ns)]
    part = share(row)
    width = min(100.0, 100 * max(0.0, part))
    bar = f"<div class='bus-bar{' over' if part > 1 else ''}'><b style='width:{width:.1f}%'></b></div>"
    cells = [
        f"<td>{html.escape(row.name)}</td><td>{row.identifier}</td><td class=n>{row.frames}</td>",
        f"<td class=n>{times[0]}</td><td class=n>{times[1]}</td><td>{bar if part >= 0 else ''}</td>",
        f"<td class='{'bad' if row.state else ''}'>{html.escape(row.state)}</td>",
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _asset(name: str) -> str:
    return read_text(Path(__file__).parent / "assets" / name)
