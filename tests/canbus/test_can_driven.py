# SPDX-License-Identifier: Apache-2.0
"""[[can]] with `driver`: what tasks send and receive on a simulated bus of `host`, held against what is proved."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from can_driven import CAN, CODE, HEAD, frames_of, make, seen
from can_files import write
from command_line import Takt, documented, keys
from running import only_full
from running import takt as run_takt
from takt.declare import declaration
from takt.declare.schema import boards
from takt.image import build

MS = 1_000_000


def test_what_tasks_send_and_receive(tmp_path: Path) -> None:
    folder = make(tmp_path / "driven_whole")
    code, ran = run_takt("run", folder)
    assert (code, ran["within_proof"], ran["breaches"]) == (0, True, [])
    assert set(keys({"messages": ran["messages"]})) <= documented("run")
    found = seen(ran)
    assert [found[name]["sent"] for name in ("torque", "answer", "wheel", "lamp")] == [True, True, False, False]
    assert (found["torque"]["count"], found["torque"]["lost"]) == (100, 0)
    assert 49 <= found["wheel"]["count"] == found["answer"]["count"] <= 50
    for name, wcet_ns in (("torque", 1 * MS), ("answer", MS // 2)):
        one = found[name]
        assert wcet_ns + 47 * 2_000 <= one["response_ns_max"] <= one["bound_ns"]
    frames = frames_of(folder, ran["scheduler"])
    sent = {key: [one for one in frames if one.identifier == key] for key in (0x100, 0x12345, 0x80, 0x400)}
    assert [one.data[0] for one in sent[0x100]] == [index % 256 for index in range(1, 101)]
    assert all(one.data[7] == 0x5A for one in sent[0x100])
    assert [one.data for one in sent[0x12345]] == [one.data[5:] for one in sent[0x80]][: len(sent[0x12345])]
    assert all(one.extended for one in sent[0x12345])
    shown = {one.data[1:3] for one in sent[0x100]} - {b"\0\0"}
    assert shown <= {one.data for one in sent[0x400]}
    assert len(shown) >= len(sent[0x400]) - 1
    on_the_page(folder, ran, {"answer": 0x12345, "wheel": 0x80, "torque": 0x100, "lamp": 0x400}, sent)


def on_the_page(folder: Path, ran: dict[str, Any], identifiers: dict[str, int], sent: dict[int, list[Any]]) -> None:
    """The report has the bus as its log has it, and the messages of the system beside their bounds."""
    found = declaration.load(folder / "system.toml")
    where = build.folder_of(found, boards.load("host"), ran["scheduler"])
    text = (where / "run" / "report.html").read_text()
    data = json.loads(re.findall(r"<script type='application/json'>(.*?)</script>", text)[0])
    assert [one[0] for one in data["rows"]] == list(identifiers)
    for name, _, observed, proved, state in data["rows"]:
        one = seen(ran)[name]
        assert (observed, state) == (one["response_ns_max"], "")
        assert not one["sent"] or proved == one["bound_ns"]
        assert f"<td>{name}</td>" in text
        cells = re.search(rf"<td>{name}</td><td>[^<]*</td><td class=n>(\d+)</td>", text)
        assert cells is not None
        assert int(cells[1]) == len(sent[identifiers[name]])


def test_a_task_that_sends_more_than_declared(tmp_path: Path) -> None:
    again = "(void)(takt_can_send_torque(torque) == TAKT_OK); (void)(takt_can_send_torque(torque) == TAKT_OK);"
    folder = make(tmp_path / "driven_babbling", again=again)
    code, ran = run_takt("run", folder)
    found = seen(ran)
    assert (code, found["torque"]["count"], found["torque"]["lost"]) == (1, 100, 200)
    assert ran["breaches"] == [
        "200 messages torque were not sent: the task queued more than declared, or the bus was off"
    ]
    assert len([one for one in frames_of(folder, ran["scheduler"]) if one.identifier == 0x100]) == 100


BACKGROUND = """
[system]
board = "host"
duration = "95 ms"

[[task]]
name = "shine"
entry = "shine"
stack = 4096

[[can]]
name = "body"
bitrate = "250 kbit/s"
driver = true

[[message]]
name = "lamp"
bus = "body"
sender = "shine"
bytes = 2
id = 0x123
period = "10 ms"
"""
BACKGROUND_CODE = """
#include "takt_app.h"

