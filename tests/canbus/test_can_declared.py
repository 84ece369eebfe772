# SPDX-License-Identifier: Apache-2.0
"""[[can]] and [[message]] of system.toml: what is proved of messages that tasks send."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from can_files import document, write
from can_systems import AUTO, BRAKE, BUS, SPEED, TASKS, TRACE, WHOLE, checked, message, refused, responses
from command_line import Takt

MS = 1_000_000


def test_the_responses_are_those_that_are_worked_out(takt: Takt, tmp_path: Path) -> None:
    """A frame of 8 bytes and 11 bits takes at most 135 bits, 270 us. control ends 1 ms after its release, so brake is
    queued by then, waits for speed or trace, and is sent: 1 + 0.27 + 0.27. speed may wait for trace and brake: 1 ms of
    jitter + 3 * 0.27."""
    found = checked(takt, tmp_path, WHOLE)
    assert found["feasible"]
    assert found["verdict"] == "feasible"
    assert responses(found) == {"brake": 1_540_000, "speed": 1_810_000, "trace": None}
    assert [one["jitter_ns"] for one in found["messages"]] == [MS, MS, None]
    assert found["buses"][0]["load"] == pytest.approx(0.27 / 10 + 0.27 / 5)


def test_what_is_best_effort_only_blocks(takt: Takt, tmp_path: Path) -> None:
    """Without it speed waits for brake alone, which waits for speed."""
    found = checked(takt, tmp_path, TASKS + BUS + BRAKE + SPEED)
    assert responses(found) == {"brake": 1_540_000, "speed": 1_540_000}
    short = checked(takt, tmp_path, TASKS + BUS + BRAKE + SPEED + TRACE.replace("bytes = 8", "bytes = 1"))
    assert responses(short)["speed"] == 1_540_000 + 65 * 2_000  # 34 + 8 bits, up to 10 stuff bits, 13 more


def chances(found: dict[str, Any]) -> dict[str, tuple[int | None, float | None]]:
    return {one["name"]: (one["errors_tolerated"], one["miss_probability"]) for one in found["messages"]}


def test_errors_at_random(takt: Takt, tmp_path: Path) -> None:
    bus = BUS.replace("[[can]]", '[[can]]\nerrors = "random:1e-7"')
    write(tmp_path, "system.toml", TASKS + bus + BRAKE + SPEED)
    said = takt("check", tmp_path)
    assert said.code == 0
    assert "Errors at random (1e-7 of the bits) leave no response a bound: what is proved is without them." in said.out
    assert "With them an instance misses its deadline with a probability of at most" in said.out


EQUIVALENT = """name,id,extended,sender,bytes,period_ms,jitter_ms,deadline_ms
m0,0x80,0,dash,8,10,{0},10
m1,0x81,0,engine,4,7,0.5,7
m2,0x90,0,dash,6,20,{0},20
m3,0x91,0,engine,8,9,0,9
m4,0x92,0,dash,8,100,{1},100
m5,0x10000093,1,brakes,8,12,2,12
"""


@pytest.mark.parametrize(
    ("keys", "options"),
    [
        ("", ()),
        ('errors = "3/100ms/2ms"\n', ("--errors", "3/100ms/2ms")),
        ('errors = "random:20/s"\n', ("--errors", "random:20/s")),
        ('controller = "fifo"\n', ("--controller", "dash=fifo")),
        (
            'controller = "2/abort:50us"\nothers = ["fifo"]\n',
            ("--controller", "fifo", "--controller", "dash=2/abort:50us"),
        ),
        ('fd = true\ndata_bitrate = "1 Mbit/s"\n', ("--fd", "--data-bitrate", "1M")),
    ],
)
@pytest.mark.parametrize("in_file", [False, True])
def test_the_bounds_are_those_of_the_same_file(
    takt: Takt, tmp_path: Path, keys: str, options: tuple[str, ...], in_file: bool
) -> None:
    """`takt can check` of a CSV with the jitter worked out by hand: control ends after 1 ms, logger after 5 + 1."""
    listed = EQUIVALENT.format(1, 6)
    rows = [row.split(",") for row in listed.splitlines()[1:]]
    tasks = {"m0": "control", "m2": "control", "m4": "logger"}
    text = TASKS + '[[can]]\nname = "body"\nbitrate = "125 kbit/s"\n' + keys
    for name, number, extended, sender, size, period, jitter, deadline in rows:
        if sender == "dash":
            said = f'sender = "{tasks[name]}"\nperiod = "{period} ms"'
        else:
            said = f'from = "{sender}"\nperiod = "{period} ms"\njitter = "{jitter} ms"'
        if sender == "dash" or not in_file:
            ours = f'{said}\nid = {number}\nextended = {["false", "true"][int(extended)]}\ndeadline = "{deadline} ms"'
            text += message(name, ours).replace("bytes = 8", f"bytes = {size}")
    if in_file:
        text = text.replace("[[message]]", 'file = "bus.csv"\n[[message]]', 1)
    path = write(tmp_path, "bus.csv", listed)
    wanted = document(takt("can", "check", path, "--bitrate", "125k", *options, "--json"))
    found = checked(takt, tmp_path, text)
    assert responses(found) == responses(wanted)
    assert found["feasible"] == wanted["feasible"]
    assert chances(found) == chances(wanted)
    assert found["buses"][0]["load"] == pytest.approx(wanted["load"])
    assert [one["declared"] for one in found["messages"]].count(False) == (3 if in_file else 0)


def test_a_task_makes_its_message_late(takt: Takt, tmp_path: Path) -> None:
    """4.2 ms until control has ended, 0.27 + 0.27 ms on the bus, due after 4.5 ms: 0.24 ms too much. So control must be
    so much shorter, the deadline so much longer, or the two frames no longer than 0.3 ms."""
    slow = WHOLE.replace('wcet = "1 ms"', 'wcet = "4200 us"').replace('deadline = "5 ms"', 'deadline = "4500 us"')
    write(tmp_path, "system.toml", slow)
    said = takt("check", tmp_path)
    assert said.code == 1
    assert (
        "Refuted: every deadline of a task holds, but on body message brake (0x100) of control may take 4.74 ms: "
        "4.2 ms until the job has sent it + 270 us for other frames + 270 us for its own > its deadline of 4.5 ms."
        in said.out
    )
    assert "message brake: deadline 4.74 ms instead of 4.5 ms (+5.3 %)" in said.out
    found = document(takt("check", tmp_path, "--json"))
    bus, first = found["buses"][0], found["changes"][0]
    assert (found["feasible"], bus["feasible"], bus["least_bitrate"]) == (False, False, 900_000)
    assert (first["kind"], first["name"], first["to_ns"]) == ("message", "brake", 4_740_000)
    mended = slow.replace('wcet = "4200 us"', 'wcet = "3960 us"')
    assert checked(takt, tmp_path, mended)["feasible"]
    assert not checked(takt, tmp_path, mended.replace("3960 us", "3961 us"))["feasible"]
    faster = slow.replace("500 kbit/s", "900 kbit/s")
    assert checked(takt, tmp_path, faster)["feasible"]
    assert not checked(takt, tmp_path, faster.replace("900 kbit/s", "899 kbit/s"))["feasible"]


def test_a_late_message_is_shown_where_it_is_declared(takt: Takt, tmp_path: Path) -> None:
    late = WHOLE.replace('deadline = "5 ms"', 'deadline = "1500 us"')
    path = write(tmp_path, "system.toml", late)
    line = late[: late.index('name = "brake"')].count("\n")
    result = document(takt("check", path, "--format", "sarif"))["runs"][0]["results"][0]
    assert result["ruleId"] == "message"
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == line
    assert "body: message brake (0x100) of control may take 1.54 ms: 1 ms until" in result["message"]["text"]
    page = tmp_path / "page.html"
    assert takt("report", path, "--output", page).code == 1
    shown = page.read_text(encoding="utf-8")
    assert "<h2>Bus body</h2>" in shown
    assert shown.count("may be late") == 1


def test_limits_of_tasks_count_their_messages(takt: Takt, tmp_path: Path) -> None:
    """control may take 3.46 ms more of brake's 5 ms."""
    write(tmp_path, "system.toml", WHOLE)
    control = document(takt("check", tmp_path, "--json", "--sensitivity"))["sensitivity"]["tasks"][0]
    assert control["wcet_ns_max"] == 1 * MS + 3_460_000
    longest = WHOLE.replace('wcet = "1 ms"', 'wcet = "4460001 ns"')
    assert not checked(takt, tmp_path, longest)["feasible"]


