# SPDX-License-Identifier: Apache-2.0
"""`takt import` and `takt export`: what they write, list and refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Takt, documented, keys
from takt.declare import declaration
from takt.declare.exchange.model import Source
from takt.declare.formats import read
from takt.declare.service_kinds.mutex import Mutex

MODELS = Path(__file__).parent / "models"
SYSTEM = """[[task]]
name = "control"
period = "10 ms"
deadline = "8 ms"
wcet = "1.5 ms"
jitter = "250 us"
offset = "1 ms"
[[task]]
name = "command"
min_interarrival = "20 ms"
wcet = "2 ms"
[[task]]
name = "left"
period = "50 ms"
deadline = "40 ms"
wcet = "3 ms"
[[task]]
name = "right"
period = "60 ms"
wcet = "4 ms"
[[task]]
name = "log"
wcet = "5 ms"
[[band]]
kind = "fixed"
tasks = ["control", "command"]
[[band]]
kind = "edf"
tasks = ["left", "right"]
[[mutex]]
name = "data"
protocol = "ceiling"
users = [{task = "control", hold = "100 us", locks = 2}, {task = "right", hold = "300 us", locks = 1},
    {task = "log", hold = "700 us", locks = 1}]
[[mutex]]
name = "inner"
users = [{task = "left", hold = "200 us", locks = 1}, {task = "right", hold = "250 us", locks = 1}]
[[interrupt]]
name = "uart"
number = 3
min_interarrival = "5 ms"
wcet = "40 us"
"""


def bounds(takt: Takt, folder: Path, *more: str) -> dict[str, int | None]:
    document = json.loads(takt("check", folder, "--json", "--no-sensitivity", *more).out)
    return {task["name"]: task["response_ns"] for task in document["tasks"]}


@pytest.mark.parametrize("model", sorted(path.name for path in MODELS.iterdir()))
def test_check_takes_what_import_writes(model: str, takt: Takt, tmp_path: Path) -> None:
    more = (
        ["--processor", "cpu1" if model == "best_fit.xml" else "processor1"]
        if model in ("best_fit.xml", "basics.xmlv3")
        else []
    )
    said = takt("import", MODELS / model, tmp_path / "x", "--unit", "ms", "--leave-out", *more)
    assert said.code == 0, said.err
    assert f"try: ./takt check {tmp_path / 'x'}" in said.out
    assert takt("check", tmp_path / "x", "--no-sensitivity").code in (0, 1)


def test_what_is_left_out_is_refused_and_listed(takt: Takt, tmp_path: Path) -> None:
    said = takt("import", MODELS / "old.amxmi", tmp_path / "x", "--json")
    document = json.loads(said.out)
    assert (said.code, document["written"]) == (1, None)
    assert "takt: not written: 2 of what is left out would make bounds optimistic" in said.err
    assert not (tmp_path / "x").exists()
    assert document["renamed"] == [{"from": "Angle Task", "to": "Angle_Task"}]
    assert {"line": 56, "what": 'stimulus "After" of task "Chained": InterProcessStimulus', "optimistic": True} in (
        document["left_out"]
    )
    assert documented("import") == set(keys(document))
    assert takt("import", MODELS / "old.amxmi", tmp_path / "x", "--leave-out").code == 0
    text = (tmp_path / "x" / "system.toml").read_text()
    assert '# ! 56: stimulus "After" of task "Chained": InterProcessStimulus' in text


def test_nothing_is_overwritten(takt: Takt, tmp_path: Path) -> None:
    target = tmp_path / "system.toml"
    target.write_text("mine")
    said = takt("import", MODELS / "burns.csv", tmp_path)
    assert said.code == 2
    assert f"takt: {target} exists already\n  try: another folder, or --force\n" == said.err
    assert target.read_text() == "mine"
    assert takt("import", MODELS / "burns.csv", tmp_path, "--force").code == 0
    assert declaration.load(target).names == ("a", "b", "c")
    assert [path.name for path in tmp_path.iterdir()] == ["system.toml"]


def test_a_folder_that_is_a_file(takt: Takt, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("mine")
    said = takt("import", MODELS / "burns.csv", tmp_path / "x")
    assert (said.code, (tmp_path / "x").read_text()) == (2, "mine")
    assert said.err.startswith(f"takt: {tmp_path / 'x'} is not a folder")


def test_details_of_the_formats() -> None:
    cheddar = read.load(Source(MODELS / "resources.xmlv3", "ms"), None, "host").system
    assert [(task.name, task.wcet_ns, task.jitter_ns, task.offset_ns) for task in cheddar.tasks] == [
        ("fast", 2_000_000, 1_000_000, None),
        ("middle", 4_000_000, 0, None),
        ("slow", 5_000_000, 0, 3_000_000),
    ]
    assert [band.groups for band in cheddar.bands] == [(("fast",), ("middle", "slow"))]
    bus, log = cheddar.of(Mutex)
    assert [(user.task, user.hold_ns, user.locks) for user in bus.users] == [
        ("fast", 1_000_000, 1),
        ("slow", 3_000_000, 2),
    ]
    assert [(user.task, user.hold_ns, user.within) for user in log.users][1] == ("slow", 1_000_000, ("bus",))
    amalthea = read.load(Source(MODELS / "old.amxmi"), None, "host").system
    slow = amalthea.task("Slow")
    assert (slow.min_interarrival_ns, slow.deadline_ns, slow.wcet_ns) == (40_000_000, 30_000_000, 3_000_000)
    angle = amalthea.task("Angle_Task")
    assert (angle.jitter_ns, angle.offset_ns) == (20_000, 500_000)
    assert [user.hold_ns for user in amalthea.of(Mutex)[0].users] == [1_000_000, 1_000_000]
    for name in ("excel_latin1.csv", "excel_bom.csv"):
        excel = read.load(Source(MODELS / name, "ms"), None, "host")
        assert [task.wcet_ns for task in excel.system.tasks] == [3_000_000, 3_250_000, 5_000_000]
        assert excel.renamed["int"] == "int_1"
        assert [(one.line, one.what, one.optimistic) for one in excel.left] == [(1, 'column "Remark"', False)]


def test_a_system_comes_back(takt: Takt, tmp_path: Path) -> None:
    """Through MAST with all that it has, with the kernel's overheads."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "system.toml").write_text(SYSTEM)
    said = takt("export", tmp_path / "a", tmp_path / "a.txt", "--json")
    assert said.code == 0, said.out + said.err
    assert documented("export") >= set(keys(json.loads(said.out)))
    assert takt("import", tmp_path / "a.txt", tmp_path / "b").code == 0
    assert bounds(takt, tmp_path / "b") == bounds(takt, tmp_path / "a")


