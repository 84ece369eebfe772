# SPDX-License-Identifier: Apache-2.0
"""Models of AMALTHEA (Eclipse APP4MC, .amxmi): tasks, stimuli, runnables with ticks or instructions, the frequency of
the core, priorities, semaphores, deadlines as requirements. Versions 0.8 to 3 differ in where they say these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from urllib.parse import unquote

from takt.declare.exchange import numbers, sections
from takt.declare.exchange.model import Found, Job, Resource, Source, quoted
from takt.declare.formats.cheddar import circle
from takt.declare.formats.xml_tree import Node

_HERTZ = {"hz": 1, "khz": 10**3, "mhz": 10**6, "ghz": 10**9}
_ITEMS_MAX = 1_000_000  # of all tasks, with their runnables
_TICKS = ("Ticks", "RunnableInstructions", "ExecutionNeed")
_CALLS = ("TaskRunnableCall", "RunnableCall")
_GROUPS = ("Group", "CallSequence", "RunnableItemGroup")
_BRANCHES = ("Switch", "ModeSwitch", "ProbabilitySwitch", "RunnableModeSwitch", "RunnableProbabilitySwitch")
_FREE = (
    *("LabelAccess", "ModeLabelAccess", "ChannelSend", "ChannelReceive", "SenderReceiverRead", "SenderReceiverWrite"),
    *(
        "InterProcessTrigger",
        "InterProcessActivation",
        "CustomEventTrigger",
        "SetEvent",
        "ClearEvent",
        "LocalModeLabel",
    ),
)
_MODELS = {
    "constraintsModel": "constraints other than limits of response times",
    "componentsModel": "components",
    "measurementModel": "measurements",
    "propertyConstraintsModel": "constraints of properties",
}


def is_root(root: Node) -> bool:
    return root.name in ("Amalthea", "amalthea")


def _kind(node: Node) -> str:
    return node.attributes.get("xsi:type", "").rpartition(":")[2]


def _named(reference: str) -> str:
    """The name in a reference such as Task_1?type=Task, or its xmi:id."""
    return unquote(reference.partition("?")[0])


def read(source: Source, root: Node) -> Found:
    """The tasks of one core. UserError: it describes none, with its line."""
    found = Found("AMALTHEA")
    model = _Model(source, found, root)
    if not model.tasks:
        source.fail(root.line, "no task in swModel", "the file that has the tasks, with all that they refer to")
    source.limit(len(model.tasks), root.line)
    cores = {name: model.core_of(name) for name in model.tasks}
    placed = [core for core in cores.values() if core is not None]
    chosen = source.chosen(placed, root.line) if placed else None
    for name, task in model.tasks.items():
        core = cores[name]
        if core is not None and core != chosen:
            found.leave(task.line, f"task {quoted(name)}: on core {quoted(core)}", False)
        elif core is None and placed:
            found.leave(task.line, f"task {quoted(name)}: on no core")
    reader = _Core(model, model.frequency(chosen), chosen)
    for name, task in model.tasks.items():
        if cores[name] == chosen:
            reader.add(name, task)
    reader.resources()
    model.list_others()
    return found


@dataclass
class _Model:
    """The tables of the model by name, and by xmi:id where it has them."""

    source: Source
    found: Found
    root: Node
    ids: dict[str, Node] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for node in self.root.walk():
            if "id" in node.attributes:
                self.ids[node.attributes["id"]] = node
        self.tasks = self._table("swmodel", "tasks")
        self.runnables = self._table("swmodel", "runnables")
        self.stimuli = self._table("stimulimodel", "stimuli")
        self.semaphores = self._table("osmodel", "semaphores")
        for isr in self._table("swmodel", "isrs").values():
            self.found.leave(isr.line, f"interrupt service routine {quoted(isr.attributes.get('name', ''))}")
        self._read_mappings()
        self._read_limits()
        self._refuse_circle()

    def _table(self, model: str, tag: str) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for part in self.root.all(model):
            for node in part.all(tag):
                name = node.attributes.get("name", "")
                if not name:
                    self.source.fail(node.line, f"one of {tag} has no name", 'name="..."')
                if name in found:
                    problem = f"{quoted(name)} is twice among {tag}, first in line {found[name].line}"
                    self.source.fail(node.line, problem, "another name")
                found[name] = node
        return found

    def name_of(self, reference: str) -> str:
        """The name that a reference means."""
        name = _named(reference)
        node = self.ids.get(name)
        return node.attributes.get("name", name) if node is not None else name

    def references(self, node: Node, key: str) -> list[str]:
        """Names in an attribute, or in elements of that name with href."""
        listed = [self.name_of(one) for one in node.attributes.get(key, "").split()]
        for child in node.all(key.lower()):
            href = child.attributes.get("href", "")
            if href:
                listed.append(self.name_of(href.rpartition("#")[2]))
        return listed

    def _refuse_circle(self) -> None:
        calls = {
            name: [
                (called, item.line)
                for item in node.walk()
                if _kind(item) in _CALLS
                for called in self.references(item, "runnable")
            ]
            for name, node in self.runnables.items()
        }
        found = circle(calls)
        if found:
            self.source.fail(found[0], f"runnables call in a circle: {' calls '.join(found[1])}", "no recursion")

    def _read_mappings(self) -> None:
        """Allocations by task, and the cores of each scheduler."""
        self.allocations: dict[str, Node] = {}
        self.schedulers: dict[str, list[str]] = {}
        for mapping in self.root.all("mappingmodel"):
            for one in mapping.all("taskallocation"):
                for task in self.references(one, "task"):
                    self.allocations.setdefault(task, one)
            for one in mapping.all("schedulerallocation", "coreallocation"):  # the latter of version 0.7
                keys = ("responsibility", "executingPU", "core")
                cores = next((found for key in keys if (found := self.references(one, key))), [])
                for scheduler in self.references(one, "scheduler"):
                    self.schedulers.setdefault(scheduler, cores)

    def _read_limits(self) -> None:
        """The limits of response times, by task."""
        self.limits: dict[str, list[Node]] = {}
        for model in self.root.all("constraintsmodel"):
            for one in model.all("requirements"):
                limit = one.first("limit")
                value = limit.first("limitvalue") if limit is not None else None
                if limit is None or value is None or limit.attributes.get("metric") != "ResponseTime":
                    continue
                if limit.attributes.get("limitType", "UpperLimit") == "UpperLimit":
                    for task in self.references(one, "process"):
                        self.limits.setdefault(task, []).append(value)

    def core_of(self, task: str) -> str | None:
        """The core of a task by its allocation; None: it has none."""
        one = self.allocations.get(task)
        if one is None:
            return None
        schedulers = self.references(one, "scheduler")
        cores = self.references(one, "affinity") or self.schedulers.get(schedulers[0] if schedulers else "", [])
        if len(cores) > 1:
            self.source.fail(one.line, f"task {quoted(task)} is on {len(cores)} cores", "one core for each task")
        return cores[0] if cores else None

    def priority_of(self, task: str, node: Node) -> Fraction | None:
        one = self.allocations.get(task)
        for parameters in one.all("schedulingparameters") if one is not None else ():
            value = parameters.attributes.get("priority")
            if parameters.attributes.get("key") == "priority":
                inner = parameters.first("value")
                value = inner.attributes.get("value") if inner is not None else value
            if value is not None:
                return numbers.number(self.source, parameters.line, "priority", value)
        if "priority" in node.attributes:
            return numbers.number(self.source, node.line, "priority", node.attributes["priority"])
        for custom in node.all("customproperties"):
            value_node = custom.first("value")
            if custom.attributes.get("key") == "priority" and value_node is not None:
                return numbers.number(self.source, custom.line, "priority", value_node.attributes.get("value", ""))
        return None

    def frequency(self, core: str | None) -> Fraction | None:
        """Ticks of the core in a second; None: the model does not say."""
        for hardware in self.root.all("hwmodel"):
            nodes = list(hardware.walk())
            units = [node for node in nodes if node.name == "cores" or _kind(node) == "ProcessingUnit"]
            unit = next((node for node in units if core in (None, node.attributes.get("name"))), None)
            if unit is None:
                continue
            scaler = unit.first("prescaler")
            ratio = Fraction(1)
            domains = self.references(unit, "frequencyDomain")
            if scaler is not None:
                domains = self.references(scaler, "quartz")
                ratio = numbers.number(self.source, scaler.line, "clockRatio", scaler.attributes.get("clockRatio", "1"))
            for node in nodes:
                if node.attributes.get("name") in domains and node.name in ("domains", "quartzes"):
                    value = node.first("defaultvalue", "frequency")
                    if value is not None:
                        return self._hertz(value) * (ratio or 1) * self._instructions(nodes, unit)
        return None

    def _hertz(self, node: Node) -> Fraction:
        unit = _HERTZ.get(node.attributes.get("unit", "").lower())
        if unit is None:
            self.source.fail(node.line, "a frequency without a known unit", 'unit="MHz"')
        value = numbers.number(self.source, node.line, "frequency", node.attributes.get("value", "0")) * unit
        if not value:
            self.source.fail(node.line, "a frequency of 0", 'value="200.0" unit="MHz"')
        return value

    def _instructions(self, nodes: list[Node], unit: Node) -> Fraction:
        """In version 0.8 a core executes so many instructions in a cycle."""
        kinds = self.references(unit, "coreType")
        for node in nodes:
            if node.name == "coreTypes" and node.attributes.get("name") in kinds:
                text = node.attributes.get("instructionsPerCycle", "1")
                return numbers.number(self.source, node.line, "instructionsPerCycle", text) or Fraction(1)
        return Fraction(1)

    def time_ns(self, node: Node) -> Fraction:
        """A time with its unit, such as <recurrence value="10" unit="ms"/>, or its upperBound."""
        inner = node.first("upperbound") or node.first("value")
        if inner is not None:
            return self.time_ns(inner)
        unit = numbers.unit_ns(node.attributes.get("unit", ""))
        value = numbers.number(self.source, node.line, node.name, node.attributes.get("value", ""))
        if node.attributes.get("unit") == "ps":
            return value / 1000
        if unit is None:
            self.source.fail(node.line, f"{node.name}: a time without a known unit", 'unit="ms"')
        return value * unit

    def deadline_ns(self, task: str) -> int | None:
        """The shortest limit of its response times."""
        limits = self.limits.get(task, [])
        found = [numbers.shortest(self.source, one.line, "limit", self.time_ns(one), positive=True) for one in limits]
        return min(found, default=None)

    def list_others(self) -> None:
        for part in self.root.children:
            what = _MODELS.get(part.name)
            others = [node for node in part.children if node.name != "requirements"]
            if what and others:
                self.found.leave(part.line, what, False)
        for hardware in self.root.all("hwmodel"):
            for node in hardware.walk():
                if node.name in ("accessElements", "readLatency", "writeLatency", "latencyAccessPaths"):
                    self.found.leave(node.line, "latencies of memory accesses: Takt counts execution only")
                    return


@dataclass
class _Core:
    """The tasks of one core."""

    model: _Model
    hertz: Fraction | None
    name: str | None
    held: dict[str, list[sections.Section]] = field(default_factory=dict)
    items: int = 0

    def add(self, name: str, node: Node) -> None:
        model, source, found = self.model, self.model.source, self.model.found
        names = model.references(node, "stimuli")
        known = [model.stimuli[one] for one in names if one in model.stimuli]
        if len(known) < len(names):
            source.fail(node.line, f"task {quoted(name)}: no stimulus {quoted(names[0])}", "the file that has it, too")
        timing = [(one, _Timing(model, one)) for one in known]
        usable = [one for _, one in timing if one.apart_ns]
        for stimulus, one in timing:
            if not one.apart_ns or one is not usable[0]:
                label = stimulus.attributes.get("name", "")
                found.leave(stimulus.line, f"stimulus {quoted(label)} of task {quoted(name)}: {_kind(stimulus)}")
        if not usable:
            found.leave(node.line, f"task {quoted(name)}: nothing bounds its releases: a background task")
        execution_ns = self._execution(name, node)
        if not execution_ns:
            source.fail(node.line, f"task {quoted(name)}: it executes nothing", "ticks in its runnables")
        preemption = node.attributes.get("preemption", "preemptive")
        if preemption == "cooperative":
            found.note(f"task {name}: cooperative counts as not preempted at all")
        deadline_ns = model.deadline_ns(name)
        priority = model.priority_of(name, node)
        when = usable[0] if usable else None
        found.jobs.append(
            Job(
                name=name,
                line=node.line,
                wcet_ns=execution_ns,
                period_ns=when.apart_ns if when and when.periodic else None,
                min_interarrival_ns=when.apart_ns if when and not when.periodic else None,
                deadline_ns=(deadline_ns or when.apart_ns) if when else None,
                jitter_ns=when.jitter_ns if when else 0,
                offset_ns=when.offset_ns if when and when.periodic else 0,
                priority=priority if when else None,
                preemptive=preemption not in ("non_preemptive", "cooperative"),
            )
        )

    def _execution(self, task: str, node: Node) -> int:
        """Executes the items in order. Returns the time; sections of semaphores are in `held`."""
        model, source = self.model, self.model.source
        now, held = Fraction(0), self.held.setdefault(task, [])
        open_at: dict[str, tuple[int, int]] = {}
        for item in self._sequence(node):
            kind = _kind(item)
            if kind in _TICKS:
                now += self._ticks(item)
            elif kind == "SemaphoreAccess":
                names = model.references(item, "semaphore")
                at = numbers.shortest(source, item.line, "time", now)
                for one in names:
                    if item.attributes.get("access") in ("request", "exclusive", "obtain"):
                        open_at.setdefault(one, (at, item.line))
                    elif one in open_at:
                        end = numbers.longest(source, item.line, "time", now)
                        held.append(sections.Section(one, open_at.pop(one)[0], max(end, 1)))
            elif kind not in (*_FREE, ""):
                model.found.leave(item.line, f"{kind} in task {quoted(task)}")
        for one, (_, line) in open_at.items():
            source.fail(line, f"task {quoted(task)} does not release semaphore {quoted(one)}", 'access="release"')
        return numbers.longest(source, node.line, "execution time", now)

    def _sequence(self, task: Node) -> Iterator[Node]:
        """The items of a task and of the runnables that it calls, in their order; all branches count."""
        waiting = list(reversed(_body(task)))
        while waiting:
            node = waiting.pop()
            self.items += 1
            if self.items > _ITEMS_MAX:
                self.model.source.fail(task.line, f"more than {_ITEMS_MAX} items are executed", "a smaller model")
            kind = _kind(node)
            if kind in _CALLS:
                waiting.extend(reversed([part for one in self._called(node) for part in _body(one)]))
            elif kind in _GROUPS or kind in _BRANCHES or node.name in ("entries", "defaultEntry"):
                if kind in _BRANCHES:
                    self.model.found.note(f"line {node.line}: all branches of a {kind} count, one after the other")
                waiting.extend(reversed(node.children))
            elif kind in ("WhileLoop", "Loop"):
                self.model.found.leave(node.line, f"{kind}: its body counts once")
                waiting.extend(reversed(node.children))
            else:
                yield node

    def _called(self, node: Node) -> Iterator[Node]:
        for name in self.model.references(node, "runnable"):
            called = self.model.runnables.get(name)
            if called is None:
                self.model.source.fail(node.line, f"no runnable {quoted(name)}", "the file that has it, too")
            yield called

    def _ticks(self, node: Node) -> Fraction:
        """Nanoseconds of ticks or instructions: the most that they may be."""
        model = self.model
        if self.hertz is None:
            hint = "hwModel with the frequency of the core, and mappingModel with the core of each task"
            model.source.fail(node.line, "ticks, but the model has no frequency for them", hint)
        extended = [one for one in node.all("extended") if self.name in model.references(one, "key")]
        value = _most((extended or list(node.all("default", "value", "instructions")) or [node])[0])
        if value is None:
            model.source.fail(node.line, "ticks without a greatest value", 'upperBound="..." or value="..."')
        most = numbers.number(model.source, node.line, "ticks", value)
        return most * 10**9 / self.hertz

    def resources(self) -> None:
        model = self.model
        uses = {task: sections.uses(task, held) for task, held in self.held.items()}
        names = list(dict.fromkeys(name for listed in uses.values() for name, _ in listed))
        for name in names:
            node = model.semaphores.get(name)
            if node is None:
                model.source.fail(0, f"no semaphore {quoted(name)} in osModel", "the file that has it, too")
            ceiling = node.attributes.get("priorityCeilingProtocol") == "true" or "Ceiling" in node.attributes.get(
                "semaphoreType", ""
            )
            if not ceiling:
                model.found.note(f"semaphore {name}: no protocol against inversion; its owner inherits in Takt")
            users = tuple(use for task in uses for resource, use in uses[task] if resource == name)
            model.found.resources.append(Resource(name, node.line, "ceiling" if ceiling else "inherit", users))


@dataclass
class _Timing:
    """When a stimulus releases. `apart_ns` is 0: not bounded, or in a way that Takt has not."""

    model: _Model
    node: Node
    apart_ns: int = 0
    periodic: bool = False
    jitter_ns: int = 0
    offset_ns: int = 0

    def __post_init__(self) -> None:
        kind, node, source = _kind(self.node), self.node, self.model.source
        if kind in ("PeriodicStimulus", "Periodic"):
            recurrence = node.first("recurrence")
            if recurrence is None:
                source.fail(node.line, "a periodic stimulus without a recurrence", '<recurrence value="10" unit="ms"/>')
            self.periodic = True
            self.apart_ns = self._time(recurrence)
            offset, jitter = node.first("offset"), node.first("jitter") or node.first("stimulusdeviation")
            self.offset_ns = self._time(offset) if offset is not None else 0
            if jitter is not None:
                self.jitter_ns = numbers.longest(source, jitter.line, "jitter", self._bound(jitter, "upperbound"))
        elif kind in ("RelativePeriodicStimulus", "SporadicStimulus", "Sporadic"):
            inner = node.first("nextoccurrence") or node.first("stimulusdeviation")
            if inner is not None:
                self.apart_ns = numbers.shortest(source, inner.line, kind, self._bound(inner, "lowerbound"))

    def _time(self, node: Node) -> int:
        return numbers.shortest(self.model.source, node.line, node.name, self.model.time_ns(node))

    def _bound(self, node: Node, which: str) -> Fraction:
        """A bound of a deviation; 0: it has none."""
        for inner in node.walk():
            if inner.name.lower() == which:
                return self.model.time_ns(inner)
        return Fraction(0)


def _body(node: Node) -> list[Node]:
    """The items of a task or of a runnable."""
    found: list[Node] = []
    for child in node.children:
        name = child.name
        if name in ("callGraph", "activityGraph"):
            found += child.children
        elif name in ("runnableItems", "graphEntries", "items", "calls"):
            found.append(child)
    return found


def _most(node: Node) -> str | None:
    """The greatest value of a number that may vary."""
    for inner in node.walk():
        if "upperBound" in inner.attributes:
            return inner.attributes["upperBound"]
        if inner.name == "upperBound" and "value" in inner.attributes:
            return inner.attributes["value"]
    for inner in node.walk():
        if "value" in inner.attributes and inner.name not in ("lowerBound", "average", "mean"):
            varies = any(word in _kind(inner) for word in ("Gauss", "Weibull", "Beta"))
            return None if varies else inner.attributes["value"]
    return None
