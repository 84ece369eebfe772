# SPDX-License-Identifier: Apache-2.0
"""The generated tables: levels, objects, triggers, and that both compilers take them without a warning."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Takt
from tables import COMPILERS, compile_tables, config, tables
from takt.declare import declaration
from takt.declare.processes import protect
from takt.declare.schema import boards, levels
from takt.declare.schema.model import Band, System, Task
from takt.image.tables import generate, process_code
from takt.prove.schedulers import plain_bands
from takt.support.errors import UserError
from takt.support.provision import ROOT

EVERYTHING = """
[system]
board = "host"
runtime_tasks = 2

[[task]]
name = "fast"
period = "5 ms"
offset = "1 ms"
wcet = "1 ms"
on_miss = "notify"
miss_handler = "fast_missed"
miss_wcet = "7 us"

[[task]]
name = "arrival"
min_interarrival = "10 ms"
wcet = "1 ms"
trigger = "semaphore arrived"
pending_max = 3

[[task]]
name = "worst"
min_interarrival = "20 ms"
wcet = "1 ms"

[[task]]
name = "radio_reader"
entry = "radio_job"
min_interarrival = "10 ms"
wcet = "1 ms"
trigger = "interrupt radio"

[[task]]
name = "talk"
entry = "talk_loop"
style = "loop"
period = "50 ms"
wcet = "1 ms"

[[task]]
name = "rest"

[[band]]
kind = "edf"
tasks = ["fast", "arrival"]

[[band]]
kind = "fixed"
tasks = ["worst", ["radio_reader", "talk"]]
quantum = "2 ms"

[[mutex]]
name = "shared"
users = [{task = "talk", hold = "100 us"}, {task = "radio_reader", hold = "50 us"}]

[[semaphore]]
name = "arrived"

[[mailbox]]
name = "letters"
message_size = 12
capacity = 5

[[interrupt]]
name = "radio"
number = 5
min_interarrival = "10 ms"
wcet = "20 us"
handler = "radio_interrupt"

