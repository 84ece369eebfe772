# SPDX-License-Identifier: Apache-2.0
"""The page of a network's proof: what joins which nodes, what they are loaded with, and where chains spend time."""

from __future__ import annotations

import html
from collections.abc import Iterator

from takt.can import words
from takt.declare.schema.model import Message, Verdict
from takt.prove.chains.chains import Bounded, ChainProof
from takt.prove.network.network_proof import NetworkProof, NodeProof
from takt.prove.proof import WORDS
from takt.report.page import facts_list, fill
from takt.report.parts import COLOURS, MARKS, Cell, bar, paragraph, section, table
from takt.report.proof import buses
from takt.support.durations import brief, show

BOX, ROW, COLUMN, TOP = 250, 40, 150, 46  # of the picture of nodes and buses
LANE, NAMES, ACROSS, ABOVE, GAP = 34, 150, 680, 20, 1  # of that of a chain


def page(found: NetworkProof) -> str:
    """One file that needs nothing else."""
    line = f"{WORDS[found.verdict]}: {found.reason()}."
    parts = {
        "title": html.escape(f"{found.network.name}: proof of the network"),
        "verdict": f'<p class="verdict {COLOURS[found.verdict]}">{html.escape(line)}</p>',
        "facts": facts_list(_facts(found)) + _topology(found) + _nodes(found),
        "timeline": "",
        "table": _chains(found) + buses(found.buses),
        "buses": "",
        "plant": "",
    }
    return fill(parts, {})


def _facts(found: NetworkProof) -> list[tuple[str, str]]:
    tasks = sum(len(one.proved.system.tasks) for one in found.nodes)
    sent = sum(len(bus.sent) for bus in found.buses)
    counted = (("nodes", found.nodes), ("buses", found.buses), ("chains", found.chains))
    return [*((name, str(len(one))) for name, one in counted), ("tasks", str(tasks)), ("messages", str(sent))]


def _load(one: NodeProof) -> float:
    return float(one.proved.choice.proof.load)


