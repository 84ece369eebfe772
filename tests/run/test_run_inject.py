# SPDX-License-Identifier: Apache-2.0
"""`takt run --inject`: real faults, once, in images that are built for them alone; and what comes of each."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt, documented, keys
from running import EMULATED, SECOND_EMULATED, Run, emulated
from takt.declare.declaration import load, with_board
from takt.declare.schema import boards
from takt.declare.schema.model import Injection, System
from takt.image import build, fault_code
from takt.image.protected import symbols_of
from takt.observe import inject
from takt.observe.process_faults import ProcessFault
from takt.prove import proof
from takt.support.provision import ROOT
from takt.trace.records import NONE, Entry, Event, Names, Trace

FOLDER = ROOT / "tests" / "protection" / "two"
Edited = Callable[..., Path]
MS = 1_000_000
LOOP_ENTRY = (
    'name = "spare"\nperiod = "50 ms"\nwcet = "1 ms"\n',
    'name = "spare"\nentry = "spare_run"\n',
)


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ("consumer", (), 'consumer": not of the form\n  try: TASK:stray|overflow|'),
        ("consumer:assert", (), "not of the form"),
        ("consumer@5ms", (), "not of the form"),
        ("consumr:assert@5ms", (), 'no such task "consumr"\n  try: "consumer"'),
        ("tick:assert@5ms", ("--no-protection",), 'no such task "tick"\n  try: --protection: its handler is a task'),
        ("consumer:assrt@5ms", (), 'no such fault "assrt"\n  try: "assert"'),
        ("consumer:assert@5", (), 'the unit is missing\n  try: "5 ms"'),
        ("consumer:assert@soon", (), "not a duration"),
        ("consumer:assert@-5ms", (), "cannot be negative"),
        ("consumer:assert@60ms", (), "the run ends at 60 ms\n  try: an earlier time"),
        ("consumer:stray@5ms", (), "on host memory is not protected, nor is the processor told"),
        ("consumer:overflow@5ms", (), "on host memory is not protected"),
        ("consumer:illegal@5ms", (), "on host memory is not protected"),
        ("consumer:overflow@5ms", ("--board", "rv32-virt", "--no-protection"), "without protection nothing guards"),
        ("consumer:hang@5ms", ("--no-protection",), "without protection there is no process that a budget which is"),
    ],
)
def test_what_cannot_be_injected(takt: Takt, text: str, options: tuple[str, ...], says: str) -> None:
    said = takt("run", FOLDER, "--duration", "60 ms", "--inject", "consumer:assert@5ms", "--inject", text, *options)
    assert said.code == 2
    assert says in said.err
    assert f'--inject "{text}": ' in said.err
    assert "\n  try: " in said.err


LOOP = ('wcet = "1 ms"\n\n[[mutex]]', 'wcet = "1 ms"\nstyle = "loop"\nentry = "turn"\n\n[[mutex]]')


@pytest.mark.parametrize(
    ("change", "name", "says"),
    [
        (LOOP, "spare", 'a loop (style = "loop")'),
        (('period = "50 ms"\nwcet = "1 ms"\n', ""), "spare", "a background task: no job begins then"),
        (('board = "host"', 'board = "host"\npreset = "lean"'), "producer", "preset lean keeps no trace"),
    ],
)
def test_what_has_no_job_or_leaves_no_trace(
    takt: Takt, edited: Edited, change: tuple[str, str], name: str, says: str
) -> None:
    folder = edited(("system.toml", *change))
    said = takt("run", folder, "--inject", f"{name}:assert@5ms")
    assert said.code == 2
    assert says in said.err


def test_budgets_of_a_process_are_for_protected_builds_and_jobs(edited: Edited) -> None:
    """And not for a task that says something else itself."""
    folder = edited(
        ("system.toml", 'sources = ["producer.c"]\n', 'sources = ["producer.c"]\nbudgets = true\n'),
        ("system.toml", *LOOP_ENTRY),
        ("system.toml", 'entry = "producer_job"\n', 'entry = "producer_job"\non_budget = "notify"\nbudget = "2 ms"\n'),
    )
    wanted = {True: ["notify", "none", "none", "stop"], False: ["notify", "none", "none"]}
    for protection, policies in wanted.items():
        tasks = load(folder / "system.toml", protection).tasks
        assert [task.on_budget for task in tasks] == policies
    assert load(folder / "system.toml", True).task("tick").budget_ns == 100_000


def test_on_host_an_assertion_and_a_hang(run_json: Run, edited: Edited) -> None:
    """The task hangs until its budget ends; both processes go on as declared; nobody else is late."""
    folder = edited(("system.toml", 'sources = ["producer.c"]\n', 'sources = ["producer.c"]\nbudgets = true\n'))
    code, document = run_json(
        folder, "--duration", "200 ms", "--inject", "consumer:assert@90ms", "--inject", "producer:hang@35 ms"
    )
    assert code == 0, document["breaches"]
    assert document["within_proof"]
    assert set(keys(document["injected"], "injected.")) == {
        key for key in documented("run") if key.startswith("injected[].")
    }
    hang, asserted = document["injected"]
    assert (hang["task"], hang["kind"], hang["at_ns"], hang["fault_ns"]) == ("producer", "hang", 35 * MS, 41_100_000)
    assert 12 <= hang["restart_jobs"] <= 16
    assert (asserted["task"], asserted["restart_jobs"]) == ("consumer", None)
    assert asserted["fault_ns"] == document["faults"][1]["time_ns"]
    told = [(one["task"], one["cause"], one["restarted"]) for one in document["faults"]]
    assert told == [("producer", "budget", True), ("consumer", "assert", False)]


@pytest.mark.parametrize("board", [emulated("mps2-an385")])
def test_each_fault_once_in_the_tasks_own_context(takt: Takt, board: str) -> None:
    """Real ones: the kernel's memory is where the board's begins, the stack's end is in the stack's guard, `udf` is
    where the record says. The registers and the trace up to it are there, too."""
    wanted = ("tick:stray@20ms", "tick:overflow@60ms", "tick:illegal@100ms", "producer:assert@150ms")
    options = [word for text in wanted for word in ("--inject", text)]
    said = takt("run", FOLDER, "--board", board, "--duration", "300 ms", "--json", *options)
    assert said.code == 0, said.out + said.err
    document = json.loads(said.out)
    assert [one["cause"] for one in document["faults"]] == ["stray", "overflow", "illegal", "assert"]
    stray, overflow, illegal, asserted = document["faults"]
    system = with_board(load(FOLDER / "system.toml"), board)
    folder = build.folder_of(system, boards.load(board), document["scheduler"])
    image = folder.with_name(f"{folder.name}-injected") / "application.elf"
    symbols, _ = symbols_of(image)
    assert stray["address"] == 0x2000_0000
    assert 0 <= overflow["address"] - symbols["takti_stack_tick"] < 32  # its guard
    assert symbols["takti_job_tick"] & ~1 <= illegal["pc"] < (symbols["takti_job_tick"] & ~1) + 256
    assert code_at(image, illegal["pc"]) == b"\x00\xde"
    assert illegal["registers"]["pc"] == illegal["pc"] == illegal["address"]
    line = (image.parent / "generated" / "process_source.c").read_text().splitlines()[asserted["address"] - 1]
    assert "takt_fault_raise" in line
    for one in document["faults"]:
        assert one["restarted"]
        assert one["last"][-1]["event"] == "process"
        assert one["last"][-1]["task"] == one["task"]
        assert one["time_ns"] <= one["last"][-1]["time_ns"] < one["time_ns"] + MS
        assert [entry["event"] for entry in one["last"]].count("take") == 1  # the mark
    jobs = {task["name"]: task["jobs"] for task in document["tasks"]}
    assert jobs["consumer"] == 15
    assert 60 - 3 * 5 <= jobs["tick"] <= 60 - 3


ALL_IN_A_CALL = """
static void spin(void) /* nearly all of its time in calls, which begin and end */
{
    if (takt_now() > 59000000) {
        for (;;) {
            (void)!takt_mailbox_try_send(&numbers, &count);
        }
    }
}
"""


@pytest.mark.parametrize("board", SECOND_EMULATED)
def test_the_record_of_a_hang_says_where_it_was(run_json: Run, edited: Edited, board: str) -> None:
    """In the loop, with the registers that the interrupt found; of a loop of calls where it makes or made one."""
    folder = edited(
        ("system.toml", 'sources = ["producer.c"]\n', 'sources = ["producer.c"]\nbudgets = true\n'),
        ("producer.c", "void producer_job(", f"{ALL_IN_A_CALL}\nvoid producer_job("),
        ("producer.c", "    level_write(&now);\n", "    level_write(&now);\n    spin();\n"),
    )
    _, document = run_json(folder, "--board", board, "--duration", "80 ms", "--inject", "producer:hang@35 ms")
    hang, *calls = document["faults"]
    assert (hang["cause"], hang["task"]) == ("budget", "producer")
    system = with_board(load(folder / "system.toml"), board)
    built = build.folder_of(system, boards.load(board), document["scheduler"])
    symbols, _ = symbols_of(built.with_name(f"{built.name}-injected") / "application.elf")
    begin = symbols["takti_job_producer"] & ~1
    assert begin <= hang["pc"] < begin + 256
    assert hang["registers"]["pc"] == hang["pc"]
    stack = symbols["takti_stack_producer"]
    assert stack < hang["registers"]["sp"] <= stack + system.task("producer").stack
    assert calls
    text, stub = symbols["takti_base_text_source"], symbols["takt_user_mailbox_try_send"] & ~1
    for one in calls:
        assert text <= one["pc"] < text + 1024 or stub <= one["pc"] < stub + 8
        assert stack < one["registers"]["sp"] <= stack + system.task("producer").stack


NO_STACK = """
#ifdef __arm__
#define LOOP "mov sp, %0\\n1: b 1b"
#else
#define LOOP "mv sp, %0\\n1: j 1b"
#endif
static void spin(void) /* the first interrupt is that of the budget's end */
{
    if (takt_now() > 59000000 && takt_now() < 65000000) {
        __asm volatile(LOOP : : "r"(0xF0000000u));
    }
}
"""


@pytest.mark.parametrize("board", EMULATED)
def test_a_hang_whose_stack_pointer_points_nowhere(run_json: Run, edited: Edited, board: str) -> None:
    """The kernel does not look there for the registers; it is the process's fault, and the other one goes on."""
    folder = edited(
        ("system.toml", 'sources = ["producer.c"]\n', 'sources = ["producer.c"]\nbudgets = true\n'),
        ("producer.c", "void producer_job(", f"{NO_STACK}\nvoid producer_job("),
        ("producer.c", "    level_write(&now);\n", "    level_write(&now);\n    spin();\n"),
    )
    _, document = run_json(folder, "--board", board, "--duration", "100 ms")
    assert (document["failure"], document["fault"]) == (None, None)
    (fault,) = document["faults"]
    assert (fault["task"], fault["cause"]) == ("producer", "budget")
    assert fault["registers"].get("sp") == (None if board == "mps2-an385" else 0xF000_0000)
    jobs = {task["name"]: task["jobs"] for task in document["tasks"]}
    assert jobs["consumer"] == 5


