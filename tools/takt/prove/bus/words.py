# SPDX-License-Identifier: Apache-2.0
"""What the proof of a bus says to people."""

from __future__ import annotations

from collections.abc import Iterator

from takt.can import words
from takt.can.at_random import words as at_random
from takt.can.mts import words as mts_words
from takt.declare.schema.model import Verdict
from takt.prove.bus.buses import BusProof, Sent
from takt.support.durations import show
from takt.support.names import shown

LATE_SHOWN = 20  # of the messages of a file
AUTOS_SHOWN = 10
COPIES_SHOWN = 10


def lines(bus: BusProof) -> Iterator[str]:
    """Above the table."""
    load = "" if bus.answer is None else (
        f", load {float(bus.load or 0):.3f}, {float(bus.answer.load_unstuffed):.3f} without stuff bits")  # fmt: skip
    question = bus.traffic.question
    data = "" if question.rate.data is None else f" ({words.rate_text(question.rate.data)} of data)"
    clocks = f", clocks wrong by up to {question.drift_ppm} ppm" if question.drift_ppm else ""
    yield f"bus {bus.bus.name}: {words.rate_text(bus.bus.bitrate)}{data}{load}{clocks}; {_queues(bus)}"
    if bus.answer is not None and bus.misses is not None:
        yield from at_random.lines(bus.answer, bus.misses)


def _queues(bus: BusProof) -> str:
    """How this system queues, or the systems of a network."""
    queues = bus.traffic.question.controllers.nodes
    own = [bus.traffic.node] if bus.traffic.node in queues else list(queues)
    said = {name: queues[name].words for name in own}
    if len(own) > 1 and len(set(said.values())) == 1:
        return f"{len(own)} nodes queue {said[own[0]]}"
    return ", ".join(f"{name} queues {words}" for name, words in said.items())


def shown_messages(bus: BusProof) -> list[Sent]:
    """The declared ones, and of the file the late ones."""
    file = [one for one in bus.late if one.declared is None][:LATE_SHOWN]
    return [one for one in bus.sent if one.declared is not None or one in file]


def rows(bus: BusProof) -> Iterator[tuple[list[str], Verdict | None]]:
    """Cells and verdict; None: best effort."""
    for one in shown_messages(bus):
        period_ns, due = one.frame.period_ns, one.deadline_ns
        times = ["-" if ns is None else show(ns) for ns in (period_ns, one.jitter_ns, due, one.response_ns)]
        yield (
            [shown(one.frame.name), one.id_text, shown(one.sender or "-"), str(one.frame.size), *times],
            None if due is None else one.verdict,
        )


def notes(bus: BusProof) -> Iterator[str]:
    """Below it."""
    file, of = bus.traffic.file.others, bus.bus.file
    if file:
        late = [one for one in bus.late if one.declared is None]
        more = f", of which {len(late)} may be late" if late else ""
        tightest = _tightest(bus)
        yield f"{of}: {words.count(file, 'message')} of other nodes{more}{tightest}"
    if bus.traffic.unsent:
        unsent = bus.traffic.unsent
        how_many = words.count(unsent, "message")
        yield f"{of}: {how_many} of {bus.traffic.node} without a [[message]], not sent: {words.named(unsent)}"
    if bus.mixed is not None:
        yield from mts_words.lines(bus.mixed)
        high = [f"{shown(one.frame.name)} {mts_words.identifier_text(bus.mixed, index)}"
                for index, one in enumerate(bus.sent[: bus.mixed.setting.high][:AUTOS_SHOWN])]  # fmt: skip
        more = f" ... ({bus.mixed.setting.high} in all)" if bus.mixed.setting.high > AUTOS_SHOWN else ""
        yield f"high-speed, with the identifiers above only while their nodes have no epoch: {', '.join(high)}{more}"
    elif bus.autos:
        given = [f"{shown(one.frame.name)} id = {one.id_text}" for one in bus.autos[:AUTOS_SHOWN]]
        more = f" ... ({len(bus.autos)} in all)" if len(bus.autos) > AUTOS_SHOWN else ""
        yield f'identifiers given for "auto": {", ".join(given)}{more}'
    copies = [one.declared for one in bus.sent if one.declared is not None and one.declared.forwards is not None]
    if copies:
        more = f" ... ({len(copies)} in all)" if len(copies) > COPIES_SHOWN else ""
        names = (f"{shown(one.name)} is {shown(one.forwards or '')}" for one in copies[:COPIES_SHOWN])
        yield f"forwarded from other buses: {', '.join(names)}{more}"
    if not bus.bus.driver:
        yield "the program sends messages itself: no driver"


def _tightest(bus: BusProof) -> str:
    if bus.answer is None or bus.late:
        return ""
    rest = [one for one in bus.sent if one.declared is None and one.deadline_ns and one.response_ns is not None]
    best = max(rest, key=lambda one: (one.response_ns or 0) / (one.deadline_ns or 1))
    return (
        f", the tightest {shown(best.frame.name)} with {show(best.response_ns or 0)} of {show(best.deadline_ns or 0)}"
    )
