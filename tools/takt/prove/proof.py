# SPDX-License-Identifier: Apache-2.0
"""A proved system: its bands chosen, every deadline judged. `check` prints it; build, run and measure start from it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from takt.declare import queues, services
from takt.declare.queues import Queue
from takt.declare.schema import boards
from takt.declare.schema.boards import Board
from takt.declare.schema.model import Band, Overheads, Server, System, Verdict
from takt.declare.service_kinds import slot, state_copies
from takt.declare.service_kinds.mutex import Mutex
from takt.declare.service_kinds.state_copies import Depth
from takt.prove import board_memory, created, overheads, schedulers, state_message_fixpoint
from takt.prove.reasons.steps import LIMIT, Ended, Steps
from takt.prove.state_message_fixpoint import send_within_ns
from takt.support.console import filling
from takt.support.durations import show

if TYPE_CHECKING:
    from takt.prove.analysis import TaskProof
    from takt.prove.bus.buses import BusProof
    from takt.prove.chains.chains import ChainProof
    from takt.prove.choose import Choice, Prover


@dataclass(frozen=True)
class Proved:
    """The outcome. `overheads`: None when the proof does not count the kernel's own time; `left_out`: because asked to.

    `decided_by_overheads`: not proved, but it would be without them. `ended`: limit or interrupted, if no steps were
    left for something: a verdict, a bound, or lists that a search would have tried.
    """

    system: System
    board: Board
    choice: Choice
    overheads: Overheads | None
    left_out: bool
    asked: str  # the scheduler that was asked for: auto and csd are searches
    prover: Prover
    decided_by_overheads: bool = False
    ended: str | None = None
    joined: tuple[BusProof, ...] | None = None  # of a node of a network: its buses, with the messages of all nodes

    @property
    def verdict(self) -> Verdict:
        """Of the deadlines and, where they hold, of the queues, buses and chains."""
        if not self.choice.proved and not self.choice.complete:
            return Verdict.UNDECIDED
        if self.choice.proved and self.overflows:
            return Verdict.INFEASIBLE
        if self.choice.proved and self.late_buses:
            undecided = all(bus.verdict is Verdict.UNDECIDED for bus in self.late_buses)
            return Verdict.UNDECIDED if undecided else Verdict.INFEASIBLE
        if self.choice.proved and self.late_chains:
            late = {chain.verdict for chain in self.late_chains}
            return Verdict.INFEASIBLE if Verdict.INFEASIBLE in late else Verdict.UNDECIDED
        return self.choice.proof.verdict

    @cached_property
    def buses(self) -> tuple[BusProof, ...]:
        """CAN buses, and whether their messages arrive in time."""
        if self.joined is not None or not self.system.buses:
            return self.joined or ()
        from takt.prove.bus import together

        proof, proved = self.choice.proof, self.choice.proved
        return together.buses(self.system, self.within_ns if proved else None, proof.handled_ns)

    @cached_property
    def within_ns(self) -> dict[str, int | None]:
        """As takt.prove.state_message_fixpoint.send_within_ns."""
        return send_within_ns(self.system, self.choice.proof)

    @property
    def anew(self) -> set[str]:
        """Tasks that may be started anew while the system runs."""
        return schedulers.started_anew(self.system)

    @property
    def late_buses(self) -> list[BusProof]:
        return [bus for bus in self.buses if bus.verdict is not Verdict.FEASIBLE]

    @cached_property
    def chains(self) -> tuple[ChainProof, ...]:
        """[[chain]], and whether reaction and age keep to their limits."""
        if not self.system.chains:
            return ()
        from takt.declare.chains import path
        from takt.prove import analysis_library
        from takt.prove.chains import chains

        steps, known = path.of_system(self.system), chains.known({"": self}, self.buses, analysis_library.load())
        return tuple(chains.prove(known, steps, chain) for chain in self.system.chains)

    @property
    def late_chains(self) -> list[ChainProof]:
        return [chain for chain in self.chains if chain.verdict is not Verdict.FEASIBLE]

    @cached_property
    def queues(self) -> tuple[Queue, ...]:
        """Objects with messages that release tasks, and how many messages wait in them."""
        responses_ns = {} if self.system.runtime_tasks else self.responses_ns
        return queues.queues(self.system, responses_ns if self.choice.proved else None, self.overheads)

    @cached_property
    def early(self) -> list[tuple[str, str, str]]:
        """Tasks that messages release otherwise than declared: the task, a sentence, and the value that is enough."""
        if not self.system.driven:
            return []
        from takt.prove.bus import triggers

        return list(triggers.refutations(self.system, self.buses))

    @cached_property
    def overflows(self) -> list[tuple[str, str]]:
        """What is too small for messages that wait or release tasks, in a sentence, and the value that is enough."""
        found = [one for queue in self.queues for one in queue.refutations()]
        return found + [(problem, hint) for _, problem, hint in self.early]

    @property
    def feasible(self) -> bool:
        return self.verdict is Verdict.FEASIBLE

    @property
    def bands(self) -> tuple[Band, ...]:
        return self.choice.bands

    @cached_property
    def responses_ns(self) -> dict[str, int | None]:
        """The bound on each task's response time; None where there is none."""
        return {task.name: task.response_ns for task in self.choice.proof.tasks}

    @cached_property
    def depths(self) -> tuple[Depth, ...]:
        """The copies of each state message, and why."""
        bounds = state_message_fixpoint.bounds(self.choice, self.system)
        return state_copies.depths(self.system, bounds, bool(bounds))

    def overheads_line(self) -> str:
        text = overheads.describe(self.board, self.overheads, self.left_out)
        unlike = self.system.protection and self.overheads is not None and self.overheads.processes is None
        return f"{text}; measured without protection" if unlike else text

    def reason(self) -> str:
        """One sentence: why this verdict."""
        if self.choice.proved and self.overflows:
            return f"every deadline holds, but {'; '.join(problem for problem, _ in self.overflows)}"
        if self.choice.proved and self.late_buses:
            return f"every deadline of a task holds, but {'; '.join(bus.reason() for bus in self.late_buses)}"
        if self.choice.proved and self.late_chains:
            return f"every deadline holds, but {'; '.join(chain.reason() for chain in self.late_chains)}"
        if not self.choice.complete:
            return self._incomplete()
        searched = self.asked in ("auto", "csd") and not self.feasible
        words = {"auto": "no scheduler", "csd": "no csd"}.get(self.asked, "")
        prefix = f"{words} proves it; under {self.choice.scheduler}: " if searched else ""
        return prefix + self.choice.proof.reason + self._overheads_to_blame()

    def _incomplete(self) -> str:
        why, known = self.prover.steps.why(), self.choice.proof.reason
        if self.feasible:
            return f"{known}; {why} before every list of bands that may cost less was tried"
        return f"{why} before every list of bands was tried; under {self.choice.scheduler}: {known}"

    def _overheads_to_blame(self) -> str:
        if not self.decided_by_overheads or self.overheads is None:
            return ""
        kinds = dict.fromkeys("fixed" if self.choice.cooperative else band.kind for band in self.bands)
        costs = [
            f"{show(self.overheads.release_ns[kind])} for the release and {show(self.overheads.job_ns(kind))} for the "
            f"switch and the end of each job ({kind})"
            for kind in kinds
        ]
        locked = f"{show(self.overheads.lock_ns)} locked"
        return f"; it holds without the kernel's overheads: {', '.join([*costs, locked])}"

    def as_json(self) -> dict[str, Any]:
        """The keys of `takt check --json` (docs/json.md)."""
        proof = self.choice.proof
        verdicts = {task.name: task.verdict for task in proof.tasks}
        return {
            "feasible": self.feasible,
            "verdict": self.verdict.value,
            "scheduler": self.choice.scheduler,
            "utilization": float(proof.utilization),
            "overheads": "none" if self.overheads is None else "measured",
            "bands": [{"kind": band.kind, "tasks": list(band.tasks)} for band in self.bands],
            "offsets": schedulers.transactions(self.system),
            "tasks": [
                {
                    "name": task.name,
                    "deadline_ns": task.deadline_ns,
                    "response_ns": self.responses_ns.get(task.name),
                    "feasible": verdicts.get(task.name, Verdict.FEASIBLE) is Verdict.FEASIBLE,
                }
                for task in self.system.tasks
            ],
            "servers": [
                self._server_json(server, one) for server, one in zip(self.system.servers, proof.servers, strict=True)
            ],
            "states": [depth.as_json() for depth in self.depths],
            "queues": [queue.as_json() for queue in self.queues],
            "buses": [bus.as_json() for bus in self.buses],
            "messages": [one for bus in self.buses for one in bus.messages_json()],
            "chains": [chain.as_json() for chain in self.chains],
            "reason": self.reason(),
        }

    def _server_json(self, server: Server, found: TaskProof) -> dict[str, Any]:
        return {
            "name": server.name,
            "kind": server.kind,
            "budget_ns": server.budget_ns,
            "period_ns": server.period_ns,
            "deadline_ns": server.deadline_ns,
            "response_ns": found.response_ns,
            "feasible": found.verdict is Verdict.FEASIBLE,
            "serves": list(server.serves),
            "unbounded": dict(self.choice.proof.unbounded).get(server.name),
        }

    def text(self) -> str:
        """The proof as a text, the same for the same proof: the image carries its hash."""
        tasks = [f"{task!r}" for task in self.system.tasks]
        objects = [
            repr(created.in_proof(self.system).of(Mutex)),
            repr(self.system.interrupts),
            repr(self.overheads),
            repr(self.bands),
        ]
        objects += [repr(item) for item in services.proved(self.system)]
        return json.dumps([self.board.name, self.system.preset, tasks, objects, self.as_json()])


