# SPDX-License-Identifier: Apache-2.0
"""`takt bench kernel`: its figures are as reviewed, exact, and those of the peer are the peer's."""

from __future__ import annotations

import json

import pytest
from command_line import Takt, documented, keys
from running import FULL, only_full
from takt.bench import kernel
from takt.bench.kernel import BANDS, BOARDS, FREERTOS, FREERTOS_TRACED, PEERS, PRESETS, TEN_MORE, Run, rows_run
from takt.support.errors import UserError
from ten_more import not_ten_more

REPEATS = 20
FEW = 4

# The figures that are cited for RV32 were linked without relaxation: reaching globals takes more instructions. What
# `takt bench kernel` measures is linked as Takt is, which is 3 to 10 percent better for the peer.
LINKED_AS_CITED = {"mps2-an385": "", "rv32-virt": "-Wl,--no-relax"}


@pytest.mark.parametrize("board", BOARDS if FULL else BOARDS[:1])
def test_the_figures_are_as_reviewed(board: str) -> None:
    path = kernel.golden_path(board)
    wanted: kernel.Golden = json.loads(path.read_text(encoding="utf-8"))
    found = kernel.golden(kernel.measure(kernel.golden_plan(board)))
    lines = []
    for situation in wanted.keys() | found.keys():
        old, new = wanted.get(situation, {}), found.get(situation, {})
        names = sorted(old.keys() | new.keys())
        lines += [
            f"{situation}, {name}: {old.get(name)} -> {new.get(name)}"
            for name in names
            if old.get(name) != new.get(name)
        ]
    assert lines == [], f"reviewed and meant? ./takt bench kernel --board {board} --update"


def runs_of(board: str, flags: str) -> list[Run]:
    """Every row of every kernel and kind of band."""
    found = [rows_run(board, PRESETS[0], band, FEW, REPEATS, flags) for band in BANDS]
    return [*found, *(rows_run(board, peer, BANDS[0], FEW, REPEATS, flags) for peer in PEERS)]


@only_full  # test_rhealstone.py has one like it
@pytest.mark.parametrize("board", BOARDS)
def test_ten_more_instructions_are_ten_more_in_every_row(board: str) -> None:
    plain, more = (kernel.results(runs_of(board, flags)) for flags in ("", TEN_MORE))
    assert not_ten_more(plain, more, lambda name: name.endswith("_distinct")) == []


@only_full
@pytest.mark.parametrize("board", BOARDS)
def test_a_second_run_finds_the_same(board: str) -> None:
    for run in runs_of(board, ""):
        image = run.image()
        assert run.found(image) == run.found(image)


@pytest.mark.parametrize("board", BOARDS if FULL else BOARDS[:1])
def test_the_peer_is_the_one_that_is_cited(board: str) -> None:
    cited = kernel.reference(board)[FREERTOS]
    wrong = []
    for tasks in (4, 64):
        run = rows_run(board, FREERTOS, BANDS[0], tasks, REPEATS, LINKED_AS_CITED[board])
        for name, figure in kernel.figures(run.found(run.image())).items():
            for value in kernel.citations({FREERTOS: cited}, name, tasks).values():
                # heap_4 on RV32: 222 instructions, 231 are cited. Its time depends on the blocks that it had before.
                most = 0.04 if name == "block_pair" else 0.03
                if abs(figure.mean - value) > max(2, most * value):
                    wrong.append(f"{name}, {tasks} others: {figure.mean}, cited {value}")
    assert wrong == []


def test_a_figure_that_holds_for_some_tasks_is_cited_for_those() -> None:
    cited = {"other": {"yield_4": 1, "yield_64": 2, "due_8": 3}}
    assert kernel.citations(cited, "yield", 4) == {"other": 1}
    assert kernel.citations(cited, "yield", 16) == {}
    assert kernel.citations(cited, "yield", 64) == {"other": 2}
    assert kernel.citations(cited, "due_8", 16) == {"other": 3}


def test_the_keys_are_documented(takt: Takt) -> None:
    words = f"--band fixed --tasks {FEW} --repeats 2 --preset lean --no-sweep --json"
    said = takt("bench", "kernel", *words.split())
    assert said.code == 0
    document = json.loads(said.out)
    generic = {key for key in keys(document) if not key.startswith(("rows[].peers.", "rows[].cited."))}
    assert generic | {f"rows[].standard.{key}" for key in ("mean", "max", "wait_max")} == documented("bench kernel")
    yields = document["rows"][0]
    assert (yields["operation"], yields["band"], yields["tasks"]) == ("yield", "fixed", FEW)
    assert yields["peers"].keys() == set(PEERS)
    assert yields["peers"][FREERTOS] < yields["peers"][FREERTOS_TRACED]
    assert {row["operation"] for row in document["rows"]} >= {"job_release", "release_64_distinct"}


def test_the_table_marks_what_was_not_measured(takt: Takt) -> None:
    said = takt("bench", "kernel", *f"--band edf --tasks {FEW} --repeats 2 --preset lean --no-sweep".split())
    assert said.code == 0
    assert "band edf, 4 other tasks" in said.out
    head = said.out.splitlines()[2].split()
    peers = [FREERTOS, "ratio", "standard", FREERTOS_TRACED, "ratio"]
    assert head == ["Takt", "max", *peers, "wait", "ThreadX*", "Zephyr*", "ChibiOS*"]
    assert "* cited, not measured here" in said.out


def test_a_profile_accounts_for_the_whole_row() -> None:
    from takt.bench import profiling

    run = rows_run(BOARDS[0], "lean", "fixed", FEW, 1)
    found = profiling.profile(run, "semaphore_pair")
    row = kernel.figures(run.found(run.image()))["semaphore_pair"]
    assert found["takt_semaphore_post"] > 0
    assert abs(sum(found.values()) - row.mean) <= 2
    with pytest.raises(UserError, match='no operation "semaphore_pare"'):
        profiling.profile(run, "semaphore_pare")


def test_a_run_that_fails_says_why() -> None:
    run = Run(BOARDS[0], "lean", (("repeats", 1), ("tasks", 200)))
    with pytest.raises(UserError, match="too many threads"):
        run.found(run.image())
