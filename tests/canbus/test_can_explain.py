# SPDX-License-Identifier: Apache-2.0
"""`takt can explain`: the schedule that it shows takes as long as the bound of the analysis, which knows none."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest
from can_files import opendbc
from command_line import Takt, documented, keys
from running import FULL, only_full
from takt.can import check, controllers
from takt.can.bounds import Errors
from takt.can.check import Jitter, Question
from takt.can.explain import explanation as explain
from takt.can.files import read
from takt.can.lengths import Rate
from takt.can.messages import Message

BUSES = 2000 if FULL else 60
HEADER = "name,id,extended,sender,bytes,period_ms,jitter_ms,deadline_ms\n"
# The second instance of c is the late one (Davis and others 2007).
DAVIS = HEADER + "a,1,0,x,8,2.5,,\nb,2,0,x,8,3.5,,\nc,3,0,x,8,3.5,,3.25\n"


def random_messages(source: random.Random) -> list[Message]:
    count = source.randint(1, 8)
    return [
        Message(
            name=f"m{number}",
            identifier=number,
            extended=False,
            senders=("n",),
            size=source.randint(0, 8),
            period_ns=source.randint(900_000, 3_000_000),
            jitter_ns=source.choice((0, source.randint(0, 12_000_000))),
            deadline_ns=source.randint(1_000_000, 20_000_000),
        )
        for number in range(count)
    ]


def hold(found: explain.Explanation) -> None:
    """The schedule is one that a bus may have, and ends when the bound says."""
    frames, rows = found.frames, found.asked.rows
    assert found.response_ns + found.rest_ns == found.asked.found[found.row].response_ns
    assert frames[0].start_ns == 0
    assert frames[-1].row == found.row
    assert sum(one.row == found.row for one in frames) == found.instance + 1
    for before, one in itertools.pairwise(frames):
        assert one.start_ns == before.end_ns, "the bus is not idle"
    bit_ns = 1_000_000_000 // found.asked.question.rate.nominal
    for number, one in enumerate(frames):
        assert one.end_ns - one.start_ns == rows[one.row].send_ns
        assert one.queued_ns < one.start_ns + bit_ns
        assert one.row <= found.row or (number == 0 and found.blocked)
    for index in {one.row for one in frames}:
        queued = [one.queued_ns for one in frames if one.row == index]
        releases = [at for at in queued if at > 0]
        assert all(later - at >= rows[index].period_ns for at, later in itertools.pairwise(releases))
        crowd = len(queued) - len(releases)
        assert crowd <= rows[index].jitter_ns // rows[index].period_ns + 1, "what jitter lets come at once"


def test_the_schedule_is_the_bound() -> None:
    source = random.Random(3)
    several = jitters = 0
    for _ in range(BUSES):
        asked = check.answer(random_messages(source), Question(Rate(500_000)))
        for index, row in enumerate(asked.rows):
            if asked.found[index].response_ns is None:
                continue
            found = explain.of(asked, row.message.name)
            assert found.rest_ns == 0
            hold(found)
            several += found.instance > 0
            jitters += row.jitter_ns > 0
    assert several > 0 < jitters


def test_the_schedule_is_the_bound_with_other_queues() -> None:
    """Whatever case makes it: held back by its own node, by the burst of another, or by the whole bus."""
    source = random.Random(8)
    seen: Counter[str] = Counter()
    for _ in range(BUSES):
        messages = [replace(one, senders=(source.choice("abc"),)) for one in random_messages(source)]
        kinds = [
            f"{node}={source.choice(('priority', 'fifo', 'fifo', '1', '2', '1/abort:50us'))}"
            for node in sorted({one.senders[0] for one in messages})
        ]
        asked = check.answer(messages, Question(Rate(500_000), controllers=controllers.parse(kinds, messages)))
        for index, row in enumerate(asked.rows):
            bound_ns = asked.found[index].response_ns
            if bound_ns is None:
                continue
            found = explain.of(asked, row.message.name)
            assert found.rest_ns == 0
            assert found.response_ns == bound_ns
            assert found.frames[-1].row == index
            assert found.frames[0].start_ns == 0
            for before, one in itertools.pairwise(found.frames):
                assert one.start_ns == before.end_ns
                assert one.end_ns - one.start_ns == asked.rows[one.row].send_ns
            holds = asked.question.controllers.is_held(row.message)
            seen["inverted"] += found.inversion_ns > 0
            seen["burst"] += found.holder is not None
            seen["whole"] += found.whole
            seen["early"] += any(one.queued_ns >= one.start_ns + 2_000 for one in found.frames)
            assert not found.inversion_ns or holds or found.whole
    assert seen["inverted"] > 20
    assert seen["burst"] > 5
    assert seen["whole"] > 0
    assert seen["early"] < 0.02 * seen["inverted"] + 5


def test_inversion_in_words_and_in_the_picture(takt: Takt, tmp_path: Path) -> None:
    """Behind slow of its own FIFO, before which other of another node passes."""
    path, picture = tmp_path / "bus.csv", tmp_path / "why.svg"
    rows = "urgent,1,0,a,8,100,,0.6\nother,2,0,b,8,100,,\nslow,3,0,a,8,100,,\nlast,4,0,b,8,100,,\n"
    path.write_text(HEADER + rows, encoding="utf-8")
    options = ("--bitrate", "500k", "--controller", "a=fifo")
    said = takt("can", "explain", path, "urgent", *options, "--picture", picture)
    assert said.code == 0
    assert said.out.startswith(
        "urgent (0x001) may take 1.08 ms, later than its deadline of 600 us.\n"
        "last has just begun when all others are queued: 270 us.\n"
        "None goes first.\n"
        "Its node a queues first in, first out: 1 frame of 1 message of it with higher identifiers go first "
        "(inversion): 270 us.\n"
        "While it offers these, 1 frame of 1 message of other nodes with identifiers between go first as well: "
        "270 us.\n"
        "If every node queued by priority, it would take 540 us.\n"
        "Its own frame takes 270 us, and it ends 1.08 ms after the beginning.\n"
    )
    boxes = [one.get("class") for one in ElementTree.parse(picture).getroot().iter("{http://www.w3.org/2000/svg}rect")]
    assert boxes.count("i") == 2 * 2, "on the bus and in their rows"
    found = json.loads(takt("can", "explain", path, "urgent", *options, "--json").out)
    assert [one["name"] for one in found["frames"] if one["inversion"]] == ["other", "slow"]
    assert (found["inversion_ns"], found["by_priority_ns"], found["held_by"]) == (540_000, 540_000, None)


def test_errors_are_what_remains() -> None:
    asked = check.answer(
        [Message(f"m{number}", number, False, ("n",), 8, period_ns=10_000_000) for number in range(4)],
        Question(Rate(500_000), errors=Errors(1, 10_000_000)),
    )
    found = explain.of(asked, "m3")
    hold(found)
    assert found.rest_ns == (135 + 31) * 2_000


def test_the_second_instance(takt: Takt, tmp_path: Path) -> None:
    path = tmp_path / "davis.csv"
    path.write_text(DAVIS, encoding="utf-8")
    said = takt("can", "explain", path, "c", "--bitrate", "135k")
    assert said.code == 0
    assert "c (0x003) may take 3.5" in said.out
    assert "later than its deadline of 3.25 ms." in said.out
    assert "An earlier frame of its own: 1 ms.\nThe latest is nominally released 3.5 ms after the" in said.out


def test_words_document_and_picture(takt: Takt, tmp_path: Path) -> None:
    path, picture = tmp_path / "bus.csv", tmp_path / "why.svg"
    rows = "".join(f"slow{number},{number},0,a,8,100,,\n" for number in range(9))
    path.write_text(f"{HEADER}{rows}quick,0x100,0,b,8,3,,2.5\nlast,0x200,0,b,2,50,,\n", encoding="utf-8")
    said = takt("can", "explain", path, "0x100", "--bitrate", "500k", "--picture", picture)
    assert said.code == 0
    assert "quick (0x100) may take 2.85 ms, later than its deadline of 2.5 ms." in said.out
    assert "last has just begun when all others are queued: 150 us." in said.out
    assert "Then 9 frames of 9 messages with lower identifiers go first, 9 of which are due later: 2.43 ms." in said.out
    drawn = ElementTree.parse(picture).getroot()
    titles = [one.text for one in drawn.iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) == 2 * 11, "each frame on the bus and in its row"
    assert "quick: from 2.58 ms to 2.85 ms" in titles
    said = takt("can", "explain", path, "quick", "--bitrate", "500k", "--json")
    found = json.loads(said.out)
    assert set(keys(found)) == documented("can explain")
    assert found["response_ns"] == 2_850_000 == found["frames"][-1]["end_ns"]
    assert found["blocked_by"] == "last"


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("quik",), 'MESSAGE: no message is "quik"\n  try: "quick"'),
        (("quick", "--picture", "why.png"), "--picture why.png: it is an SVG file"),
        (
            ("quick", "--picture", "none/why.svg"),
            "none/why.svg: cannot be written: No such file or directory\n  try: another --picture",
        ),
        (("last",), '"last" has no bound: with the messages before it the load is 1.199'),
        (
            ("quick", "--controller", "fifo"),
            '"quick" has no bound: with the messages before it the load is 0.270, with',
        ),
    ],
)
def test_misuse(
    takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], wanted: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bus.csv").write_text(f"{HEADER}quick,1,0,a,8,1,,\nnext,2,0,a,8,1,,\nlast,3,0,a,8,0.41,,\n", encoding="utf-8")
    said = takt("can", "explain", "bus.csv", *arguments, "--bitrate", "500k")
    assert said.code == 2
    assert wanted in said.err
    assert [path.name for path in tmp_path.iterdir()] == ["bus.csv"]


@only_full
@pytest.mark.parametrize("share", [0, 10, 150])
def test_the_ford_bus(share: int) -> None:
    path = next(path for path in opendbc() if path.name == "ford_lincoln_base_pt.dbc")
    asked = check.answer(read.load(path), Question(Rate(500_000), Jitter(Fraction(share, 100))))
    assert len(asked.rows) == 150
    for row in asked.rows:
        found = explain.of(asked, row.message.id_text)
        assert found.rest_ns == 0
        hold(found)
