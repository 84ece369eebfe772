# SPDX-License-Identifier: Apache-2.0
"""Chains of random networks through `takt check`, beside a naive simulator: no run takes longer than what is proved.

TAKT_SETS: how many networks (default 6, with --full 400). A failure names the seed of its network.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

from can_files import document, write
from command_line import Takt
from network_jobs import Message, Run, Step, Task, observed

NETWORKS = int(os.environ.get("TAKT_SETS", "400" if os.environ.get("TAKT_TEST_FULL") else "6"))
US, END, WARM = 1_000, 600_000, 150_000
NAMES = "abc"


@dataclass
class Network:
    """`steps`: those of `path` first, which are its steps in order."""

    steps: list[Step]
    path: int
    offsets: list[bool]  # of each node
    names: list[str] = field(default_factory=list)

    def texts(self) -> dict[str, str]:
        """The files, by the node; "": the network's."""
        self.names = [f"s{number}" for number in range(len(self.steps))]
        path = ", ".join(f'"{self.whole(number)}"' for number in range(self.path))
        found = {"": f'[[chain]]\nname = "flow"\npath = [{path}]\nreaction = "100 s"\n'}
        for node, name in enumerate(NAMES[: len(self.offsets)]):
            found[""] += f'[[node]]\nname = "{name}"\nsystem = "{name}"\n'
            found[name] = self.system(node)
        return found

    def whole(self, number: int) -> str:
        step = self.steps[number]
        return f"{NAMES[step.node]}.s{number}" if isinstance(step, Task) else f"s{number}"

    def system(self, node: int) -> str:
        tasks = [(number, one) for number, one in enumerate(self.steps) if isinstance(one, Task) and one.node == node]
        order = [f'"s{number}"' for number, _ in sorted(tasks, key=lambda one: one[1].priority)]
        text = f'[system]\nboard = "host"\noffsets = {str(self.offsets[node]).lower()}\n'
        text += f'[[band]]\nkind = "fixed"\ntasks = [{", ".join(order)}]\n'
        text += '[[can]]\nname = "body"\nbitrate = "125 kbit/s"\ndriver = true\n'
        text += "".join(self.task(number, task) for number, task in tasks)
        return text + "".join(self.message(number, node) for number in range(len(self.steps)))

    def task(self, number: int, task: Task) -> str:
        often = "min_interarrival" if task.sporadic or task.triggered else "period"
        text = f'[[task]]\nname = "s{number}"\n{often} = "{task.period} us"\nwcet = "{task.wcet} us"\n'
        text += f'offset = "{task.offset} us"\n' if task.offset is not None else ""
        text += f'jitter = "{task.jitter} us"\n' if task.jitter else ""
        if not task.triggered:
            return text
        if isinstance(self.steps[task.before or 0], Message):
            return f'{text}trigger = "message s{task.before}"\npending_max = 20\n'
        text += f'trigger = "mailbox to_s{number}"\npending_max = 20\n'
        text += f'[[mailbox]]\nname = "to_s{number}"\nmessage_size = 4\ncapacity = 20\n'
        return text + f'senders = [{{task = "s{task.before}"}}]\n'

    def message(self, number: int, node: int) -> str:
        """As the node declares it."""
        one = self.steps[number]
        if not isinstance(one, Message):
            return ""
        sender = self.steps[one.sender]
        assert isinstance(sender, Task)
        text = f'[[message]]\nname = "s{number}"\nbus = "body"\nbytes = 8\nid = {one.identifier}\n'
        period = f'period = "{sender.period * one.every} us"\n'
        if sender.node == node:
            deadline = f'deadline = "{sender.period * one.every} us"\n'
            return f'{text}sender = "s{one.sender}"\n{deadline}' + (period if one.every > 1 else "")
        receivers = [
            f'"s{other}"'
            for other, task in enumerate(self.steps)
            if isinstance(task, Task) and task.node == node and task.before == number
        ]
        if not receivers:
            return ""
        return f'{text}from = "{NAMES[sender.node]}"\n{period}jitter = "8 ms"\nreceivers = [{", ".join(receivers)}]\n'