[[interrupt]]
name = "noise"
number = 6
min_interarrival = "7 ms"
wcet = "20 us"
kernel = false
"""


@pytest.fixture
def everything(application: Callable[..., Path]) -> System:
    return declaration.load(application(EVERYTHING, app_dot_c="/* nothing */\n") / "system.toml")


def test_a_fixed_band_has_a_level_for_each_group_and_an_edf_band_one() -> None:
    bands = (Band("edf", (("a", "b"),)), Band("fixed", (("c",), ("d", "e")), 5), Band("edf", (("f",),)))
    assert [(level.band, level.edf, level.tasks, level.quantum_ns) for level in levels.levels(bands)] == [
        (0, True, ("a", "b"), 0),
        (1, False, ("c",), 5),
        (1, False, ("d", "e"), 5),
        (2, True, ("f",), 0),
    ]


@pytest.mark.parametrize(
    ("groups", "capacity"), [(1, 4), (3, 4), (4, 8), (7, 8), (15, 16), (16, 32), (31, 32), (32, 64), (255, 256)]
)
def test_there_is_a_level_for_each_group_and_one_for_idle(groups: int, capacity: int) -> None:
    bands = [Band("fixed", tuple((f"t{i}",) for i in range(groups)))]
    assert levels.level_capacity(bands) == capacity
    assert levels.level_capacity(bands, host=True) == max(32, capacity)


def test_too_many_levels_are_refused() -> None:
    with pytest.raises(UserError, match="256 priorities"):
        levels.level_capacity([Band("fixed", tuple((f"t{i}",) for i in range(256)))])


def test_levels_of_the_tables(everything: System, tmp_path: Path) -> None:
    source = tables(everything, tmp_path)
    assert [config(source, index)["level"] for index in range(6)] == ["0", "0", "1", "2", "2", "3"]
    assert ".edf_levels = {TAKT_BITMAP_BIT(0)}" in source
    assert "level_bands[] = {0, 1, 1, 2}" in source
    assert "level_quanta_ns[] = {UINT64_C(0), UINT64_C(2000000), UINT64_C(2000000), UINT64_C(0)}" in source


def test_an_edf_level_beyond_the_first_word(tmp_path: Path) -> None:
    tasks = tuple(Task(f"t{i}", 1000, period_ns=1_000_000, deadline_ns=1_000_000) for i in range(35))
    groups = tuple((task.name,) for task in tasks[:34])
    bands = (Band("fixed", groups), Band("edf", (("t34",),)))
    system = System(tmp_path / "system.toml", "many", "host", "bands", tasks, bands)
    assert ".edf_levels = {0, TAKT_BITMAP_BIT(34)}" in tables(system, tmp_path)


def test_releases(everything: System, tmp_path: Path) -> None:
    source = tables(everything, tmp_path)
    kinds = [config(source, index)["release"].removeprefix("TAKT_") for index in range(6)]
    # `worst` has neither entry nor trigger: it comes as often as its declaration allows.
    assert kinds == ["PERIODIC", "SPORADIC", "PERIODIC", "SPORADIC", "PERIODIC", "BACKGROUND"]
    assert config(source, 0)["offset_ns"] == "UINT64_C(1000000)"
    assert config(source, 0)["on_miss"] == "TAKT_MISS_NOTIFY"
    assert config(source, 0)["miss_hook"] == "takti_miss_fast"
    hook = source[source.index("static void takti_miss_fast(struct takt_task *task)\n{") :].split("}")[0]
    assert hook.index("takt_work(UINT64_C(7000));") < hook.index("fast_missed(task);")  # on host its time is charged
    assert config(source, 1)["arrivals"] == "&takti_arrivals_" + config(source, 1)["name"].strip('"')
    assert ".capacity = 3}" in source
    assert "static uint64_t takti_releases_arrival[3];" in source
    assert config(source, 4)["style"] == "TAKT_STYLE_LOOP"


def test_triggers(everything: System, tmp_path: Path) -> None:
    source = tables(everything, tmp_path)
    assert "TAKT_SEMAPHORE_TRIGGER_DEFINE(arrived, 1, &takt_tasks[1]);" in source
    wrapper = source[source.index("interrupt_radio(void)\n{") :].split("}")[0]
    assert wrapper.index("radio_interrupt();") < wrapper.index("takt_job_release(&takt_tasks[3]);")


def test_interrupts(everything: System, tmp_path: Path) -> None:
    source = tables(everything, tmp_path)
    assert "takt_port_irq_attach(5, takti_interrupt_radio, true);" in source
    assert "takt_port_irq_attach(6, takti_interrupt_noise, false);" in source
    assert "takt_board_interrupt_every(6, 0, UINT64_C(7000000));" in source
    assert "takt_work(UINT64_C(20000));" in source[source.index("interrupt_noise(void)") :]
    radio, noise = everything.interrupts
    rarer = replace(everything, interrupts=(radio, replace(noise, every_ns=8_000_000)))
    assert "takt_board_interrupt_every(6, 0, UINT64_C(8000000));" in tables(rarer, tmp_path)


def test_more_interrupts_than_a_board_raises(everything: System, tmp_path: Path) -> None:
    many = tuple(replace(everything.interrupts[1], name=f"n{i}", number=i) for i in range(9))
    with pytest.raises(UserError, match="9 interrupts; host raises at most 8"):
        tables(replace(everything, interrupts=many), tmp_path)


@pytest.mark.parametrize(
    ("board", "number", "message"),
    [
        ("mps2-an385", 32, "number = 32: mps2-an385 has no such interrupt"),
        ("mps2-an385", 9, "number = 9: mps2-an385 needs it for itself"),
        ("rv32-virt", 64, "number = 64: rv32-virt has no such interrupt"),
        ("rv32-virt", 11, "number = 11: rv32-virt needs it for itself"),
        ("host", 64, "number = 64: host has no such interrupt"),
    ],
)
def test_interrupts_that_a_board_does_not_have(
    everything: System, tmp_path: Path, board: str, number: int, message: str
) -> None:
    wrong = replace(
        everything, interrupts=(replace(everything.interrupts[1], number=number),), tasks=everything.tasks[:3]
    )
    with pytest.raises(UserError, match=f'"noise": {message}') as raised:
        tables(wrong, tmp_path, board)
    assert raised.value.hint == "0"


def test_host_charges_a_job_before_its_effects(everything: System, tmp_path: Path) -> None:
    source = tables(everything, tmp_path)
    assert config(source, 3)["entry"] == "takti_charged_radio_job"
    assert config(source, 4)["entry"] == "talk_loop"
    board = tables(everything, tmp_path / "board", "mps2-an385")
    assert config(board, 3)["entry"] == "radio_job"
    everything.sources[0].write_text("void radio_job(void *a) { takt_work (5); }")
    assert config(tables(everything, tmp_path / "own"), 3)["entry"] == "radio_job"


def test_what_did_not_change_is_not_touched(everything: System, tmp_path: Path) -> None:
    tables(everything, tmp_path)
    before = (tmp_path / "system.c").stat().st_mtime_ns
    tables(everything, tmp_path)
    assert (tmp_path / "system.c").stat().st_mtime_ns == before
    tables(replace(everything, tasks=everything.tasks[:3]), tmp_path)
    assert (tmp_path / "system.c").stat().st_mtime_ns != before


def test_the_hash_is_the_proofs(everything: System, tmp_path: Path) -> None:
    bands = plain_bands(everything, "bands") or ()
    board = boards.load("host")
    hashes = [generate.generate(everything, bands, tmp_path, board=board, proof=text) for text in ("a", "b", "a")]
    assert hashes[0] == hashes[2] != hashes[1]
    assert f"takt_proof_hash = UINT64_C(0x{hashes[0]})" in (tmp_path / "system.c").read_text()


@pytest.mark.parametrize("cooperative", [False, True])
@pytest.mark.parametrize("board", COMPILERS)
def test_the_tables_compile_without_a_warning(
    everything: System, tmp_path: Path, board: str, cooperative: bool
) -> None:
    compile_tables(everything, tmp_path, board, cooperative)


def test_the_header_names_everything(everything: System, tmp_path: Path) -> None:
    tables(everything, tmp_path)
    header = (tmp_path / "takt_app.h").read_text()
    for text in (
        "#define TASK_radio_reader (&takt_tasks[3])",
        "extern struct takt_mutex shared;",
        "extern struct takt_semaphore arrived;",
        "extern struct takt_mailbox letters;",
        "void radio_job(void *argument);",
        "void radio_interrupt(void);",
    ):
        assert text in header


def test_the_command_writes_both_files(takt: Takt, tmp_path: Path) -> None:
    said = takt("generate", ROOT / "apps/troublesome", "-o", tmp_path / "out", "--scheduler", "edf")
    assert said.code == 0
    source, header, kernel, verdict = said.out.splitlines()
    inside = "10 tasks; for mps2-an385, scheduler edf, preset standard; hash "
    assert source.startswith(f"{tmp_path / 'out' / 'system.c'}: {inside}")
    assert header == f"{tmp_path / 'out' / 'takt_app.h'}: names of tasks and objects"
    assert kernel.startswith("kernel: -DTAKT_BOARD=mps2-an385 ")
    assert "-DTAKT_SCHED=bands" in kernel
    assert verdict.startswith("Proved: ")
    assert f"UINT64_C(0x{source.split()[-1]})" in (tmp_path / "out" / "system.c").read_text()
    assert ".edf_levels = {TAKT_BITMAP_BIT(0)}" in (tmp_path / "out" / "system.c").read_text()


def test_names_of_the_tables_are_free_for_applications(takt: Takt, tmp_path: Path, scratch_builds: Path) -> None:
    names = ("init", "configs", "level_bands", "timers", "trace_records", "stack_idle")
    path = tmp_path / "system.toml"
    path.write_text(
        "".join(f'[[task]]\nname = "{name}"\nperiod = "10 ms"\nwcet = "100 us"\n' for name in names)
        + "".join(f'[[semaphore]]\nname = "stack_{name}"\n' for name in names[:2]),
        encoding="utf-8",
    )
    assert takt("build", path, "--board", "host").code == 0


def test_every_stack_is_somebody_s_own(application: Callable[..., Path], tmp_path: Path) -> None:
    """Also that of a task called idle: C takes two definitions without a value as one."""
    system = declaration.load(application('[[task]]\nname = "idle"\n', name="named") / "system.toml")
    tables(system, tmp_path)
    stacks = re.findall(r"^static uint8_t (\w+)\[", (tmp_path / "system.c").read_text(), re.MULTILINE)
    assert len(stacks) == len(set(stacks)) == 2


def test_the_kernel_has_jobs_if_a_task_may_have(application: Callable[..., Path]) -> None:
    bands = [Band("fixed", (("only",),))]
    for more, task, kind in (
        ("", "", "plain"),
        ("runtime_tasks = 1\n", "", "fixed"),
        ("", 'period = "1 ms"\nwcet = "1 us"\n', "fixed"),
    ):
        text = f'[system]\nboard = "host"\n{more}[[task]]\nname = "only"\n{task}'
        system = declaration.load(application(text, name=f"{len(more)}-{len(task)}") / "system.toml")
        assert levels.kernel_kind(system, bands, cooperative=False) == kind


@pytest.mark.parametrize("calls", [None, ("hint_next_set", "now"), ("now",)])
def test_sets_of_hints_of_processes_have_copies(tmp_path: Path, calls: tuple[str, ...] | None) -> None:
    """One for each task and thread, where a process may give such a set."""
    path = tmp_path / "system.toml"
    text = "[system]\nprotection = true\n"
    for name in "ab":
        text += f'[[task]]\nname = "{name}"\nperiod = "10 ms"\nwcet = "1 ms"\n'
    text += '[[process]]\nname = "p"\ntasks = ["a", "b"]\nthreads = 3\nmemory = 4096\n'
    path.write_text(text, encoding="utf-8")
    system = protect(declaration.load(path))
    tables = "\n".join(process_code.tables(system, process_code.Sizes.unknown(calls), 0, True))
    assert ("struct takti_hint_copy takti_hint_copies[5];" in tables) == (calls != ("now",))
    assert ("takti_hint_copies" in tables) == (calls != ("now",))


def test_the_table_of_a_process_has_the_distance_of_its_faults(tmp_path: Path) -> None:
    path = tmp_path / "system.toml"
    text = "[system]\nprotection = true\n"
    for name, more in (("a", 'on_fault = "restart"\nfaults_apart = "30 ms"\n'), ("b", 'on_fault = "restart"\n')):
        text += f'[[task]]\nname = "{name}"\nperiod = "10 ms"\nwcet = "1 ms"\n'
        text += f'[[process]]\nname = "p{name}"\ntasks = ["{name}"]\n{more}'
    path.write_text(text, encoding="utf-8")
    system = protect(declaration.load(path))
    tables = "\n".join(process_code.tables(system, process_code.Sizes.unknown(), 0, True))
    of_a, of_b = tables.split('.name = "pa"')[1].split('.name = "pb"')
    assert ".faults_apart_ns = 30000000}" in of_a
    assert ".faults_apart_ns" not in of_b


def test_the_budget_of_a_task_has_its_waits(takt: Takt, application: Callable[..., Path], tmp_path: Path) -> None:
    task = '[[task]]\nname = "a"\nperiod = "10 ms"\nwcet = "1 ms"\nwaits = 3\nsuspension = "2 ms"\n'
    process = '[[process]]\nname = "p"\ntasks = ["a"]\nbudgets = true\n'
    folder = application(f'[system]\nboard = "mps2-an385"\nprotection = true\n{task}{process}')
    said = takt("generate", folder, "-o", tmp_path / "tables")
    assert said.code == 0, said.err
    text = (tmp_path / "tables" / "system.c").read_text(encoding="utf-8")
    (budget,) = re.findall(r"struct takt_budget takti_budget_a = \{(.*)\};", text)
    assert ".suspension_ns = UINT64_C(2000000), " in budget
    assert ".waits = 3, " in budget
