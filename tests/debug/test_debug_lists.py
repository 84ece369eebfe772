# SPDX-License-Identifier: Apache-2.0
"""`takt run --gdb` and the commands of its extension, on every board.

What the lists must say follows from known/known.c, which puts each task into a state of its own; nothing that the
kernel prints is compared with itself.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import BOARDS, FIRST_EMULATED, FULL, SECOND_EMULATED, emulated, only_full
from takt.declare import declaration, services
from takt.declare.schema import boards
from takt.image import build
from takt.observe.debug import DEBUGGER, EXTENSION
from takt.support.provision import ROOT

FOLDER = Path(__file__).parent / "known"
OPTIONS = ("--force", "--overheads", "none")  # what it does would not be proved: jobs wait without having said so

# At 600 ms, when `probe` observes.
STATES = {
    "limited": "waits for semaphore go until 2.5 s",
    "waiter": "waits for mutex bus owned by owner",
    "owner": "sleeps until 5 s",
    "held": "suspended",
    "receiver": "waits for mailbox letters to receive",
    "probe": "running",
    "worker": "ready",
    "triggered": "waits for a trigger to release it",
    "later": "waits for its next release at 25 s",
    "sender": "waits for mailbox parcels to send",
    "idle": "ready",
}
ROW = re.compile(
    r"^(?P<mark>[* ]) (?P<name>\w+) +(?P<level>\d+(?: \(own \d+\))?|-)  +(?P<deadline>[\d.]+ \w+|-)  +"
    r"(?P<state>\S.*?)  +(?P<holds>\S+)  +(?P<used>\d+)/(?P<size>\d+)(?:, most (?P<most>\d+))?  +(?P<sp>0x[0-9a-f]+)$",
    re.MULTILINE,
)
Ask = Callable[..., list[str]]


@pytest.fixture
def ask(takt: Takt, tmp_path: Path) -> Ask:
    """Runs an application under gdb up to its first task, then commands; what each said, and before them the start."""

    def run(folder: Path, *commands: str, options: tuple[str, ...] = ()) -> list[str]:
        script = tmp_path / "commands.gdb"
        script.write_text("".join(f"echo \\n@@@\\n\n{command}\n" for command in commands), encoding="utf-8")
        said = takt("run", folder, *OPTIONS, *options, "--gdb-script", script)
        assert said.code == 0, said.out + said.err
        return [part.removeprefix("\n") for part in said.out.split("\n@@@")]

    return run


def rows(text: str) -> dict[str, dict[str, str]]:
    """`takt tasks`, by task."""
    found = {match["name"]: match.groupdict() for match in ROW.finditer(text)}
    assert len(found) == len([line for line in text.splitlines() if re.search(r"\d/\d", line)]), text
    return found


def functions(backtrace: str) -> list[str]:
    """Of its frames, the newest first."""
    return re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?(\w+) \(", backtrace, re.MULTILINE)


def events(trace: str) -> list[list[str]]:
    """Name and task, or object, of each line of `takt trace`."""
    return [line.split()[1:3] for line in trace.splitlines() if re.match(r" +\d+\.\d{6} ", line)]


@pytest.mark.parametrize("board", BOARDS if FULL else FIRST_EMULATED)
def test_what_every_task_does(ask: Ask, board: str) -> None:
    first, _, there, tasks, objects, timers, worker, waiter, probe, local, trace, whole, no_fault, end = ask(
        FOLDER,
        "break observe",
        "continue",
        "takt tasks",
        "takt objects",
        "takt timers",
        "takt task worker",
        "takt task waiter",
        "takt task probe",
        "takt in waiter info locals",
        "takt trace 5",
        "takt trace 1000",
        "takt fault",
        "continue",
        options=("--board", board),
    )
    assert "the first task is limited, level 0" in first
    assert re.search(r"limited_job \(argument=0x0.*\) at .*known.c:\d+", first)
    assert "observe (question=" in there

    found = rows(tasks)
    assert {name: row["state"] for name, row in found.items()} == STATES
    assert [name for name, row in found.items() if row["mark"] == "*"] == ["probe"]
    levels = {"limited": "0", "waiter": "1", "owner": "1 (own 3)", "held": "2", "receiver": "4", "sender": "5"}
    levels |= {"probe": "6", "worker": "7", "triggered": "8", "later": "9", "idle": "-"}
    assert {name: row["level"] for name, row in found.items()} == levels  # dm: the owner has its waiter's
    assert {name: row["holds"] for name, row in found.items() if row["holds"] != "-"} == {"owner": "bus"}
    # release and relative deadline of the jobs that have begun
    assert {name: row["deadline"] for name, row in found.items() if row["deadline"] != "-"} == {
        "limited": "100 ms",
        "waiter": "450 ms",
        "owner": "500 ms",
        "held": "500 ms",
        "receiver": "600 ms",
        "probe": "1.2 s",
        "worker": "2.65 s",
        "sender": "650 ms",
    }
    if board != "host":  # whose tasks run on stacks of the host's
        declared = {task.name: str(task.stack) for task in declaration.load(FOLDER / "system.toml").tasks}
        assert {name: row["size"] for name, row in found.items() if name != "idle"} == declared
        assert all(0 <= int(row["used"]) <= int(row["most"]) <= int(row["size"]) for row in found.values())
        assert int(found["worker"]["most"]) > int(found["later"]["most"])
    assert len({row["sp"] for row in found.values()}) == len(found)

    assert re.findall(r"^(\w+(?: mailbox)?) +([\w\[\]]+) +(.*)$", objects, re.MULTILINE) == [
        ("mutex", "bus", "owned by owner; waiting: waiter"),
        ("semaphore", "go", "count 0 of 3, waiters in FIFO order; waiting: limited"),
        ("mailbox", "letters", "0 of 4 messages; waiting: receiver to receive"),
        ("mailbox", "parcels", "1 of 1 messages; waiting: sender to send"),
        ("slot", "tray", "free, waiters in FIFO order"),
        ("priority mailbox", "never", "0 of 2 messages, releases triggered, waiters in FIFO order"),
        ("alarm", "chime", "expires at 20 s, every 20 s"),
        ("alarm", "takti_alarms_creator[0]", "expires at 30 s"),
    ]
    armed = re.findall(r"^([\d.]+ m?s) +(\w+(?: chime)?)", timers, re.MULTILINE)
    assert [one for one in armed if one[1] != "a"] == [
        ("2.5 s", "limited"),
        ("5 s", "owner"),
        ("20 s", "alarm chime"),
        ("25 s", "later"),
        ("30 s", "alarm"),
    ]
    assert re.search(r"a call of end_reached \(0x[0-9a-f]+\)$", timers, re.MULTILINE)  # runner/run.c ends the run

    deep = functions(worker)
    assert deep[deep.index("dig") :][:4] == ["dig", "dig", "worker_job", "takti_task_main"]
    assert "takt_work" in deep
    assert "waiter_job" in functions(waiter)
    assert functions(probe)[:3] == ["observe", "probe_job", "takti_task_main"]
    assert "attempts = 42" in local
    assert events(trace)[-2:] == [["interrupt_end", "timer"], ["run", "probe"]]
    assert len(events(trace)) == 5
    assert re.search(r"^ +600\.\d{6}  run +probe", trace, re.MULTILINE)
    assert events(whole)[:10] == [["start", name] for name in STATES if name != "idle"]  # from the beginning
    assert events(whole)[-5:] == events(trace)
    assert "no fault is recorded" in no_fault

    reason = "an exception at address" if board != "host" else "an assertion failed at kernel/sync/mutex.c"
    assert f"takt: the system stopped after a fault:\n{reason}" in end
    assert re.search(r"in task probe, at \d", end)
    if board != "host":
        lines = (FOLDER / "known.c").read_text(encoding="utf-8").splitlines()
        bad = next(number for number, line in enumerate(lines, 1) if "where nothing is" in line)
        assert functions(end)[:2] == ["probe_job", "takti_task_main"]
        assert f"known.c:{bad}\n" in end


@pytest.mark.parametrize("board", SECOND_EMULATED)
def test_in_an_interrupt(ask: Ask, board: str) -> None:
    """The timer that releases `waiter` at 250 ms interrupts `worker`, two calls deep."""
    *_, tasks, owner, worker = ask(
        FOLDER,
        "break takti_timer_interrupt if takti_kernel.ready.running == &takt_tasks[6]",
        "continue",
        "takt tasks",
        "takt task owner",
        "takt task worker",
        options=("--board", board),
    )
    assert re.search(r"^\* worker +7 +2.65 s +running ", tasks, re.MULTILINE)
    assert re.search(r"^  waiter +1 +- +waits for its next release at 250 ms ", tasks, re.MULTILINE)
    assert functions(owner)[-2:] == ["owner_job", "takti_task_main"]
    if "does not provide PSP" in worker:  # of an ARMv7-M, QEMU before 8: better nothing than what is not there
        assert (board, functions(worker)) == ("mps2-an385", ["takti_timer_interrupt"])
    else:
        assert functions(worker)[-4:] == ["dig", "dig", "worker_job", "takti_task_main"]
        assert int(rows(tasks)["worker"]["used"]) > int(rows(tasks)["later"]["used"])


EDITED = 'board = "host"'


@pytest.fixture
def edited(tmp_path: Path) -> Callable[[str], Path]:
    """The application with more lines in its table [system]."""

    def edit(more: str) -> Path:
        folder = tmp_path / "known"
        folder.mkdir()
        for path in FOLDER.iterdir():
            (folder / path.name).write_text(path.read_text().replace(EDITED, f"{EDITED}\n{more}"))
        return folder

    return edit


@only_full
@pytest.mark.parametrize("board", [emulated("rv32-virt")])
def test_a_stack_that_overflowed(ask: Ask, edited: Callable[[str], Path], board: str) -> None:
    *_, before, end = ask(
        edited('preset = "debug"'), "break observe", "continue", "takt tasks", "continue", options=("--board", board)
    )
    found = rows(before)
    assert {name: row["state"] for name, row in found.items()} == STATES
    assert int(found["probe"]["most"]) < int(found["probe"]["size"])  # the guard word is no use of the stack
    assert "takt: the system stopped after a fault:\na stack overflowed" in end
    assert "in task probe" in end


@only_full
@pytest.mark.parametrize("board", [emulated("mps2-an385")])
def test_a_kernel_without_trace(takt: Takt, tmp_path: Path, edited: Callable[[str], Path], board: str) -> None:
    script = tmp_path / "commands.gdb"
    script.write_text("break observe\ncontinue\ntakt tasks\ntakt trace\n", encoding="utf-8")
    said = takt("run", edited('preset = "lean"'), *OPTIONS, "--board", board, "--gdb-script", script)
    assert {name: row["state"] for name, row in rows(said.out).items()} == STATES
    assert all(row["most"] is None for row in rows(said.out).values())
    assert "takt: this kernel has no trace" in said.err
    assert said.code == 1  # a command of the script failed


@only_full
def test_deadlines_in_an_edf_band(ask: Ask) -> None:
    *_, tasks, _ = ask(FOLDER, "break observe", "continue", "takt tasks", "kill", options=("--scheduler", "edf"))
    found = rows(tasks)
    assert {name: row["state"] for name, row in found.items()} == STATES
    assert {row["level"] for name, row in found.items() if name != "idle"} == {"0"}
    assert (found["owner"]["deadline"], found["waiter"]["deadline"]) == ("450 ms", "450 ms")  # the first inherits


COOPERATIVE = """
[system]
board = "host"
scheduler = "cooperative"
[[task]]
name = "slow"
period = "20 ms"
wcet = "1 ms"
[[task]]
name = "fast"
period = "10 ms"
wcet = "1 ms"
"""
PLAIN = """
[system]
board = "host"
[[task]]
name = "one"
[[task]]
name = "two"
"""
BUDGETS = """
[system]
board = "host"
scheduler = "dm"
[[task]]
name = "kept"
period = "10 ms"
wcet = "2 ms"
budget = "2 ms"
on_budget = "stop"
"""


@pytest.mark.parametrize(
    ("declared", "first", "state"),
    [
        pytest.param(COOPERATIVE, "fast", "slow +1 +.* ready ", marks=only_full, id="cooperative"),
        pytest.param(PLAIN, "one", "two +0 +- +ready ", marks=only_full, id="plain"),
        pytest.param(BUDGETS, "kept", r"\* kept +0 +10 ms +running ", marks=only_full, id="budgets"),
    ],
)
def test_other_kinds_of_kernel(ask: Ask, tmp_path: Path, declared: str, first: str, state: str) -> None:
    (tmp_path / "system.toml").write_text(declared, encoding="utf-8")
    start, tasks, objects, timers, one = ask(
        tmp_path, "takt tasks", "takt objects", "takt timers", f"takt task {first}"
    )
    assert f"the first task is {first}," in start
    assert re.search(state, tasks)
    assert "no objects" in objects
    assert "runner/run.c" in timers or "a call of end_reached" in timers
    assert f"{first}: running" in one


def test_every_kind_of_object(ask: Ask) -> None:
    """The application of tests/run that declares one of each."""
    folder = ROOT / "tests" / "run" / "services"
    _, objects, tasks = ask(folder, "takt objects", "takt tasks")
    declared = services.object_kinds(declaration.load(folder / "system.toml"))
    listed = dict(re.findall(r"^(\w+(?: \w+)*)  +(\w+)(?:  |$)", objects, re.MULTILINE))
    kinds = {kind.replace("_", " ") for kind in declared.values()}
    assert {kind.removesuffix(" message") for kind in listed} == kinds
    names = {line.split("  ")[0] for line in re.sub(r"^\w+(?: \w+)*  +", "", objects, flags=re.MULTILINE).splitlines()}
    assert set(declared) <= names
    assert "* taker" in tasks


def gdb(*commands: str, image: str | Path) -> str:
    """gdb itself, with the extension."""
    words = [word for command in commands for word in ("-ex", command)]
    done = subprocess.run(
        [DEBUGGER, "-nx", "-q", "-batch", "-x", EXTENSION, *words, image],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout + done.stderr


def test_before_the_start(ask: Ask) -> None:
    ask(FOLDER, "kill")  # which builds it
    folder = build.folder_of(declaration.load(FOLDER / "system.toml"), boards.load("host"), "dm")
    image = folder / "application"
    assert "takt: no task runs yet; `takt start` runs" in gdb("takt tasks", image=image)
    assert "takt: the system has not started (takt_start was not called)" in gdb("start", "takt objects", image=image)
    assert "takt: no Takt kernel in this program" in gdb("takt tasks", image="/bin/true")
    assert 'takt: no task "controll"; the tasks are limited, waiter' in gdb(
        "takt start", "takt task controll", image=image
    )
    assert "takt trace [N]" in gdb("help takt", image=image)
    assert "a number of events" in gdb("takt start", "takt trace many", image=image)


def test_misuse(takt: Takt) -> None:
    assert takt("run", FOLDER, "--gdb", "--json").code == 2
    assert (
        "--gdb-script cannot be used with --gdb-port"
        in takt("run", FOLDER, "--gdb-port", "1", "--gdb-script", __file__).err
    )
    said = takt("run", FOLDER, *OPTIONS, "--board", "host", "--gdb-port", "5000")
    assert (said.code, "--gdb-port: host has no gdb server" in said.err) == (2, True)
