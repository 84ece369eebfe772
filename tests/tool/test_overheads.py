# SPDX-License-Identifier: Apache-2.0
"""boards/B/overheads.toml: read, checked, used."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Takt, documented, keys
from running import SECOND_EMULATED, only_full
from takt.bench import overheads as bench
from takt.declare import declaration
from takt.declare.code import thread_locals
from takt.declare.schema import boards
from takt.declare.schema.model import Band, Overheads, Process, Server, System, Task
from takt.declare.service_kinds.mailbox import Mailbox
from takt.declare.service_kinds.mutex import Hold, Mutex
from takt.image.tables import generate
from takt.prove import analysis, overheads, proof
from takt.support.errors import UserError

HEAD = 'format = 2\ninstruction = "10 ns"\ntasks = [4, 8]\n'


def entry(kernel: str, band: str, first: int, preset: str = "standard") -> str:
    """Figures count up from `first`, and are ten times as many with more tasks."""
    lines = ["", "[[entry]]", f'preset = "{preset}"', f'kernel = "{kernel}"', f'band = "{band}"']
    operations = [*overheads.OPERATIONS, *(overheads.SERVED if kernel == "servers" else ())]
    lines += [f"{name} = [{first + n}, {10 * (first + n)}]" for n, name in enumerate(operations)]
    return "\n".join(lines) + "\n"


TEXT = (
    HEAD
    + entry("fixed", "fixed", 100)
    + entry("bands", "fixed", 300)
    + entry("bands", "edf", 200)
    + "[entry.services]\nsemaphore_pair = [7, 8]\n"
    + entry("cooperative", "fixed", 400)
    + entry("budgets", "fixed", 500)
    + entry("budgets", "edf", 600)
    + entry("servers", "fixed", 700)
    + entry("servers", "edf", 800)
)


@pytest.fixture
def board(tmp_path: Path) -> boards.Board:
    (tmp_path / "overheads.toml").write_text(TEXT, encoding="utf-8")
    return replace(boards.load("mps2-an385"), folder=tmp_path)


def system(count: int, on_miss: str = "continue", mutexes: tuple[Mutex, ...] = ()) -> System:
    tasks = tuple(Task(f"t{n}", 1, period_ns=10**9, on_miss=on_miss) for n in range(count))
    return System(Path("system.toml"), "test", "mps2-an385", "dm", tasks, objects=mutexes)


def bands(of: System, *kinds: str) -> tuple[Band, ...]:
    """The first task in a band of the first kind, the others in one of the last."""
    names = [task.name for task in of.tasks]
    halves = [names] if len(kinds) == 1 else [names[:1], names[1:]]
    return tuple(
        Band(kind, (tuple(half),) if kind == "edf" else tuple((name,) for name in half))
        for kind, half in zip(kinds, halves, strict=True)
    )


def used(board: boards.Board, of: System, *kinds: str, cooperative: bool = False) -> Overheads:
    measured = overheads.load(board, "standard")
    assert measured is not None
    return measured.of(of, bands(of, *kinds), cooperative)


def test_figures_of_the_kernel_that_the_bands_need(board: boards.Board) -> None:
    """release is the first figure of an entry, then switch, complete, timer, interrupt, lock, lock_services."""
    fixed = used(board, system(4), "fixed")
    jobs = ({"fixed": 1000}, {"fixed": 1010}, {"fixed": 1020})
    assert fixed == Overheads("mps2-an385", "standard", "fixed", 4, 1040, 1030, 1050, *jobs)
    edf = used(board, system(4), "edf")
    assert (edf.kernel, edf.release_ns, edf.lock_ns) == ("bands", {"fixed": 3000, "edf": 2000}, 2050)
    assert used(board, system(4), "edf", "fixed").lock_ns == 3050
    sliced = (Band("fixed", (("t0", "t1", "t2", "t3"),), quantum_ns=10**6),)
    measured = overheads.load(board, "standard")
    assert measured is not None
    assert measured.of(system(4), sliced).release_ns["fixed"] == 3000
    assert used(board, system(4), "fixed", cooperative=True).release_ns == {"fixed": 4000}


def test_a_system_with_servers_has_their_figures(board: boards.Board) -> None:
    """More than a kernel of budgets takes: a budget begins and ends with the jobs."""
    server = Server("s", "deferrable", 10**6, 10**7, 10**7, ("t0",))
    found = used(board, replace(system(3), servers=(server,)), "fixed")
    assert found.switch_ns == {"fixed": 7010, "edf": 8010}
    assert found.key_ns == {"fixed": 7100, "edf": 8100}
    assert used(board, system(3), "fixed").key_ns == {}


def test_figures_for_at_least_as_many_tasks(board: boards.Board) -> None:
    assert [used(board, system(count), "fixed").release_ns["fixed"] for count in (1, 4, 5, 8)] == [
        1000,
        1000,
        10000,
        10000,
    ]
    assert used(board, system(2, "notify"), "fixed").tasks_max == 4
    assert used(board, system(3, "notify"), "fixed").tasks_max == 8
    assert used(board, replace(system(2), runtime_tasks=2), "fixed").tasks_max == 8
    with pytest.raises(UserError, match=r"measured for up to 8 tasks, threads and watched deadlines, .* has 9"):
        used(board, system(9), "fixed")


def test_services_lock_longer(board: boards.Board) -> None:
    mutex = Mutex("m", (Hold("t0", 1),))
    assert used(board, system(4, mutexes=(mutex,)), "fixed").lock_ns == 1060


def test_waiters_in_fifo_order_take_longer(board: boards.Board) -> None:
    """Each call that ends or begins a wait, and for each waiter of such a mutex; in 10 ns. 1060 without."""
    users = (Hold("t0", 1), Hold("t1", 1))
    mutex, mailbox = Mutex("m", users, waiters="fifo"), Mailbox("b", 8, 4, waiters="fifo")
    found = used(board, system(4, mutexes=(mutex,)), "fixed")
    assert found.fifo_ns == 10 * (2 * 2 * overheads.LOOK + overheads.FIFO_CALL)
    assert found.lock_ns == 1060 + found.fifo_ns
    of = replace(system(4), objects=(mailbox, Mutex("m", users)))
    assert used(board, of, "fixed").fifo_ns == 10 * overheads.FIFO_CALL
    assert used(board, replace(of, objects=of.objects[1:]), "fixed").fifo_ns == 0


def test_a_heap_may_lock_for_longest(board: boards.Board) -> None:
    """An instruction is 10 ns; what was measured is 106."""
    heap_ns = 10 * overheads.HEAP_CALL["armv7m"]
    mutex = Mutex("m", (Hold("t0", 1),))
    assert used(board, replace(system(4, mutexes=(mutex,)), heap=512), "fixed").lock_ns == heap_ns
    processes = (Process("p", ("t0",), heap=512), Process("q", ("t1",)))
    protected = replace(system(4), protection=True, processes=processes, heap=512)
    assert used(board, protected, "fixed").lock_ns == heap_ns
    none = replace(protected, processes=processes[1:])
    assert used(board, none, "fixed").lock_ns == used(board, system(4), "fixed").lock_ns < heap_ns
    assert overheads.heap_instructions(protected, "of a port without a figure") == max(overheads.HEAP_CALL.values())


def test_blocks_of_thread_local_variables_are_counted(board: boards.Board, monkeypatch: pytest.MonkeyPatch) -> None:
    """In every figure of the kernel the thread pointer, in locked sections a block; an instruction is 10 ns."""
    monkeypatch.setitem(thread_locals.POINTER, "armv7m", 3)
    usual = used(board, system(4), "fixed")
    found = used(board, replace(system(4), thread_local=True), "fixed")
    for name in ("release_ns", "switch_ns", "complete_ns"):
        assert getattr(found, name)["fixed"] == getattr(usual, name)["fixed"] + 30
    assert (found.interrupt_ns, found.timer_ns) == (usual.interrupt_ns + 30, usual.timer_ns + 30)
    assert found.lock_ns == usual.lock_ns + 30 + 10 * thread_locals.BLOCK


def test_another_preset_is_not_measured(board: boards.Board) -> None:
    assert overheads.load(board, "lean") is None


def test_no_file_is_not_measured(board: boards.Board) -> None:
    (board.folder / "overheads.toml").unlink()
    assert overheads.load(board, "standard") is None


def test_none_where_the_kernel_takes_no_time(board: boards.Board) -> None:
    assert overheads.load(replace(board, zero_overheads=True), "standard") is None


def test_what_is_written_is_read(board: boards.Board) -> None:
    measured = overheads.load(board, "standard")
    assert measured is not None
    assert measured.entries["standard", "bands", "edf"][1].services == {"semaphore_pair": 8}
    overheads.write(board.folder / "overheads.toml", measured)
    assert overheads.load(board, "standard") == measured


@pytest.mark.parametrize(
    ("find", "put", "message"),
    [
        ("format = 2", "format = 1", ":1: format = 1: out of range 2 to 2"),
        ("tasks = [4, 8]\n", "", ': "tasks" is missing'),
        ("tasks = [4, 8]", "tasks = [8, 4]", ":3: the numbers are not in increasing order"),
        ('"10 ns"', '"10"', ':2: instruction = "10": the unit is missing'),
        ("release = [100, 1000]\n", "", ':5: [[entry]]: "release" is missing'),
        ("release = [100, 1000]", "release = [100]", ":5: [[entry]]: release has 1 figures, but `tasks` has 2 numbers"),
        ("semaphore_pair = [7, 8]", "semaphore_pair = 7", "services"),
        ("timer = [103, 1030]", "tmier = [103, 1030]", ':12: [[entry]]: unknown key "tmier"\n  try: "timer"'),
        ('kernel = "cooperative"', 'kernel = "fixed"', "[[entry]] standard, fixed, fixed occurs twice"),
        (entry("cooperative", "fixed", 400), "", "no entry of standard, kernel cooperative, band fixed"),
    ],
)
def test_malformed(board: boards.Board, find: str, put: str, message: str) -> None:
    path = board.folder / "overheads.toml"
    assert find in TEXT
    path.write_text(TEXT.replace(find, put), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        overheads.load(board, "standard")
    assert message in str(caught.value)


def test_feasible_only_without_overheads(takt: Takt, declare: Callable[..., Path]) -> None:
    """Work alone loads the processor to 98.5 %; 100 us of each 10 ms are not enough for five jobs' kernel time."""
    path = declare(*((f"t{n}", "10", 1970) for n in range(5)))
    without = takt("check", path, "--overheads", "none")
    assert without.code == 0
    said = takt("check", path)
    assert said.code == 1
    assert "overheads: measured (mps2-an385, preset standard" in said.out
    assert "it holds without the kernel's overheads: " in said.out