def code_at(image: Path, address: int) -> bytes:
    """Two bytes of an image."""
    from elftools.elf.elffile import ELFFile

    with image.open("rb") as file:
        for section in ELFFile(file).iter_sections():
            if section["sh_addr"] <= address < section["sh_addr"] + section["sh_size"] and section["sh_flags"] & 4:
                at = address - section["sh_addr"]
                code: bytes = section.data()[at : at + 2]
                return code
    return b""


@pytest.mark.parametrize(
    ("kind", "reason"), [("stray", "exception"), ("illegal", "exception"), ("assert", "assertion")]
)
@pytest.mark.parametrize("board", [emulated("rv32-virt")])
def test_without_protection_it_is_the_kernels_and_ends_the_run(
    run_json: Run, board: str, kind: str, reason: str
) -> None:
    code, document = run_json(
        FOLDER, "--no-protection", "--board", board, "--duration", "60 ms", "--inject", f"consumer:{kind}@15ms"
    )
    assert code == 1
    assert document["fault"]["reason"] == reason
    assert document["fault"]["task"] == "consumer"
    assert 20 * MS <= document["fault"]["time_ns"] < 21 * MS
    assert document["failure"] is not None
    assert document["faults"] == []


CRASH = """
void spare_run(void *argument)
{
    (void)argument;
    ((void (*)(void))1)();
}
"""


