# SPDX-License-Identifier: Apache-2.0
"""[[message]] with `protection`: what is refused, what both ends of a network must say alike, and what tasks see in a
run, whose frames autosar-e2e checks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from can_driven import CAN, frames_of, seen
from can_files import write
from command_line import Takt, refusal
from e2e_room import COUNTERS, Config, State, Status, Theirs
from e2e_system import HEAD, IDS, LAMP, MS, TASK, TORQUE, WHEEL, text_of
from running import only_full
from running import takt as run_takt
from takt.declare import declaration
from takt.declare.schema import boards
from takt.image import build
from takt.support.provision import ROOT

CODE = """#include <stdio.h>

#include "takt_app.h"

static uint8_t torque[8], wheel[8], lamp[5];

static void show(const char *name, struct takt_e2e_result found, const uint8_t *data)
{
    printf("%s %d %d %d %d %ld", name, found.status, found.state, found.lost, found.accepted, (long)found.age_ns);
    for (int i = 0; i < 5; i++) {
        printf(" %02x", data[i]);
    }
    printf("\\n");
}

void control_job(void *argument)
{
    struct takt_e2e_result found;
    (void)argument;
    torque[1] = 0xA5;
    torque[2]++;
    if (takt_can_send_torque(torque) != TAKT_OK) {
        printf("refused\\n");
    }
    AGAIN
    show("wheel", takt_can_receive_wheel(wheel), wheel);
    while ((found = takt_can_receive_lamp(lamp)).status != TAKT_E2E_NONEWDATA) {
        show("lamp", found, lamp);
    }
}
"""


def make(folder: Path, *messages: str, again: str = "") -> Path:
    folder.mkdir()
    write(folder, "system.toml", text_of(*messages))
    write(folder, "code.c", CODE.replace("AGAIN", again))
    return folder


def shown(folder: Path, scheduler: str, name: str) -> list[tuple[list[int], str]]:
    """Status, state, lost, accepted, age of each line, and the data."""
    found = declaration.load(folder / "system.toml")
    console = build.folder_of(found, boards.load("host"), scheduler) / "run" / "console.txt"
    rows = [line.split() for line in console.read_text().splitlines() if line.startswith(name + " ")]
    return [([int(one) for one in row[1:6]], "".join(row[6:])) for row in rows]


def test_what_tasks_see(tmp_path: Path) -> None:
    """Each frame is right for autosar-e2e, with the counters in turn; what is received is so, too."""
    folder = make(tmp_path / "e2e_whole", TORQUE, WHEEL, LAMP)
    code, ran = run_takt("run", folder)
    assert (code, ran["breaches"]) == (0, [])
    frames = frames_of(folder, ran["scheduler"])
    for identifier, config in ((0x100, Config(1)), (0x80, Config(5, data_id=0x77)), (0x400, Config(2, size=5))):
        data = [one.data for one in frames if one.identifier == identifier]
        assert all(map(Theirs(config).is_right, data))
        counters = [one[2] if config.profile == 5 else one[1] & 0x0F for one in data]
        assert counters == [number % COUNTERS[config.profile] for number in range(len(data))]
        assert len(data) >= 20
    torque = [one.data for one in frames if one.identifier == 0x100]
    assert [(one[1] >> 4, one[2]) for one in torque] == [(0xA, number) for number in range(1, 101)]
    wheel = shown(folder, ran["scheduler"], "wheel")
    assert [one[:2] for one, _ in wheel if one[0] != Status.NONEWDATA][:3] == [[0, 3], [0, 0], [0, 0]]
    assert {one[1] for one, _ in wheel[5:]} == {State.VALID}
    assert 0 < max(one[4] for one, _ in wheel[5:]) < 22 * MS
    came = [data for one, data in wheel if one[3]]
    assert came == [one.data[:5].hex() for one in frames if one.identifier == 0x80][: len(came)]
    assert len(came) >= seen(ran)["wheel"]["count"] - 1
    lamp = shown(folder, ran["scheduler"], "lamp")
    assert [one[0] for one, _ in lamp] == [Status.INITIAL, *[Status.OK] * (len(lamp) - 1)]
    assert [data for _, data in lamp] == [one.data.hex() for one in frames if one.identifier == 0x400][: len(lamp)]
    a_sender_dies(folder)


def a_sender_dies(folder: Path) -> None:
    """Its last data becomes stale when it is older than 30 ms, and invalid after a window of checks without any."""
    code, ran = run_takt("run", folder, "--inject", "body:dead=abs@500ms")
    assert code in (0, 1)
    rows = [one for one, _ in shown(folder, ran["scheduler"], "wheel")]
    stale = [index for index, one in enumerate(rows) if one[1] == State.STALE]
    invalid = [index for index, one in enumerate(rows) if one[1] == State.INVALID]
    assert stale
    assert all(rows[index][4] > 30 * MS for index in stale)
    assert all(one[4] <= 30 * MS for one in rows[: stale[0]] if one[1] == State.VALID)
    assert stale[-1] + 1 == invalid[0]
    assert invalid == list(range(invalid[0], len(rows)))
    assert all(one[0] == Status.NONEWDATA for one in rows[invalid[0] - 7 : invalid[0] + 1])
    assert rows[invalid[0] - 8][0] == Status.OK


@only_full
def test_what_is_refused_is_not_counted(tmp_path: Path) -> None:
    """A message that the limit of its task refuses leaves no gap."""
    folder = make(
        tmp_path / "e2e_refused", TORQUE, WHEEL, LAMP, again="(void)(takt_can_send_torque(torque) == TAKT_OK);"
    )
    _, ran = run_takt("run", folder)
    assert seen(ran)["torque"]["lost"] == 100
    counters = [one.data[1] & 15 for one in frames_of(folder, ran["scheduler"]) if one.identifier == 0x100]
    assert counters == [number % 15 for number in range(100)]


REFUSED = [
    ("protection", '"e2e-1"', '"e2e-3"', "e2e-1", ""),
    ("data_id", "data_id = 0x123\n", "", "e2e-1 without data_id", "data_id = 0x123"),
    ("data_id", "data_id = 0x123", "data_id = 70000", "out of range 0 to 65535", "0xffff"),
    ("data_id", "data_id = 0x123", 'data_id = "0x123"', "expected an integer, or an array, found a string", "0x123"),
    ("data_id", "data_id = 0x123", f"data_id = {IDS}", "data_id is an array, with e2e-1", "data_id = 0x123"),
    ("data_id", f"data_id = {IDS}", "data_id = 3", "data_id is one, with e2e-2", "16 integers"),
    ("data_id", f"data_id = {IDS}", "data_id = [1, 2]", "an array that is not 16 integers", "16 integers"),
    ("data_id", "[1, 2,", "[1, 256,", "out of range 0 to 255", "8 bits"),
    (
        "data_id",
        "0x123",
        '0x1234\ndata_id_mode = "nibble"',
        'data_id = 0x1234, of which data_id_mode = "nibble"',
        "0x234",
    ),
    ("data_id", 'e2e-5"\ndata_id = 0x77', 'e2e-1"\ndata_id = 0x123', 'data_id is that of "torque", too', "another one"),
    ("data_id_mode", "0x77", '0x77\ndata_id_mode = "low"', "data_id_mode with e2e-5", 'protection = "e2e-1"'),
    ("data_id", 'protection = "e2e-1"\n', "", "data_id requires protection", 'protection = "e2e-5", or remove data_id'),
    (
        "bytes",
        "bytes = 5",
        "bytes = 1",
        "with e2e-2 a message has 2 to 32, of which 2 are the protection's",
        "bytes = 3",
    ),
    ("max_lost", "0x123", "0x123\nmax_lost = 2", "max_lost requires receivers", "remove max_lost"),
    ("max_lost", IDS, f"{IDS}\nmax_lost = 15", "max_lost = 15, and e2e-2 has 16 counters", "14"),
    ("window", IDS, f"{IDS}\nwindow = 33", "out of range 1 to 32", "32"),
    ("max_errors", IDS, f"{IDS}\nmax_errors = -1", "out of range 0 to 32", "0"),
    ("fresh", '"30 ms"', '"21 ms"', "fresh = 21 ms, and the next one may come 22 ms later", '"22 ms"'),
    ("fresh", '"30 ms"', "30", "the unit is missing", '"30 ms"'),
    (
        "queue",
        '["control"]\nid = 0x400',
        '["control", "other"]\nid = 0x400',
        "queue with several receivers",
        "one receiver",
    ),
    ("protection", "driver = true\n", "", "protection requires driver", "driver = true in [[can]]"),
]


@pytest.mark.parametrize(("key", "put", "instead", "said", "hint"), REFUSED)
def test_what_is_refused(takt: Takt, tmp_path: Path, key: str, put: str, instead: str, said: str, hint: str) -> None:
    text = text_of(TORQUE, WHEEL, LAMP) + TASK.replace("control", "other").replace('entry = "other_job"\n', "")
    if "driver" in put:
        text = text.replace("queue = 2\n", "")
    assert put in text
    write(tmp_path, "system.toml", text.replace(put, instead, 1))
    problem, tried = refusal(takt("check", tmp_path, "--no-sensitivity"))
    assert (said in problem, hint in tried) == (True, True), f"{problem}\n{tried}"
    assert problem.startswith(f"{tmp_path}/system.toml:")
    assert "[[message]]" in problem
    assert key in problem


def test_a_copy_has_none_of_its_own(takt: Takt, tmp_path: Path) -> None:
    other = CAN.replace("body", "rear")
    copy = '[[message]]\nname = "copy"\nbus = "rear"\nforwards = "wheel"\nprotection = "e2e-5"\n'
    write(tmp_path, "system.toml", text_of(TORQUE, WHEEL) + other + copy)
    problem, tried = refusal(takt("check", tmp_path, "--no-sensitivity"))
    assert "protection with forwards: its data is that of the message that is forwarded" in problem
    assert "remove protection" in tried


def node(folder: Path, *messages: str) -> None:
    folder.mkdir()
    write(folder, "system.toml", text_of(*messages).replace('entry = "control_job"\n', ""))


def test_both_ends_of_a_network_say_the_same(takt: Takt, tmp_path: Path) -> None:
    sent = WHEEL.replace('from = "abs"\nreceivers = ["control"]', 'sender = "control"\ndeadline = "10 ms"')
    sent = sent.replace('jitter = "2 ms"\n', "").replace('fresh = "30 ms"\n', "")
    node(tmp_path / "abs", sent)
    node(tmp_path / "body", WHEEL)
    write(tmp_path, "system.toml", "".join(f'[[node]]\nname = "{one}"\nsystem = "{one}"\n' for one in ("abs", "body")))
    assert takt("check", tmp_path).code == 0
    for put, instead, other in (
        ("data_id = 0x77", "data_id = 0x78", "e2e-5, data_id 0x78"),
        ('protection = "e2e-5"', 'protection = "e2e-1"', "e2e-1, data_id 0x77 (both)"),
        ('protection = "e2e-5"\ndata_id = 0x77\nfresh = "30 ms"\n', "", "none"),
    ):
        write(
            tmp_path / "body",
            "system.toml",
            text_of(WHEEL.replace(put, instead)).replace('entry = "control_job"\n', ""),
        )
        problem, _ = refusal(takt("check", tmp_path))
        assert "body/system.toml:" in problem
        assert "protection = " in problem
        assert other in problem
        assert "e2e-5, data_id 0x77" in problem


def test_the_example_of_the_page(takt: Takt, tmp_path: Path) -> None:
    """Both ends are proved together."""
    sent, received = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / "e2e.md").read_text(), re.DOTALL)
    bus = CAN.replace("body", "chassis")
    for name, task, message in (("pedal", "control", sent), ("wheel", "brake", received)):
        (tmp_path / name).mkdir()
        own = f'[[task]]\nname = "{task}"\nperiod = "10 ms"\nwcet = "1 ms"\n'
        write(tmp_path / name, "system.toml", HEAD + own + bus + message)
    write(
        tmp_path, "system.toml", "".join(f'[[node]]\nname = "{one}"\nsystem = "{one}"\n' for one in ("pedal", "wheel"))
    )
    said = takt("check", tmp_path)
    assert said.code == 0, said.out + said.err