def test_identifiers_that_are_given_can_be_written_down(takt: Takt, tmp_path: Path) -> None:
    """quick, due first, goes first; what is best effort has the last of all; and with these numbers in place of "auto"
    the proof is the same."""
    ours = [
        message("slow", f'sender = "control"\n{AUTO}\ndeadline = "9 ms"'),
        message("quick", f'sender = "control"\n{AUTO}\ndeadline = "1700 us"'),
        message("rare", f'sender = "rest"\n{AUTO}'),
    ]
    text = TASKS + BUS + 'identifiers = "0x120-0x7E0"\n' + "".join(ours) + SPEED
    found = checked(takt, tmp_path, text)
    given = {one["name"]: one["id"] for one in found["messages"]}
    assert found["feasible"]
    assert given["quick"] < min(given["slow"], 0x200)
    assert given["rare"] == 0x7E0
    assert f"quick id = 0x{given['quick']:03X}" in takt("check", tmp_path, "--no-sensitivity").out
    for number in (given["slow"], given["quick"], given["rare"]):  # in the order of the file
        text = text.replace(AUTO, f"id = {number}", 1)
    again = checked(takt, tmp_path, text)
    assert AUTO not in text
    assert responses(again) == responses(found)


def test_no_identifiers_prove_it(takt: Takt, tmp_path: Path) -> None:
    quick = message("quick", f'sender = "control"\n{AUTO}\ndeadline = "1200 us"')
    text = TASKS + BUS + 'identifiers = "0x000-0x003"\n' + quick + SPEED
    write(tmp_path, "system.toml", text)
    assert "on body no identifiers prove it; message quick" in takt("check", tmp_path, "--no-sensitivity").out


