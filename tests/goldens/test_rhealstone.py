# SPDX-License-Identifier: Apache-2.0
"""`takt bench rhealstone`, `seed000` and `share`: figures as reviewed, exact, and one way to count against another."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pytest
from command_line import Takt, documented, keys
from running import FULL, only_full
from takt.bench import kernel, rhealstone
from takt.bench.kernel import BANDS, BOARDS, FREERTOS, PRESETS, TEN_MORE, Run
from takt.bench.rhealstone import set_run
from takt.bench.seed000 import share
from takt.bench.seed000 import study as seed000
from takt.bench.studies.plot import COLOURS
from ten_more import not_ten_more

FEW = {"repeats": 20, "tasks": 4}
CALLS = ("null", "shared_attach_first")
PER_SECOND = {"mps2-an385": 15_625_000, "rv32-virt": 31_250_000}  # instructions of the board


def runs_of(board: str, flags: str = "") -> list[Run]:
    """Both sets of rows, of every kernel and kind of band."""
    kernels = [*((PRESETS[0], band) for band in BANDS), (PRESETS[1], BANDS[0]), (FREERTOS, BANDS[0])]
    sets = (rhealstone.SET, seed000.SET)
    return [set_run(board, name, which, FEW, band, flags) for which in sets for name, band in kernels]


@pytest.mark.parametrize("board", BOARDS if FULL else BOARDS[:1])
def test_the_figures_are_as_reviewed(board: str) -> None:
    wanted = json.loads(seed000.golden_path(board).read_text(encoding="utf-8"))
    assert seed000.golden(board) == wanted, f"reviewed and meant? ./takt bench seed000 --board {board} --update"


@only_full  # test_kernel.py has its own
@pytest.mark.parametrize("board", BOARDS)
def test_ten_more_instructions_are_ten_more_in_every_row(board: str) -> None:
    plain, more = (kernel.results(runs_of(board, flags)) for flags in ("", TEN_MORE))
    assert not_ten_more(plain, more, lambda name: name == "task_create_runs") == []


@only_full  # test_kernel.py has its own
@pytest.mark.parametrize("board", BOARDS)
def test_a_second_run_finds_the_same(board: str) -> None:
    shares = [share.share_run(board, name, 1000, True, 1) for name in (PRESETS[0], FREERTOS)]
    for run in [*runs_of(board), *shares]:
        image = run.image()
        assert run.found(image) == run.found(image)


@only_full
@pytest.mark.parametrize(("name", "board"), list(product((PRESETS[0], FREERTOS), BOARDS)))
def test_the_share_grows_by_what_the_rows_say(board: str, name: str) -> None:
    row = kernel.figures(kernel.results([one := kernel.rows_run(board, name, BANDS[0], 8, 20)])[one])
    runs = [share.share_run(board, name, rate, True, 1) for rate in (0, 1000)]
    found = kernel.results(runs)
    none, most = (found[run] for run in runs)
    assert (none["interrupts"], none["wakes"]) == (0, 0)
    assert most["interrupts"] == most["wakes"] >= 999
    assert none["jobs"] == most["jobs"] == 250
    each = (share.share(most) - share.share(none)) * PER_SECOND[board] / most["interrupts"]
    rows = row["interrupt_to_task"].mean + row["semaphore_take_blocks"].mean
    assert abs(each - rows) < 30  # the handler counts, and the task; a handler that calls has more registers to save


def test_keys_of_rhealstone_are_documented(takt: Takt) -> None:
    said = takt("bench", "rhealstone", "--repeats", "2", "--no-peers", "--json")
    assert said.code == 0
    document = json.loads(said.out)
    assert set(keys(document)) == documented("bench rhealstone")
    assert len(document["rows"]) == 6
    assert rhealstone.markdown(document).count("\n| ") == 1 + 1 + 6 + 1


@only_full  # every kernel of both sets is built
def test_keys_of_seed000_are_documented(takt: Takt) -> None:
    said = takt("bench", "seed000", "--repeats", "2", "--no-peers", "--json")
    assert said.code == 0
    document = json.loads(said.out)
    assert set(keys(document)) == documented("bench seed000")
    assert {row["row"] for row in document["operations"]} >= {"task_switch", "mutex_delete", None}
    null, shared = (next(row for row in document["operations"] if row["call"] == call) for call in CALLS)
    assert null["mean"] < 20 < null["protected"] < 80
    assert shared["mean"] > 200  # it zeroes 256 bytes
    ours = [row for row in document["scheduling"] if row["scheduler"] == "Takt, fixed"]
    assert [row["tasks"] for row in ours] == list(seed000.COUNTS)
    text = seed000.markdown(document)
    assert "| sem_lock(), free | 145 |" in text
    assert "| create_proc(), switches | 4860 |" in text
    assert "cv_signal(), switches: it has no condition variables" in text
    assert "| EMERALDS* | 13000 |" in text


@only_full
def test_keys_of_the_share_are_documented(takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(share, "RATES", (0, 500, 1000))
    drawn = tmp_path / "share.svg"
    said = takt("bench", "share", "--no-peers", "--picture", drawn, "--json")
    assert said.code == 0
    document = json.loads(said.out)
    assert set(keys(document)) == documented("bench share")
    assert len(document["rows"]) == 2 * 3
    assert "| Takt, handler wakes a task |" in share.markdown(document)
    picture = ElementTree.fromstring(drawn.read_text(encoding="utf-8"))
    lines = [path for path in picture.iter("{http://www.w3.org/2000/svg}path") if COLOURS[0] in path.get("style", "")]
    points = [[float(word) for word in path.attrib["d"].split() if word not in "ML"] for path in lines]
    rises = [line[1] > line[3] > line[5] for line in points]
    assert rises == [True, True, False, False]  # upwards; then the two samples of the legend, level


@only_full
def test_the_peer_stands_beside_ours() -> None:
    document = rhealstone.measure(BOARDS[0], repeats=2)
    assert document["rhealstones_peers"].keys() == {FREERTOS}
    assert all(0 < row["mean"] <= row["peers"][FREERTOS] for row in document["rows"])
    head, *_ = rhealstone.table(document).text().splitlines()[1:]
    assert head.split() == ["Takt", "max", "standard", FREERTOS, "ratio"]
    seed = seed000.measure(BOARDS[0], repeats=2)
    assert {row["row"] for row in seed["operations"] if not row["peers"]} == {None, "mutex_delete", "queue_delete"}
    assert {row["scheduler"] for row in seed["scheduling"]} >= {"Takt, fixed", "Takt, edf", FREERTOS, "EDF, queue"}


def test_a_picture_needs_a_folder(takt: Takt, tmp_path: Path) -> None:
    said = takt("bench", "share", "--picture", tmp_path / "nowhere" / "share.svg")
    assert said.code != 0
    assert "nowhere: no such folder" in said.err


def test_a_set_that_there_is_not_is_refused() -> None:
    from takt.support.errors import UserError

    run = set_run(BOARDS[0], PRESETS[0], 9, FEW)
    with pytest.raises(UserError, match="there is no such set"):
        run.found(run.image())
