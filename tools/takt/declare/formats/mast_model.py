# SPDX-License-Identifier: Apache-2.0
"""Objects of a MAST model beside its transactions: processors, schedulers, scheduling servers, operations, shared
resources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from takt.declare.exchange import numbers
from takt.declare.exchange.model import Found, Source, quoted
from takt.declare.exchange.sections import Section
from takt.declare.formats.cheddar import circle
from takt.declare.formats.mast_text import Group, Object
from takt.support.durations import MAX_NS

KINDS = ("processing_resource", "scheduler", "scheduling_server", "shared_resource", "operation", "transaction")
PROCESSORS = ("fixed_priority_processor", "regular_processor")
_STEPS_MAX = 100_000  # operations in operations of one activity
_INTERRUPT = 10**6  # above every priority of a task
# Arguments that are read, and those that say nothing on which a bound depends.
_KEYS = {
    "processing_resource": "type name worst_context_switch avg_context_switch best_context_switch system_timer"
    " speed_factor max_priority min_priority max_interrupt_priority min_interrupt_priority worst_isr_switch"
    " avg_isr_switch best_isr_switch",
    "scheduler": "type name host server policy",
    "scheduling_server": "type name server_sched_parameters server_processing_resource scheduler"
    " synchronization_parameters",
    "shared_resource": "type name ceiling preassigned preemption_level",
    "operation": "type name worst_case_execution_time avg_case_execution_time best_case_execution_time"
    " shared_resources_list shared_resources_to_lock shared_resources_to_unlock composite_operation_list",
    "transaction": "type name external_events internal_events event_handlers",
}
_POLICY_KEYS = (
    "type the_priority preassigned normal_priority background_priority initial_capacity replenishment_period"
    " max_pending_replenishments polling_period polling_worst_overhead polling_avg_overhead polling_best_overhead"
    " deadline"
)


@dataclass(frozen=True)
class Location:
    """Where and how a scheduling server executes. `kind`: fixed, edf, interrupt, polling or sporadic."""

    processor: str
    kind: str
    priority: Fraction
    by_deadline: bool
    switch_ns: Fraction  # two context switches, which MAST adds to each activity
    policy: Group
    preemptive: bool = True


@dataclass
class Model:
    """All objects by kind and name. Times of the file are in `unit_ns`."""

    source: Source
    found: Found
    objects: list[Object]
    unit_ns: int
    tables: dict[str, dict[str, Object]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tables = {kind: {} for kind in KINDS}
        for one in self.objects:
            if one.kind == "model":
                continue
            if one.kind not in self.tables:
                hint = "Processing_Resource, Scheduler, Scheduling_Server, Shared_Resource, Operation, Transaction"
                self.source.fail(one.line, f"not MAST: unknown object {quoted(one.kind)}", hint)
            if not one.name:
                self.source.fail(one.line, f"this {one.kind} has no name", "Name => ...")
            table = self.tables[one.kind]
            if one.name in table:
                problem = f"{one.kind} {quoted(one.shown)} is there twice, first in line {table[one.name].line}"
                self.source.fail(one.line, problem, "another name")
            table[one.name] = one
            self.list_unknown(one.of, _KEYS[one.kind], f"{one.kind} {one.shown}")
        self._refuse_circle()

    def list_unknown(self, group: Group, known: str, label: str) -> None:
        for key in group.named:
            if key not in known.split():
                self.found.leave(group.line_of(key), f"{label}: {key}")

    def _refuse_circle(self) -> None:
        inner = {
            name: [(word.text.lower(), word.line) for word in one.of.words("composite_operation_list")]
            for name, one in self.tables["operation"].items()
        }
        found = circle(inner)
        if found:
            self.source.fail(found[0], f"operations in a circle: {' has '.join(found[1])}", "an operation without it")

    def get(self, kind: str, name: str, line: int) -> Object:
        """An object by name. UserError: there is none."""
        one = self.tables[kind].get(name)
        if one is None:
            self.source.fail(line, f"no {kind} {quoted(name)}", f"the {kind} of this name")
        return one

    def number(self, group: Group, key: str) -> Fraction | None:
        text = group.text(key)
        return numbers.number(self.source, group.line_of(key), key, text) if text else None

    def time(self, group: Group, key: str) -> Fraction | None:
        """A time in ns, exact; None: it is not given, or longer than any clock of ours: MAST's word for never."""
        value = self.number(group, key)
        if value is None or value * self.unit_ns > MAX_NS:
            return None
        return value * self.unit_ns

    def scheduler_of(self, server: Object) -> tuple[str, Group | None]:
        """The processor of a scheduling server, and the policy of its scheduler where an object says it."""
        named = server.of.text("scheduler")
        processor = server.of.text("server_processing_resource")
        if named:
            scheduler = self.get("scheduler", named, server.line)
            return scheduler.of.text("host"), next(iter(scheduler.of.groups("policy")), None)
        for scheduler in self.tables["scheduler"].values():
            if processor and scheduler.of.text("host") == processor:
                return processor, next(iter(scheduler.of.groups("policy")), None)
        if not processor:
            self.source.fail(server.line, f"scheduling server {quoted(server.shown)}: no Scheduler", "Scheduler => ...")
        return processor, None

    def location(self, name: str, line: int, depth: int = 0) -> Location:
        """Where and how a scheduling server executes."""
        server = self.get("scheduling_server", name, line)
        policy = next(iter(server.of.groups("server_sched_parameters")), Group(server.line))
        self.list_unknown(policy, _POLICY_KEYS, f"scheduling server {server.shown}")
        named = server.of.text("scheduler")
        scheduler = self.tables["scheduler"].get(named)
        if scheduler is not None and scheduler.of.text("type") == "secondary_scheduler":
            return self._secondary(server, scheduler, policy, depth)
        processor, rules = self.scheduler_of(server)
        host = self.get("processing_resource", processor, server.line)
        by_deadline = rules is not None and rules.text("type") == "edf"
        kind = policy.text("type")
        switch = self.time(rules or host.of, "worst_context_switch") or self.time(host.of, "worst_context_switch")
        if kind == "interrupt_fp_policy":
            switch = self.time(host.of, "worst_isr_switch")
        names = {
            "fixed_priority_policy": "fixed",
            "non_preemptible_fp_policy": "fixed",
            "edf_policy": "edf",
            "interrupt_fp_policy": "interrupt",
            "polling_policy": "polling",
            "sporadic_server_policy": "sporadic",
        }
        if kind not in names or (names[kind] == "edf") != by_deadline:
            problem = f"scheduling server {quoted(server.shown)}: policy {quoted(kind)} has no counterpart here"
            self.source.fail(policy.line, problem, "Fixed_Priority_Policy, or EDF_Policy under an EDF scheduler")
        priority = self.number(policy, "normal_priority" if names[kind] == "sporadic" else "the_priority")
        if priority is None and not by_deadline:
            self.source.fail(policy.line, f"scheduling server {quoted(server.shown)}: no priority", "The_Priority => 1")
        raised = _INTERRUPT if names[kind] == "interrupt" else 0
        return Location(
            processor,
            names[kind],
            (priority or Fraction(0)) + raised,
            by_deadline,
            2 * (switch or Fraction(0)),
            policy,
            kind != "non_preemptible_fp_policy",
        )

    def _secondary(self, server: Object, scheduler: Object, policy: Group, depth: int) -> Location:
        """A scheduler within a scheduling server: only by deadline, in a server of a plain priority."""
        rules = next(iter(scheduler.of.groups("policy")), Group(scheduler.line))
        if rules.text("type") != "edf" or policy.text("type") != "edf_policy" or depth:
            problem = f"scheduler {quoted(scheduler.shown)}: only EDF within a fixed priority has a counterpart"
            self.source.fail(scheduler.line, problem, "Policy => (Type => EDF)")
        outer = self.location(scheduler.of.text("server"), scheduler.line, depth + 1)
        switch = 2 * (self.time(rules, "worst_context_switch") or Fraction(0))
        if outer.kind != "fixed":
            self.source.fail(scheduler.line, f"scheduler {quoted(scheduler.shown)}: in a server with a budget", "none")
        return Location(outer.processor, "edf", outer.priority, True, switch + outer.switch_ns, policy)

    def speed(self, processor: str) -> Fraction:
        return self.number(self.tables["processing_resource"][processor].of, "speed_factor") or Fraction(1)

    def execution(self, name: str, line: int, speed: Fraction) -> tuple[Fraction, list[Section]]:
        """The worst-case execution time of an operation, and its sections from its beginning on."""
        held: list[Section] = []
        opened: dict[str, tuple[Fraction, int]] = {}
        now = whole = Fraction(0)
        ends: list[Fraction] = []  # of enclosing operations, of which the innermost is last
        for one, enters in self._steps(name, line):
            kind = one.of.text("type")
            if kind == "enclosing":
                if enters:
                    ends.append(now + self._wcet(one, speed))
                    whole += self._wcet(one, speed) if len(ends) == 1 else 0
                else:
                    now = max(now, ends.pop())
                continue
            if not enters:
                continue
            lasts = self._wcet(one, speed)
            whole += 0 if ends else lasts
            self._lock(one, now, now + lasts, opened, held)
            now += lasts
        for resource, (_, at) in opened.items():
            self.source.fail(at, f"shared resource {quoted(resource)} stays locked", "Shared_Resources_To_Unlock")
        return whole, held

    def _wcet(self, one: Object, speed: Fraction) -> Fraction:
        value = self.time(one.of, "worst_case_execution_time")
        if value is None:
            problem = f"operation {quoted(one.shown)}: no worst-case execution time"
            self.source.fail(one.line, problem, "Worst_Case_Execution_Time => 1")
        return value / speed

    def _steps(self, name: str, line: int) -> Iterator[tuple[Object, bool]]:
        """Simple operations in their order; enclosing ones at their beginning and their end."""
        waiting: list[tuple[str, int, bool]] = [(name, line, True)]
        steps = 0
        while waiting:
            name, line, enters = waiting.pop()
            one = self.get("operation", name, line)
            kind = one.of.text("type")
            steps += 1
            if steps > _STEPS_MAX:
                self.source.fail(line, f"more than {_STEPS_MAX} operations in one activity", "a smaller model")
            if kind not in ("simple", "composite", "enclosing"):
                self.source.fail(one.line, f"operation {quoted(one.shown)}: type {quoted(kind)}", "Simple")
            if kind != "composite":
                yield one, enters
            if enters and kind != "simple":
                inner = [(word.text.lower(), word.line, True) for word in one.of.words("composite_operation_list")]
                if kind == "enclosing":
                    waiting.append((name, line, False))
                waiting.extend(reversed(inner))

    def _lock(
        self,
        one: Object,
        begin: Fraction,
        end: Fraction,
        opened: dict[str, tuple[Fraction, int]],
        held: list[Section],
    ) -> None:
        for word in one.of.words("shared_resources_list"):
            self._hold(word.text.lower(), word.line, begin, end, held)
        for word in one.of.words("shared_resources_to_lock"):
            opened.setdefault(word.text.lower(), (begin, word.line))
        for word in one.of.words("shared_resources_to_unlock"):
            name = word.text.lower()
            if name not in opened:
                self.source.fail(word.line, f"shared resource {quoted(name)} is not locked here", "..._To_Lock before")
            self._hold(name, word.line, opened.pop(name)[0], end, held)

    def _hold(self, name: str, line: int, begin: Fraction, end: Fraction, held: list[Section]) -> None:
        self.get("shared_resource", name, line)
        first = numbers.shortest(self.source, line, "time", begin)
        last = numbers.longest(self.source, line, "time", end)
        held.append(Section(name, first, max(last, first + 1)))