FILE = "name,id,sender,bytes,period_ms\nlamp,0x50,rear,8,40\n"


def test_a_file_must_be_clear(takt: Takt, tmp_path: Path) -> None:
    """What a file leaves open is said in its [[can]]."""
    text = TASKS + BUS + 'file = "bus.csv"\n' + BRAKE
    cases = (
        ("door,0x60,left right,8,50\n", "1 message with several senders, or none: door", "variants = true"),
        ("door,0x60,,8,50\n", "1 message with several senders, or none: door", "variants = true"),
        ("door,0x60,left,8,\n", "1 message without a cycle time: door", 'period = "100 ms"'),
        (
            "door,0x100,left,8,50\n",
            'two senders: task "control" here, and "left" in bus.csv (door, 0x100)',
            "another id",
        ),
    )
    for row, said, hint in cases:
        write(tmp_path, "bus.csv", FILE + row)
        refused(takt, tmp_path, text, said, hint)
    write(tmp_path, "bus.csv", FILE + "door,0x60,left,12,50\n")
    refused(takt, tmp_path, text, "1 message of more than 8 bytes: door", 'data_bitrate = "2 Mbit/s"')
    for row, key in (
        (cases[0][0], "variants = true"),
        (cases[1][0], "variants = true"),
        (cases[2][0], 'period = "50 ms"'),
    ):
        write(tmp_path, "bus.csv", FILE + row)
        found = checked(takt, tmp_path, text.replace('file = "bus.csv"', f'file = "bus.csv"\n{key}'))
        assert responses(found) == {"lamp": 540_000, "door": 810_000, "brake": 1_810_000}
    write(tmp_path, "bus.csv", FILE + cases[3][0])
    found = checked(takt, tmp_path, text.replace('file = "bus.csv"', 'file = "bus.csv"\nnode = "left"'))
    assert responses(found) == {"lamp": 540_000, "brake": 1_540_000}


KCD = """<NetworkDefinition xmlns="http://kayak.2codeornot2code.org/1.0"><Document/><Node id="1" name="rear"/>
<Bus name="left"><Message id="0x50" name="lamp" length="8" interval="40"><Producer><NodeRef id="1"/></Producer>
</Message></Bus><Bus name="right"><Message id="0x60" name="door" length="8" interval="40"><Producer><NodeRef id="1"/>
</Producer></Message></Bus></NetworkDefinition>
"""


def test_a_file_of_several_buses(takt: Takt, tmp_path: Path) -> None:
    write(tmp_path, "bus.kcd", KCD)
    text = TASKS + BUS + 'file = "bus.kcd"\n' + BRAKE
    refused(takt, tmp_path, text, "it has 2 buses", "file_bus left or right")
    refused(
        takt, tmp_path, text.replace("kcd", 'kcd"\nfile_bus = "top', 1), 'no bus "top" in it', "file_bus left or right"
    )
    found = checked(takt, tmp_path, text.replace("kcd", 'kcd"\nfile_bus = "right', 1))
    assert responses(found) == {"door": 540_000, "brake": 1_540_000}


def test_what_this_system_sends_is_not_taken_from_the_file(takt: Takt, tmp_path: Path) -> None:
    write(tmp_path, "bus.csv", FILE + "brake,0x100,dash,8,50\nhorn,0x10,dash,8,10\n")
    found = checked(takt, tmp_path, TASKS + BUS + 'file = "bus.csv"\n' + BRAKE)
    assert responses(found) == {"lamp": 540_000, "brake": 1_540_000}
    assert found["buses"][0]["unsent"] == ["horn"]
    said = takt("check", tmp_path, "--no-sensitivity").out
    assert "bus.csv: 1 message of dash without a [[message]], not sent: horn" in said


