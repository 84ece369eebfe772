# SPDX-License-Identifier: Apache-2.0
"""Networks: systems that are proved together, and the buses that join them."""

from __future__ import annotations

import random
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from can_files import document, write
from command_line import Takt, documented, keys, refusal
from takt.support.provision import ROOT

MS = 1_000_000
NODES = '[[node]]\nname = "pedal"\nsystem = "pedal"\n[[node]]\nname = "wheel"\nsystem = "wheel"\n'
BUS = '[[can]]\nname = "chassis"\nbitrate = "500 kbit/s"\n'
HEAD = '[system]\nboard = "host"\nscheduler = "dm"\n'


def task(name: str, *values: str) -> str:
    return f'[[task]]\nname = "{name}"\n' + "".join(f"{value}\n" for value in values)


def message(name: str, *values: str, bus: str = "chassis") -> str:
    return f'[[message]]\nname = "{name}"\nbus = "{bus}"\nbytes = 8\n' + "".join(f"{value}\n" for value in values)


PEDAL = (
    HEAD
    + task("sample", 'period = "10 ms"', 'wcet = "1 ms"')
    + BUS
    + message("demand", 'sender = "sample"', "id = 0x100", 'deadline = "5 ms"')
)
WHEEL = (
    HEAD
    + task("control", 'period = "5 ms"', 'wcet = "2 ms"')
    + BUS
    + message(
        "demand", 'from = "pedal"', "id = 0x100", 'period = "10 ms"', 'jitter = "1 ms"', 'receivers = ["control"]'
    )
    + message("speed", 'sender = "control"', "id = 0x200", 'deadline = "5 ms"')
)


def network(folder: Path, nodes: str = NODES, **systems: str) -> Path:
    write(folder, "system.toml", nodes)
    for name, text in ({"pedal": PEDAL, "wheel": WHEEL} | systems).items():
        (folder / name).mkdir(exist_ok=True)
        write(folder / name, "system.toml", text)
    return folder


def checked(takt: Takt, folder: Path, *options: str) -> dict[str, Any]:
    return document(takt("check", folder, "--json", "--overheads", "none", *options))


def refused(takt: Takt, folder: Path, at: str, said: str, hint: str) -> None:
    """With one message at a line of a file, and what to try."""
    problem, tried = refusal(takt("check", folder))
    assert re.match(rf"\S*{at}:[0-9]+: ", problem)
    assert said in problem
    assert hint in tried


def test_the_responses_are_those_that_are_worked_out(takt: Takt, tmp_path: Path) -> None:
    """A frame of 8 bytes takes at most 270 us. sample ends after 1 ms: demand waits for speed, 1 + 0.27 + 0.27; control
    after 2 ms: speed waits for demand, 2 + 0.27 + 0.27."""
    found = checked(takt, network(tmp_path))
    assert found["feasible"]
    bounds = {one["name"]: (one["sender"], one["jitter_ns"], one["response_ns"]) for one in found["messages"]}
    assert bounds == {"demand": ("pedal.sample", MS, 1_540_000), "speed": ("wheel.control", 2 * MS, 2_540_000)}
    assert [one["receivers"] for one in found["messages"]] == [["wheel.control"], []]
    assert found["buses"][0]["load"] == pytest.approx(0.27 / 10 + 0.27 / 5)
    assert [(one["name"], one["verdict"]) for one in found["nodes"]] == [("pedal", "feasible"), ("wheel", "feasible")]
    assert [one["tasks"][0]["response_ns"] for one in found["nodes"]] == [MS, 2 * MS]


def test_its_document(takt: Takt, tmp_path: Path) -> None:
    found = {*keys(checked(takt, network(tmp_path, wheel=WHEEL.replace('jitter = "1 ms"', 'jitter = "0 ms"'))))}
    listed, of_one = documented("check NETWORK"), documented("check APP")
    inner = {one for one in found if one.startswith("nodes[].") and one.count(".") > 1}
    assert {one.removeprefix("nodes[].") for one in inner} <= of_one
    assert {one for one in found - inner if one.startswith(("buses[]", "messages[]"))} <= of_one
    assert {one for one in found - inner if not one.startswith(("buses[]", "messages[]"))} == listed


