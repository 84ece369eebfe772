# SPDX-License-Identifier: Apache-2.0
"""Puts the page together: markup, style, scripts and data in one file that needs nothing else."""

from __future__ import annotations

import html
import itertools
import json
import math
from pathlib import Path
from typing import Any

from takt.can.view import page as bus_pages
from takt.observe import plants
from takt.observe.outcome import Miss, Outcome, TaskFigures
from takt.report import lanes, plant
from takt.report.buses import views as buses
from takt.report.lanes import Source
from takt.support.durations import brief, show
from takt.support.files import read_text
from takt.support.version import version
from takt.trace import log_lines
from takt.trace.library import Reader
from takt.trace.records import TIMER, Names

_SCRIPTS = ("log.js", "timeline.js", "plots.js")
LOG_LINES = 1000
GAPS = 10


def page(outcome: Outcome, source: Source, reader: Reader | None = None, folder: Path | None = None) -> str:
    """The page of a run. `reader`: has read its whole trace, of which `source` may be a part; None: is the whole.
    `folder`: of the run, with the logs of buses."""
    system, reader = outcome.proved.system, reader or lanes.read(source)
    title = f"{system.name} on {source.names.board}"
    miss = outcome.first_miss
    data = timeline_data(source, [task.period_ns for task in system.tasks], miss, reader)
    colour = "good" if outcome.within_proof and outcome.passed else "warn" if outcome.passed else "bad"
    parts = {
        "title": html.escape(title),
        "verdict": f'<p class="verdict {colour}">{html.escape(outcome.line())}</p>',
        "facts": facts_list(_run_facts(outcome)),
        "timeline": timeline("Schedule", "whole run", _lost(data)),
        "table": _fault(outcome) + _table(outcome) + _times(outcome) + _queues(outcome) + _log(source, reader),
        "buses": bus_pages.sections(buses.views(outcome, folder)) if folder is not None and system.driven else "",
        "plant": _plant(outcome.plant) if outcome.plant is not None else "",
    }
    if outcome.plant is not None:
        data["plant"] = _finite(plant.plots(outcome.plant))
    return fill(parts, data)


def trace_page(source: Source) -> str:
    """The timeline of a trace alone."""
    names = source.names
    reader = lanes.read(source)
    facts = [("scheduler", names.scheduler), ("events", f"{reader.totals.events}")]
    if names.takt:
        facts.append(("recorded with Takt", names.takt))
    data = timeline_data(source, [None for _ in names.tasks], None, reader)
    parts = {
        "title": html.escape(f"trace on {names.board}"),
        "verdict": "",
        "facts": facts_list(facts),
        "timeline": timeline("Schedule", "whole run", _lost(data)),
        "table": _log(source, reader),
        "buses": "",
        "plant": "",
    }
    return fill(parts, data)


def _run_facts(outcome: Outcome) -> list[tuple[str, str]]:
    proved = outcome.proved
    facts = [
        ("scheduler", proved.choice.scheduler),
        ("virtual time", brief(outcome.duration_ns)),
        ("load", f"{float(proved.choice.proof.load):.1%}"),
        ("misses", str(outcome.misses)),
        ("overheads in the proof", "none" if proved.overheads is None else "measured"),
        ("preset", proved.system.preset),
    ]
    if outcome.lost_records:
        facts.append(("trace records lost", str(outcome.lost_records)))
    return facts


