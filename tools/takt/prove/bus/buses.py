# SPDX-License-Identifier: Apache-2.0
"""Whether every message of a bus of a system arrives in time, once its tasks are proved.

A message of a task is queued at any time between the release of the job that sends it and the end of that job, so the
bound on the task's response is its release jitter; both bounds count from the same release. Those that are forwarded
from bus to bus: takt.prove.bus.together. The rest is the analysis of `takt can check` (takt.can.check; Davis, Burns,
Bril and Lukkien 2007).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from takt.can import check, lengths
from takt.can.at_random import words as at_random
from takt.can.at_random.misses import Miss
from takt.can.check import Answer
from takt.can.messages import Message as Frame
from takt.can.mts import words as mts_words
from takt.can.mts.judge import Judged
from takt.declare.schema.model import Bus, Message, System, Verdict
from takt.prove.bus import identified, traffic
from takt.prove.bus.identified import Identified
from takt.prove.bus.traffic import Traffic
from takt.support.c.analysis import Status
from takt.support.durations import show
from takt.support.names import shown


@dataclass(frozen=True)
class Sent:
    """A message as it is proved. `declared`: its [[message]]; None: it is one of the file. Times are None where they
    are not known; `deadline_ns` None: best effort."""

    declared: Message | None
    frame: Frame
    known: bool  # its identifier
    bits: int
    send_ns: int
    jitter_ns: int | None
    deadline_ns: int | None
    response_ns: int | None
    verdict: Verdict

    @property
    def sender(self) -> str | None:
        """The task, or the other node; None: a file does not say it."""
        return (self.declared.sender if self.declared else None) or next(iter(self.frame.senders), None)

    @property
    def id_text(self) -> str:
        return self.frame.id_text if self.known else "auto"

    def refutation(self) -> str:
        """Of a late one: the inequality."""
        due = f"its deadline of {show(self.deadline_ns or 0)}"
        name = f"message {shown(self.frame.name)} ({self.id_text}) of {shown(self.sender or 'a node')}"
        if self.response_ns is None:
            return f"{name} has no bound on its response: {due} may pass"
        jitter_ns = self.jitter_ns or 0
        until = "until the job has sent it" if self.declared and self.declared.sender else "of jitter"
        if self.declared and self.declared.forwards:
            until = f"until {self.declared.forwards} is forwarded"
        waits_ns = self.response_ns - jitter_ns - self.send_ns
        parts = f"{show(jitter_ns)} {until} + {show(waits_ns)} for other frames + {show(self.send_ns)} for its own"
        return f"{name} may take {show(self.response_ns)}: {parts} > {due}"


@dataclass(frozen=True)
class BusProof:
    """`answer`: of the messages with a deadline; None: not proved, and `why`. `stuck`: no identifiers for `auto` were
    found with which all arrive in time, `none`: since there are none. `mixed`: what `answer` is made of, with
    `scheduler = "mts"`."""

    traffic: Traffic
    sent: tuple[Sent, ...]  # by identifier
    answer: Answer | None
    why: str = ""
    stuck: bool = False
    none: bool = False
    mixed: Judged | None = None

    @property
    def bus(self) -> Bus:
        return self.traffic.bus

    @cached_property
    def others(self) -> list[Sent]:
        """What other nodes send, by the numbers that it has in an image."""
        return [one for one in self.sent if one.declared is None or not one.declared.is_sent]

    @cached_property
    def other_nodes(self) -> list[str | None]:
        """Their senders, by their numbers there."""
        return list(dict.fromkeys(one.sender for one in self.others))

    @cached_property
    def late(self) -> list[Sent]:
        return [one for one in self.sent if one.verdict is not Verdict.FEASIBLE]

    @property
    def verdict(self) -> Verdict:
        verdicts = {one.verdict for one in self.late}
        return Verdict.INFEASIBLE if Verdict.INFEASIBLE in verdicts else next(iter(verdicts), Verdict.FEASIBLE)

    @property
    def autos(self) -> list[Sent]:
        """Those that got their identifiers here."""
        return [one for one in self.sent if one.known and one.declared and one.declared.identifier is None]

    @property
    def load(self) -> Fraction | None:
        return None if self.answer is None else self.answer.load if self.mixed is None else self.mixed.load

    def worst(self) -> Sent:
        """Of the late ones."""

        def key(one: Sent) -> Fraction:
            own = one.declared is not None
            share = Fraction(1 << 62) if one.response_ns is None else Fraction(one.response_ns, one.deadline_ns or 1)
            return share if own else share / (1 << 80)  # those of the file last: they are others' business

        return max(self.late, key=key)

    def reason(self) -> str:
        """Of a refutation or what is undecided: a part of a sentence."""
        if self.answer is None:
            return f"on {self.bus.name} {self.why}"
        if self.verdict is Verdict.UNDECIDED:
            return f"on {self.bus.name} the limit of the search was reached for {len(self.late)} messages"
        more = f", and {len(self.late) - 1} more may be late" if len(self.late) > 1 else ""
        if (self.load or 0) > 1:
            load = f"the load {float(self.load or 0):.3f} exceeds the bus {self.bus.name}"
            return f"{load}: {len(self.late)} messages may be late"
        autos = ""
        if self.stuck:
            autos = "no identifiers prove it; " if self.none else "no identifiers were found that prove it; "
        return f"on {self.bus.name} {autos}{self.worst().refutation()}{more}"

    @cached_property
    def least_bitrate(self) -> int | None:
        """At which all would arrive in time, their identifiers as they are; None: at none up to 1 Mbit/s, or they carry
        deadlines."""
        return None if self.answer is None or self.mixed is not None else check.least_rate(self.answer, False)

    @cached_property
    def misses(self) -> list[Miss] | None:
        """Of the rows of `answer`, with errors at random; None: there are none, or nothing is proved."""
        return None if self.answer is None or not self.answer.rows else at_random.found(self.answer)

    def as_json(self) -> dict[str, Any]:
        """A bus of `takt check --json` (docs/json.md)."""
        return {
            "name": self.bus.name,
            "bitrate": self.bus.bitrate,
            "load": None if self.load is None else float(self.load),
            "feasible": self.verdict is Verdict.FEASIBLE,
            "reason": None if self.verdict is Verdict.FEASIBLE else self.reason(),
            "least_bitrate": None if self.verdict is Verdict.FEASIBLE else self.least_bitrate,
            "unsent": [one.name for one in self.traffic.unsent],
            "mts": None if self.mixed is None else mts_words.setting(self.mixed),
        }

    def messages_json(self) -> list[dict[str, Any]]:
        missed = [at_random.entry(one) for one in self.misses or ()]
        missed += [at_random.NONE] * (len(self.sent) - len(missed))
        return [
            {
                "bus": self.bus.name,
                "name": one.frame.name,
                "id": one.frame.identifier if one.known else None,
                "extended": one.frame.extended,
                "declared": one.declared is not None,
                "sender": one.sender,
                "controller": self.traffic.question.controllers.of(one.frame).text,
                "receivers": list(one.declared.receivers) if one.declared else [],
                "forwards": one.declared.forwards if one.declared else None,
                "bits_max": one.bits,
                "send_ns": one.send_ns,
                "period_ns": one.frame.period_ns,
                "jitter_ns": one.jitter_ns,
                "deadline_ns": one.deadline_ns,
                "response_ns": one.response_ns,
                "feasible": one.verdict is Verdict.FEASIBLE,
                "unique": index if self.mixed is not None and self.mixed.is_high(index) else None,
                **miss,
            }
            for index, (one, miss) in enumerate(zip(self.sent, missed, strict=True))
        ]


def unproved(of: Traffic, why: str, verdict: Verdict) -> BusProof:
    """`why`: a part of a sentence."""
    return BusProof(of, _unproved(of, verdict), None, why)


def of_traffic(
    system: System,
    of: Traffic,
    responses_ns: Mapping[str, int | None] | None,
    tightest: bool = True,
    late_ns: Mapping[str, int] | None = None,
) -> BusProof:
    """`system`: the file that messages name. `responses_ns`: bounds of tasks; None: they are not proved. `tightest`:
    with the best identifiers for `auto`, not just any. `late_ns`: jitter of what is forwarded to it."""
    if responses_ns is None:
        return unproved(of, "nothing is proved: the tasks are not", Verdict.UNDECIDED)
    jitters_ns = traffic.jitters(of.messages, responses_ns)
    if isinstance(jitters_ns, str):
        return unproved(of, f"nothing bounds when {jitters_ns} sends: its response has no bound", Verdict.INFEASIBLE)
    found = identified.of(system, of, {**jitters_ns, **(late_ns or {})}, tightest)
    by_name, others = {one.name: one for one in of.messages}, found.others
    sent = [
        Sent(
            None if row.message in others else by_name[row.message.name],
            row.message,
            True,
            row.bits,
            row.send_ns,
            row.jitter_ns,
            row.deadline_ns,
            bound.response_ns,
            _verdict(found, index, bound.status),
        )
        for index, (row, bound) in enumerate(zip(found.answer.rows, found.answer.found, strict=True))
    ]
    sent += [_unbound(of, by_name[one.name], one, Verdict.FEASIBLE) for one in found.best_effort]
    return BusProof(of, tuple(sent), found.answer, "", found.stuck, found.none, found.mixed)


def _verdict(found: Identified, index: int, status: Status) -> Verdict:
    if found.mixed is not None:
        return Verdict[found.mixed.verdicts[index].name]
    if found.answer.holds(index):
        return Verdict.FEASIBLE
    return Verdict.UNDECIDED if status == Status.LIMIT else Verdict.INFEASIBLE


def _unbound(of: Traffic, one: Message, frame: Frame, verdict: Verdict, known: bool = True) -> Sent:
    """Of whose response nothing is known."""
    extent = lengths.longest(frame, of.question.rate, of.question.fd)
    verdict = Verdict.FEASIBLE if one.deadline_ns is None else verdict
    return Sent(one, frame, known, extent.bits, extent.ns, None, one.deadline_ns, None, verdict)


def _unproved(of: Traffic, verdict: Verdict) -> tuple[Sent, ...]:
    """The [[message]] tables alone."""
    found = [_unbound(of, one, of.frame(one, 0), verdict, one.identifier is not None) for one in of.messages]
    return tuple(sorted(found, key=lambda one: (not one.known, one.frame.arbitration)))