def test_csv_refuses_what_it_cannot_say(takt: Takt, tmp_path: Path) -> None:
    (tmp_path / "system.toml").write_text(SYSTEM)
    said = takt("export", tmp_path, tmp_path / "a.csv")
    assert said.code == 1
    assert 'left out, optimistic: line 30: [[mutex]] "data"' in said.out
    assert "takt: not written: 3 of what is left out" in said.err
    assert not (tmp_path / "a.csv").exists()
    assert takt("export", tmp_path, tmp_path / "a.csv", "--leave-out").code == 0
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines[1] == "control,10000,,8000,1500,4,fixed,250,1000"
    assert lines[5] == "log,,,,5000,,,,"
    assert takt("export", tmp_path, tmp_path / "a.csv", "--leave-out").code == 2


def imported(tmp_path: Path, name: str, text: str) -> read.Imported:
    path = tmp_path / name
    path.write_text(text)
    return read.load(Source(path, "ms"), None, "host")


def test_execution_is_rounded_up(tmp_path: Path) -> None:
    """Distances down: to whole nanoseconds, on the safe side."""
    found = imported(tmp_path, "x.csv", "name,period,deadline,wcet\na,0.0000129,0.0000119,0.0000011\n").system.tasks[0]
    assert (found.wcet_ns, found.period_ns, found.deadline_ns) == (2, 12, 11)