def test_other_nodes_count_also_where_a_system_does_not_know_them(takt: Takt, tmp_path: Path) -> None:
    """pedal declares no other message: alone its bound is without speed."""
    folder = network(tmp_path)
    alone = checked(takt, folder / "pedal", "--no-sensitivity")
    assert [one["response_ns"] for one in alone["messages"]] == [1_270_000]
    assert checked(takt, folder)["messages"][0]["response_ns"] == 1_540_000


def test_a_late_message_refutes_the_network_alone(takt: Takt, tmp_path: Path) -> None:
    tight = PEDAL.replace('deadline = "5 ms"', 'deadline = "1400 us"')
    folder = network(tmp_path, pedal=tight)
    assert checked(takt, folder / "pedal", "--no-sensitivity")["feasible"]
    found = takt("check", folder, "--overheads", "none")
    assert found.code == 1
    assert "Refuted: on chassis message demand (0x100) of pedal.sample may take 1.54 ms" in found.out
    assert 'bitrate = "' in found.out


def test_a_deadline_of_a_receiver_counts(takt: Takt, tmp_path: Path) -> None:
    wheel = WHEEL.replace('jitter = "1 ms"', 'jitter = "1 ms"\ndeadline = "1500 us"')
    found = checked(takt, network(tmp_path, wheel=wheel))
    assert (found["verdict"], found["messages"][0]["deadline_ns"]) == ("infeasible", 1_500_000)


EXPECTS = 'Refuted: wheel: [[message]] "demand" expects'


@pytest.mark.parametrize(
    ("change", "said", "hint"),
    [
        (('jitter = "1 ms"', 'jitter = "999 us"'), "it up to 999 us late, and", 'jitter = "1 ms"'),
        (('period = "10 ms"', 'period = "10001 us"'), "one every 10.001 ms, and", 'period = "10 ms"'),
    ],
)
def test_what_a_receiver_expects_must_hold(
    takt: Takt, tmp_path: Path, change: tuple[str, str], said: str, hint: str
) -> None:
    """A system is proved with what it declares of others' messages, such as how often it is interrupted."""
    folder = network(tmp_path, wheel=WHEEL.replace(*change))
    found = takt("check", folder, "--overheads", "none")
    assert found.code == 1
    assert f"{EXPECTS} {said}" in found.out
    assert f'[[message]] "demand": {hint}' in found.out
    positions = takt("check", folder, "--overheads", "none", "--format", "github").out
    line = WHEEL[: WHEEL.index("[[message]]")].count("\n") + 1
    assert f"wheel/system.toml,line={line}," in positions


def test_a_message_that_releases_a_task_comes_as_unevenly_as_the_bus_makes_it(takt: Takt, tmp_path: Path) -> None:
    """1 ms + 270 us of other frames + 270 us - 222 us without stuff bits: 1.318 ms of jitter, by the network."""
    control = task("control", 'period = "5 ms"', 'wcet = "2 ms"')
    act = task("act", 'trigger = "message demand"', 'min_interarrival = "10 ms"', 'jitter = "J"', 'wcet = "100 us"')
    wheel = WHEEL.replace(control, control + act).replace('receivers = ["control"]', 'receivers = ["act"]')
    for jitter, verdict in (("1318001 ns", "feasible"), ("1318 us", "infeasible")):
        systems = {"wheel": wheel.replace(BUS, BUS + "driver = true\n").replace("J", jitter, 1)}
        found = checked(takt, network(tmp_path, **systems))
        assert found["verdict"] == verdict, found["reason"]
    assert found["nodes"][0]["reason"] is None
    assert "message demand comes up to 1318.001 us unevenly" in found["nodes"][1]["reason"]


def test_a_refuted_task_is_shown_with_its_node(takt: Takt, tmp_path: Path) -> None:
    slow = WHEEL.replace('wcet = "2 ms"', 'wcet = "6 ms"').replace('deadline = "5 ms"', 'deadline = "20 ms"')
    found = takt("check", network(tmp_path, wheel=slow), "--overheads", "none")
    assert found.code == 1
    assert "Refuted: wheel: " in found.out
    assert "control" in found.out


REFUSED = tomllib.loads((ROOT / "tests" / "network" / "refused.toml").read_text(encoding="utf-8"))["case"]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["name"])
def test_refused(takt: Takt, tmp_path: Path, case: dict[str, str]) -> None:
    file = case.get("file", "nodes")
    text = {"nodes": NODES, "pedal": PEDAL, "wheel": WHEEL}[file]
    changed = text.replace(case["old"], case["new"], 1) if "old" in case else text + case["new"]
    assert changed != text
    folder = network(tmp_path, changed) if file == "nodes" else network(tmp_path, **{file: changed})
    refused(takt, folder, rf"{case.get('at', '')}system\.toml", case["said"], case["hint"])