@pytest.mark.parametrize("board", EMULATED)
def test_a_process_that_crashes_at_each_start_takes_little(run_json: Run, edited: Edited, board: str) -> None:
    """Its background task starts at once. Tasks, objects and 3 KB of memory, by pieces: a restart each 14 ms or so, for
    ever; the other process completes every job within its wcet, and nine tenths of the time nobody runs."""
    folder = edited(("system.toml", *LOOP_ENTRY))
    with (folder / "producer.c").open("a", encoding="utf-8") as file:
        file.write(CRASH)
    code, document = run_json(folder, "--board", board, "--duration", "300 ms")
    assert code == 1
    assert 20 <= len(document["faults"]) <= 24
    assert {one["task"] for one in document["faults"]} == {"spare"}
    consumer = next(task for task in document["tasks"] if task["name"] == "consumer")
    assert (consumer["jobs"], consumer["misses"]) == (15, 0)
    assert consumer["execution_ns_max"] < 200_000
    assert len(document["breaches"]) == len(document["faults"])
    assert sum(task["share"] for task in document["tasks"]) < 0.1


@pytest.mark.parametrize("board", EMULATED)
def test_a_driver_that_stays_stopped_holds_nobody_up(run_json: Run, edited: Edited, board: str) -> None:
    """Its device goes on interrupting, with the line masked for good."""
    folder = edited(("system.toml", 'on_fault = "restart"', 'on_fault = "stop"'))
    code, document = run_json(folder, "--board", board, "--duration", "300 ms", "--inject", "tick:assert@50ms")
    assert code == 0, document["breaches"]
    assert document["injected"][0]["restart_jobs"] is None
    assert not document["faults"][0]["restarted"]
    jobs = {task["name"]: task["jobs"] for task in document["tasks"]}
    assert (jobs["consumer"], jobs["tick"]) == (15, 10)