def prove(
    system: System,
    scheduler: str | None = None,
    left_out: bool = False,
    goal: str = "overhead",
    bands_max: int = 0,
    steps: Steps | None = None,
) -> Proved:
    """Chooses bands and proves them. `scheduler`: instead of the declared one. `goal`, `bands_max`: of auto; 0: as
    usual. `steps`: where they run out, what is known then. UserError: it cannot be applied."""
    board = boards.load(system.board)
    boards.refuse(system, board)
    asked = system.scheduler if scheduler is None else scheduler
    board_memory.refuse(system, board, asked == "cooperative")
    measured = None if left_out else overheads.load(board, system.preset)
    from takt.prove import analysis, band_search, breakdown, choose
    from takt.support import compile

    compile.host_library()

    def costs(bands: tuple[Band, ...], cooperative: bool) -> Overheads | None:
        return measured.of(system, bands, cooperative) if measured else None

    def holds_bare(choice: Choice) -> bool:
        bare = analysis.analyse(prover.system, choice.bands, None, cooperative=choice.cooperative, steps=steps)
        return bare.verdict is Verdict.FEASIBLE

    steps = steps or Steps(LIMIT)
    prover = choose.Prover(system, costs, bands_max=bands_max or band_search.BANDS_MAX, steps=steps)
    with filling(f"proving {system.name} ({len(system.tasks)} tasks, {asked})") as progress, steps.watching():

        def chosen(prover: Prover) -> Choice:
            return breakdown.most(prover, progress) if goal == "breakdown" else choose.choose(prover, asked, progress)

        try:
            prover, choice = state_message_fixpoint.settled(prover, chosen)
        except Ended:
            steps.answer()
            prover = prover.of(state_copies.settle(prover.system, {}))
            choice = choose.unfinished(prover, asked)
        ended = steps.ended if steps.out or not choice.complete else None
        slot.check_levels(system, choice.bands)
        used = costs(choice.bands, choice.cooperative)
        blamed = used is not None and not choice.proved and ended is None and holds_bare(choice)
    settled = prover.system if choice.proved else state_copies.settle(prover.system, {})
    return Proved(settled, board, choice, used, left_out, asked, prover, blamed, ended)


WORDS = {Verdict.FEASIBLE: "Proved", Verdict.INFEASIBLE: "Refuted", Verdict.UNDECIDED: "Undecided"}


def verdict_line(proved: Proved) -> str:
    """The verdict in plain words."""
    return f"{WORDS[proved.verdict]}: {proved.reason()}."


GOALS = ("overhead", "breakdown")


def kernel_share(proved: Proved) -> float | None:
    """The kernel's share of the processor; None: it is not in the proof."""
    if proved.overheads is None:
        return None
    proof = proved.choice.proof
    bare = sum((Fraction(item.wcet_ns, item.min_interarrival_ns) for item in proved.system.interrupts), Fraction(0))
    return float(proof.load - proof.utilization - bare)


def breakdown_of(proved: Proved) -> float | None:
    """Up to which utilization the list holds when all wcets grow or shrink together; None: nothing to scale, or that
    takes more steps than there may be."""
    from takt.prove import breakdown

    if breakdown.utilization(proved.system) == 0:
        return None
    proved.prover.steps.refill()
    try:
        return breakdown.of(proved.prover, proved.choice) / breakdown.STEPS
    except Ended:
        return None