void shine(void *argument)
{
    (void)argument;
    for (;;) {
        const uint8_t lamp[2] = {1, 2};
        if (takt_can_send_lamp(lamp) != TAKT_OK) {
            return;
        }
        takt_delay(TAKT_MS(20));
    }
}
"""


@only_full
def test_only_a_background_task_sends(tmp_path: Path) -> None:
    """Its kernel has no jobs."""
    folder = tmp_path / "driven_background"
    folder.mkdir()
    (folder / "system.toml").write_text(BACKGROUND)
    (folder / "main.c").write_text(BACKGROUND_CODE)
    code, ran = run_takt("run", folder)
    lamp = seen(ran)["lamp"]
    assert (code, lamp["count"], lamp["lost"], lamp["bound_ns"]) == (0, 5, 0, None)


def test_an_fd_bus_and_three_mailboxes(tmp_path: Path) -> None:
    fd = CAN + 'fd = true\ndata_bitrate = "2 Mbit/s"\ncontroller = "3/abort"\n'
    text = CODE.replace("bytes = 8\ndeadline", "bytes = 50\ndeadline").replace("bytes = 8", "bytes = 9")
    folder = make(
        tmp_path / "driven_fd", text.replace('entry = "control_job"\n', "").replace('entry = "react_job"\n', ""), bus=fd
    )
    code, ran = run_takt("run", folder)
    found = seen(ran)
    assert (code, found["torque"]["count"], found["torque"]["lost"], found["lamp"]["lost"]) == (0, 100, 0, 0)
    sizes = {one.identifier: len(one.data) for one in frames_of(folder, ran["scheduler"])}
    assert sizes == {0x100: 64, 0x12345: 3, 0x80: 12, 0x400: 2}


@pytest.mark.parametrize(
    ("put", "instead", "said", "hint"),
    [
        ('board = "host"', 'board = "ibex-soc"', "ibex-soc has no CAN controller that Takt drives", "host"),
        ("driver = true", 'driver = true\ncontroller = "fifo"', 'do not queue as controller = "fifo" says', "priority"),
        ("driver = true", "driver = false", "queue requires receivers, and driver", "remove it"),
        ('trigger = "message wheel"', 'trigger = "message lamp"', 'it does not receive "lamp"', "receivers"),
        ('trigger = "message wheel"', 'trigger = "message weel"', "no such message", '"wheel"'),
        ("queue = 2", "queue = 0", "queue", "1"),
        ("id = 0x400\nbytes = 2", "id = 0x400\nbytes = 2\nqueue = 3", "", ""),
        (
            'duration = "1 s"',
            'protection = true\n[[process]]\nname = "p"\ntasks = ["control", "react"]',
            "not possible with protection",
            "no driver",
        ),
        (
            "[[task]]",
            '[[interrupt]]\nname = "i"\nnumber = 61\nmin_interarrival = "1 ms"\nwcet = "1 us"\n[[task]]',
            "61 is that of a CAN",
            "another",
        ),
    ],
)
def test_what_cannot_be_driven(takt: Takt, tmp_path: Path, put: str, instead: str, said: str, hint: str) -> None:
    folder = make(tmp_path / "refused")
    text = HEAD + CAN + CODE
    assert put in text
    write(folder, "system.toml", text.replace(put, instead, 1))
    found = takt("check", folder, "--no-sensitivity")
    problem, _, tried = found.err.strip().rpartition("\n")
    assert (found.code, said in problem, hint in tried) == (2, True, True), found.err


def test_two_buses_beside_frames_of_a_file(tmp_path: Path) -> None:
    """With classic and FD frames of other nodes, and an interrupt whose number is 0."""
    folder = tmp_path / "driven_two"
    folder.mkdir()
    write(folder, "bus.csv", "name,id,bytes,sender,period_ms\nf,0x20,8,x,10\ng,0x30,20,y,50\n")
    text = '[[task]]\nname = "t"\nperiod = "10 ms"\nwcet = "200 us"\n'
    text += '[[interrupt]]\nname = "i"\nnumber = 0\nmin_interarrival = "1 ms"\nwcet = "1 us"\n[console]\ninput = 128\n'
    for name, bus in (("a", "body"), ("b", "other")):
        text += f'[[message]]\nname = "{name}"\nbus = "{bus}"\nsender = "t"\n'
        text += 'id = 0x1FFFFFFF\nbytes = 0\ndeadline = "9 ms"\n'
    bus = CAN + 'file = "bus.csv"\ndata_bitrate = "2 Mbit/s"\n' + CAN.replace("body", "other").replace("500", "125")
    make(folder, text, bus=bus)
    code, ran = run_takt("run", folder)
    assert (code, [one["count"] for one in ran["messages"]]) == (0, [100, 100])
    lengths = {one.identifier: (len(one.data), one.fd) for one in frames_of(folder, ran["scheduler"])}
    assert lengths == {0x20: (8, False), 0x30: (20, True), 0x1FFFFFFF: (0, False)}


def test_a_task_that_is_released_unevenly(takt: Takt, tmp_path: Path) -> None:
    folder = make(tmp_path / "uneven")
    text = (HEAD + CAN + CODE).replace('min_interarrival = "15 ms"', 'min_interarrival = "19 ms"')
    write(folder, "system.toml", text)
    found = takt("check", folder, "--no-sensitivity")
    assert found.code == 1
    assert "its jitter is 0 ns" in found.out
    needed = found.out.partition('jitter = "')[2].partition('"')[0]
    write(folder, "system.toml", text.replace('"19 ms"', f'"19 ms"\njitter = "{needed}"'))
    assert takt("check", folder, "--no-sensitivity").code == 0
    write(folder, "system.toml", text.replace('"19 ms"', '"21 ms"'))
    found = takt("check", folder, "--no-sensitivity")
    assert (found.code, "more often than its min_interarrival of 21 ms" in found.out) == (1, True)


def chosen(chance: random.Random) -> str:
    """A system whose tasks send and receive, beside other nodes; the load of its bus is moderate."""
    text, used = "", random.Random(chance.random()).sample(range(0x001, 0x7F0), 40)
    for number in range(chance.randint(1, 5)):
        period = chance.choice((5, 10, 20, 50))
        text += f'[[task]]\nname = "t{number}"\nperiod = "{period} ms"\nwcet = "{chance.randint(50, 900)} us"\n'
        for more in range(chance.randint(0, 3)):
            text += f'[[message]]\nname = "s{number}_{more}"\nbus = "body"\nsender = "t{number}"\nid = {used.pop()}\n'
            text += f'bytes = {chance.randint(0, 8)}\ndeadline = "100 ms"\n'
    for number in range(chance.randint(1, 8)):
        period = chance.choice((5, 10, 20, 50))
        text += f'[[message]]\nname = "o{number}"\nbus = "body"\nfrom = "other"\nid = {used.pop()}\ndeadline = "1 s"\n'
        text += f'bytes = {chance.randint(0, 8)}\nperiod = "{period} ms"\njitter = "{chance.randint(0, period)} ms"\n'
        if chance.random() < 0.7:
            text += 'receivers = ["t0"]\n' + (f"queue = {chance.randint(20, 40)}\n" if chance.random() < 0.5 else "")
    return text


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=only_full) for seed in range(2, 40))])
def test_random_systems_stay_within_their_bounds(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    bus = CAN if chance.random() < 0.5 else CAN + 'controller = "3/abort"\n'
    folder = make(tmp_path / f"driven_random_{seed}", chosen(chance), bus=bus)
    code, ran = run_takt("run", folder, "--seed", str(seed))
    assert (code, ran["breaches"]) == (0, []), ran
    for one in ran["messages"]:
        assert one["lost"] == 0
        assert one["count"] > 0
        assert not one["sent"] or one["response_ns_max"] <= one["bound_ns"]


def test_frames_that_wait_for_longer_than_a_period(tmp_path: Path) -> None:
    """Of a message whose deadline is beyond its period several wait, and each is counted from its own release."""
    text = '[[task]]\nname = "t"\nperiod = "8 ms"\nwcet = "10 us"\n'
    text += '[[message]]\nname = "s"\nbus = "body"\nsender = "t"\nid = 0x300\nbytes = 8\ndeadline = "60 ms"\n'
    text += '[[message]]\nname = "o"\nbus = "body"\nfrom = "other"\nid = 1\nbytes = 8\nperiod = "6 ms"\n'
    text += 'jitter = "24 ms"\ndeadline = "1 s"\n'
    folder = make(tmp_path / "driven_queued", text, bus=CAN.replace("500", "50"))
    code, ran = run_takt("run", folder, "--duration", "4 s")
    found = seen(ran)["s"]
    assert (code, found["lost"]) == (0, 0)
    assert 9 * MS < found["response_ns_max"] <= found["bound_ns"]
    ends = [one.time_ns for one in frames_of(folder, ran["scheduler"]) if one.identifier == 0x300]
    longest = max(end - index * 8 * MS for index, end in enumerate(ends))
    assert found["response_ns_max"] == pytest.approx(longest + 3 * 20_000, abs=1_000)


# The task ends, and sends, in each microsecond of the message's period once, so also when the frame interrupts.
SWEEPS = """\
[system]
board = "host"
scheduler = "dm"