def test_a_table_stands_for_the_message_of_the_file(takt: Takt, tmp_path: Path) -> None:
    """lamp is queued up to 2 ms late, as its table says."""
    write(tmp_path, "bus.csv", FILE)
    lamp = message("lamp", 'from = "rear"\nid = 0x50\nperiod = "20 ms"\njitter = "2 ms"')
    found = checked(takt, tmp_path, TASKS + BUS + 'file = "bus.csv"\n' + BRAKE + lamp)
    assert [one["name"] for one in found["messages"]] == ["lamp", "brake"]
    assert responses(found) == {"lamp": 2_540_000, "brake": 1_540_000}


def test_a_build_says_that_nothing_sends_them(takt: Takt, tmp_path: Path) -> None:
    write(tmp_path, "system.toml", WHOLE)
    found = takt("generate", tmp_path, "--output", tmp_path / "out")
    assert found.code == 0
    assert "takt: messages are proved, and no code sends them yet: brake, trace\n" in found.err
    write(tmp_path, "system.toml", TASKS)
    assert "messages" not in takt("generate", tmp_path, "--output", tmp_path / "out").err


def test_nothing_is_said_of_messages_whose_tasks_are_late(takt: Takt, tmp_path: Path) -> None:
    write(tmp_path, "system.toml", WHOLE.replace('wcet = "1 ms"', 'wcet = "11 ms"'))
    found = document(takt("check", tmp_path, "--json"))
    assert found["reason"].startswith("task control: ")
    assert responses(found) == {"brake": None, "speed": None, "trace": None}
    assert [one["feasible"] for one in found["messages"]] == [False, False, True]


def test_the_kernel_delays_messages_too(takt: Takt, tmp_path: Path) -> None:
    """On a board whose overheads are measured the bound on the task's response has them, and so has its message."""
    found = checked(takt, tmp_path, WHOLE, "--board", "mps2-an385")
    bare = checked(takt, tmp_path, WHOLE, "--board", "mps2-an385", "--overheads", "none")
    assert bare["tasks"][0]["response_ns"] == MS
    assert found["tasks"][0]["response_ns"] > MS
    for one in (found, bare):
        assert one["messages"][0]["jitter_ns"] == one["tasks"][0]["response_ns"]
        assert one["messages"][0]["response_ns"] == one["tasks"][0]["response_ns"] + 540_000


def test_a_task_whose_response_has_no_bound(takt: Takt, tmp_path: Path) -> None:
    """A served task without a deadline, for which the server's budget is never enough."""
    asked = '[[task]]\nname = "asked"\nmin_interarrival = "10 ms"\nwcet = "3 ms"\n'
    server = '[[server]]\nname = "care"\nkind = "polling"\nbudget = "1 ms"\nperiod = "10 ms"\nserves = ["asked"]\n'
    answer = message("answer", 'sender = "asked"\nid = 0x80\ndeadline = "9 ms"')
    found = checked(takt, tmp_path, TASKS + asked + server + BUS + BRAKE + answer)
    assert not found["feasible"]
    assert "on body nothing bounds when asked sends: its response has no bound" in found["reason"]
    assert responses(found) == {"answer": None, "brake": None}


def test_tasks_that_are_started_later_make_messages_later(takt: Takt, tmp_path: Path) -> None:
    """They may make responses as long as the deadlines are: control ends within 3 ms, then 0.27 + 0.27."""
    text = WHOLE.replace('wcet = "1 ms"', 'wcet = "1 ms"\ndeadline = "3 ms"')
    text = text.replace('scheduler = "dm"', 'scheduler = "dm"\nruntime_tasks = 1')
    assert responses(checked(takt, tmp_path, text))["brake"] == 3_540_000


def test_another_scheduler_must_prove_the_messages(takt: Takt, tmp_path: Path) -> None:
    """Under rm logger goes first: control ends after 3 ms, brake is late. Under dm, which auto finds, it is in time,
    unless it is due after 1.5 ms."""
    text = TASKS.replace('period = "100 ms"\nwcet = "5 ms"', 'period = "8 ms"\ndeadline = "7 ms"\nwcet = "2 ms"')
    text = text.replace('wcet = "1 ms"', 'wcet = "1 ms"\ndeadline = "4 ms"').replace('"dm"', '"rm"')
    text += BUS + BRAKE + SPEED + TRACE
    mended = 'scheduler = "auto" proves it: dm'
    for due, helps in (("2 ms", True), ("1500 us", False)):
        write(tmp_path, "system.toml", text.replace('deadline = "5 ms"', f'deadline = "{due}"'))
        said = takt("check", tmp_path)
        assert said.code == 1
        assert "but on body message brake (0x100) of control may take 3.54 ms" in said.out
        assert (mended in said.out) == helps