def test_a_hang_without_a_budget_is_not_caught(takt: Takt) -> None:
    said = takt("run", FOLDER, "--duration", "60 ms", "--inject", "consumer:hang@15ms")
    assert said.code == 1
    assert "hang of consumer at 15 ms was injected, and no such fault was caught (it has no budget: " in said.out
    assert "Injected: hang of consumer at 15 ms: not caught" in said.out


def test_a_fault_beside_the_injected_one_fails_the_run(run_json: Run, edited: Edited) -> None:
    late = "takt_fault_raise(TAKT_FAULT_ASSERTION, __FILE__, __LINE__, 0);"
    folder = edited(("consumer.c", "    (void)argument;\n", f"    if (takt_now() > 39000000) {{ {late} }}\n"))
    code, document = run_json(folder, "--duration", "100 ms", "--inject", "producer:assert@25ms")
    assert code == 1
    assert document["injected"][0]["restart_jobs"] > 0
    (breach,) = document["breaches"]
    assert breach.startswith("process sink: task consumer failed an assertion")


def test_what_is_late_by_itself_after_the_restart_fails_the_run(run_json: Run, edited: Edited) -> None:
    """A task is not excused for what it does once its process works again."""
    late = "    if (takt_now() > 99000000) { takt_work(12000000); }\n"
    folder = edited(("producer.c", "    (void)argument;\n", f"    (void)argument;\n{late}"))
    code, document = run_json(folder, "--duration", "150 ms", "--inject", "producer:assert@25ms")
    assert code == 1
    (injected,) = document["injected"]
    assert injected["restart_jobs"] > 0
    assert injected["fault_ns"] < injected["again_ns"] < 80 * MS
    assert any(breach.startswith("producer missed ") for breach in document["breaches"])


def test_what_no_job_commits_fails_the_run(takt: Takt) -> None:
    said = takt("run", FOLDER, "--duration", "60 ms", "--inject", "consumer:assert@59ms")
    assert said.code == 1
    assert "assert of consumer at 59 ms was never committed: no job of consumer began from then on" in said.out
    assert "Injected: assert of consumer at 59 ms: no job began from then on" in said.out