def _topology(found: NetworkProof) -> str:
    """A row for each node, a line down for each bus, a dot where they meet."""
    width, height = BOX + COLUMN * max(1, len(found.buses)) + 20, TOP + ROW * len(found.nodes)
    drawn = []
    for column, bus in enumerate(found.buses):
        x, name, colour = BOX + COLUMN * column + COLUMN // 2, bus.bus.name, _colour(bus.verdict)
        joined = [name in [own.name for own in one.node.system.buses] for one in found.nodes]
        rows = [TOP + ROW * row + ROW // 2 for row, one in enumerate(joined) if one]
        load = "" if bus.load is None else f", load {float(bus.load):.1%}"
        drawn.append(_text(x, 14, name, "middle"))
        drawn.append(_text(x, 30, f"{words.rate_text(bus.bus.bitrate)}{load}", "middle"))
        drawn.append(_line((x, x), (TOP - 8, rows[-1]), colour, 4))
        for y in rows:
            drawn.append(_line((BOX, x), (y, y), "--rest"))
            drawn.append(f"<circle cx='{x}' cy='{y}' r='6' style='fill:var({colour})'/>")
    for row, one in enumerate(found.nodes):
        y, load_of, colour = TOP + ROW * row + 5, _load(one), _colour(one.verdict)
        drawn.append(_rect((2, BOX - 4), (y, ROW - 10), colour, 0.12))
        drawn.append(_rect((2, min(load_of, 1.0) * (BOX - 4)), (y, ROW - 10), colour, 0.4))
        drawn.append(_text(12, y + 19, f"{one.node.name} ({one.proved.board.name})"))
        drawn.append(_text(BOX - 10, y + 19, f"{load_of:.1%}", "end"))
    note = "Filled: the load of the processor. A node with two dots may forward messages from bus to bus."
    picture = _picture(width, height, "Nodes and the buses that join them", drawn)
    return section("Nodes and buses", picture, paragraph(note))


def _colour(verdict: Verdict) -> str:
    return f"--{COLOURS[verdict]}"


def _nodes(found: NetworkProof) -> str:
    rows = []
    for one in found.nodes:
        load = _load(one)
        cells = [Cell(one.node.name), Cell(one.proved.board.name), Cell(one.proved.choice.scheduler)]
        cells += [Cell(str(len(one.proved.system.tasks)), True), Cell(bar(load, 1.0, 1.0, load > 1), markup=True)]
        cells += [Cell(f"{load:.2%}", True), _mark(one.verdict)]
        rows.append(("" if one.verdict is Verdict.FEASIBLE else "wrong", cells))
    heads = ("node", "board", "scheduler", "tasks", "load", "", "")
    notes = [one.reason() for one in found.nodes if one.verdict is not Verdict.FEASIBLE]
    return section("Processors", table(heads, rows, (3, 5)), *map(paragraph, notes))


def _mark(verdict: Verdict) -> Cell:
    return Cell(MARKS[verdict], colour=COLOURS[verdict])


def _chains(found: NetworkProof) -> str:
    if not found.chains:
        return ""
    rows = []
    for one in found.chains:
        pairs = ((one.reaction_ns, one.chain.reaction_ns), (one.age_ns, one.chain.age_ns))
        cells = [Cell(one.chain.name)]
        for bound_ns, limit_ns in pairs:
            drawn = (
                ""
                if bound_ns is None
                else bar(bound_ns, limit_ns or bound_ns, limit_ns, bound_ns > (limit_ns or bound_ns))
            )
            cells += [Cell("-" if bound_ns is None else show(bound_ns), True), Cell(drawn, markup=True)]
            cells.append(Cell("-" if limit_ns is None else show(limit_ns), True))
        rows.append(("" if one.verdict is Verdict.FEASIBLE else "wrong", [*cells, _mark(one.verdict)]))
    heads = ("chain", "reaction", "", "limit", "age", "", "limit", "")
    reasons = [one.reason() for one in found.chains if one.verdict is not Verdict.FEASIBLE]
    pictures = "".join(map(_lanes, found.chains))
    note = (
        "From left to right: what a cause may have to pass through, each step as late as its bound. Light: a step that "
        "samples has just missed what it is to use, and waits for its period. Dark: from its release to the end of its "
        "job, or of its message."
    )
    return section("Chains", table(heads, rows, (1, 3, 4, 6)), *map(paragraph, (*reasons, note)), pictures)


def _parts(one: Bounded) -> Iterator[tuple[int, bool]]:
    """What a section adds: nanoseconds, and whether it waits."""
    yield one.section.period_ns, True
    yield one.waits_ns - one.section.period_ns, False


def _lanes(one: ChainProof) -> str:
    """A lane for each node; sections one after another."""
    if one.reaction_ns is None:
        return ""
    lanes = list(dict.fromkeys(_lane(part) for part in one.bounded))
    most = max(sum(part.waits_ns for part in one.bounded), one.chain.reaction_ns or 0, one.reaction_ns)
    height = ABOVE + LANE * len(lanes) + 24

    def x(ns: int) -> float:
        return NAMES + ns / most * ACROSS

    drawn = []
    for number, name in enumerate(lanes):
        y = ABOVE + LANE * number
        drawn.append(_text(NAMES - 8, y + 20, name, "end"))
        drawn.append(_line((NAMES, NAMES + ACROSS), (y + LANE, y + LANE), "--line", 1))
    now, before = 0, 0
    for part in one.bounded:
        lane = lanes.index(_lane(part))
        middles = [ABOVE + LANE * number + LANE // 2 for number in (before, lane)]
        drawn.append(_line((x(now), x(now)), (middles[0], middles[1]), "--rest"))
        for part_ns, waits in _parts(part):
            said = f"{part.section.names}: {'waits for up to' if waits else 'takes up to'} {show(part_ns)}"
            across = x(now) + GAP, max(0.0, x(now + part_ns) - x(now) - GAP)
            down = ABOVE + LANE * lane + 5, LANE - 10
            drawn.append(_rect(across, down, f"--band{lane % 5}", 0.3 if waits else 1, said))
            now += part_ns
        before = lane
    drawn.append(_line((x(one.reaction_ns), x(one.reaction_ns)), (ABOVE - 4, height - 24), "--band0", 2))
    drawn.append(_text(x(one.reaction_ns), ABOVE - 7, f"bound {brief(one.reaction_ns)}", "middle"))
    limit_ns = one.chain.reaction_ns
    if limit_ns is not None:
        drawn.append(_line((x(limit_ns), x(limit_ns)), (ABOVE - 4, height - 18), "--bad", 2))
        drawn.append(_text(x(limit_ns), height - 5, f"limit {brief(limit_ns)}", "middle"))
    whole = f"Chain {one.chain.name}: {' > '.join(one.chain.path)}"
    less = ""
    if any(part.known for part in one.bounded):
        less = paragraph(
            "The bound is less than the sum that is drawn: the proof knows the offsets of tasks of one node."
        )
    return f"<h3>{html.escape(whole)}</h3>{_picture(NAMES + ACROSS + 60, height, whole, drawn)}{less}"


def _lane(part: Bounded) -> str:
    """The node of its job; of a message of none of them, its bus."""
    first = part.section.steps[0]
    return first.what.bus if isinstance(first.what, Message) and not first.node else first.node


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    where = f"x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' font-size='12' style='fill:currentColor'"
    return f"<text {where}>{html.escape(text)}</text>"


def _line(x: tuple[float, float], y: tuple[float, float], colour: str, width: float = 1.5) -> str:
    ends = f"x1='{x[0]:.1f}' x2='{x[1]:.1f}' y1='{y[0]:.1f}' y2='{y[1]:.1f}'"
    return f"<line {ends} stroke-width='{width}' style='stroke:var({colour})'/>"


def _rect(x: tuple[float, float], y: tuple[float, float], colour: str, opacity: float, said: str = "") -> str:
    """`x`, `y`: where it begins and how long it is. `said`: of a pointer on it."""
    size = f"x='{x[0]:.1f}' y='{y[0]:.1f}' width='{x[1]:.1f}' height='{y[1]:.1f}'"
    return f"<rect {size} opacity='{opacity}' style='fill:var({colour})'><title>{html.escape(said)}</title></rect>"


def _picture(width: int, height: int, name: str, drawn: list[str]) -> str:
    label, fits = html.escape(name, quote=True), f"style='min-width:0;max-width:{width}px'"
    picture = f"<svg viewBox='0 0 {width} {height}' width='{width}' {fits} role='img' aria-label=\"{label}\">"
    return f"<div class='wide'>{picture}{''.join(drawn)}</svg></div>"
