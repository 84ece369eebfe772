# SPDX-License-Identifier: Apache-2.0
"""Models of MAST (versions 1.3 to 1.5): each transaction on one processor at one priority is a task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from takt.declare.exchange import numbers, sections
from takt.declare.exchange.model import Budgeted, Device, Found, Job, Resource, Source, Use, quoted
from takt.declare.exchange.sections import Section
from takt.declare.formats import mast_text
from takt.declare.formats.mast_model import PROCESSORS, Location, Model
from takt.declare.formats.mast_text import Group, Object
from takt.declare.tables import PENDING_MAX
from takt.support.durations import MAX_NS, show

_ACTIVITIES = ("activity", "system_timed_activity")
_ONCE_NS = MAX_NS // 2  # distance of an event that comes once
_PROTOCOLS = {
    "immediate_ceiling_resource": "ceiling",
    "srp_resource": "ceiling",
    "priority_inheritance_resource": "inherit",
}
_EVENTS = {
    "periodic": "type name period max_jitter phase",
    "sporadic": "type name min_interarrival avg_interarrival distribution",
    "bursty": "type name bound_interval max_arrivals avg_interarrival distribution",
    "unbounded": "type name avg_interarrival distribution",
    "singular": "type name phase",
}


def read(source: Source, text: str) -> Found:
    """The tasks of one processor, of a model as text. UserError: it describes none, with its line."""
    return read_objects(source, mast_text.parse(source, text), mast_text.unit(text))


def read_objects(source: Source, objects: list[Object], unit: str | None) -> Found:
    """The tasks of one processor. `unit`: of times, where the file says one."""
    found = Found("MAST")
    if not objects:
        source.fail(0, "the file is empty", "a model with transactions")
    unit = source.unit or unit
    scale = numbers.unit_ns(unit) if unit else None
    if scale is None:
        source.fail(0, "MAST's times have no unit", "--unit ms (ns, us, ms, s)")
    model = Model(source, found, objects, scale)
    transactions = list(model.tables["transaction"].values())
    if not transactions:
        source.fail(objects[0].line, "no transaction", "a model with transactions")
    source.limit(len(transactions), transactions[-1].line)
    reader = _Transactions(model)
    placed = [(one, list(reader.activities(one))) for one in transactions]
    processors = [location.processor for _, listed in placed for _, location in listed]
    processors = [
        name for name in processors if model.tables["processing_resource"][name].of.text("type") in PROCESSORS
    ]
    if not processors:
        source.fail(transactions[0].line, "no activity on a processor", "Activity_Server => ...")
    reader.processor = source.chosen(processors, transactions[0].line)
    for one, listed in placed:
        reader.add(one, listed)
    reader.timers()
    reader.resources()
    return found


@dataclass
class _Arrival:
    """An external event. `apart_ns` None: nothing bounds how often it comes. `batch`: so many come at once."""

    kind: str
    line: int
    apart_ns: int | None = None
    jitter_ns: int = 0
    offset_ns: int = 0
    batch: int = 1


@dataclass
class _Part:
    """Activities of a transaction that are one job."""

    name: str
    steps: list[tuple[Group, Location]]
    deadline_ns: int | None
    soft_ns: int | None


class _Transactions:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.source, self.found = model.source, model.found
        self.processor = ""
        self.locations: dict[str, Location] = {}  # of each job
        self.held: dict[str, list[Section]] = {}
        self.timed: dict[str, tuple[int, int]] = {}  # jobs that a timer releases: line and distance

    def activities(self, one: Object) -> Iterator[tuple[Group, Location]]:
        """The activities of a transaction, in the order of the file, with their locations."""
        for handler in one.of.groups("event_handlers"):
            if handler.text("type") in _ACTIVITIES:
                server = handler.text("activity_server")
                yield handler, self.model.location(server, handler.line_of("activity_server"))

    def add(self, one: Object, listed: list[tuple[Group, Location]]) -> None:
        """The jobs of a transaction on this processor."""
        here = [(handler, location) for handler, location in listed if location.processor == self.processor]
        for handler, location in listed:
            if location.processor != self.processor:
                what = f"transaction {one.shown}: an activity on {quoted(location.processor)}"
                self.found.leave(handler.line, what, bool(here))
        if not here:
            return
        for handler in one.of.groups("event_handlers"):
            if handler.text("type") not in _ACTIVITIES:
                self.found.leave(handler.line, f"transaction {one.shown}: {handler.text('type') or 'a handler'}")
        events = one.of.groups("external_events")
        if not events:
            self.source.fail(one.line, f"transaction {quoted(one.shown)}: no external event", "External_Events => ...")
        for event in events[1:]:
            self.found.leave(event.line, f"transaction {one.shown}: more than one external event")
        arrival = self._arrival(events[0])
        whole = self._is_chain(one, events[0], here)
        if whole:
            parts = [_Part(one.shown, here, *self._deadlines(one, here))]
        else:
            if len(here) > 1:
                what = f"transaction {one.shown}: activities that wait for each other; here each is released by itself"
                self.found.leave(one.line, what)
            parts = [
                _Part(f"{one.shown}_{handler.text('activity_operation')}", [(handler, location)], *due)
                for handler, location in here
                for due in [self._deadlines(one, [(handler, location)])]
            ]
            parts = [replace(part, name=one.shown) for part in parts] if len(parts) == 1 else parts
        for part in parts:
            self._job(one, part, arrival)

    def _is_chain(self, one: Object, event: Group, here: list[tuple[Group, Location]]) -> bool:
        """Whether its activities follow each other from the event on, all in one scheduling server."""
        waiting = event.text("name")
        for handler, _ in here:
            if handler.text("input_event") != waiting:
                return False
            waiting = handler.text("output_event")
        servers = {handler.text("activity_server") for handler, _ in here}
        return len(servers) == 1 and len(here) == len(one.of.groups("event_handlers"))

    def _arrival(self, event: Group) -> _Arrival:
        kind = event.text("type")
        if kind not in _EVENTS:
            self.source.fail(event.line, f"an external event of type {quoted(kind)}", "Periodic")
        self.model.list_unknown(event, _EVENTS[kind], f"event {event.text('name')}")
        found = _Arrival(kind, event.line)
        key = {"periodic": "period", "sporadic": "min_interarrival", "bursty": "bound_interval"}.get(kind)
        if key is not None:
            apart = self.model.time(event, key)
            if apart is None or apart < 1:
                self.source.fail(event.line, f"event {quoted(event.text('name'))}: no {key}", f"{key.title()} => 10")
            found.apart_ns = numbers.shortest(self.source, event.line, key, apart)
        if kind == "periodic":
            jitter, phase = self.model.time(event, "max_jitter"), self.model.time(event, "phase")
            found.jitter_ns = numbers.longest(self.source, event.line, "jitter", jitter or Fraction(0))
            found.offset_ns = numbers.shortest(self.source, event.line, "phase", phase or Fraction(0))
        if kind == "bursty":
            text = event.text("max_arrivals", "1")
            found.batch = numbers.whole(self.source, event.line_of("max_arrivals"), "max_arrivals", text, 1, 100_000)
        if kind == "singular":
            found.apart_ns = _ONCE_NS
        return found

    def _deadlines(self, one: Object, steps: list[tuple[Group, Location]]) -> tuple[int | None, int | None]:
        """The shortest hard and soft deadline of the events that these activities cause, in ns."""
        outputs = {handler.text("output_event") for handler, _ in steps}
        external = {event.text("name") for event in one.of.groups("external_events")}
        hard: list[int] = []
        soft: list[int] = []
        for event in one.of.groups("internal_events"):
            for requirement in _requirements(event) if event.text("name") in outputs else ():
                kind = requirement.text("type")
                if kind not in _DEADLINES:
                    self.found.leave(requirement.line, f"transaction {one.shown}: {kind or 'a requirement'}", False)
                    continue
                if "global" in kind and requirement.text("referenced_event") not in external:
                    what = f"transaction {one.shown}: a deadline that counts from an internal event"
                    self.found.leave(requirement.line, what, False)
                    continue
                due = self.model.time(requirement, "deadline")
                if due is not None:
                    rounded = numbers.shortest(self.source, requirement.line, "deadline", due, positive=True)
                    (hard if kind.startswith("hard") else soft).append(rounded)
        return min(hard, default=None), min(soft, default=None)

    def _job(self, one: Object, part: _Part, arrival: _Arrival) -> None:
        location = part.steps[0][1]
        speed = self.model.speed(self.processor)
        whole, held, deadline_ns = Fraction(0), [], part.deadline_ns
        for handler, _ in part.steps:
            operation = handler.text("activity_operation")
            lasts, inner = self.model.execution(operation, handler.line_of("activity_operation"), speed)
            offset = numbers.longest(self.source, handler.line, "time", whole)
            held += [Section(use.resource, use.begin_ns + offset, use.end_ns + offset) for use in inner]
            whole += lasts
        if location.switch_ns:
            self.found.note("two context switches are in each wcet, as MAST counts them")
        if arrival.batch > 1:
            self.found.note(f"{one.shown}: a job is the {arrival.batch} that may arrive at once")
        wcet = (whole + location.switch_ns) * arrival.batch
        wcet_ns = numbers.longest(self.source, one.line, f"transaction {quoted(one.shown)}: wcet", wcet, positive=True)
        job = Job(
            name=part.name,
            line=one.line,
            wcet_ns=wcet_ns,
            period_ns=arrival.apart_ns if arrival.kind == "periodic" else None,
            min_interarrival_ns=arrival.apart_ns if arrival.kind != "periodic" else None,
            deadline_ns=deadline_ns,
            jitter_ns=arrival.jitter_ns,
            offset_ns=arrival.offset_ns,
            priority=location.priority,
            by_deadline=location.by_deadline,
            preemptive=location.preemptive,
        )
        if any(handler.text("type") == "system_timed_activity" for handler, _ in part.steps[:1]) and arrival.apart_ns:
            self.timed[job.name] = (part.steps[0][0].line, arrival.apart_ns)
        if location.kind in ("polling", "sporadic"):
            job = self._served(one, job, location, part)
        elif location.kind == "interrupt" and deadline_ns is None and part.soft_ns is None and not held:
            if arrival.apart_ns is None:
                self.source.fail(one.line, f"interrupt {quoted(one.shown)}: nothing bounds it", "Sporadic")
            self.found.devices.append(Device(job.name, one.line, wcet_ns, arrival.apart_ns))
            return
        else:
            job = self._with_deadline(one, job, location, part, bool(held))
        self.locations[job.name] = location
        self.held[job.name] = held * arrival.batch if arrival.batch <= 16 else held
        self.found.jobs.append(job)

    def _with_deadline(self, one: Object, job: Job, location: Location, part: _Part, held: bool) -> Job:
        """A job that no server serves."""
        apart_ns = job.period_ns or job.min_interarrival_ns
        if apart_ns is None:
            lower = [other for other in self._locations() if other.priority < location.priority]
            if lower or location.by_deadline:
                what = f"transaction {one.shown}: nothing bounds how often it comes; here it is a background task"
                self.found.leave(one.line, what)
            if part.deadline_ns or part.soft_ns:
                self.found.leave(one.line, f"transaction {one.shown}: its deadline, since nothing bounds it", False)
            if held:
                what = f"transaction {one.shown}: that it does not wait in its sections; others' bounds may be larger"
                self.found.leave(one.line, what, False)
            return replace(job, priority=None, by_deadline=False, deadline_ns=None)
        if location.by_deadline:
            due_ns = self._scheduling_deadline(one, location, part) or apart_ns
            if job.min_interarrival_ns is not None and due_ns // apart_ns > PENDING_MAX:
                shorter_ns = PENDING_MAX * apart_ns
                what = f"deadline {show(due_ns)}, here {show(shorter_ns)}: no more than {PENDING_MAX} releases can wait"
                self.found.leave(one.line, f"transaction {one.shown}: {what}")
                due_ns = shorter_ns
            return replace(job, deadline_ns=due_ns)
        if part.deadline_ns is None:
            if part.soft_ns is not None:
                self.found.note(f"{one.shown}: its soft deadline is proved as a hard one")
            else:
                self.found.note(f"{one.shown}: it has no deadline; here that is its period")
        return replace(job, deadline_ns=part.deadline_ns or part.soft_ns or apart_ns)

    def _scheduling_deadline(self, one: Object, location: Location, part: _Part) -> int | None:
        """By which EDF orders: Takt has no other one for a task."""
        due = self.model.time(location.policy, "deadline")
        ordered = None if due is None else numbers.shortest(self.source, location.policy.line, "deadline", due, True)
        wanted = part.deadline_ns
        if ordered is not None and wanted is not None and wanted < ordered:
            what = f"transaction {one.shown}: its deadline {show(wanted)}, since EDF orders it by {show(ordered)}"
            self.found.leave(one.line, what)
        return ordered or wanted

    def _served(self, one: Object, job: Job, location: Location, part: _Part) -> Job:
        """A job in a server with a budget."""
        policy = location.policy
        named = part.steps[0][0].text("activity_server")
        server = self.model.get("scheduling_server", named, one.line).shown
        if any(other.name == server for other in self.found.servers):
            problem = f"scheduling server {quoted(server)} has a budget and executes more than one transaction"
            self.source.fail(one.line, problem, "a server for each")
        budget = job.wcet_ns
        if location.kind == "sporadic":
            budget = self._needed(policy, "initial_capacity", round_up=False)
            period = self._needed(policy, "replenishment_period", round_up=False)
        else:
            period = self._needed(policy, "polling_period", round_up=False)
            if self.model.time(policy, "polling_worst_overhead"):
                self.found.leave(policy.line_of("polling_worst_overhead"), f"polling overhead of server {server}")
        self.found.servers.append(
            Budgeted(server, one.line, location.kind, budget, period, location.priority, job.name, location.by_deadline)
        )
        if part.soft_ns is not None:
            self.found.leave(one.line, f"transaction {one.shown}: a soft deadline", False)
        apart = job.period_ns or job.min_interarrival_ns
        if job.period_ns is not None:
            self.found.note(f"{one.shown}: sporadic, since a server serves it")
        due = part.deadline_ns if apart else None
        if part.deadline_ns and not apart:
            self.found.leave(one.line, f"transaction {one.shown}: its deadline, since nothing bounds it", False)
        return replace(job, period_ns=None, min_interarrival_ns=apart, deadline_ns=due, offset_ns=0)

    def _needed(self, policy: Group, key: str, round_up: bool) -> int:
        value = self.model.time(policy, key)
        if value is None:
            self.source.fail(policy.line, f"a server without {key}", f"{key.title()} => 10")
        rounding = numbers.longest if round_up else numbers.shortest
        return rounding(self.source, policy.line, key, value, True)

    def _locations(self) -> Iterator[Location]:
        """Of all activities that are on this processor and come at a bounded rate."""
        for one in self.model.tables["transaction"].values():
            kinds = [event.text("type") for event in one.of.groups("external_events")]
            for _, location in self.activities(one):
                if location.processor == self.processor and "unbounded" not in kinds:
                    yield location

    def timers(self) -> None:
        """The interrupts of the processor's timer: one for each release of a timed activity, or its ticks."""
        timer = next(iter(self.model.tables["processing_resource"][self.processor].of.groups("system_timer")), None)
        if timer is None or not self.timed:
            return
        cost = numbers.longest(
            self.source, timer.line, "overhead", self.model.time(timer, "worst_overhead") or Fraction(0)
        )
        if timer.text("type") == "ticker":
            period = self._needed(timer, "period", round_up=False)
            self.found.jobs = [
                replace(job, jitter_ns=job.jitter_ns + period) if job.name in self.timed else job
                for job in self.found.jobs
            ]
            if cost:
                self.found.devices.append(Device("timer", timer.line, cost, period))
            return
        for name, (line, apart_ns) in self.timed.items() if cost else ():
            self.found.devices.append(Device(f"timer_{name}", line, cost, apart_ns))

    def resources(self) -> None:
        uses = {name: sections.uses(name, held) for name, held in self.held.items()}
        shown = {name: one.shown for name, one in self.model.tables["shared_resource"].items()}
        for name, one in self.model.tables["shared_resource"].items():
            users = tuple(
                replace(use, within=tuple(shown[outer] for outer in use.within))
                for listed in uses.values()
                for resource, use in listed
                if resource == name
            )
            if not users:
                continue
            kind = one.of.text("type")
            if kind not in _PROTOCOLS:
                self.source.fail(one.line, f"shared resource {quoted(one.shown)}: type {quoted(kind)}", "SRP_Resource")
            users = (*users, *self._lifts(one, users))
            self.found.resources.append(Resource(one.shown, one.line, _PROTOCOLS[kind], users))

    def _lifts(self, one: Object, users: tuple[Use, ...]) -> Iterator[Use]:
        """A ceiling that the model gives may be above that of the users: the best task below it lifts it here."""
        if one.of.text("type") != "immediate_ceiling_resource" or one.of.text("preassigned") != "yes":
            return
        ceiling = self.model.number(one.of, "ceiling") or Fraction(0)
        best = max(self.locations[use.task].priority for use in users)
        served = {server.serves for server in self.found.servers}
        below = [
            (location.priority, name)
            for name, location in self.locations.items()
            if best < location.priority <= ceiling and name not in served
        ]
        if below:
            yield Use(max(below)[1], 0, None)


_DEADLINES = ("hard_global_deadline", "hard_local_deadline", "soft_global_deadline", "soft_local_deadline")


def _requirements(event: Group) -> Iterator[Group]:
    """Of an event: one, or those of a composite one."""
    for one in event.groups("timing_requirements"):
        inner = one.groups("requirements_list")
        yield from inner or [one]
