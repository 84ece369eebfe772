# SPDX-License-Identifier: Apache-2.0
"""Small programs: what the tool does with each is written in its header, and does not change what it does."""

from __future__ import annotations

from pathlib import Path

import pytest
from hints import programs
from hints.programs import NAMES, Expected
from running import only_full
from takt.hints.apply import Application, apply
from takt.hints.edit import IN_BLOCK, ONE

SILENT = {"count_unsteady", "tries", "unknown_body", "unused"}  # what they could note depends on the order of arrival


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """What the programs note without the tool's hints, and with them."""
    folder = tmp_path_factory.mktemp("hints")
    (folder / "with").mkdir()
    objects = folder / "objects"
    objects.mkdir()
    before = programs.build({name: programs.files(name) for name in NAMES}, folder / "plain", objects)
    after = programs.build(programs.written(folder / "with"), folder / "hinted", objects)
    return programs.notes(before), programs.notes(after)


@only_full
def test_there_are_enough() -> None:
    untouched = [name for name in NAMES if not programs.found(name).after]
    assert len(NAMES) >= 60
    assert len(untouched) >= 20
    assert len(NAMES) - len(untouched) >= 30


def shows(text: bytes, wanted: Expected) -> bool:
    """Whether the file with its hints has the one that is wanted, where it is wanted."""
    lines = [line.strip() for line in text.decode().splitlines()]
    call = ONE.format(wanted.text) if ", " not in wanted.text else IN_BLOCK.format(wanted.text)
    if wanted.where == "in":
        pairs = zip(lines, [*lines[1:], ""], strict=True)
        return any(line.startswith(wanted.line) and (call in line or call in below) for line, below in pairs)
    return any(line == f"{call};" and lines[number + 1].startswith(wanted.line) for number, line in enumerate(lines))


@pytest.mark.parametrize("name", NAMES)
def test_each_point_is_as_its_header_says(name: str) -> None:
    wanted = programs.expected(name)
    points = programs.points(name)
    after = programs.found(name).after.get(programs.FOLDER / f"{name}.c", b"")
    assert len(points) == len(wanted), points
    for point, each in zip(points, wanted, strict=True):
        assert point.outcome == each.outcome, point
        if each.outcome == "insert":
            assert point.mutex == each.text
            assert shows(after, each), after.decode()
        else:
            assert each.text in f"{point.mutex} {point.why}", point
    given = (programs.FOLDER / f"{name}.c").read_bytes().count(b"takt_hint_next")
    inserted = sum(each.outcome == "insert" for each in wanted)
    assert after.count(b"takt_hint_next") == (given + inserted if inserted else 0)


@pytest.mark.parametrize("name", NAMES)
def test_the_results_are_the_same(name: str, runs: tuple[dict[str, list[str]], dict[str, list[str]]]) -> None:
    before, after = runs
    assert before[name][1:] == after[name][1:]


def test_the_programs_note_something(runs: tuple[dict[str, list[str]], dict[str, list[str]]]) -> None:
    silent = {name for name, lines in runs[0].items() if not any(len(line.split()) > 4 for line in lines[1:])}
    assert silent <= SILENT


def test_hints_save_switches(runs: tuple[dict[str, list[str]], dict[str, list[str]]]) -> None:
    before, after = (sum(int(lines[0].split()[2]) for lines in run.values()) for run in runs)
    assert after < before


@only_full
@pytest.mark.parametrize("name", NAMES)
def test_a_second_time_changes_nothing(name: str, tmp_path: Path) -> None:
    if not programs.found(name).after:
        return
    for path in programs.files(name):
        (tmp_path / path.name).write_bytes(programs.found(name).after.get(path, path.read_bytes()))
    again = apply(Application(programs.files(name, tmp_path), preset="debug"))
    inserted = [point.mutex for point in programs.found(name).points if point.outcome == "insert"]
    kept = [point.mutex for point in again.points if point.outcome == "kept"]
    assert not again.after
    assert set(inserted) <= set(kept)
    assert len(kept) >= len(inserted)
    assert again.wrong == programs.found(name).wrong


def test_none_for_a_mutex_with_waiters_in_fifo_order() -> None:
    """The points that would have a hint on it are left alone, and say why."""
    name, mutex = next(
        (name, point.mutex.removeprefix("&"))
        for name in NAMES
        for point in programs.points(name)
        if point.outcome == "insert" and point.mutex.removeprefix("&").isidentifier()
    )
    found = apply(Application(programs.files(name), preset="debug", fifo=frozenset([mutex])))
    left = [point for point in found.points if "FIFO order" in point.why]
    assert left
    assert not any(point.outcome == "insert" and point.mutex == f"&{mutex}" for point in found.points)
