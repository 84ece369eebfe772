# SPDX-License-Identifier: Apache-2.0
"""Networks in which several nodes run one system that sends: beside the same network of systems of their own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from can_files import document, write
from command_line import Takt, refusal
from networks import ran, seen
from running import only_full
from takt.declare import declaration
from takt.declare.network import read
from takt.declare.schema import boards
from takt.image import build
from takt.image.tables import can_code

MS = 1_000_000
HEAD = '[system]\nboard = "host"\nscheduler = "dm"\n'
BUS = '[[can]]\nname = "chassis"\nbitrate = "500 kbit/s"\ndriver = true\n'
CORNERS = ("fl", "fr", "rl", "rr")


def task(name: str, period_ms: int, wcet_us: int, *keys_of: str) -> str:
    text = f'[[task]]\nname = "{name}"\nperiod = "{period_ms} ms"\nwcet = "{wcet_us} us"\n'
    return text + "".join(f"{one}\n" for one in keys_of)


def message(name: str, size: int, identifier: int, *keys_of: str) -> str:
    text = f'[[message]]\nname = "{name}"\nbus = "chassis"\nbytes = {size}\nid = {identifier:#x}\n'
    return text + "".join(f"{one}\n" for one in keys_of)


DEMAND = message("demand", 4, 0x100, 'from = "pedal"', 'period = "5 ms"', 'jitter = "1 ms"', 'receivers = ["control"]')


def wheel(speed: str = "speed", slip: str = "slip", number: int = 0) -> str:
    """With identifiers 0x200 + number and 0x300 + number."""
    text = HEAD + task("control", 5, 300, 'entry = "control_job"') + BUS + DEMAND
    text += message(speed, 8, 0x200 + number, 'sender = "control"', 'deadline = "5 ms"')
    return text + message(slip, 2, 0x300 + number, 'sender = "control"', 'deadline = "5 ms"')


CODE = """#include "takt_app.h"
void control_job(void *argument)
{
    static const uint8_t value[8];
    (void)argument;
    (void)(takt_can_send_speed(value) == TAKT_OK);
    (void)(takt_can_send_slip(value) == TAKT_OK);
}
"""


def pedal() -> str:
    text = HEAD + task("sample", 5, 400) + BUS
    text += message("demand", 4, 0x100, 'sender = "sample"', 'deadline = "5 ms"')
    for index, corner in enumerate(CORNERS):
        contract = (f'from = "wheel_{corner}"', 'period = "5 ms"', 'jitter = "1 ms"', 'receivers = ["sample"]')
        text += message(f"wheel_{corner}_speed", 8, 0x201 + index, *contract)
    return text


def node(name: str, system: str, *keys_of: str) -> str:
    return f'[[node]]\nname = "{name}"\nsystem = "{system}"\n' + "".join(f"{one}\n" for one in keys_of)


def identifiers(index: int) -> str:
    return f'identifiers = ["speed={0x201 + index:#x}", "slip = {0x301 + index}"]'


NODES = node("pedal", "pedal") + "".join(
    node(f"wheel_{corner}", "wheel", identifiers(index)) for index, corner in enumerate(CORNERS)
)


def network(folder: Path, nodes: str = NODES, of_wheel: str = "") -> Path:
    write(folder, "system.toml", nodes)
    for name, text in (("pedal", pedal()), ("wheel", of_wheel or wheel())):
        (folder / name).mkdir(exist_ok=True)
        write(folder / name, "system.toml", text)
    write(folder / "wheel", "code.c", CODE)
    return folder


def checked(takt: Takt, folder: Path) -> dict[str, Any]:
    return document(takt("check", folder, "--json", "--overheads", "none"))


def test_it_is_proved_as_systems_of_their_own(takt: Takt, tmp_path: Path) -> None:
    found = checked(takt, network(tmp_path))
    copies = tmp_path / "copies"
    copies.mkdir()
    network(copies, node("pedal", "pedal") + "".join(node(f"wheel_{one}", f"wheel_{one}") for one in CORNERS))
    for index, corner in enumerate(CORNERS):
        (copies / f"wheel_{corner}").mkdir()
        own = wheel(f"wheel_{corner}_speed", f"wheel_{corner}_slip", index + 1)
        write(copies / f"wheel_{corner}", "system.toml", own)
    wanted = checked(takt, copies)
    assert found["feasible"]
    assert found["messages"] == wanted["messages"]
    assert len(found["messages"]) == 9
    assert [one["tasks"] for one in found["nodes"]] == [one["tasks"] for one in wanted["nodes"]]


def test_each_node_has_an_image_of_its_own_with_the_calls_of_its_system(tmp_path: Path) -> None:
    network(tmp_path)
    of_file = read.document_of(tmp_path / "system.toml")
    assert of_file is not None
    whole = read.load(of_file)
    alone = declaration.load(tmp_path / "wheel" / "system.toml")
    board = boards.load("host")
    folders = {build.folder_of(one.system, board, "dm") for one in whole.nodes}
    assert len(folders | {build.folder_of(alone, board, "dm")}) == 6
    for one in whole.nodes[1:]:
        assert list(can_code.header(one.system)) == list(can_code.header(alone))
        assert [message.name for message in one.system.messages] == ["demand", f"{one.name}_speed", f"{one.name}_slip"]


@pytest.mark.parametrize(
    ("old", "new", "said", "hint"),
    [
        ('"speed=0x201"', '"sped=0x201"', '"sped=0x201": the system sends no message "sped"', '"speed"'),
        ('"speed=0x201"', '"demand=0x201"', 'the system sends no message "demand"', "speed"),
        ('"speed=0x201"', '"speed"', '"speed": no identifier', '"speed=0x123"'),
        ('"speed=0x201"', '"speed=0x20000000"', "no identifier", "up to 0x1fffffff"),
        ('"speed=0x201"', '"speed=0x201", "speed=0x1"', '"speed=0x1": twice', "once"),
        ('system = "pedal"\n', 'system = "pedal"\nidentifiers = ["demand=1"]\n', "no other node runs", "id in the"),
    ],
)
def test_what_is_refused(takt: Takt, tmp_path: Path, old: str, new: str, said: str, hint: str) -> None:
    assert old in NODES
    problem, tried = refusal(takt("check", network(tmp_path, NODES.replace(old, new, 1))))
    assert re.match(r"\S*system\.toml:[0-9]+: ", problem)
    assert (said in problem, hint in tried) == (True, True), problem


def test_one_identifier_for_two_nodes_is_refused(takt: Takt, tmp_path: Path) -> None:
    problem, tried = refusal(takt("check", network(tmp_path, NODES.replace(identifiers(3), identifiers(2)))))
    assert re.match(r"\S*(wheel|pedal)/system\.toml:[0-9]+: ", problem)
    assert "0x203" in problem
    same = node("pedal", "pedal") + node("wheel_fl", "wheel") + node("wheel_fr", "wheel")
    less = re.sub(r"\[\[message\]\]\nname = \"wheel_(rl|rr)(.|\n)*?receivers.*\n", "", pedal())
    less = less.replace("0x201", "0x200").replace("0x202", "0x200").replace("wheel_fr_speed", "wheel_fr_slip")
    less = less[: less.index('[[message]]\nname = "wheel_fl')]
    network(tmp_path, same)
    write(tmp_path / "pedal", "system.toml", less)
    problem, tried = refusal(takt("check", tmp_path))
    assert "id = 0x200 is that of wheel_fl_speed" in problem
    assert "identifiers" in tried


@only_full
def test_four_nodes_of_one_system_run(tmp_path: Path) -> None:
    """Each sends with its identifiers; the program is that of the system."""
    code, found = ran(network(tmp_path), "--duration", "100ms")
    assert (code, found["passed"]) == (0, True)
    counts = {name: one["count"] for name, one in seen(found).items()}
    for corner in CORNERS:
        assert counts[f"wheel_{corner}", f"wheel_{corner}_speed"] in (19, 20)
        assert counts[f"wheel_{corner}", f"wheel_{corner}_slip"] in (19, 20)
        assert counts["pedal", f"wheel_{corner}_speed"] in (19, 20)
        one = seen(found)[f"wheel_{corner}", f"wheel_{corner}_slip"]
        assert 300_000 < one["response_ns_max"] <= one["bound_ns"]
