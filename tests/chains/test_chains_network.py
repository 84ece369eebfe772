# SPDX-License-Identifier: Apache-2.0
"""Chains from a task of one node of a network to a task of another: bounds by hand, what is refused, and what follows
from a longer wcet or more jitter."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from can_files import document, write
from command_line import Takt, documented, keys, refusal
from takt.support.provision import ROOT

MS, US = 1_000_000, 1_000
BUS = '[[can]]\nname = "body"\nbitrate = "500 kbit/s"\n'
NODES = '[[node]]\nname = "pedal"\nsystem = "pedal"\n[[node]]\nname = "wheel"\nsystem = "wheel"\n'
HEAD = '[system]\nboard = "host"\nscheduler = "dm"\n'


def table(kind: str, name: str, *values: str) -> str:
    return f'[[{kind}]]\nname = "{name}"\n' + "".join(f"{value}\n" for value in values)


PEDAL = (
    HEAD
    + table("task", "sample", 'period = "10 ms"', 'wcet = "1 ms"')
    + table("task", "watch", 'period = "40 ms"', 'wcet = "2 ms"')
    + BUS
    + table("message", "demand", 'bus = "body"', 'sender = "sample"', "bytes = 8", "id = 0x100", 'deadline = "5 ms"')
)
EXPECTED = ('bus = "body"', 'from = "pedal"', "bytes = 8", "id = 0x100", 'period = "10 ms"', 'jitter = "1 ms"')
WHEEL = (
    HEAD
    + table("task", "control", 'period = "5 ms"', 'wcet = "2 ms"')
    + BUS
    + table("message", "demand", *EXPECTED, 'receivers = ["control"]')
    + table("message", "speed", 'bus = "body"', 'sender = "control"', "bytes = 8", "id = 0x200", 'deadline = "5 ms"')
)
RELEASED = (
    table("task", "act", 'min_interarrival = "10 ms"', 'trigger = "message demand"', 'jitter = "2 ms"', 'wcet = "1 ms"')
    + table("task", "store", 'min_interarrival = "10 ms"', 'trigger = "mailbox lines"', 'wcet = "500 us"')
    + table("mailbox", "lines", "message_size = 8", "capacity = 4", 'senders = [{task = "act"}]')
)
DRIVEN = BUS + "driver = true\n"
DRIVEN_PEDAL = PEDAL.replace(BUS, DRIVEN)
DRIVEN_WHEEL = WHEEL.replace('jitter = "1 ms"', 'jitter = "1100 us"').replace(BUS, RELEASED + DRIVEN)
DRIVEN_WHEEL = DRIVEN_WHEEL.replace('["control"]', '["control", "act"]')


def chain(path: str, limits: str = 'reaction = "1 s"', name: str = "brake") -> str:
    names = ", ".join(f'"{name}"' for name in path.split())
    return f'[[chain]]\nname = "{name}"\npath = [{names}]\n{limits}\n'


def network(folder: Path, text: str, pedal: str = PEDAL, wheel: str = WHEEL) -> Path:
    write(folder, "system.toml", NODES + text)
    for name, system in (("pedal", pedal), ("wheel", wheel)):
        (folder / name).mkdir(exist_ok=True)
        write(folder / name, "system.toml", system)
    return folder


def checked(takt: Takt, folder: Path, *options: str) -> dict[str, Any]:
    return document(takt("check", folder, "--json", "--overheads", "none", *options))


def bounds(found: dict[str, Any]) -> list[tuple[int | None, int | None]]:
    assert all(one["feasible"] for one in found["nodes"]), found["reason"]
    return [(one["reaction_ns"], one["age_ns"]) for one in found["chains"]]


# A frame takes up to 270 us: demand waits for speed, 1 + 0.27 + 0.27; speed for demand, 2 + 0.27 + 0.27. watch: 2 + 1.
@pytest.mark.parametrize(
    ("path", "reaction_us", "age_us"),
    [
        ("pedal.sample", 10_000 + 1_000, 1_000),
        ("pedal.sample demand", 10_000 + 1_540, 1_540),
        ("pedal.sample demand wheel.control", 11_540 + 5_000 + 2_000, 11_540 + 2_000),
        (
            "pedal.watch pedal.sample demand wheel.control speed",
            43_000 + 11_540 + 5_000 + 2_540,
            43_000 + 11_540 + 2_540,
        ),
    ],
)
def test_bounds_by_hand(takt: Takt, tmp_path: Path, path: str, reaction_us: int, age_us: int) -> None:
    """Known offsets change nothing from node to node: each has its own clock."""
    folder = network(tmp_path, chain(path))
    assert bounds(checked(takt, folder)) == [(reaction_us * US, age_us * US)]
    if path.count("pedal.") == 1:
        offsets = "[system]\noffsets = true\n"
        network(tmp_path, chain(path), *(system.replace("[system]\n", offsets) for system in (PEDAL, WHEEL)))
        assert bounds(checked(takt, folder)) == [(reaction_us * US, age_us * US)]


def test_a_network_of_steps_that_trigger_each_other(takt: Takt, tmp_path: Path) -> None:
    """Each adds its response from its release: its jitter is that of the steps before it."""
    folder = network(tmp_path, chain("pedal.sample demand wheel.act wheel.store"), DRIVEN_PEDAL, DRIVEN_WHEEL)
    found = checked(takt, folder)
    responses = {task["name"]: task["response_ns"] for task in found["nodes"][1]["tasks"]}
    assert responses["act"] > 5 * MS  # 2 of jitter, 1 of its own, 2 of control
    age_ns = found["messages"][0]["response_ns"] + responses["act"] - 2 * MS + responses["store"]
    assert bounds(found) == [(10 * MS + age_ns, age_ns)]
    (step,) = found["chains"][0]["steps"]
    assert (step["node"], step["names"][2:]) == ("pedal", ["wheel.act", "wheel.store"])
    # By deadlines, what is called its arrival counts.
    edf = checked(takt, network(tmp_path, chain("pedal.sample demand wheel.act"), DRIVEN_PEDAL,
                                DRIVEN_WHEEL.replace('"dm"', '"edf"')))  # fmt: skip
    response = next(task["response_ns"] for task in edf["nodes"][1]["tasks"] if task["name"] == "act")
    assert edf["chains"][0]["age_ns"] == edf["messages"][0]["response_ns"] + response


def test_clocks_that_are_wrong_make_it_longer(takt: Takt, tmp_path: Path) -> None:
    drift = BUS + "drift = 5000\n"
    systems = [one.replace(BUS, drift).replace('jitter = "1 ms"', 'jitter = "2 ms"') for one in (PEDAL, WHEEL)]
    path = "pedal.sample demand wheel.control"
    found = checked(takt, network(tmp_path, chain(path), *systems))
    own_ns = 10 * MS + found["messages"][0]["response_ns"] + 5 * MS + 2 * MS
    assert found["chains"][0]["reaction_ns"] == -(-own_ns * 1000 // 995)


def test_chains_of_a_system_have_the_bounds_of_the_network(takt: Takt, tmp_path: Path) -> None:
    """Alone demand waits for nothing. For the wheel it is the cause."""
    own, there = chain("sample demand", 'reaction = "11300 us"', "own"), chain("demand control", 'reaction = "9 ms"')
    folder = network(tmp_path, "", PEDAL + own, WHEEL + there)
    assert checked(takt, folder / "pedal", "--no-sensitivity")["chains"][0]["feasible"]
    found = checked(takt, folder)
    assert found["verdict"] == "infeasible"
    assert bounds(found) == [(11_540 * US, 1_540 * US), (1_540 * US + 7 * MS, None)]
    names = [(one["name"], one["path"], one["feasible"]) for one in found["chains"]]
    assert names == [
        ("pedal.own", ["pedal.sample", "demand"], False),
        ("wheel.brake", ["demand", "wheel.control"], True),
    ]
    assert [[step["node"] for step in one["steps"]] for one in found["chains"]] == [["pedal"], [None, "wheel"]]
    said = takt("check", folder, "--overheads", "none", "--format", "github").out
    line = PEDAL.count("\n") + 1
    assert f"pedal/system.toml,line={line},title=takt%3A chain::chain pedal.own has reaction" in said


PATH = "pedal.sample demand wheel.control"


def test_a_refuted_chain_names_node_step_and_period(takt: Takt, tmp_path: Path) -> None:
    folder = network(tmp_path, chain(PATH, 'reaction = "18 ms"'))
    said = takt("check", folder, "--overheads", "none")
    assert said.code == 1
    assert re.search(r"brake +pedal.sample > demand > wheel.control +18.54 ms +18 ms +13.54 ms +- +misses", said.out)
    shares = "a reaction is 11.54 ms of pedal.sample, demand + 7 ms of wheel.control"
    assert f"Refuted: chain brake has reaction of up to 18.54 ms > 18 ms ({shares}; the largest share has" in said.out
    assert 'Chain brake is proved with reaction = "18.54 ms".' in said.out
    assert "It is proved as declared with pedal.sample: period 9.46 ms instead of 10 ms" in said.out
    positions = takt("check", folder, "--overheads", "none", "--format", "github").out
    line = NODES.count("\n") + 1
    assert f"system.toml,line={line},title=takt%3A chain::chain brake" in positions
    for period, code in (("9460 us", 0), ("9461 us", 1)):
        systems = (one.replace('period = "10 ms"', f'period = "{period}"') for one in (PEDAL, WHEEL))
        network(tmp_path, chain(PATH, 'reaction = "18 ms"'), *systems)
        assert takt("check", folder, "--overheads", "none").code == code, period


@pytest.mark.parametrize("limit", ["reaction", "age"])
def test_the_limit_is_the_last_that_holds(takt: Takt, tmp_path: Path, limit: str) -> None:
    exact = checked(takt, network(tmp_path, chain(PATH)))["chains"][0][f"{limit}_ns"]
    for less, feasible in ((0, True), (1, False)):
        found = checked(takt, network(tmp_path, chain(PATH, f'{limit} = "{exact - less} ns"')))
        assert (found["feasible"], found["chains"][0]["feasible"]) == (feasible, feasible)
    assert "; 1 chain within limits" in takt("check", network(tmp_path, chain(PATH)), "--overheads", "none").out


def test_chains_of_nodes_that_are_not_proved_are_undecided(takt: Takt, tmp_path: Path) -> None:
    found = checked(takt, network(tmp_path, chain(PATH), PEDAL.replace('"1 ms"', '"11 ms"')))
    (one,) = found["chains"]
    assert (found["verdict"], one["feasible"], one["reaction_ns"]) == ("infeasible", False, None)
    assert "the tasks are not" in one["reason"]


def test_its_keys_are_those_of_the_docs(takt: Takt, tmp_path: Path) -> None:
    found = {key for key in keys(checked(takt, network(tmp_path, chain(PATH)))) if key.startswith("chains")}
    assert found == {key for key in documented("check APP") if key.startswith("chains")}
    assert "chains" in documented("check NETWORK")


@pytest.mark.parametrize(
    ("path", "said", "hint"),
    [
        (
            "pedal.sample wheel.control",
            '"wheel.control": "pedal.sample", the step before it, is on another',
            '"demand"',
        ),
        ("wheel.control pedal.watch", "is on another node, and no message", "a [[message]] that pedal receives"),
        ("sample demand", '"sample": neither a task nor a message', '"pedal.sample"'),
        ("pedl.sample demand", '"pedl.sample": no node is called "pedl"', '"pedal"'),
        ("pedal.smple demand", '"pedal.smple": pedal has no such task', '"pedal.sample"'),
        ("pedal.sample dmand", '"dmand": neither a task nor a message', '"demand"'),
        ("wheel.control demand", 'its sender is "pedal.sample", not "wheel.control"', '"pedal.sample" before it'),
        ("demand wheel.control", 'its sender is "pedal.sample", it has no step', '"pedal.sample" before it'),
        ("pedal.sample demand wheel.store", "no receiver of", 'receivers = ["control", "act", "store"] in'),
        (
            "pedal.sample demand wheel.control speed pedal.sample",
            '"pedal.sample": twice in the path',
            "a chain for each",
        ),
        (
            "wheel.control speed wheel.act",
            'no receiver of "speed"',
            'receivers = ["act"] in [[message]] "speed" of wheel',
        ),
        ("wheel.control wheel.act", '"wheel.control" does not trigger it', "mailbox or semaphore"),
        ("wheel.control wheel.store", "its senders are not", 'senders = [{task = "control"}]'),
        ("pedal.a.b", "not a C identifier", "letters"),
        ("pedal.1b", "not a C identifier", 'of a network "NODE.TASK"'),
    ],
)
def test_what_is_no_chain(takt: Takt, tmp_path: Path, path: str, said: str, hint: str) -> None:
    folder = network(tmp_path, chain(path), DRIVEN_PEDAL, DRIVEN_WHEEL)
    refused(takt, folder, said, hint, NODES.count("\n") + 3)


def refused(takt: Takt, folder: Path, said: str, hint: str, line: int) -> None:
    problem, tried = refusal(takt("check", folder))
    assert f"system.toml:{line}: " in problem
    assert said in problem
    assert hint in tried


def test_what_is_no_chain_of_the_file(takt: Takt, tmp_path: Path) -> None:
    at = NODES.count("\n")
    refused(takt, network(tmp_path, chain(PATH) * 2), "the name is taken", "brake_2", at + 6)
    refused(takt, network(tmp_path, chain(PATH, "")), "no limit", "reaction", at + 1)
    never = chain("wheel.act wheel.control", 'age = "1 s"')
    folder = network(tmp_path, never, DRIVEN_PEDAL, DRIVEN_WHEEL)
    refused(takt, folder, '"wheel.act" is not periodic', "reaction alone", at + 4)
    samples = DRIVEN_WHEEL.replace('"control", "act"]', '"control", "act"]\nqueue = 4')
    folder = network(tmp_path, chain(PATH), DRIVEN_PEDAL, samples)
    refused(takt, folder, 'it samples, and "demand" has a queue', "no queue", at + 3)
    often = 'min_interarrival = "10 ms"\ntrigger = "mailbox'
    seldom = DRIVEN_WHEEL.replace(often, often.replace("10 ms", "20 ms"))
    folder = network(tmp_path, chain("pedal.sample demand wheel.act wheel.store"), DRIVEN_PEDAL, seldom)
    refused(takt, folder, "min_interarrival 20 ms, and the steps before it trigger it every 10 ms", '"10 ms"', at + 3)
    other = PEDAL.replace('"body"', '"other"')
    folder = network(tmp_path, chain("pedal.sample demand"), wheel=other)
    refused(takt, folder, 'messages of two buses are called "demand"', "another name", at + 3)


def test_the_page_proves(takt: Takt, tmp_path: Path) -> None:
    """docs/chains.md with the systems of docs/network.md."""
    pages = [(ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("network.md", "chains.md")]
    for name, content in re.findall(r"`([a-z/]+)system\.toml`:\n\n```toml\n(.*?)```", pages[0], re.DOTALL):
        (tmp_path / name).mkdir(exist_ok=True)
        write(tmp_path / name, "system.toml", content)
    file, printed = re.findall(r"```(?:toml)?\n(.*?)```", pages[1].partition("## Over several nodes")[2], re.DOTALL)
    write(tmp_path / "brakes", "system.toml", (tmp_path / "brakes/system.toml").read_text() + file)
    said = [line.rstrip() for line in takt("check", tmp_path / "brakes").out.splitlines()]
    assert "\n".join(said).count(printed.strip()) == 1
