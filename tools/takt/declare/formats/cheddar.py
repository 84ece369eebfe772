# SPDX-License-Identifier: Apache-2.0
"""Projects of Cheddar (versions 2 and 3, XML): processors with one core, tasks, resources with their protocols."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from takt.declare.exchange import numbers, sections
from takt.declare.exchange.model import Found, Job, Resource, Source, Use, quoted
from takt.declare.formats.xml_tree import Node

_BY_PERIOD = ("RATE_MONOTONIC",)
_BY_DEADLINE = ("DEADLINE_MONOTONIC",)
_BY_PRIORITY = ("POSIX_1003_HIGHEST_PRIORITY_FIRST", "HIGHEST_PRIORITY_FIRST")
_EDF = ("EARLIEST_DEADLINE_FIRST",)
_CEILINGS = ("IMMEDIATE_PRIORITY_CEILING", "PRIORITY_CEILING")
# Elements of a task that are read, and those that say nothing on which a bound depends.
_READ = frozenset(
    "name task_type cpu_name capacity deadline start_time priority policy period jitter object_type".split()
)
_HARMLESS = frozenset(
    "address_space_name text_memory_size stack_memory_size criticality cfg_name text_start_address cfg_relocatable"
    " x y every seed predictable offsets_name completion".split()
)


def is_root(root: Node) -> bool:
    return root.name.lower() == "cheddar"


def read(source: Source, root: Node) -> Found:
    """The tasks of one processor. UserError: it describes none, with its line."""
    found = Found("Cheddar")
    tasks = [node for group in root.all("tasks") for node in group.children]
    if not tasks:
        source.fail(root.line, "no task", "a project with tasks")
    source.limit(len(tasks), tasks[-1].line)
    chosen = source.chosen([_text(task, "cpu_name") for task in tasks], tasks[0].line)
    for task in tasks:
        if _text(task, "cpu_name") != chosen:
            found.leave(task.line, f"task {quoted(_text(task, 'name'))}: on {quoted(_text(task, 'cpu_name'))}", False)
    processor = _Processor(source, found, root, chosen)
    for node in tasks:
        if _text(node, "cpu_name") == chosen:
            found.jobs.append(processor.job(node))
    processor.rank()
    processor.resources()
    processor.list_others()
    return found


def _text(node: Node, name: str) -> str:
    child = node.first(name)
    return child.text if child is not None else node.attributes.get(name, "")


def _plain(word: str, *ends: str) -> str:
    """A word of Cheddar without its endings: RATE_MONOTONIC_PROTOCOL is RATE_MONOTONIC in version 2."""
    word = word.strip().upper().replace(" ", "_")
    for end in ends:
        word = word.removesuffix(end)
    return word


@dataclass
class _Processor:
    source: Source
    found: Found
    root: Node
    name: str

    def __post_init__(self) -> None:
        unit = self.source.unit
        if unit is None:
            self.source.fail(0, "Cheddar's times have no unit", "--unit ms (ns, us, ms, s)")
        self.unit_ns = numbers.unit_ns(unit) or 1
        self.node = self._find_processor()
        core = self._core()
        parameters = next((node for node in core.walk() if node.name.lower() == "scheduling_parameters"), core)
        words = (_text(parameters, "scheduler_type"), _text(parameters, "scheduler"))
        self.scheduler = _plain(next(filter(None, words), ""), "_PROTOCOL")
        if not self.scheduler:
            self.source.fail(core.line, f"processor {quoted(self.name)} has no scheduler", "RATE_MONOTONIC_PROTOCOL")
        scheduler = parameters.first("scheduler")
        preemptive = _text(parameters, "preemptive_type") or (scheduler.attributes.get("type", "") if scheduler else "")
        self.preemptive = _plain(preemptive).startswith(("PREEMPT", "PARTIALLY")) or not preemptive
        if _plain(preemptive).startswith("PARTIALLY"):
            self.found.leave(parameters.line, "preemptive_type PARTIALLY_PREEMPTIVE")
        self.speed = self._number(core, "speed") or Fraction(1)
        self.quantum_ns = self._time(parameters, "quantum")
        self._hierarchy()

    def _find_processor(self) -> Node:
        groups = [node for group in self.root.all("processors") for node in group.children]
        node = next((node for node in groups if _text(node, "name") == self.name), None)
        if node is None:
            self.source.fail(self.root.line, f"no processor {quoted(self.name)}, which tasks name", "its element")
        return node

    def _core(self) -> Node:
        """The core of the processor; in version 2 it is the processor."""
        references = [child.attributes.get("ref", "") for child in self.node.walk() if child.name.lower() == "core"]
        if len(references) > 1:
            problem = f"processor {quoted(self.name)} has {len(references)} cores; a system has one"
            self.source.fail(self.node.line, problem, "a processor with one core")
        if not references:
            return self.node
        cores = [node for group in self.root.all("core_units") for node in group.children]
        core = next((node for node in cores if node.attributes.get("id") == references[0]), None)
        if core is None:
            self.source.fail(self.node.line, f"no core {quoted(references[0])}", "the core_unit with this id")
        return core

    def _hierarchy(self) -> None:
        """Address spaces with schedulers of their own."""
        for space in (node for group in self.root.all("address_spaces") for node in group.children):
            if _text(space, "cpu_name") != self.name:
                continue
            words = [node.text for node in space.walk() if node.name.lower() in ("scheduler_type", "scheduler")]
            if any(word and _plain(word, "_PROTOCOL") != "NO_SCHEDULING" for word in words):
                self.found.leave(space.line, f"address space {quoted(_text(space, 'name'))}: a scheduler of its own")

    def _number(self, node: Node, name: str) -> Fraction | None:
        child = node.first(name)
        text, line = (child.text, child.line) if child is not None else (node.attributes.get(name, ""), node.line)
        return numbers.number(self.source, line, name, text) if text else None

    def _time(self, node: Node, name: str, *, round_up: bool = True, scaled: bool = False) -> int:
        """A time of the element in ns; 0: it has none."""
        value = (self._number(node, name) or Fraction(0)) * self.unit_ns / (self.speed if scaled else 1)
        rounding = numbers.longest if round_up else numbers.shortest
        return rounding(self.source, node.line, name, value)

    def job(self, node: Node) -> Job:
        name = _text(node, "name") or self.source.fail(node.line, "a task without a name", "<name>...</name>")
        kind = _plain(_text(node, "task_type") or node.name, "_TYPE", "_TASK")
        period = self._time(node, "period", round_up=False)
        sporadic = kind == "SPORADIC"
        if kind not in ("PERIODIC", "SPORADIC"):
            self.found.leave(node.line, f"task {quoted(name)}: {kind}, its releases are not bounded: a background task")
            period = 0
        elif not period:
            self.source.fail(node.line, f"task {quoted(name)}: the period is missing or 0", "<period>20</period>")
        capacity = self._time(node, "capacity", scaled=True)
        if not capacity:
            self.source.fail(node.line, f"task {quoted(name)}: the capacity is missing or 0", "<capacity>1</capacity>")
        self._list_elements(node, name)
        start = self._time(node, "start_time", round_up=False)
        if _plain(_text(node, "policy")) == "SCHED_RR" and self.quantum_ns:
            self.found.quantum_ns = self.quantum_ns
        return Job(
            name=name,
            line=node.line,
            wcet_ns=capacity,
            period_ns=None if sporadic or not period else period,
            min_interarrival_ns=period if sporadic else None,
            deadline_ns=(self._time(node, "deadline", round_up=False) or period) if period else None,
            jitter_ns=self._time(node, "jitter") if period else 0,
            offset_ns=start if period and not sporadic else 0,
            priority=self._number(node, "priority") or Fraction(0),
            preemptive=self.preemptive,
        )

    def _list_elements(self, node: Node, name: str) -> None:
        for child in node.children:
            element, text = child.name.lower(), child.text.strip()
            if element in _READ or element in _HARMLESS:
                continue
            nothing = text in ("", "0", "0.0", "0.00000", "FALSE", "false") and not child.children
            if not nothing:
                self.found.leave(child.line, f"task {quoted(name)}: {element}{f' {text}' if text else ''}")

    def rank(self) -> None:
        """Priorities as the scheduler gives them."""
        jobs = self.found.jobs
        ruled = [job for job in jobs if job.deadline_ns is not None]
        if self.scheduler in _BY_PERIOD + _BY_DEADLINE:
            # Among equals Cheddar's analysis lets the last one of the file go first.
            monotonic = self.scheduler in _BY_PERIOD

            def key(job: Job) -> int:
                return (job.period_ns or job.min_interarrival_ns or 0) if monotonic else (job.deadline_ns or 0)

            backward = list(reversed(ruled))
            order = sorted(backward, key=key)
            ranks = {job.name: Fraction(len(order) - index) for index, job in enumerate(order)}
            if len({key(job) for job in ruled}) < len(ruled):
                self.found.note("of equals the later in the file is more urgent, as in Cheddar's analysis")
        elif self.scheduler in _BY_PRIORITY:
            ranks = {job.name: job.priority or Fraction(0) for job in ruled}
        elif self.scheduler in _EDF:
            ranks = dict.fromkeys((job.name for job in ruled), Fraction(1))
        else:
            hint = "RATE_MONOTONIC, DEADLINE_MONOTONIC, EARLIEST_DEADLINE_FIRST or POSIX_1003_HIGHEST_PRIORITY_FIRST"
            self.source.fail(self.node.line, f"scheduler {quoted(self.scheduler)} has no counterpart", hint)
        by_deadline = self.scheduler in _EDF
        self.found.jobs = [
            replace(job, priority=ranks.get(job.name), by_deadline=by_deadline) if job.name in ranks else job
            for job in jobs
        ]
        if self.scheduler not in _BY_PRIORITY:
            self.found.quantum_ns = 0

    def resources(self) -> None:
        known = {job.name: job for job in self.found.jobs}
        held: dict[str, list[sections.Section]] = {name: [] for name in known}
        nodes = [node for group in self.root.all("resources") for node in group.children]
        nodes = [node for node in nodes if _text(node, "cpu_name") in ("", self.name)]
        protocols: dict[str, tuple[int, str]] = {}
        for node in nodes:
            name = _text(node, "name") or self.source.fail(node.line, "a resource without a name", "<name>...</name>")
            if name in protocols:
                problem = f"resource {quoted(name)} is there twice, first in line {protocols[name][0]}"
                self.source.fail(node.line, problem, "another name")
            protocols[name] = (node.line, _plain(_text(node, "protocol") or node.name, "_PROTOCOL", "_RESOURCE"))
            for task, begin, end in self._sections_of(node):
                if task not in known:
                    problem = f"resource {quoted(name)}: no task {quoted(task)} on {quoted(self.name)}"
                    self.source.fail(node.line, problem, "a task of this processor")
                self._check_section(node, name, known[task], begin, end)
                held[task].append(sections.Section(name, begin, end))
        uses = {task: sections.uses(task, held[task]) for task in known}
        for name, (line, protocol) in protocols.items():
            users = tuple(use for task in known for resource, use in uses[task] if resource == name)
            self._add(name, line, protocol, users)

    def _sections_of(self, node: Node) -> Iterator[tuple[str, int, int]]:
        """Task, begin and end of each section, in execution time of the task; Cheddar counts its units from 1."""
        for group in node.all("critical_sections"):
            task = ""
            for child in group.walk():
                if child.name.lower() == "task_name":
                    task = child.text
                elif child.name.lower() == "critical_section":
                    begin = (self._number(child, "task_begin") or Fraction(1)) - 1
                    end = self._number(child, "task_end") or Fraction(0)
                    scale = self.unit_ns / self.speed
                    first = numbers.shortest(self.source, child.line, "task_begin", max(begin, Fraction(0)) * scale)
                    last = numbers.longest(self.source, child.line, "task_end", end * scale)
                    yield task, first, last

    def _check_section(self, node: Node, name: str, job: Job, begin: int, end: int) -> None:
        if not begin < end <= job.wcet_ns:
            problem = f"resource {quoted(name)}: the section of {quoted(job.name)} is not within its capacity"
            self.source.fail(node.line, problem, "1 <= task_begin <= task_end <= capacity")

    def _add(self, name: str, line: int, protocol: str, users: tuple[Use, ...]) -> None:
        if not users:
            return
        if protocol in _CEILINGS or protocol in ("IPCP", "PCP"):
            kind = "ceiling"
        elif protocol in ("PRIORITY_INHERITANCE", "PIP"):
            kind = "inherit"
        else:
            kind = "inherit"
            self.found.note(f"resource {name}: {protocol}, which bounds no inversion; its owner inherits in Takt")
        if protocol in ("PRIORITY_CEILING", "PCP"):
            self.found.note(f"resource {name}: {protocol}, in Takt the immediate ceiling, of the same worst case")
        self.found.resources.append(Resource(name, line, kind, users))

    def list_others(self) -> None:
        """What is of no counterpart, beside tasks and resources."""
        for group in self.root.children:
            kind = group.name.lower()
            for node in group.children if kind in ("dependencies", "messages", "buffers", "networks") else ():
                self._list(kind, node)
            if kind not in _GROUPS and group.children:
                self.found.leave(group.line, kind)
        cycle = _cycle(self.root)
        if cycle:
            self.source.fail(cycle[0], f"precedences in a circle: {' before '.join(cycle[1])}", "an order")

    def _list(self, kind: str, node: Node) -> None:
        if kind == "dependencies":
            words = " ".join(
                child.text or child.attributes.get("ref", "") for child in node.walk() if child is not node
            )
            what = _plain(_text(node, "type_of_dependency") or node.name, "_DEPENDENCY").lower()
            harmless = what in ("asynchronous_communication", "black_board_buffer")
            self.found.leave(node.line, f"dependency {what}: {' '.join(words.split())}"[:100], not harmless)
        else:
            self.found.leave(node.line, f"{kind[:-1]} {quoted(_text(node, 'name'))}", False)


_GROUPS = (
    *("core_units", "processors", "address_spaces", "tasks", "resources", "dependencies", "messages", "buffers"),
    *("networks", "task_groups", "caches", "memories", "batteries"),
)


def _cycle(root: Node) -> tuple[int, list[str]] | None:
    """The line and the tasks of precedences in a circle."""
    after: dict[str, list[tuple[str, int]]] = {}
    for group in root.all("dependencies"):
        for node in group.walk():
            sink, origin = node.first("precedence_sink"), node.first("precedence_source")
            if sink is not None and origin is not None:
                names = [one.attributes.get("ref", one.text) for one in (origin, sink)]
                after.setdefault(names[0], []).append((names[1], node.line))
    return circle(after)


def circle(after: dict[str, list[tuple[str, int]]]) -> tuple[int, list[str]] | None:
    """A circle in a graph, with the line of its last arrow. No recursion, however long its ways are."""
    done: set[str] = set()
    for start in after:
        way: list[str] = []
        at: dict[str, int] = {}
        waiting: list[tuple[str, int, bool]] = [(start, 0, True)]
        while waiting:
            name, line, enters = waiting.pop()
            if not enters:
                way.pop()
                del at[name]
                done.add(name)
            elif name in at:
                return line, [*way[at[name] :], name]
            elif name not in done:
                at[name] = len(way)
                way.append(name)
                waiting.append((name, 0, False))
                waiting.extend((other, arrow, True) for other, arrow in after.get(name, ()))
    return None
