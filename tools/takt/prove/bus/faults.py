# SPDX-License-Identifier: Apache-2.0
"""Faults that `takt run --inject` has on the simulated bus of a run, BUS:flips=RATE, BUS:dead=NODE@TIME and
BUS:babble=MESSAGE; and whether errors on a bus keep to what is declared of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from takt.can.bounds import Errors
from takt.can.simulation import faults
from takt.prove.bus.buses import BusProof
from takt.support.durations import show
from takt.support.errors import UserError, closest
from takt.support.names import shown

FORM = "BUS:flips=1e-6, BUS:dead=NODE@1s or BUS:babble=MESSAGE"
KINDS = ("flips", "dead", "babble")
EVERY_NODE = "*"
MOST = 8  # library/can/faults.h: CAN_FAULTS_MAX
_ALL_NODES = 0xFFFF
_FLIPS_MIN = 1e-9
_MEAN = 1 << 8  # of the option `flips`: parts of a bit


@dataclass(frozen=True)
class Fault:
    """`text`: as it was asked for, without the bus. `at_ns`: of a death. `name`: of a node (EVERY_NODE: all others) or
    a message."""

    kind: str
    text: str
    rate: float = 0.0
    name: str = ""
    at_ns: int = 0


Faults = Mapping[str, Sequence[Fault]]
"""By bus."""


def is_of_bus(text: str) -> bool:
    """Whether an --inject means a bus, and not a task."""
    return "=" in text.partition("@")[0]


def parse(texts: Sequence[str], proofs: Sequence[BusProof], duration_ns: int) -> Faults:
    """What --inject says. UserError: it says nothing that a bus of this system can have."""
    found: dict[str, list[Fault]] = {}
    for text in texts:
        label, name = f'--inject "{shown(text)}"', text.partition(":")[0]
        proof = _bus(label, name, proofs)
        fault = _fault(label, text.partition(":")[2], proof)
        if fault.at_ns >= duration_ns:
            raise UserError(f"{label}: the run ends at {show(duration_ns)}", "an earlier time, or a longer --duration")
        those = found.setdefault(name, [])
        if fault.kind == "flips" and any(one.kind == "flips" for one in those):
            raise UserError(f"{label}: a second rate for {name}", "one")
        those.append(fault)
        if sum(one.kind == fault.kind for one in those) > MOST:
            raise UserError(f"{label}: more than {MOST} {fault.kind} on {name}", "fewer")
    return found


def _bus(label: str, name: str, proofs: Sequence[BusProof]) -> BusProof:
    driven = [proof for proof in proofs if proof.bus.driver]
    proof = next((proof for proof in proofs if proof.bus.name == name), None)
    if proof is None:
        raise UserError(f'{label}: no [[can]] "{shown(name)}"', closest(name, [one.bus.name for one in driven]) or FORM)
    if not proof.bus.driver:
        raise UserError(f"{label}: the program drives {name} itself: no bus is simulated", "driver = true in [[can]]")
    if proof.bus.interface is not None:
        problem = f"{label}: {name} is outside of this system ({proof.bus.interface})"
        raise UserError(problem, "without interface in [[can]], the bus is simulated")
    return proof


def _fault(label: str, text: str, proof: BusProof) -> Fault:
    kind, _, value = text.partition("=")
    if kind == "flips":
        rate = faults.flips(label, value)
        if rate < _FLIPS_MIN:
            hint = f"{_FLIPS_MIN:g} to {faults.FLIPS_MAX}"
            raise UserError(f"{label}: {shown(value)} disturbs no bit of a run", hint)
        return Fault(kind, text, rate=rate)
    if kind == "dead":
        nodes = [one for one in proof.other_nodes if one is not None]
        name, at_ns = faults.death(label, value, [*nodes, EVERY_NODE])
        return Fault(kind, text, name=name, at_ns=at_ns)
    if kind == "babble":
        found = faults.babbler(label, value, [one.frame for one in proof.sent])
        if all(one.frame is not found for one in proof.others):
            problem = f"{label}: {found.name} is sent by this system, whose tasks cannot send more than declared"
            raise UserError(problem, "a message of another node")
        return Fault(kind, text, name=found.name)
    raise UserError(f'{label}: no such fault "{shown(kind)}" of a bus', closest(kind, KINDS))


def options(asked: Faults, proofs: Sequence[BusProof]) -> dict[str, int]:
    """The options that tell an image (library/can/faults.h). `proofs`: of all buses."""
    found: dict[str, int] = {}
    for index, proof in enumerate(proof for proof in proofs if proof.bus.driver):
        numbers = {"dead": 0, "babble": 0}
        for fault in asked.get(proof.bus.name, ()):
            prefix = f"can{index}_{fault.kind}"
            if fault.kind == "flips":
                found[prefix] = round(_MEAN / -math.log1p(-fault.rate))
                continue
            number = numbers[fault.kind]
            numbers[fault.kind] += 1
            if fault.kind == "dead":
                every = fault.name == EVERY_NODE
                found[f"{prefix}{number}"] = _ALL_NODES if every else proof.other_nodes.index(fault.name)
                found[f"{prefix}{number}_ns"] = fault.at_ns
            else:
                names = [one.frame.name for one in proof.others]
                found[f"{prefix}{number}"] = names.index(fault.name)
    return found


def excess(times_ns: Sequence[int], errors: Errors, tolerance_ns: int) -> tuple[int, str] | None:
    """When errors were more than declared first, and how; None: they keep to it. `tolerance_ns`: by which a distance
    may be known wrongly. A declared bound is as takt.can.bounds.Errors has it."""
    if errors.count == 0:
        return (times_ns[0], "an error, and the bounds count none") if times_ns else None
    return next(_excesses(times_ns, errors, tolerance_ns), None)


def _excesses(times_ns: Sequence[int], errors: Errors, tolerance_ns: int) -> Iterator[tuple[int, str]]:
    declared = f"{errors.count} {'is' if errors.count == 1 else 'are'} declared"
    if errors.burst_ns == 0:
        for first, last in zip(times_ns, times_ns[errors.count :], strict=False):
            if last - first + tolerance_ns < errors.distance_ns:
                span = f"{errors.count + 1} errors within {show(last - first)}"
                yield last, f"{span}, where in {show(errors.distance_ns)} at most {declared}"
        return
    begin_ns, count = -errors.distance_ns - tolerance_ns, 0
    for time_ns in times_ns:
        if time_ns - begin_ns + tolerance_ns >= errors.distance_ns:
            begin_ns, count = time_ns, 1
            continue
        count += 1
        if count > errors.count:
            yield time_ns, f"{count} errors in a burst, where at most {declared}"
        elif time_ns - begin_ns - tolerance_ns > errors.burst_ns:
            apart = f"an error {show(time_ns - begin_ns)} after the first of a burst of at most {show(errors.burst_ns)}"
            yield time_ns, f"{apart}, and bursts begin {show(errors.distance_ns)} apart at least"