[[task]]
name = "sender"
period = "997 us"
wcet = "10 us"

[[task]]
name = "reader"
trigger = "message wheel"
min_interarrival = "900 us"
jitter = "600 us"
wcet = "1 us"
deadline = "800 us"

[[can]]
name = "body"
bitrate = "1 Mbit/s"
driver = true

[[message]]
name = "out"
bus = "body"
sender = "sender"
bytes = 1
id = 0x300
deadline = "997 us"

[[message]]
name = "wheel"
bus = "body"
from = "other"
receivers = ["reader"]
bytes = 1
id = 0x100
period = "1 ms"
"""


def test_an_interrupt_at_the_time_of_a_send_is_not_lost(takt: Takt, tmp_path: Path) -> None:
    """Each frame releases its task a bit before its end, and the handler's microsecond later."""
    folder = tmp_path / "sweeps"
    folder.mkdir()
    write(folder, "system.toml", SWEEPS)
    assert run_takt("run", folder)[0] == 0
    ends_ns = [one.time_ns for one in frames_of(folder, "dm") if one.identifier == 0x100]
    where = build.folder_of(declaration.load(folder / "system.toml"), boards.load("host"), "dm")
    lines = takt("trace", where / "run" / "trace.takt").out.splitlines()
    releases = [round(float(line.split()[0]) * MS) for line in lines if re.search(r" release +reader ", line)]
    assert len(releases) == len(ends_ns) == 1000
    assert {release - end for release, end in zip(releases, ends_ns, strict=True)} == {0}