def test_a_miss_of_another_process_fails_the_run(run_json: Run, edited: Edited) -> None:
    """Proved or not: the consumer has no time for the interrupts that come meanwhile."""
    wcet = 'wcet = "8 ms"\ndeadline = "8050 us"'
    folder = edited(("system.toml", 'period = "20 ms"\nwcet = "1 ms"', f'period = "20 ms"\n{wcet}'))
    code, document = run_json(folder, "--duration", "60 ms", "--force", "--inject", "producer:assert@15ms")
    assert document["injected"][0]["restart_jobs"] > 0
    assert code == 1
    assert any(breach.startswith("consumer missed ") for breach in document["breaches"])


def test_without_inject_nothing_of_it_is_built() -> None:
    """Not in the folder of one image, nor in its tables."""
    system = with_board(load(FOLDER / "system.toml"), "host")
    proved = proof.prove(system, None)
    made = fault_code.into(proved, inject.parse(("tick:assert@5ms",), proved.system, proved.board, 10 * MS))
    folders = [build.folder_of(one.system, one.board, "dm") for one in (proved, made)]
    assert folders[1].name == f"{folders[0].name}-injected"
    image = build.build(proved)
    texts = [path.read_text() for path in (image.folder / "generated").iterdir()]
    assert not any("inject" in text for text in texts)
    assert fault_code.into(proved, ()) == proved


def system_of() -> System:
    system = load(FOLDER / "system.toml")
    return fault_code.into(
        proof.prove(system, None), (Injection("producer", "assert", 20 * MS, "takti_inject_0"),)
    ).system


def fault(task: str = "producer", cause: int = 4, time_ns: int = 21 * MS) -> ProcessFault:
    return ProcessFault("source", task, cause, 7, time_ns, True)


def trace_of(*events: tuple[int, Event, int, int]) -> Trace:
    """Of (ms, event, task, process or deadline)."""
    entries = tuple(Entry(at * MS, event, task, None, None, 0, value) for at, event, task, value in events)
    tasks = ("producer", "consumer", "spare", "tick")
    return Trace(Names("host", "dm", tasks, objects=("takti_inject_0",), processes=("source", "sink")), entries)


MARK = (20, Event.TAKE, 0, 0)
STOP = (21, Event.PROCESS, 0, 4)
AGAIN = (25, Event.PROCESS, NONE, 16)
LOST = (1, Event.LOST_RECORDS, NONE, 7)


def test_the_fault_that_fits_is_found() -> None:
    """The next of its process after the mark, or it is none: by task and cause, too."""
    system = system_of()
    before, later = fault(time_ns=19 * MS), fault(time_ns=40 * MS)
    trace = trace_of(MARK, AGAIN, (31, Event.COMPLETE, 0, 0))
    missing = ["assert of producer at 20 ms was injected, and no such fault was caught"]
    for wrong in ((before,), (before, fault("spare"), later), (before, fault(cause=0), later)):
        (found,) = inject.judge(system, wrong, trace, 60 * MS)
        assert (found.fault, found.begun) == (None, True)
        assert list(found.breaches(system)) == missing
    (found,) = inject.judge(system, (before, fault(), later), trace, 60 * MS)
    assert found.fault == fault()
    assert (found.jobs, found.silent, found.again_ns) == (1, (), 31 * MS)
    assert found.line() == (
        "assert of producer at 20 ms: caught at 21 ms, completes jobs again from 31 ms, 1 job since the restart"
    )
    assert list(found.breaches(system)) == []


def test_a_fault_of_the_tasks_own_is_not_the_injected_one() -> None:
    """Nor is it told of as if it were: no job took the mark. Unless the trace has gaps, or the run broke off."""
    system = system_of()
    (found,) = inject.judge(system, (fault(),), trace_of(AGAIN), 60 * MS)
    assert (found.fault, found.begun) == (None, False)
    (text,) = found.breaches(system)
    assert text == "assert of producer at 20 ms was never committed: no job of producer began from then on"
    assert found.line() == "assert of producer at 20 ms: no job began from then on"
    (found,) = inject.judge(system, (fault(),), trace_of(LOST, AGAIN), 60 * MS)
    assert found.fault == fault()
    (found,) = inject.judge(system, (), trace_of(AGAIN), 60 * MS, whole=False)
    assert list(found.breaches(system)) == ["assert of producer at 20 ms was injected, and no such fault was caught"]


