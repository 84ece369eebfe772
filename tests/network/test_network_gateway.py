# SPDX-License-Identifier: Apache-2.0
"""Networks with a node that forwards messages between two of its buses: bounds beside a model of their own, what
receivers declare, refusals, and what runs do."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from can_files import document, write
from can_gateway import HANDLED_NS, RATES, Made, Simulation, chosen, least_fixed_point
from command_line import Takt, documented, keys, refusal
from networks import left, network, ran, seen
from running import FULL, only_full
from takt.can.logs import read as logs

MS = 1_000_000
DEADLINE = 'deadline = "200 ms"'
OTHER = {"power": "body", "body": "power"}


def bus_of(name: str, keys_of: str = "") -> str:
    return f'[[can]]\nname = "{name}"\nbitrate = "{RATES[name]} kbit/s"\ndriver = true\n{keys_of}'


def task(name: str, period_ns: int, wcet_ns: int) -> str:
    return f'[[task]]\nname = "{name}"\nperiod = "{period_ns} ns"\nwcet = "{wcet_ns} ns"\n'


def message(name: str, bus: str, *keys_of: str) -> str:
    return f'[[message]]\nname = "{name}"\nbus = "{bus}"\n' + "".join(f"{one}\n" for one in keys_of)


def contract(node: str, one: Made, jitter_ns: int, *keys_of: str) -> str:
    """What a node declares of a message that `node` sends."""
    times = (f'period = "{one.period_ns} ns"', f'jitter = "{jitter_ns} ns"', DEADLINE)
    return message(one.name, one.bus, f'from = "{node}"', f"bytes = {one.size}", f"id = {one.number}", *times, *keys_of)


HEAD = '[system]\nboard = "host"\nscheduler = "dm"\n'


@dataclass
class Node:
    """That sends on one bus, each message from a task of its own: those with shorter periods go first."""

    bus: str
    sends: list[Made] = field(default_factory=list)
    wcet_ns: dict[str, int] = field(default_factory=dict)

    def responses_ns(self) -> dict[str, int]:
        """By message: its task, those before it, and the handler of its controller, which may come once."""
        found = {}
        for index, one in enumerate(self.sends):
            window = 0
            while (now := self._work_ns(index, window)) != window:
                window = now
            found[one.name] = window
        return found

    def _work_ns(self, index: int, window: int) -> int:
        before = self.sends[:index]
        others = sum(-(-window // other.period_ns) * self.wcet_ns[other.name] for other in before)
        return self.wcet_ns[self.sends[index].name] + others

    def system(self) -> str:
        text = HEAD + bus_of(self.bus).replace("driver = true\n", "")
        for one in self.sends:
            text += task(f"for_{one.name}", one.period_ns, self.wcet_ns[one.name])
            keys_of = (f'sender = "for_{one.name}"', f"bytes = {one.size}", f"id = {one.number}", DEADLINE)
            text += message(one.name, self.bus, *keys_of)
        return text


@dataclass(frozen=True)
class Drawn:
    """A network: a gateway between two buses, and nodes that send on one of them."""

    messages: list[Made]
    nodes: dict[str, Node]

    def sender(self, one: Made) -> str:
        return next(name for name, node in self.nodes.items() if one in node.sends)

    def late_ns(self, one: Made, bounds: dict[str, int]) -> int:
        return one.jitter_ns if one.of is None else bounds[one.of] + HANDLED_NS

    def systems(self, bounds: dict[str, int], less_ns: int = 0, more_ns: int = 0) -> dict[str, str]:
        """The first node on each bus receives the copies there. `less_ns`: of the jitter that it declares; `more_ns`:
        that all declare."""
        texts = {name: node.system() for name, node in self.nodes.items()}
        gate = HEAD + task("idle", 10 * MS, MS) + bus_of("power") + bus_of("body")
        for one in (one for one in self.messages if one.of):
            source = next(other for other in self.messages if other.name == one.of)
            gate += contract(self.sender(source), source, source.jitter_ns + more_ns)
            gate += message(one.name, one.bus, f'forwards = "{one.of}"', f"id = {one.number}", DEADLINE)
            first = next(name for name, node in self.nodes.items() if node.bus == one.bus)
            texts[first] += contract("gate", one, self.late_ns(one, bounds) + more_ns - less_ns)
        return {"gate": gate, **texts}


def drawn(chance: random.Random) -> Drawn:
    """Messages as of a single gateway, given to two to four nodes; their jitters are the responses of their tasks."""
    nodes = {"p": Node("power"), "b": Node("body")}
    for index in range(chance.randint(0, 2)):
        nodes[f"n{index}"] = Node(chance.choice(list(RATES)))
    messages = chosen(chance)
    for one in sorted((one for one in messages if one.of is None), key=lambda one: one.period_ns):
        node = nodes[chance.choice([name for name, node in nodes.items() if node.bus == one.bus])]
        node.sends.append(one)
        node.wcet_ns[one.name] = chance.randint(MS // 50, 6 * MS // 5)
    responses_ns = {name: ns for node in nodes.values() for name, ns in node.responses_ns().items()}
    late = {one.name: Made(**{**vars(one), "jitter_ns": responses_ns.get(one.name, 0)}) for one in messages}
    for node in nodes.values():
        node.sends = [late[one.name] for one in node.sends]
    return Drawn(list(late.values()), {name: node for name, node in nodes.items() if node.sends})


def checked(takt: Takt, folder: Path) -> dict[str, Any]:
    return document(takt("check", folder, "--json", "--overheads", "none"))


@pytest.mark.parametrize("seed", range(60 if FULL else 6))
def test_bounds_of_random_networks(takt: Takt, tmp_path: Path, seed: int) -> None:
    """Equal to the equations, solved for both buses at once, and never exceeded by a simulation. A receiver that
    declares the jitter of its copies exactly is proved, and one that declares less is not."""
    chance = random.Random(seed)
    whole = drawn(chance)
    wanted = least_fixed_point(whole.messages)
    assert wanted is not None
    found = checked(takt, network(tmp_path, whole.systems(wanted)))
    bounds = {one["name"]: one["response_ns"] for one in found["messages"]}
    assert bounds == wanted
    assert found["feasible"] == all(bound <= 200 * MS for bound in wanted.values()), found["reason"]
    for index in range(40):
        longest = Simulation(whole.messages, chance, index % 3 > 0).run()
        assert all(longest[name] <= wanted[name] for name in wanted), whole.messages
    less = checked(takt, network(tmp_path, whole.systems(wanted, 1)))
    copies = [one for one in whole.messages if one.of]
    assert not less["feasible"]
    assert len([hint for node in less["nodes"] for hint in node["changes"]]) == len(copies)


POWER = (
    HEAD
    + task("measure", 10 * MS, MS)
    + bus_of("power")
    + message("speed", "power", 'sender = "measure"', "bytes = 8", "id = 0x100", 'deadline = "10 ms"')
)
GATE = (
    HEAD
    + task("idle", 10 * MS, MS)
    + bus_of("power")
    + bus_of("body")
    + message("speed", "power", 'from = "engine"', "bytes = 8", "id = 0x100", 'period = "10 ms"', 'jitter = "2 ms"')
    + message("speed_body", "body", 'forwards = "speed"', "id = 0x200")
)
BODY = (
    HEAD
    + task("show", 10 * MS, MS)
    + bus_of("body")
    + message("speed_body", "body", 'from = "gate"', 'receivers = ["show"]', "bytes = 8", "id = 0x200",
              'period = "10 ms"', 'jitter = "2 ms"')
)  # fmt: skip
SYSTEMS = {"engine": POWER, "gate": GATE, "dash": BODY}
CHAIN = """[[chain]]
name = "shown"
path = ["engine.measure", "speed", "speed_body", "dash.show"]
reaction = "1 s"
age = "1 s"
"""


def test_the_responses_are_those_that_are_worked_out(takt: Takt, tmp_path: Path) -> None:
    """measure ends after 1 ms and 1 us for its controller, and 8 bytes take 540 us on power; the copy is queued 2 us
    later, and takes 1080 us on body."""
    found = checked(takt, network(tmp_path, SYSTEMS))
    one = next(one for one in found["messages"] if one["name"] == "speed_body")
    queued_ns = next(one for one in found["messages"] if one["name"] == "speed")["response_ns"] + 2_000
    assert 1_540_000 < queued_ns - 2_000 <= 1_546_000
    assert (one["jitter_ns"], one["response_ns"]) == (queued_ns, queued_ns + 1_080_000)
    assert (one["sender"], one["forwards"], one["receivers"]) == ("gate", "speed", ["dash.show"])
    assert (one["period_ns"], one["deadline_ns"]) == (10 * MS, 10 * MS)
    assert {one for one in keys(found) if one.startswith("messages[]")} <= documented("check APP")
    assert "forwarded from other buses: speed_body is speed" in takt("check", tmp_path).out


def test_a_chain_goes_over_the_copy(takt: Takt, tmp_path: Path) -> None:
    """measure samples every 10 ms; the copy counts from its release; show has just missed it."""
    folder = network(tmp_path, SYSTEMS)
    write(folder, "system.toml", (folder / "system.toml").read_text() + CHAIN)
    found = checked(takt, folder)
    copied = next(one["response_ns"] for one in found["messages"] if one["name"] == "speed_body")
    shown = next(one["response_ns"] for node in found["nodes"] for one in node["tasks"] if one["name"] == "show")
    (chain,) = found["chains"]
    assert (chain["reaction_ns"], chain["age_ns"]) == (20 * MS + copied + shown, 10 * MS + copied + shown)
    assert [one["names"] for one in chain["steps"]] == [["engine.measure", "speed", "speed_body"], ["dash.show"]]


def test_the_period_of_a_copy_is_that_of_the_first_sender(takt: Takt, tmp_path: Path) -> None:
    """The gateway expects one every 5 ms, and the receiver of the copy one every 10 ms, as it comes."""
    gate = GATE.replace('period = "10 ms"\njitter', 'period = "5 ms"\njitter')
    assert checked(takt, network(tmp_path, {**SYSTEMS, "gate": gate}))["feasible"]
    rarely = BODY.replace('period = "10 ms"\njitter', 'period = "11 ms"\njitter')
    found = takt("check", network(tmp_path, {**SYSTEMS, "dash": rarely}), "--format", "github")
    line = rarely[: rarely.index("[[message]]")].count("\n") + 1
    assert (found.code, f"dash/system.toml,line={line}," in found.out) == (1, True)
    assert 'expects one every 11 ms, and "gate" sends it every 10 ms' in found.out


def test_errors_of_the_first_bus_are_in_the_jitter_of_the_copy(takt: Takt, tmp_path: Path) -> None:
    """Of at least 100 ms apart one may come: 31 bits, and the frame again. Errors at random leave no bound."""

    def with_errors(text: str) -> dict[str, str]:
        return {name: system.replace(bus_of("power"), bus_of("power", f'errors = "{text}"\n'))
                for name, system in SYSTEMS.items()}  # fmt: skip

    clean, wrong = (
        {one["name"]: one for one in checked(takt, network(tmp_path, systems))["messages"]}
        for systems in (SYSTEMS, with_errors("100ms"))
    )
    more_ns = (31 + 135) * MS // RATES["power"]
    assert wrong["speed"]["response_ns"] - clean["speed"]["response_ns"] == more_ns
    assert wrong["speed_body"]["jitter_ns"] - clean["speed_body"]["jitter_ns"] == more_ns
    problem, _ = refusal(takt("check", network(tmp_path, with_errors("random:1e-7"))))
    assert re.match(r"\S*gate/system\.toml:[0-9]+: ", problem)
    assert 'errors = "random:1e-7" of [[can]] "power" leave no bound on when it comes' in problem


def test_copies_of_copies_and_of_each_other(takt: Takt, tmp_path: Path) -> None:
    """Back to the first bus over a second gateway: its jitter is that of two buses. Without a sender it is refused."""
    back = HEAD + task("idle", 10 * MS, MS) + bus_of("power") + bus_of("body")
    back += message("speed_body", "body", 'from = "gate"', "bytes = 8", "id = 0x200", 'period = "10 ms"',
                    'jitter = "5 ms"')  # fmt: skip
    back += message("again", "power", 'forwards = "speed_body"', "id = 0x300", 'deadline = "20 ms"')
    later = BODY.replace('jitter = "2 ms"', 'jitter = "5 ms"')
    found = checked(takt, network(tmp_path, {**SYSTEMS, "back": back, "dash": later}))
    assert found["feasible"], found["reason"]
    bounds = {one["name"]: one for one in found["messages"]}
    assert bounds["speed"]["response_ns"] > 1_540_000 + 540_000  # again may go first
    assert bounds["again"]["jitter_ns"] == bounds["speed_body"]["response_ns"] + 2_000
    assert (bounds["again"]["sender"], bounds["again"]["period_ns"]) == ("back", 10 * MS)
    gate = GATE.replace('"speed"', '"again"').replace('"engine"', '"back"').replace("0x100", "0x300")
    problem, tried = refusal(takt("check", network(tmp_path, {**SYSTEMS, "gate": gate, "back": back})))
    assert re.match(r"\S*(back|gate)/system\.toml:[0-9]+: ", problem)
    assert "copies of each other alone" in problem
    assert "a sender of one of them" in tried


@pytest.mark.parametrize(
    ("node", "old", "new", "said", "hint"),
    [
        ("dash", "bytes = 8", "bytes = 4", "bytes = 4, and gate sends it with bytes = 8", "bytes = 8"),
        ("dash", "id = 0x200", "id = 0x201", "id = 0x201, and gate sends it with id = 0x200", "id = 0x200"),
        ("dash", '"speed_body"', '"speed"', '"gate" sends no message of that name on body', "speed_body"),
        ("gate", 'from = "engine"', 'from = "engin"', 'from = "engin", and engine sends it', 'from = "engine"'),
        ("gate", "bytes = 8", "bytes = 7", "bytes = 7, and engine sends it with bytes = 8", "bytes = 8"),
    ],
)
def test_what_does_not_fit_is_refused(
    takt: Takt, tmp_path: Path, node: str, old: str, new: str, said: str, hint: str
) -> None:
    systems = {**SYSTEMS, node: SYSTEMS[node].replace(old, new, 1)}
    problem, tried = refusal(takt("check", network(tmp_path, systems)))
    assert re.match(rf"\S*{node}/system\.toml:[0-9]+: ", problem)
    assert (said in problem, hint in tried) == (True, True), problem


def test_a_copy_whose_identifier_is_chosen_does_not_run(takt: Takt, tmp_path: Path) -> None:
    auto = {name: text.replace("0x200", '"auto"') for name, text in SYSTEMS.items()}
    folder = network(tmp_path, auto)
    assert checked(takt, folder)["feasible"]
    found = takt("run", folder)
    assert (found.code, '[[message]] "speed_body": id = "auto"' in found.err) == (2, True)


@only_full
@pytest.mark.parametrize("seed", range(10))
def test_runs_of_random_networks_stay_within_their_bounds(tmp_path: Path, seed: int) -> None:
    """Each copy: from the release of the job that sent the original, by its place in the log, to its end."""
    whole = drawn(random.Random(100 + seed))
    bounds = least_fixed_point(whole.messages)
    assert bounds is not None
    driven = {name: re.sub(r"(bitrate = .*\n)(?!driver)", r"\1driver = true\n", text)
              for name, text in whole.systems(bounds, more_ns=2 * MS).items()}  # fmt: skip
    folder = network(tmp_path, driven)
    code, found = ran(folder, "--duration", "500ms")
    assert (code, found["passed"]) == (0, True), [node["breaches"] for node in found["nodes"]]
    for bus, rate in RATES.items():
        on = ["gate", *(name for name, node in whole.nodes.items() if node.bus == bus)]
        texts = [left(folder, name, f"{bus}.log") for name in on]
        longest = max(texts, key=len)
        assert all(longest.startswith(text) for text in texts)
        ends_ns: dict[int, list[int]] = {}
        for entry in logs.entries(write(tmp_path, f"{bus}.log", longest)):
            ends_ns.setdefault(entry.identifier, []).append(entry.time_ns)
        for one in (one for one in whole.messages if one.bus == bus and one.of):
            took_ns = [end_ns - index * one.period_ns for index, end_ns in enumerate(ends_ns[one.number])]
            figures = seen(found)["gate", one.name]
            assert figures["count"] in (len(took_ns), len(took_ns) - 1)
            assert figures["response_ns_max"] == pytest.approx(max(took_ns) + 3 * MS // rate, abs=20_000)
            assert figures["response_ns_max"] <= figures["bound_ns"]