def facts_list(facts: list[tuple[str, str]]) -> str:
    cells = (f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>" for name, value in facts)
    return f"<dl class='facts'>{''.join(cells)}</dl>"


def timeline_data(source: Source, periods_ns: list[int | None], miss: Miss | None, reader: Reader) -> dict[str, Any]:
    """What the timeline draws. `reader`: has read the whole trace."""
    names = source.names
    spans = lanes.windows(reader, miss.deadline_ns if miss is not None else None)
    found = lanes.lanes(source, spans, reader)
    return {
        "end": found.end_ns,
        "tasks": [_task(names, index, period_ns) for index, period_ns in enumerate(periods_ns)],
        "bands": [band["kind"] for band in names.bands],
        "objects": list(names.objects),
        "kinds": list(names.kinds),
        "interrupts": {str(TIMER): "timer", **{str(number): name for number, name in names.interrupts.items()}},
        "windows": [lanes.detail(found, names, span) for span in spans],
        "bins": lanes.bins(reader, found, names),
        "miss": None if miss is None else {"time": miss.deadline_ns, "task": miss.task},
        **({"said": list(found.said)} if found.said else {}),
        **({"gaps": [[gap.start_ns, gap.end_ns, gap.detail] for gap in found.gaps]} if found.gaps else {}),
    }


def _lost(data: dict[str, Any]) -> str:
    """Where records of the trace are missing, the first GAPS of these times."""
    gaps = data.get("gaps", [])
    if not gaps:
        return ""
    times = [f"{count} from {brief(start_ns)} to {brief(end_ns)}" for start_ns, end_ns, count in gaps[:GAPS]]
    more = f", and {len(gaps) - GAPS} more times" if len(gaps) > GAPS else ""
    text = (
        f"Records of the trace are missing: {', '.join(times)}{more}. They were lost on the board or, in a long run,"
        " not kept. The picture and the log have nothing of these times, which are hatched; numbers of jobs, misses"
        " and longest times are counted on the board and complete."
    )
    return f"<p class='note'>{html.escape(text)}</p>"


def _task(names: Names, index: int, period_ns: int | None) -> dict[str, Any]:
    name = names.tasks[index]
    band = next((number for number, one in enumerate(names.bands) if name in one["tasks"]), -1)
    position = names.bands[band]["tasks"].index(name) if band >= 0 else index
    return {"name": name, "band": band, "position": position, "period": period_ns}


def _table(outcome: Outcome) -> str:
    head = "".join(
        f"<th{' class=n' if number else ''}>{name}</th>"
        for name, number in (
            ("task", 0),
            ("jobs", 1),
            ("misses", 1),
            ("executed / wcet", 1),
            ("", 0),
            ("response / bound", 1),
            ("", 0),
            ("deadline", 1),
        )
    )
    rows = "".join(_row(task, outcome.proved.feasible) for task in outcome.tasks)
    return f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"


def _fault(outcome: Outcome) -> str:
    """What stopped the run, its registers and the last records."""
    if outcome.fault is None or outcome.names is None:
        return ""
    lines = "\n".join(outcome.fault.lines(outcome.names))
    return f"<section><h2>Fault: {html.escape(outcome.fault.sentence())}</h2><pre>{html.escape(lines)}</pre></section>"


def _times(outcome: Outcome) -> str:
    """Where each task's time and stack went."""
    causes = outcome.causes()
    names = ["cpu", "ready", *(f"blocked: {cause}" for cause in causes), "stack"]
    head = "<th>task</th>" + "".join(f"<th class=n>{html.escape(name)}</th>" for name in names)
    rows = []
    for task in outcome.tasks:
        share, spent = outcome.share(task), task.times
        cells = ["–" if share is None else f"{share:.2%}", "–" if spent is None else brief(spent.ready_ns)]
        blocked = [spent.blocked_ns.get(cause, 0) if spent is not None else 0 for cause in causes]
        cells += [brief(time) if time else "–" for time in blocked]
        cells.append(f"{task.stack_max} / {task.stack_bytes}" if task.stack_max else "–")
        rows.append(
            f"<tr><td>{html.escape(task.name)}</td>{''.join(f'<td class=n>{cell}</td>' for cell in cells)}</tr>"
        )
    return f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"


def _queues(outcome: Outcome) -> str:
    """What waited in objects that release tasks, and chains."""
    lines = [*(queue.line() for queue in outcome.queues), *(chain.line() for chain in outcome.chains)]
    return "".join(f"<p>{html.escape(line)}</p>" for line in lines)


def _log(source: Source, reader: Reader) -> str:
    """The messages of the log, the first LOG_LINES of them."""
    found = list(itertools.islice(log_lines.shown(source), LOG_LINES + 1)) if reader.totals.logged else []
    if not found:
        return ""
    more = "\n... more: ./takt trace trace.takt --log" if len(found) > LOG_LINES else ""
    return (
        f"<section><h2>Log</h2><pre class='log'>{html.escape(chr(10).join(found[:LOG_LINES]) + more)}</pre></section>"
    )


def _row(task: TaskFigures, proved: bool) -> str:
    wrong = bool(task.misses) or any(task.breaches(proved))
    if task.damage:
        why = f"figures are damaged: {task.damage}"
        return f"<tr class=wrong><td>{html.escape(task.name)}</td><td colspan=7>{html.escape(why)}</td></tr>"
    deadline = "background" if task.deadline_ns is None else show(task.deadline_ns)
    cells = (
        f"<td>{html.escape(task.name)}</td><td class=n>{task.jobs}</td>",
        f"<td class='n{' bad' if task.misses else ''}'>{task.misses or '–'}</td>",
        _pair(task.execution_ns_max, task.wcet_ns or None, None),
        _pair(task.response_ns_max, task.bound_ns, task.deadline_ns),
        f"<td class=n>{deadline}</td>",
    )
    return f"<tr{' class=wrong' if wrong else ''}>{''.join(cells)}</tr>"


def _pair(seen: int, limit: int | None, deadline: int | None) -> str:
    """Two figures and a bar: what was seen as length, the limit as a mark; the deadline, if any, is the whole."""
    text = f"{brief(seen)} / {brief(limit)}" if limit is not None else f"{brief(seen)} / –"
    whole = max(seen, limit or 0, deadline or 0)
    over = " over" if any(most is not None and seen > most for most in (limit, deadline)) else ""
    if not whole:
        return f"<td class=n>{text}</td><td></td>"
    mark = f"<i style='left:{100 * limit / whole:.1f}%'></i>" if limit is not None else ""
    filled = f"<b style='width:{100 * seen / whole:.1f}%'></b>"
    return f"<td class=n>{text}</td><td><div class='bar{over}'>{filled}{mark}</div></td>"


def _plant(report: dict[str, Any]) -> str:
    success = plants.success(report)
    reasons = "; ".join(str(reason) for reason in report.get("reasons", []))
    word = f"The plant's verdict: {plants.verdict(report)}{f'. {reasons}' if success is False else ''}"
    name = report.get("aircraft", report.get("name", "Plant"))
    return (
        f"<section><h2>{html.escape(str(name))}</h2>"
        f"<p class='verdict {'bad' if success is False else 'good'}'>{html.escape(word)}</p>"
        f"{facts_list(plant.figures(report))}<div id='plots'></div></section>"
    )


def _finite(value: Any) -> Any:
    """As JSON can hold it: null for numbers that are none."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    return [_finite(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _asset(name: str) -> str:
    return read_text(Path(__file__).parent / "assets" / name)


def timeline(heading: str, whole: str, about: str = "") -> str:
    """The section with the canvas. `whole`: what the button calls all of it; `about`: markup."""
    return _filled(_asset("timeline.html"), {"heading": heading, "whole": whole, "about": about})


def fill(parts: dict[str, str], data: dict[str, Any]) -> str:
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    scripts = "\n".join(_asset(name) for name in _SCRIPTS)
    values = {**parts, "version": version(), "style": _asset("page.css"), "data": text, "scripts": scripts}
    return _filled(_asset("page.html"), values)


def _filled(template: str, values: dict[str, str]) -> str:
    first, *rest = template.split("{{")
    done = [first]
    for piece in rest:
        name, _, after = piece.partition("}}")
        done += [values[name], after]
    return "".join(done)