@pytest.mark.parametrize(
    ("events", "misses"),
    [
        pytest.param(((11, Event.RELEASE, 0, 0), MARK, (21, Event.MISS, 0, 0), STOP, AGAIN), 1, id="the job itself"),
        pytest.param(
            ((1, Event.RELEASE, 0, 0), (12, Event.MISS, 0, 0), (13, Event.RELEASE, 0, 0), MARK, STOP, AGAIN),
            0,
            id="the job before",
        ),
        pytest.param(((11, Event.RELEASE, 3, 0), MARK, (21, Event.MISS, 3, 0), STOP, AGAIN), 0, id="of the process"),
        pytest.param((MARK, STOP, (23, Event.RELEASE, 3, 0), AGAIN, (33, Event.MISS, 3, 0)), 1, id="in between"),
        pytest.param((MARK, STOP, AGAIN, (31, Event.RELEASE, 0, 0), (42, Event.MISS, 0, 0)), 0, id="afterwards"),
        pytest.param((MARK, STOP, (23, Event.RELEASE, 1, 0), (33, Event.MISS, 1, 0), AGAIN), 0, id="another process"),
    ],
)
def test_only_misses_of_the_crash_are_excused(events: tuple[tuple[int, Event, int, int], ...], misses: int) -> None:
    """Jobs released while the process was stopped, and the one that the fault ended."""
    system, trace = system_of(), trace_of(*events)
    found = inject.judge(system, (fault(time_ns=21 * MS),), trace, 60 * MS)
    assert sum(inject.excused(system, found, trace).values()) == misses


@pytest.mark.parametrize(
    ("events", "jobs", "silent"),
    [
        pytest.param(((24, Event.COMPLETE, 0, 0), AGAIN), 0, ("producer",), id="before the restart"),
        pytest.param((AGAIN, (31, Event.COMPLETE, 1, 0)), 0, ("producer",), id="another's"),
        pytest.param((AGAIN, (30, Event.RELEASE, 0, 0), (31, Event.COMPLETE, 0, 0)), 1, (), id="again"),
        pytest.param(
            (AGAIN, (31, Event.COMPLETE, 0, 0), (30, Event.RELEASE, 3, 0)), 1, ("tick",), id="one of the process hangs"
        ),
        pytest.param((AGAIN, (31, Event.COMPLETE, 0, 0), (57, Event.RELEASE, 3, 0)), 1, (), id="the end came"),
    ],
)
def test_restarted_tasks_have_to_complete_jobs(
    events: tuple[tuple[int, Event, int, int], ...], jobs: int, silent: tuple[str, ...]
) -> None:
    system = system_of()
    (found,) = inject.judge(system, (fault(),), trace_of(MARK, *events), 60 * MS)
    assert (found.jobs, found.silent) == (jobs, silent)
    assert len(list(found.breaches(system))) == len(silent)


@pytest.mark.parametrize("board", SECOND_EMULATED)
def test_two_processes_at_one_instant(run_json: Run, edited: Edited, board: str) -> None:
    """The others keep their bounds, and each process is back when its next fault may come."""
    apart = 'on_fault = "restart"\nfaults_apart = "30 ms"\n'
    folder = edited(
        ("system.toml", 'on_fault = "restart"\n', apart),
        ("system.toml", "console = true\n", f"console = true\n{apart}"),
    )
    faults = ("--inject", "producer:stray@80ms", "--inject", "consumer:stray@80ms")
    code, document = run_json(folder, "--board", board, "--duration", "200 ms", *faults)
    assert code == 0, document["breaches"]
    assert document["within_proof"]
    assert len(document["faults"]) == 2
    assert abs(document["faults"][0]["time_ns"] - document["faults"][1]["time_ns"]) < 2 * MS
    for one in document["injected"]:
        assert 30 * MS <= one["again_ns"] - one["fault_ns"] < 50 * MS
        assert one["restart_jobs"] > 0
