# SPDX-License-Identifier: Apache-2.0
"""What came of the faults that were injected on the buses of a run, by their logs: how many errors there were, and from
when on they were more than the proof counts with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from takt.declare.schema.model import System
from takt.observe.figures.buses import MessageFigures
from takt.prove.bus import faults
from takt.prove.bus.buses import BusProof
from takt.prove.bus.faults import EVERY_NODE, Fault, Faults
from takt.support.durations import brief

_LINE = re.compile(rb"\((\d+)\.(\d{6})\) \S+ (2[0-9A-F]{7})#([0-9A-F]{16})", re.ASCII)
_BUS_ERROR, _OFF, _PASSIVE = 0x80, 0x40, 0x4  # library/can/log.h
_OTHERS = 5  # byte with their state
_STAMP_NS = 1_000  # of a log: rounded down


@dataclass(frozen=True)
class Noted:
    """An error frame of the log. `wrong`: the first error of a fault; else a node's state became worse. `passive`,
    `off`: this system's controller. `others`: the other nodes are not error-active."""

    time_ns: int
    wrong: bool
    passive: bool
    off: bool
    others: bool


@dataclass(frozen=True)
class BusFigures:
    """A bus with faults. `beyond`: from when on the proof of its messages does not hold, and why; None: it does."""

    name: str
    faults: tuple[Fault, ...]
    errors: int
    passive: int  # how often this system became error-passive
    off: int  # bus-off
    beyond: tuple[int, str] | None

    def line(self) -> str:
        """For people."""
        states = [f"error-passive {_times(self.passive)}"] if self.passive else []
        states += [f"bus-off {_times(self.off)}"] if self.off else []
        errors = f"{self.errors} error{'' if self.errors == 1 else 's'}"
        asked = ", ".join(one.text for one in self.faults)
        result = f"{asked} on {self.name}: {', '.join([errors, *states])}"
        if self.beyond is None:
            return f"{result}, within what is declared"
        time_ns, why = self.beyond
        return f"{result}; beyond what the proof counts from {brief(time_ns)} on: {why}"

    def as_json(self) -> dict[str, Any]:
        """An element of `bus_faults` of `takt run --json` (docs/json.md)."""
        return {
            "bus": self.name,
            "injected": [one.text for one in self.faults],
            "errors": self.errors,
            "error_passive": self.passive,
            "bus_off": self.off,
            "beyond_ns": None if self.beyond is None else self.beyond[0],
            "beyond": None if self.beyond is None else self.beyond[1],
        }


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def judge(
    asked: Faults, proofs: Sequence[BusProof], folder: Path, messages: Sequence[MessageFigures]
) -> tuple[tuple[BusFigures, ...], tuple[MessageFigures, ...]]:
    """The buses with faults, and the messages, of which those are said to be `beyond` that were late or lost since the
    errors on their bus were more than the proof counts. `folder`: with the logs of the run."""
    found = tuple(_of(asked[proof.bus.name], proof, folder) for proof in proofs if proof.bus.name in asked)
    since = _with_copies({one.name: one.beyond for one in found if one.beyond is not None}, messages)
    return found, tuple(_excused(one, since.get(one.bus)) for one in messages)


def _with_copies(since: dict[str, tuple[int, str]], messages: Sequence[MessageFigures]) -> dict[str, tuple[int, str]]:
    """The same with the buses to which messages of these are forwarded: their copies come late, too."""
    buses = {one.name: one.bus for one in messages}
    copies = [(buses[one.forwards], one.bus) for one in messages if one.forwards is not None and one.forwards in buses]
    for _ in copies:  # each may lead to another
        for origin, to in copies:
            if origin in since:
                since[to] = min(since[origin], since.get(to, since[origin]))
    return since


def _excused(one: MessageFigures, beyond: tuple[int, str] | None) -> MessageFigures:
    if beyond is None or one.late_ns is None or one.late_ns < beyond[0]:
        return one
    return replace(one, beyond=beyond[1])


def _of(asked: Sequence[Fault], proof: BusProof, folder: Path) -> BusFigures:
    noted = list(_noted(folder / f"{proof.bus.name}.log"))
    reasons = list(_reasons(asked, proof, noted))
    return BusFigures(
        proof.bus.name,
        tuple(asked),
        sum(one.wrong for one in noted),
        _changes([one.passive for one in noted]),
        _changes([one.off for one in noted]),
        min(reasons, default=None),
    )


def _changes(states: Sequence[bool]) -> int:
    return sum(now and not before for before, now in zip([False, *states], states, strict=False))


def _noted(path: Path) -> Iterator[Noted]:
    if not path.is_file():
        return
    with path.open("rb") as file:
        for line in file:
            found = _LINE.match(line)
            if found is not None:
                kind, data = int(found[3], 16), bytes.fromhex(found[4].decode())
                time_ns = int(found[1]) * 10**9 + int(found[2]) * 1_000
                wrong, passive, off = (kind & bit != 0 for bit in (_BUS_ERROR, _PASSIVE, _OFF))
                yield Noted(time_ns, wrong, passive, off, data[_OTHERS] != 0)


def _reasons(asked: Sequence[Fault], proof: BusProof, noted: Sequence[Noted]) -> Iterator[tuple[int, str]]:
    """What the proof does not count with, and when it was first."""
    for one in asked:
        if one.kind == "babble":
            yield 0, f"{one.name} is sent without a pause"
        if one.kind == "dead" and one.name == EVERY_NODE:
            yield one.at_ns, "no other node is there to acknowledge frames"
    question = proof.traffic.question
    more = faults.excess([one.time_ns for one in noted if one.wrong], question.errors, _STAMP_NS)
    if more is not None:
        random = "an error, which is one of those at random: they have no bound"
        yield more if question.at_random is None else (more[0], random)
    yield from ((one.time_ns, "this system was error-passive") for one in noted if one.passive or one.off)
    yield from ((one.time_ns, "another node was error-passive") for one in noted if one.others)


def released(system: System, found: Sequence[BusFigures]) -> set[str]:
    """Tasks that messages of buses release on which more was injected than the proof counts with: their responses and
    deadlines are not judged."""
    beyond = {one.name for one in found if one.beyond is not None}
    triggers = {f"message {one.name}" for one in system.messages if one.bus in beyond}
    return {task.name for task in system.tasks if task.trigger in triggers}


def verdict(found: Sequence[BusFigures], messages: Sequence[MessageFigures], span: str) -> str | None:
    """Of a run in which messages were late or lost with reason; None: none was."""
    late = [one for one in messages if one.beyond is not None]
    if not late:
        return None
    names = ", ".join(one.name for one in late)
    buses = ", ".join(one.name for one in found if one.beyond is not None)
    was = "was" if len(late) == 1 else "were"
    return (
        f"As injected: in {span} more came to {buses} than the proof counts with, and {names} {was} late or lost then; "
        "all else was within what was proved."
    )