def test_other_commands_take_one_of_the_systems(takt: Takt, tmp_path: Path) -> None:
    folder = network(tmp_path)
    for command in ("build", "search", "generate"):
        found = takt(command, folder)
        assert found.code == 2
        assert "the file is a network of systems, for takt check, report and run" in found.err
    assert "--board: each system of a network has its own" in takt("check", folder, "--board", "host").err


RUN_REFUSED = (
    ("--board", "host"),
    ("--inject", "control:hang@10ms"),
    ("--live",),
    ("--gdb",),
)


@pytest.mark.parametrize("options", RUN_REFUSED, ids=lambda options: options[0])
def test_options_of_a_run_that_are_of_one_system(takt: Takt, tmp_path: Path, options: tuple[str, ...]) -> None:
    found = takt("run", network(tmp_path), *options)
    assert found.code == 2
    assert "is not for a network" in found.err


def test_what_cannot_run_together_is_refused(takt: Takt, tmp_path: Path) -> None:
    """Before anything is built: no driver, another board, an identifier that each would choose."""
    driven = {
        "pedal": PEDAL.replace(BUS, BUS + "driver = true\n"),
        "wheel": WHEEL.replace(BUS, BUS + "driver = true\n"),
    }
    cases: tuple[tuple[str, dict[str, str], str, str], ...] = (
        (NODES, {}, '"chassis" of pedal: no driver', "driver = true"),
        (
            NODES,
            driven | {"wheel": driven["wheel"].replace('"host"', '"rv32-virt"')},
            "wheel is for rv32-virt",
            '"host"',
        ),
        (NODES, driven | {"wheel": driven["wheel"].replace("0x200", '"auto"')}, 'id = "auto"', "takt check prints"),
    )
    for nodes, systems, said, hint in cases:
        found = takt("run", network(tmp_path, nodes, **systems), "--overheads", "none")
        assert found.code == 2, found.out
        assert said in found.err
        assert hint in found.err


def test_a_network_that_is_not_proved_is_not_run(takt: Takt, tmp_path: Path) -> None:
    driven = {"pedal": PEDAL.replace(BUS, BUS + "driver = true\n").replace('deadline = "5 ms"', 'deadline = "1400 us"'),
              "wheel": WHEEL.replace(BUS, BUS + "driver = true\n")}  # fmt: skip
    found = takt("run", network(tmp_path, **driven))
    assert found.code == 1
    assert "; on chassis message demand (0x100) of pedal.sample may take 1.545 ms" in found.out
    assert "--force" in found.err


def test_messages_of_other_machines_are_declared_alike(takt: Takt, tmp_path: Path) -> None:
    """One of a node that is none of the network counts once."""
    extra = message("gateway", 'from = "gate"', "id = 0x80", 'period = "20 ms"')
    folder = network(tmp_path, pedal=PEDAL + extra, wheel=WHEEL + extra)
    assert [one["name"] for one in checked(takt, folder)["messages"]] == ["gateway", "demand", "speed"]
    other = extra.replace("20 ms", "25 ms")
    refused(
        takt, network(tmp_path, pedal=PEDAL + extra, wheel=WHEEL + other), r"wheel/system\.toml", "(period)", "same"
    )


FILE = "name,id,extended,sender,bytes,period_ms,jitter_ms,deadline_ms\n"


def test_a_file_of_the_bus_counts_once(takt: Takt, tmp_path: Path) -> None:
    """Both name it: what it says of other nodes counts once, and what nodes of the network send as they declare it."""
    rows = FILE + "f1,0x50,0,gate,8,10,0,10\ndemand,0x100,0,pedal,8,10,0,10\nrest,0x300,0,wheel,8,10,0,10\n"
    with_file = BUS + 'file = "../bus.csv"\n'
    folder = network(tmp_path, pedal=PEDAL.replace(BUS, with_file), wheel=WHEEL.replace(BUS, with_file))
    write(folder, "bus.csv", rows)
    found = checked(takt, folder)
    assert [one["name"] for one in found["messages"]] == ["f1", "demand", "speed"]
    assert found["buses"][0]["unsent"] == ["rest"]
    write(folder, "bus.csv", rows.replace("gate", "wheel"))
    assert [one["name"] for one in checked(takt, folder)["messages"]] == ["demand", "speed"]
    write(folder, "bus.csv", rows.replace("0x50", "0x200"))
    network(folder, pedal=PEDAL.replace(BUS, with_file))
    refused(takt, folder, r"pedal/system\.toml", "two senders of one identifier", "another id")


