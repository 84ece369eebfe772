# SPDX-License-Identifier: Apache-2.0
"""The load of a bus as a page: what is kept of it, and the pages of `takt can simulate` and `takt can log`."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from array import array
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from can_files import write
from can_texts import HEADER, LATE
from command_line import Takt
from takt.can.view.load import AROUND, BINS, FRAMES_MAX, ROWS_MAX, Load, Row

ERROR = 1 << 15


def column(kind: str, text: str) -> array[int]:
    found = array(kind)
    found.frombytes(base64.b64decode(text))
    return found


def frames_of(document: dict[str, Any]) -> list[tuple[int, int, int]]:
    """Start, end and index, as the script has them."""
    found, start = [], 0
    columns = (column(kind, document[name]) for kind, name in (("I", "gaps"), ("I", "lengths"), ("H", "indices")))
    for gap, length, index in zip(*columns, strict=True):
        start += gap
        found.append((start, start + length, index))
    return found


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r"<script type='application/json'>(.*?)</script>", page)
    assert found is not None
    document: dict[str, Any] = json.loads(found[1])
    return document


def row(name: str, frames: int = 1, observed: int | None = None, proved: int | None = None) -> Row:
    return Row(name, "0x001", frames, observed, proved, None)


def test_frames_are_kept_as_they_came() -> None:
    load, sent = Load(), [(10 * i, 10 * i + 7, i % 3) for i in range(100)]
    for start, end, index in sent:
        load.add(start, end, index)
    late = 20_000_000_000  # farther than a column can say
    load.add(late, late + 7, 2, error=True)
    found = frames_of(load.document([row("a"), row("b"), row("c")]))
    assert [one for one in found if one[1] > one[0]] == [*sent, (late, late + 7, 2 | ERROR)]
    assert load.errors == 1


def test_the_load_is_that_of_all_frames() -> None:
    """Also where bins were joined, and where frames lie across their ends."""
    load = Load()
    for number in range(30_000):
        load.add(number * 100_000 - (number > 0) * 15_000, number * 100_000 + 15_000, 0)
    assert len(load.bins) <= BINS
    assert sum(load.bins) == 30_000 * 30_000 - 15_000
    assert all(abs(one / load.bin_ns - 0.3) < 0.02 for one in load.bins[:-1])


def test_of_a_long_log_only_what_is_around_marks_is_kept() -> None:
    load, count = Load(), FRAMES_MAX + 40_000
    marked = FRAMES_MAX + 20_000
    for number in range(count):
        load.add(number * 1000, number * 1000 + 500, 0, mark=number == marked)
    found = frames_of(load.document([row("a")]))
    assert load.kept_until_ns == (FRAMES_MAX - 1) * 1000 + 500
    assert [one[0] // 1000 for one in found[FRAMES_MAX:]] == list(range(marked - AROUND, marked + AROUND))
    assert load.end_ns == (count - 1) * 1000 + 500


def test_rows_of_many_messages_are_those_nearest_to_their_bounds() -> None:
    rows = [row(f"m{number}", observed=number, proved=1000) for number in range(ROWS_MAX + 50)]
    assert Load().document(rows)["drawn"] == list(range(50, ROWS_MAX + 50))
    assert Load().document([row("a", frames=0), row("b")])["drawn"] == [1]


class _Outside(HTMLParser):
    """What a page would load."""

    found: list[str]

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found += [str(value) for name, value in attributes if name in ("src", "href", "srcset", "data")]


def simulated(takt: Takt, folder: Path, *options: str) -> tuple[str, dict[str, Any]]:
    path, page = write(folder, "a.csv", HEADER + LATE), folder / "bus.html"
    said = takt("can", "simulate", path, "--bitrate", "500k", "--duration", "1s", "--html", page, "--json", *options)
    assert said.code == 0, said.err
    return page.read_text(), json.loads(said.out)


def test_a_simulation_as_a_page(takt: Takt, tmp_path: Path) -> None:
    text, said = simulated(takt, tmp_path, "--flips", "1e-4", "--errors", "100/1ms")
    parser = _Outside()
    parser.found = []
    parser.feed(text)
    assert parser.found == []
    found = data_of(text)
    frames = frames_of(found)
    counts = {name: sum(index == number for _, _, index in frames) for number, (name, *_) in enumerate(found["rows"])}
    assert counts == {one["name"]: one["sent"] for one in said["messages"]}
    assert sum(index >= ERROR for _, _, index in frames) > 0 < said["errors"]
    assert [one[2:4] for one in found["rows"]] == [[one["observed_ns"], one["response_ns"]] for one in said["messages"]]
    starts = [one[0] for one in frames]
    assert starts == sorted(starts)


def test_a_log_as_a_page(takt: Takt, tmp_path: Path) -> None:
    log = tmp_path / "bus.log"
    simulated(takt, tmp_path, "--log", str(log))
    page = tmp_path / "log.html"
    options = ("--bitrate", "500k", "--against", tmp_path / "a.csv", "--html", page)
    said = takt("can", "log", log, *options, "--json")
    assert said.code == 0
    found = data_of(page.read_text())
    counts = {one["name"]: one["count"] for one in json.loads(said.out)["messages"]}
    names = [one[0] for one in found["rows"]]
    assert {name: sum(one[2] == number for one in frames_of(found)) for number, name in enumerate(names)} == counts
    assert all(observed <= allowed for _, _, observed, allowed, _ in found["rows"])
    assert all(0 < end - start < 270_000 for start, end, _ in frames_of(found))


@pytest.mark.parametrize(
    ("command", "options", "wanted"),
    [
        ("log", ("--html", "a.html"), "--html needs the bit rate of the bus"),
        ("log", ("--bitrate", "500k", "--html", "a.txt"), "--html a.txt: it is an HTML file"),
        ("simulate", ("--bitrate", "500k", "--html", "a.txt"), '--html: the suffix of a.txt is not ".html"'),
        ("simulate", ("--bitrate", "500k", "--html", "none/a.html"), "none/a.html: cannot be written"),
    ],
)
def test_pages_that_cannot_be(
    takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, options: tuple[str, ...], wanted: str
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "a.log" if command == "log" else "a.csv"
    write(tmp_path, name, "(1.000000) can0 001#00\n" if command == "log" else HEADER + LATE)
    said = takt("can", command, name, *options)
    assert (said.code, said.out) == (2, "")
    assert wanted in said.err
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed")
def test_it_is_drawn_soon(takt: Takt, tmp_path: Path) -> None:
    """In a browser, without an error of the script."""
    simulated(takt, tmp_path)
    options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000", "--dump-dom")
    command = ["chromium", *options, (tmp_path / "bus.html").as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    drawn = re.search(r'data-drawn="([0-9.]+)"', done.stdout)
    assert drawn is not None
    assert float(drawn[1]) < 2000
