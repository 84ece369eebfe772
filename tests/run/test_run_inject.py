# SPDX-License-Identifier: Apache-2.0
"""`takt run --inject`: real faults, once, in images that are built for them alone. What is said of the run then:
test_run_inject_judged.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt, documented, keys
from running import FIRST_EMULATED, SECOND_EMULATED, Run, emulated
from takt.declare.declaration import load, with_board
from takt.declare.schema import boards
from takt.image import build
from takt.image.protected import symbols_of
from takt.image.tables import fault_code
from takt.observe import inject
from takt.prove import proof
from takt.support.provision import ROOT

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
        (
            "tick:assert@5ms",
            ("--no-protection",),
            'no such task "tick"\n  try: --protection, with which its handler is a task',
        ),
        ("consumer:assrt@5ms", (), 'no such fault "assrt"\n  try: "assert"'),
        ("consumer:assert@5", (), 'the unit is missing\n  try: "5 ms"'),
        ("consumer:assert@soon", (), "not a duration"),
        ("consumer:assert@-5ms", (), "cannot be negative"),
        ("consumer:assert@60ms", (), "the run ends at 60 ms\n  try: an earlier time"),
        (
            "consumer:stray@5ms",
            (),
            "on host memory is not protected, and such a fault is not reported to the processor",
        ),
        ("consumer:overflow@5ms", (), "on host memory is not protected"),
        ("consumer:illegal@5ms", (), "on host memory is not protected"),
        ("consumer:overflow@5ms", ("--board", "rv32-virt", "--no-protection"), "without protection a stack overflow"),
        ("consumer:hang@5ms", ("--no-protection",), "without protection no budget stops a task that does not return"),
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
        (
            ('period = "50 ms"\nwcet = "1 ms"\n', ""),
            "spare",
            "a background task, and a fault is injected at the start of a job",
        ),
        (('board = "host"', 'board = "host"\npreset = "lean"'), "producer", "preset lean has no trace"),
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
    causes = [(one["task"], one["cause"], one["restarted"]) for one in document["faults"]]
    assert causes == [("producer", "budget", True), ("consumer", "assert", False)]


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


@pytest.mark.parametrize("board", FIRST_EMULATED)
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


@pytest.mark.parametrize("board", SECOND_EMULATED)
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


@pytest.mark.parametrize("board", SECOND_EMULATED)
def test_a_driver_that_stays_stopped_holds_nobody_up(run_json: Run, edited: Edited, board: str) -> None:
    """Its device goes on interrupting, with the line masked for good."""
    folder = edited(("system.toml", 'on_fault = "restart"', 'on_fault = "stop"'))
    code, document = run_json(folder, "--board", board, "--duration", "300 ms", "--inject", "tick:assert@50ms")
    assert code == 0, document["breaches"]
    assert document["injected"][0]["restart_jobs"] is None
    assert not document["faults"][0]["restarted"]
    jobs = {task["name"]: task["jobs"] for task in document["tasks"]}
    assert (jobs["consumer"], jobs["tick"]) == (15, 10)


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


@pytest.mark.parametrize("board", SECOND_EMULATED)
def test_two_processes_at_one_time(run_json: Run, edited: Edited, board: str) -> None:
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