@pytest.mark.parametrize("seed", range(6))
def test_random_networks_are_as_the_bus_alone(takt: Takt, tmp_path: Path, seed: int) -> None:
    """The bus of a network beside `takt can check` of a table with the same messages and jitters."""
    draw = random.Random(seed)
    names, rows, systems = [f"n{index}" for index in range(draw.randint(2, 5))], [], {}
    identifiers = draw.sample(range(0x7EF), 40)
    for name in names:
        text = HEAD + BUS
        total_us = 0
        for index in range(draw.randint(1, 4)):
            wcet_us, period_ms, size = draw.randint(50, 900), draw.choice((10, 20, 50)), draw.randint(0, 8)
            total_us += wcet_us
            text += task(f"t{index}", f'period = "{period_ms} ms"', f'wcet = "{wcet_us} us"')
            identifier = identifiers.pop()
            keys = (f'sender = "t{index}"', f"id = {identifier}", f'deadline = "{period_ms} ms"')
            text += message(f"{name}_m{index}", *keys).replace("bytes = 8", f"bytes = {size}")
            rows.append([f"{name}_m{index}", str(identifier), "0", name, str(size), str(period_ms)])
        systems[name] = text
    nodes = "".join(f'[[node]]\nname = "{name}"\nsystem = "{name}"\n' for name in names)
    found = checked(takt, network(tmp_path, nodes, **systems))
    jitters = {f"{node['name']}.{one['name']}": one["response_ns"] for node in found["nodes"] for one in node["tasks"]}
    table = FILE
    for name, *rest in rows:
        task_name = name.replace("_m", ".t")
        table += ",".join([name, *rest, str(jitters[task_name] / MS), rest[-1]]) + "\n"
    alone = document(takt("can", "check", write(tmp_path, "bus.csv", table), "--bitrate", "500k", "--json"))
    bounds = {one["name"]: one["response_ns"] for one in alone["messages"]}
    assert {one["name"]: one["response_ns"] for one in found["messages"]} == bounds
    assert len(bounds) == len(rows)


def test_the_page_proves(takt: Takt, tmp_path: Path) -> None:
    """docs/network.md: its files, and what it says that the command prints."""
    text = (ROOT / "docs" / "network.md").read_text(encoding="utf-8")
    blocks = re.findall(r"`([a-z/]+\.toml)`:\n\n```toml\n(.*?)```", text, re.DOTALL)
    nodes = {"brakes": ("", "pedal/", "wheel/"), "car": ("", "engine/", "gate/", "dash/")}
    assert [name for name, _ in blocks] == [f"{of}/{name}system.toml" for of in nodes for name in nodes[of]]
    for name, content in blocks:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        write(tmp_path / Path(name).parent, Path(name).name, content)
    for of in nodes:
        (printed,) = re.findall(rf"```\n\$ takt check {of}\n(.*?)```", text, re.DOTALL)
        said = takt("check", tmp_path / of).out
        assert [line.rstrip() for line in said.splitlines()] == printed.splitlines()


def test_each_node_queues_as_it_declares(takt: Takt, tmp_path: Path) -> None:
    """pedal sends another, longer rarely: in a FIFO demand waits for it too, 270 us more."""
    rare = message("state", 'sender = "sample"', "id = 0x300", 'period = "100 ms"', 'deadline = "100 ms"')
    folder = network(tmp_path, pedal=PEDAL + rare)
    assert checked(takt, folder)["messages"][0]["response_ns"] == 1_540_000
    fifo = PEDAL.replace(BUS, BUS + 'controller = "fifo"\n') + rare
    found = checked(takt, network(tmp_path, pedal=fifo))
    assert [one["controller"] for one in found["messages"]] == ["fifo", "priority", "fifo"]
    assert found["messages"][0]["response_ns"] > 1_540_000
    said = takt("check", folder, "--overheads", "none").out
    assert "pedal queues first in, first out, wheel queues by priority" in said