def test_the_keys_are_documented(board: boards.Board) -> None:
    measured = overheads.load(board, "standard")
    assert measured is not None
    document = bench.as_json(measured)
    assert document["entries"][0]["instructions"].keys() == overheads.OPERATIONS.keys()
    for row in document["entries"]:
        row |= {"instructions": {}, "services": {}}
    assert set(keys(document)) == documented("bench overheads")


@only_full
@pytest.mark.parametrize("board", SECOND_EMULATED)
def test_a_restart_is_measured(board: str) -> None:
    runs = bench.fault_runs(bench.Variant("standard", "fixed", "fixed", protection=True), 4)
    run = next(run for run in runs if {("own", 4), ("contended", 1)} <= set(run.options))
    rows = run.found(board, run.image(board))
    assert rows["restarts"] > 1
    assert min(rows[name] for name in ("fault", "piece", "mutex", "regions")) > 0


@pytest.mark.parametrize(
    ("name", "message"),
    [("host", "kernel operations take no time on host: nothing to measure"), ("moon", "moon")],
)
def test_what_cannot_be_measured(takt: Takt, name: str, message: str) -> None:
    said = takt("bench", "overheads", "--board", name)
    assert (said.code, said.out) == (2, "")
    assert message in said.err


def test_admission_charges_contended_locks(tmp_path: Path) -> None:
    """No less for a task of the declaration than its proof does."""
    users = 'users = [{task = "a", hold = "5 us"}, {task = "b", hold = "5 us"}]\n'
    text = '[system]\nboard = "mps2-an385"\nscheduler = "dm"\nruntime_tasks = 1\n'
    text += "".join(f'[[task]]\nname = "{name}"\nperiod = "20 ms"\nwcet = "200 us"\n' for name in "ab")
    text += "".join(f'[[mutex]]\nname = "{name}"\n{users}' for name in "mn")
    (tmp_path / "system.toml").write_text(text, encoding="utf-8")
    proved = proof.prove(declaration.load(tmp_path / "system.toml"))
    generate.generate_proved(proved, tmp_path)
    found = re.search(r"\.complete_ns = \{UINT64_C\((\d+)\)", (tmp_path / "system.c").read_text(encoding="utf-8"))
    counted = analysis.Problem(proved.system, proved.bands, proved.overheads, False, 1).tasks[0]
    assert found
    assert 200_000 + int(found[1]) >= counted.wcet_ns