def test_an_unknown_column_is_refused(tmp_path: Path) -> None:
    found = imported(tmp_path, "x.csv", "name,period,wcet,blocking,remark\na,10,1,3,x\n")
    assert [(one.what, one.optimistic) for one in found.left] == [
        ('column "blocking"', True),
        ('column "remark"', False),
    ]


MAST = """Processing_Resource (Type => Regular_Processor, Name => cpu);
Scheduler (Type => Primary_Scheduler, Name => s, Host => cpu, Policy => (Type => Fixed_Priority));
Scheduling_Server (Type => Regular, Name => t, Scheduler => s,
    Server_Sched_Parameters => (Type => Fixed_Priority_Policy, The_Priority => 1));
Shared_Resource (Type => Immediate_Ceiling_Resource, Name => a);
Shared_Resource (Type => Immediate_Ceiling_Resource, Name => b);
{operations}
Transaction (Type => Regular, Name => x, External_Events => (({event})),
    Internal_Events => ((Type => Regular, Name => f)), Event_Handlers => ((Type => Activity, Input_Event => e,
    Output_Event => f, Activity_Operation => o, Activity_Server => t)));
"""
SIMPLE = "Operation (Type => Simple, Name => {}, Worst_Case_Execution_Time => {}{});\n"


def test_a_burst_of_mast_is_one_job(tmp_path: Path) -> None:
    event = "Type => Bursty, Name => e, Bound_Interval => 30, Max_Arrivals => 4"
    text = MAST.format(operations=SIMPLE.format("o", 2, ""), event=event)
    task = imported(tmp_path, "x.txt", text).system.tasks[0]
    assert (task.min_interarrival_ns, task.wcet_ns) == (30_000_000, 8_000_000)


def test_an_outer_section_is_no_shorter(tmp_path: Path) -> None:
    """b for 1 ms in a for 1 ms; b alone for 5 ms: the declaration has one hold of each."""
    operations = SIMPLE.format("p", 1, ", Shared_Resources_List => (a, b)")
    operations += SIMPLE.format("q", 5, ", Shared_Resources_List => (b)")
    operations += "Operation (Type => Composite, Name => o, Composite_Operation_List => (p, q));"
    text = MAST.format(operations=operations, event="Type => Periodic, Name => e, Period => 30")
    holds = {mutex.name: mutex.users[0] for mutex in imported(tmp_path, "x.txt", text).system.of(Mutex)}
    assert {name: (user.hold_ns, user.locks) for name, user in holds.items()} == {
        "a": (5_000_000, 1),
        "b": (5_000_000, 2),
    }
    assert holds["b"].within == ("a",)


@pytest.mark.parametrize("name", ["x.txt", "x.csv"])
def test_time_slices_are_listed(takt: Takt, tmp_path: Path, name: str) -> None:
    tasks = "".join(f'[[task]]\nname = "{one}"\nwcet = "1 ms"\n' for one in "ab")
    (tmp_path / "system.toml").write_text('[system]\nquantum = "2 ms"\n' + tasks)
    said = takt("export", tmp_path, tmp_path / name)
    assert "time slices among equals: they are FIFO there" in said.out, said


def test_a_second_name_for_one_of_mast_is_refused(takt: Takt, tmp_path: Path) -> None:
    task = '[[task]]\nname = "{}"\nperiod = "10 ms"\nwcet = "1 ms"\n'
    (tmp_path / "system.toml").write_text(task.format("Left") + task.format("left"))
    said = takt("export", tmp_path, tmp_path / "x.txt")
    assert said.code == 2
    assert 'system.toml:5: "Left" and "left" are one name in MAST' in said.err
