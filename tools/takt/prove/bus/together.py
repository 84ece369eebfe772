# SPDX-License-Identifier: Apache-2.0
"""The buses of a system or a network, with messages that nodes forward from one to another: their jitter there, and the
fixed point of several buses.

The k-th frame of a message is released by its node at r[k], nominally, and its bound R there counts from r[k], the
jitter of that node included. The controller of the node that forwards it interrupts at its end, so by r[k] + R, and the
handler has queued the copy H later at most (takt.prove.bus.handling). So the copy is queued at some time from r[k] to
r[k] + R + H, and as r[k] is never less than a period after r[k - 1], it is a message with that period and a release
jitter of R + H: the usual analysis holds, and its response counts from r[k] again, from the release at the origin. The
frame of the origin is not taken from the jitter: a shortest frame, compared with R. With clocks that differ, the second
bus counts them at least as wrong as the first, so that the period by the fastest clock is that of the origin.

Between buses that forward in both directions bounds depend on each other. They grow with jitter, so iteration from no
jitter ends at the least fixed point, which bounds all (Tindell and Clark 1994). That needs fixed identifiers. Where
these buses have `auto`, identifiers are chosen as if each message that is forwarded arrived just by its deadline, and
then stay: if all hold so, that is above the least fixed point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from takt.declare.schema.model import Message, System, Verdict
from takt.prove.bus import traffic
from takt.prove.bus.buses import BusProof, Sent, of_traffic, unproved
from takt.prove.bus.traffic import Traffic

ROUNDS = 1000
"""After so many the fixed point is not looked for any longer."""

Prove = Callable[[Traffic, Mapping[str, int]], BusProof]
"""A bus, with the jitter of the messages that are forwarded to it."""


@dataclass(frozen=True)
class Source:
    """Of a message that is forwarded: that of which it is the copy, and a bound on an interrupt and its handler in the
    node that forwards it; None: there is none."""

    message: Message
    handled_ns: int | None


Sources = Mapping[tuple[str, str], Source]
"""By the bus and the name of the copy."""


def buses(
    system: System, responses_ns: Mapping[str, int | None] | None, handled_ns: int | None, tightest: bool = True
) -> tuple[BusProof, ...]:
    """In their order. `responses_ns`, `tightest`: as of_traffic. `handled_ns`: bound on an interrupt and its handler,
    None: there is none. UserError: a [[can]] and its file are no bus."""
    sources = {
        (one.bus, one.name): Source(system.message(one.forwards), handled_ns)
        for one in system.messages
        if one.forwards is not None
    }
    return settled(system, [traffic.of(system, bus) for bus in system.buses], sources, responses_ns, tightest)


def settled(
    system: System,
    of: Sequence[Traffic],
    sources: Sources,
    responses_ns: Mapping[str, int | None] | None,
    tightest: bool = True,
) -> tuple[BusProof, ...]:
    """Those of a system or a network. The rest: as of_traffic."""

    def prove(one: Traffic, late_ns: Mapping[str, int]) -> BusProof:
        return of_traffic(system, one, responses_ns, tightest, late_ns)

    if responses_ns is None or not sources:
        return tuple(prove(one, {}) for one in of)
    found = _Settling(of, sources, prove)
    for group in found.groups():
        found.settle(group)
    return tuple(found.proofs[one.bus.name] for one in of)


def hold(system: System, responses_ns: Mapping[str, int | None], handled_ns: int | None) -> bool:
    """The verdict alone, of tasks that are proved."""
    return all(one.verdict is Verdict.FEASIBLE for one in buses(system, responses_ns, handled_ns, tightest=False))


def late_ns(source: Source, proof: BusProof) -> int | None:
    """How much later than its release at the origin the copy is queued at most. `proof`: of the source's bus. None:
    there is no bound."""
    response_ns = None if proof.answer is None else _sent(source.message, proof).response_ns
    return None if response_ns is None or source.handled_ns is None else response_ns + source.handled_ns


def _sent(one: Message, proof: BusProof) -> Sent:
    return next(sent for sent in proof.sent if sent.declared is not None and sent.declared.name == one.name)


class _Settling:
    def __init__(self, of: Sequence[Traffic], sources: Sources, prove: Prove) -> None:
        self.prove, self.sources = prove, sources
        self.traffic = {one.bus.name: one for one in of}
        self.proofs: dict[str, BusProof] = {}

    def copies(self, bus: str) -> Iterator[tuple[Message, Source]]:
        """What is forwarded to a bus, and of what."""
        keys = ((one, (bus, one.name)) for one in self.traffic[bus].messages)
        return ((one, self.sources[key]) for one, key in keys if key in self.sources)

    def groups(self) -> Iterator[list[str]]:
        """Buses that depend on each other, after those on which they depend."""
        needs = {bus: self._needs(bus) for bus in self.traffic}
        left = list(self.traffic)
        while left:
            group = next(
                [other for other in left if other == bus or (other in needs[bus] and bus in needs[other])]
                for bus in left
                if all(other not in left or bus in needs[other] for other in needs[bus])
            )
            left = [bus for bus in left if bus not in group]
            yield group

    def _needs(self, bus: str) -> set[str]:
        """Buses on which its bounds depend, itself among them if these do on it."""
        found: set[str] = set()
        new = {bus}
        while new:
            new = {source.message.bus for one in new for _, source in self.copies(one)} - found
            found |= new
        return found

    def settle(self, group: Sequence[str]) -> None:
        why = self._unbounded(group)
        if why is not None:
            self._give_up(group, *why)
        elif len(group) == 1:
            self.proofs[group[0]] = self.prove(self.traffic[group[0]], self._late_ns(group[0]))
        else:
            self._iterate(group, self._identified(group))

    def _give_up(self, group: Sequence[str], why: str, verdict: Verdict) -> None:
        for bus in group:
            self.proofs[bus] = unproved(self.traffic[bus], why, verdict)

    def _unbounded(self, group: Sequence[str]) -> tuple[str, Verdict] | None:
        """Why the jitter of a message that is forwarded has no bound, by what is known. Undecided, if there may be one
        that the search did not find."""
        found = [(why, verdict) for bus in group for one, source in self.copies(bus)
                 for why, verdict in self._unbound(one, source)]  # fmt: skip
        return next((one for one in found if one[1] is Verdict.INFEASIBLE), next(iter(found), None))

    def _unbound(self, one: Message, source: Source) -> Iterator[tuple[str, Verdict]]:
        why, of = f"nothing bounds when {one.name} is forwarded", source.message
        if source.handled_ns is None:
            yield f"{why}: the interrupts have no bound", Verdict.INFEASIBLE
        elif of.bus in self.proofs and late_ns(source, self.proofs[of.bus]) is None:
            if _sent(of, self.proofs[of.bus]).verdict is Verdict.UNDECIDED:
                yield f"{why}: the limit of the search was reached for {of.name} on {of.bus}", Verdict.UNDECIDED
            else:
                yield f"{why}: {of.name} has no bound on {of.bus}", Verdict.INFEASIBLE

    def _late_ns(self, bus: str, assumed: bool = False) -> dict[str, int]:
        """The jitter of what is forwarded to a bus, by what is known; of buses of which nothing is known none.
        `assumed`: these by the deadline."""
        found = {}
        for one, source in self.copies(bus):
            proof = self.proofs.get(source.message.bus)
            known = None if proof is None else late_ns(source, proof)
            by_deadline_ns = (source.message.deadline_ns or 0) + (source.handled_ns or 0) if assumed else 0
            found[one.name] = by_deadline_ns if known is None else known
        return found

    def _identified(self, group: Sequence[str]) -> dict[str, Traffic]:
        """The buses with identifiers for `auto`."""
        found = {bus: self.traffic[bus] for bus in group}
        for bus, of in found.items():
            if any(one.identifier is None for one in of.messages):
                proof = self.prove(of, self._late_ns(bus, assumed=True))
                given = {one.declared.name: one.frame.identifier for one in proof.sent if one.declared and one.known}
                kept = (replace(one, identifier=given.get(one.name, one.identifier)) for one in of.messages)
                found[bus] = replace(of, messages=tuple(kept))
        return found

    def _iterate(self, group: Sequence[str], identified: Mapping[str, Traffic]) -> None:
        late_ns: dict[str, dict[str, int]] = {}
        for _ in range(ROUNDS):
            now_ns = {bus: self._late_ns(bus) for bus in group}
            if now_ns == late_ns:
                break
            late_ns = now_ns
            for bus in group:
                self.proofs[bus] = self.prove(identified[bus], late_ns[bus])
            unbounded = self._unbounded(group)
            if unbounded is not None:
                self._stop(group, *unbounded)
                return
        else:
            names = " and ".join(group)
            why = f"the bounds of {names}, which depend on each other, were not found in {ROUNDS} rounds"
            self._stop(group, why, Verdict.UNDECIDED)
            return
        for bus in group:
            self._restore(bus)

    def _stop(self, group: Sequence[str], why: str, verdict: Verdict) -> None:
        """Bounds only grew: what is late by now is late."""
        late = [one for bus in group for one in self.proofs[bus].late if one.verdict is Verdict.INFEASIBLE]
        if verdict is Verdict.UNDECIDED and late:
            self._give_up(group, f"{why}, and {late[0].frame.name} is late already", Verdict.INFEASIBLE)
        else:
            self._give_up(group, why, verdict)

    def _restore(self, bus: str) -> None:
        """As declared, with `auto`."""
        proof, own = self.proofs[bus], {one.name: one for one in self.traffic[bus].messages}
        sent = (replace(one, declared=own[one.declared.name] if one.declared else None) for one in proof.sent)
        self.proofs[bus] = replace(proof, traffic=self.traffic[bus], sent=tuple(sent))
