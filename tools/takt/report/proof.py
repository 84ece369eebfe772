# SPDX-License-Identifier: Apache-2.0
"""The page of a proof: what was proved or refuted and why, what it leaves room for, and what the image takes."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from takt.declare.lock_order import cycle
from takt.declare.schema.model import Task, Verdict
from takt.image.stack_bounds import Bound
from takt.observe.run import names_of
from takt.prove import servers
from takt.prove.analysis import TaskProof
from takt.prove.bus import words
from takt.prove.bus.buses import BusProof
from takt.prove.proof import Proved, verdict_line
from takt.report import advice as advices
from takt.report import busy, demand, image_parts, lanes, load_breakdown, process_figures
from takt.report.advice import Advice
from takt.report.alternatives import Candidate
from takt.report.memory_map import Map
from takt.report.page import facts_list, fill, timeline, timeline_data
from takt.report.parts import COLOURS, MARKS, Cell, bar, curves, paragraph, section, stacked, table
from takt.support.durations import brief, show
from takt.trace.records import Trace


@dataclass(frozen=True)
class Found:
    """What a page tells beyond the proof. `memory` and `stacks`: of the image; None: there is none, for `no_image`."""

    advice: Advice
    candidates: tuple[Candidate, ...]
    memory: Map | None = None
    stacks: tuple[Bound, ...] = ()
    no_image: str = ""


def page(proved: Proved, found: Found) -> str:
    """The page."""
    system = proved.system
    before = [
        facts_list(_facts(proved, found)),
        _load(proved),
        _responses(proved),
        _demand(proved),
        _sensitivity(proved, found.advice),
    ]
    drawn = None if cycle(system) or system.servers else busy.period(proved)
    shown = drawn is not None and drawn.end_ns > 0
    after = [_bands(proved, found), _states(proved), _queues(proved), buses(proved.buses)]
    after.append(image_parts.memory(proved.board, found.memory, found.no_image))
    after.append(image_parts.processes(process_figures.figures(proved)))
    after.append(image_parts.stacks(found.stacks, found.no_image))
    parts = {
        "title": html.escape(f"{system.name} on {proved.board.name}: proof"),
        "verdict": f'<p class="verdict {COLOURS[proved.verdict]}">{html.escape(verdict_line(proved))}</p>',
        "facts": "".join(before),
        "timeline": _timeline(proved, drawn) if drawn is not None and shown else "",
        "table": "".join(after),
        "buses": "",
        "plant": "",
    }
    if drawn is None:
        return fill(parts, {})
    trace, periods = Trace(names_of(proved), drawn.entries), [task.separation_ns for task in system.tasks]
    return fill(parts, timeline_data(trace, periods, drawn.first_miss, lanes.read(trace)))


def _facts(proved: Proved, found: Found) -> list[tuple[str, str]]:
    proof, system = proved.choice.proof, proved.system
    facts = [
        ("scheduler", proved.choice.scheduler),
        ("tasks", str(len(system.tasks))),
        ("utilization", f"{float(proof.utilization):.2%}"),
        ("load, all included", f"{float(proof.load):.2%}"),
        ("kernel", next((_percent(one.kernel) for one in found.candidates if one.chosen), "-")),
        ("preset", system.preset),
    ]
    scale = found.advice.sensitivity.scale_max if found.advice.sensitivity else None
    if scale is not None:
        facts.append(("all wcets may grow to", f"{float(scale):.2f} times"))
    return facts


def _percent(share: Fraction | float | None) -> str:
    return "not counted" if share is None else f"{float(share):.2%}"


def _load(proved: Proved) -> str:
    """The processor, by what takes it."""
    found = load_breakdown.shares(proved)
    whole = sum(found.values(), Fraction(0))
    most = float(max(whole, Fraction(1)))
    parts = [(name, float(share), _percent(share)) for name, share in found.items()]
    parts.append(("free", max(0.0, 1 - float(whole)), _percent(max(Fraction(0), 1 - whole))))
    text = proved.overheads_line()
    over = f" The line marks the whole processor; the load is {float(whole):.1%}." if whole > 1 else ""
    drawn = stacked(parts, most, 1.0 if whole > 1 else None)
    return section("Utilization", drawn, paragraph(f"{text[0].upper()}{text[1:]}.{over}"))


def _responses(proved: Proved) -> str:
    """Every task in the order of the bands: its bound as a bar, its deadline as the mark."""
    proofs = {one.name: one for one in (*proved.choice.proof.tasks, *proved.choice.proof.servers)}
    kinds = {server.name: server for server in proved.system.servers}
    tasks = {task.name: task for task in (*servers.in_proof(proved.system).tasks, *proved.system.tasks)}
    rows = []
    for number, band in enumerate(proved.bands):
        for position, name in enumerate(band.tasks):
            label = f"{number + 1} {band.kind}" if position == 0 else ""
            for one in (name, *(kinds[name].serves if name in kinds else ())):
                wrong = proofs[one].verdict is Verdict.INFEASIBLE
                kind = f"server, {kinds[one].kind}" if one in kinds else ""
                row = _row(tasks[one], proofs[one], label if one == name else "", kind)
                rows.append(("wrong" if wrong else "", row))
    heads = ("task", "response bound / deadline", "bound", "deadline", "slack", "wcet", "period", "band", "")
    note = "Bar: bound on the response time. Line: deadline."
    return section("Response times", table(heads, rows, (2, 3, 4, 5, 6)), paragraph(note))


def _row(task: Task, found: TaskProof, label: str, kind: str) -> list[Cell]:
    """`kind`: of the server that the task stands for."""
    response, verdict = found.response_ns, found.verdict
    deadline, apart = task.deadline_ns, task.separation_ns
    background = deadline is None
    drawn = ""
    if response is not None and deadline is not None:
        drawn = bar(response, deadline, deadline, response > deadline)
    elif not background:
        drawn = "<small>no bound</small>"
    slack = "-"
    if response is not None and deadline is not None:
        slack = brief(deadline - response) if response <= deadline else f"-{brief(response - deadline)}"
    sporadic = ">= " if task.min_interarrival_ns is not None else ""
    burst = f", {task.burst} at once" if task.burst > 1 else ""
    return [
        Cell(f"{task.name} ({kind})" if kind else task.name),
        Cell(drawn, markup=True),
        Cell("-" if response is None else brief(response), True),
        Cell("-" if deadline is None else show(deadline), True),
        Cell(slack, True, "bad" if slack.startswith("-") and len(slack) > 1 else ""),
        Cell(show(task.wcet_ns), True),
        Cell("-" if apart is None else sporadic + show(apart) + burst, True),
        Cell(label),
        Cell("background") if background else Cell(MARKS[verdict], colour=COLOURS[verdict]),
    ]


def _demand(proved: Proved) -> str:
    """Of a refuted system, where it exceeds what fits."""
    found = demand.excess(proved)
    if found is None:
        return ""
    text = f"{found.subject}, all released together: at {show(found.at_ns)} the demand exceeds the available time."
    return section("Where demand exceeds the available time", paragraph(text), curves(found))


def _sensitivity(proved: Proved, found: Advice) -> str:
    """What each number may become, or what would mend the system."""
    if not proved.feasible:
        return section("Changes with which the proof holds", *map(paragraph, advices.remedy_lines(found)))
    if found.sensitivity is None or not found.sensitivity.limits:
        return ""
    rows = []
    for limits in found.sensitivity.limits:
        task = proved.system.task(limits.name)
        wcet, period, jitter = advices.rounded(limits)
        grows = limits.wcet_ns_max - task.wcet_ns
        shrinks = (task.separation_ns or 0) - limits.period_ns_min
        name = limits.name + ("" if limits.monotone else " *")
        drawn = [
            bar(grows, task.deadline_ns or 0, None, False),
            bar(shrinks, task.separation_ns or 0, None, False),
        ]
        cells = [
            Cell(name),
            Cell(drawn[0], markup=True),
            Cell(wcet, True),
            Cell(_times(limits.wcet_ns_max, task.wcet_ns), True),
        ]
        cells += [
            Cell(drawn[1], markup=True),
            Cell(period, True),
            Cell(_times(limits.period_ns_min, task.separation_ns or 0), True),
        ]
        rows.append(("", [*cells, Cell(jitter, True)]))
    heads = ("task", "wcet", "up to", "", "period", "down to", "", "jitter up to")
    lines = [*advices.sensitivity_lines(found.sensitivity)]
    note = (
        "The limits up to which each number alone may change with these bands. Bars: part of the deadline, "
        "of the period."
    )
    return section("Sensitivity", table(heads, rows, (2, 3, 5, 6, 7)), *map(paragraph, (note, *lines)))


def _times(limit: int, declared: int) -> str:
    return f"{limit / declared:.3g} times" if declared else ""


def _timeline(proved: Proved, drawn: busy.Busy) -> str:
    text = (
        "All tasks are released at once, every job takes as long as the proof counts, interrupts and releases "
        "are as frequent as"
        " declared. Further parts of the bounds (mutexes, locked sections, jitter, slices) are not drawn."
    )
    if drawn.ended:
        text += f" The processor is first idle after {show(drawn.end_ns)}."
    elif drawn.first_miss is None:
        text += " It is longer than the part that is drawn."
    if drawn.first_miss is not None:
        text += f" {drawn.first_miss.task} misses its deadline at {show(drawn.first_miss.deadline_ns)}."
    elif proved.verdict is Verdict.INFEASIBLE:
        text += " No deadline is missed in it: the system is refuted by parts of the bounds that are not drawn."
    return timeline("The longest busy period", "all of it", paragraph(text))


def _bands(proved: Proved, found: Found) -> str:
    """The list, and what else was there."""
    kinds = [f"{number + 1} {band.kind}: {', '.join(band.tasks)}" for number, band in enumerate(proved.bands)]
    items = "".join(f"<li>{html.escape(line)}</li>" for line in kinds)
    rows = []
    for one in found.candidates:
        shape = ", ".join(f"{band.kind} {len(band.tasks)}" for band in one.bands)
        up_to = "-" if one.breakdown is None else f"{one.breakdown:.2%}"
        verdict = Cell(MARKS[one.verdict], colour=COLOURS[one.verdict])
        cells = [Cell(one.name), Cell(shape), Cell(_percent(one.kernel), True), verdict, Cell(up_to, True)]
        rows.append(("chosen" if one.chosen else "", [*cells, Cell(str(one.tried), True)]))
    heads = ("scheduler", "bands: tasks", "kernel takes", "deadlines", "holds up to", "lists judged")
    return section("Bands", paragraph(why(proved)), f"<ul>{items}</ul>", table(heads, rows, (2, 4, 5)))


def _states(proved: Proved) -> str:
    """Of state messages with declared readers, how many copies and why."""
    rows = []
    for depth in proved.depths:
        for position, need in enumerate(depth.needs):
            first = [Cell(depth.state.name), Cell(str(depth.state.copies), True), Cell(depth.state.writer)]
            lasts = "-" if need.lasts_ns is None else brief(need.lasts_ns)
            writes = "any number" if need.writes is None else str(need.writes)
            locked = f"{brief(need.read_ns)} locked" if need.reader in depth.state.slow else ""
            cells = [Cell(need.reader), Cell(lasts, True), Cell(writes, True), Cell(locked)]
            rows.append(("", [*(first if position == 0 else [Cell("")] * 3), *cells]))
    if not rows:
        return ""
    heads = ("state message", "copies", "writer", "reader", "longest read", "writes during it", "")
    note = "With these copies no read is overtaken, if the declared timing holds."
    if not proved.feasible:
        note = "Computed from the deadlines, since nothing is proved: reads may be overtaken."
    return section("State messages", table(heads, rows, (1, 4, 5)), paragraph(note))


def _queues(proved: Proved) -> str:
    """Of objects whose messages release tasks, how much waits at most."""
    rows = []
    for queue in proved.queues:
        bad = bool(queue.refutations())
        most, waits = ("not proved" if value is None else str(value) for value in (queue.messages, queue.pending))
        cells = [Cell(f"{queue.kind} {queue.name}"), Cell(queue.task)]
        cells.append(Cell(f"{most} {queue.unit}", True, "bad" if bad else ""))
        cells += [Cell("-" if queue.capacity is None else str(queue.capacity), True), Cell(waits, True)]
        rows.append(("wrong" if bad else "", [*cells, Cell(str(queue.pending_max), True), Cell(queue.why)]))
    if not rows:
        return ""
    heads = ("object", "releases", "waits at most", "capacity", "releases that wait", "pending_max", "")
    note = "If each job of a task that is released receives one message, and the senders send as declared."
    return section("Queues", table(heads, rows, (2, 3, 4, 5)), paragraph(note))


def buses(proofs: Iterable[BusProof]) -> str:
    """Of each bus its messages, and how long they take."""
    heads = ("message", "id", "sender", "bytes", "period", "sent within", "deadline", "response", "")
    parts = []
    for bus in proofs:
        rows = []
        for texts, verdict in words.rows(bus):
            bad = verdict not in (None, Verdict.FEASIBLE)
            mark = "best effort" if verdict is None else "may be late" if bad else ""
            cells = [Cell(text, position >= 3, "bad" if bad and position == 7 else "") for position, text in
                     enumerate(texts)]  # fmt: skip
            rows.append(("wrong" if bad else "", [*cells, Cell(mark)]))
        said = [paragraph(line) for line in (*words.lines(bus), *words.notes(bus))]
        parts.append(section(f"Bus {bus.bus.name}", table(heads, rows, tuple(range(3, 8))), *said))
    return "".join(parts)


def why(proved: Proved) -> str:
    """One sentence on the choice."""
    asked, tried = proved.asked, proved.choice.tried
    judged = f"{tried} list{'s' if tried != 1 else ''} of bands {'were' if tried != 1 else 'was'} judged"
    if asked == "auto" and proved.feasible:
        least = "the fewest bands" if proved.overheads is None else "the least kernel time"
        return f"Found by auto: of the lists of fixed and edf bands that hold, the one with {least}; {judged}."
    if asked == "auto":
        none = "Auto found no list of fixed and edf bands that holds every deadline"
        return f"{none}; {judged}. Shown is {proved.choice.scheduler}."
    if asked == "csd":
        return f"The cheapest csd that holds; {judged}." if proved.feasible else f"No csd holds; {judged}."
    return f"Requested: {asked}; {judged}. The others are for comparison."