def draw(rng: random.Random) -> Network:
    """A chain of two to four tasks, and others beside it."""
    nodes = rng.randint(2, 3)
    priorities = rng.sample(range(100), 40)
    identifiers = rng.sample(range(1, 0x7EF), 20)
    offsets = [rng.random() < 0.5 for _ in range(nodes)]

    def task(node: int, before: int | None = None) -> Task:
        period = rng.choice((8, 10, 12, 15, 20, 30, 40)) * 1000
        known = rng.randrange(0, period, 1000) if offsets[node] else None
        jitter = rng.choice((0, 0, rng.randint(1, 1500)))
        return Task(node, priorities.pop(), period, rng.randint(100, 2000), known, jitter, before=before)

    def triggered(node: int, before: int, apart: int, by_message: bool) -> Task:
        apart -= rng.choice((0, 0, rng.randrange(apart // 4)))
        one = replace(task(node, before), period=apart, triggered=True, offset=None)
        return replace(one, jitter=rng.choice((6000, 8000)) if by_message else 0)

    first = replace(task(rng.randrange(nodes)), sporadic=rng.random() < 0.2)
    if first.sporadic:
        first.offset, first.jitter = None, 0
    steps: list[Step] = [first]
    apart = first.period
    for _ in range(rng.randint(1, 3)):
        before = steps[-1]
        assert isinstance(before, Task)
        node, sender = before.node, len(steps) - 1
        if rng.random() < 0.7:
            every = rng.choice((1, 1, 2)) if not (before.triggered or before.sporadic) else 1
            steps.append(Message(sender, identifiers.pop(), every))
            apart *= every
            node = rng.choice([other for other in range(nodes) if other != before.node])
        link = isinstance(steps[-1], Message)
        if rng.random() < 0.5:
            steps.append(triggered(node, len(steps) - 1, apart, link))
        else:
            steps.append(task(node, len(steps) - 1))
        last = steps[-1]
        assert isinstance(last, Task)
        apart = last.period
    path = len(steps)
    for node in range(nodes):
        for _ in range(rng.randint(1, 2)):
            steps.append(task(node))
            if rng.random() < 0.6:
                steps.append(Message(len(steps) - 1, identifiers.pop()))
    return Network(steps, path, offsets)


def checked(takt: Takt, folder: Path, network: Network) -> dict[str, Any]:
    for name, text in network.texts().items():
        (folder / name).mkdir(exist_ok=True)
        write(folder / name, "system.toml", text)
    said = takt("check", folder, "--json", "--overheads", "none")
    assert said.code in (0, 1), said.err
    return document(said)


def proved(takt: Takt, folder: Path, rng: random.Random) -> tuple[Network, dict[str, Any]]:
    while True:
        network = draw(rng)
        found = checked(takt, folder, network)
        if found["feasible"]:
            return network, found["chains"][0]


def changed(rng: random.Random, network: Network) -> Network:
    """A task executes longer, or has more jitter."""
    number = rng.choice([number for number, step in enumerate(network.steps) if isinstance(step, Task)])
    task, steps = network.steps[number], list(network.steps)
    assert isinstance(task, Task)
    wcet, jitter = rng.choice(((rng.randint(1, 800), 0), (0, rng.randint(1, 2000))))
    steps[number] = replace(task, wcet=task.wcet + wcet, jitter=task.jitter + jitter)
    return replace(network, steps=steps)


def response_of_first(found: dict[str, Any], network: Network) -> int | None:
    """None: tasks are not proved."""
    first = network.steps[0]
    assert isinstance(first, Task)
    if not all(task["feasible"] for node in found["nodes"] for task in node["tasks"]):
        return None
    responses: dict[str, int] = {task["name"]: task["response_ns"] for task in found["nodes"][first.node]["tasks"]}
    return responses["s0"]


def test_no_run_of_a_network_takes_longer(takt: Takt, tmp_path: Path) -> None:
    """And longer execution or more jitter of a task never lowers a bound, and a chain of one task has its response."""
    shares, crossing, triggered, compared = [], 0, 0, 0
    for seed in range(NETWORKS):
        rng = random.Random(seed)
        network, bound = proved(takt, tmp_path, rng)
        longest = oldest = 0
        for _ in range(3):
            reaction, age = observed(Run(rng, network.steps, 0, END), network.path - 1, WARM)
            longest, oldest = max(longest, reaction), max(oldest, age)
        assert longest * US <= bound["reaction_ns"], f"seed {seed}: a reaction of {longest} us"
        if bound["age_ns"] is not None:
            assert oldest * US <= bound["age_ns"], f"seed {seed}: an age of {oldest} us"
        shares.append(longest * US / bound["reaction_ns"])
        steps = network.steps[: network.path]
        crossing += any(isinstance(step, Message) for step in steps)
        triggered += any(isinstance(step, Task) and step.triggered for step in steps)
        other = checked(takt, tmp_path, changed(rng, network))["chains"][0]
        for key in ("reaction_ns", "age_ns"):
            if bound[key] is not None and other[key] is not None:
                assert other[key] >= bound[key], f"seed {seed}"
                compared += 1
        alone = replace(network, path=1)
        found = checked(takt, tmp_path, alone)
        assert found["chains"][0]["age_ns"] == response_of_first(found, alone), f"seed {seed}"
    assert crossing > NETWORKS / 2
    assert triggered > NETWORKS / 4
    assert compared > NETWORKS / 2
    assert median(shares) > 0.6
