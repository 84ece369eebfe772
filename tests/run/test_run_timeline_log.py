# SPDX-License-Identifier: Apache-2.0
"""What the timeline of a report shows of the log: messages and spans below their task, and lost records."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from running import only_full
from takt.report import lanes
from takt.report import page as report_page
from takt.report.lanes import Piece
from takt.support.c.replay import MESSAGE
from takt.trace.log import Message
from takt.trace.records import IDLE, NONE, UNKNOWN, Entry, Event, Names, Trace
from takt.trace.replay import INTERRUPTS

LOG = {
    0: Message("error", "", "a.c", 7, "stuck </script> at %d", (4,)),
    1: Message("info", "motor", "b.c", 8, "step %d", (4,)),
    2: Message("mark_begin", "", "a.c", 1, "outer", ()),
    3: Message("mark_begin", "", "a.c", 2, "inner", ()),
    4: Message("mark_end", "", "a.c", 3, "inner", ()),
    5: Message("mark_end", "", "a.c", 4, "outer", ()),
}
NAMES = Names(
    "host", "dm", ("fast", "slow"), bands=({"kind": "fixed", "tasks": ["fast", "slow"]},), deadlines_ns=(50, None),
    log=LOG,
)  # fmt: skip


def event(time_ns: int, kind: Event, task: int = NONE, job: int | None = None, value: int = 0) -> Entry:
    return Entry(time_ns, kind, task, job, None, NONE, value)


def message(time_ns: int, task: int, number: int, *words: int) -> Entry:
    return Entry(time_ns, Event.LOG, task, None, None, NONE, number, words)


RUN = [
    message(0, NONE, 1, 41),
    event(10, Event.RELEASE, 0, 0, value=60),
    event(10, Event.RUN, 0, 0),
    message(12, 0, 2),
    message(14, 0, 3),
    message(20, 0, 1, 42),
    message(24, 0, 4),
    message(26, 0, 0, 1),
    message(30, 0, 5),
    event(40, Event.COMPLETE, 0, 0),
    event(40, Event.RUN, IDLE),
]
LOST = [
    *RUN,
    event(110, Event.RELEASE, 0, 1, value=160),
    event(110, Event.RUN, 0, 1),
    message(120, 0, 2),
    event(120, Event.LOST_RECORDS, value=1000),
    message(300, UNKNOWN, 1, 43),
    event(310, Event.MISS, 0, 3),
    event(330, Event.COMPLETE, 0, 3),
    event(330, Event.RUN, IDLE),
    event(410, Event.RELEASE, 0, 4, value=460),
    event(410, Event.RUN, 0, 4),
    event(440, Event.COMPLETE, 0, 4),
    event(440, Event.RUN, IDLE),
    event(500, Event.STAT_END, value=500),
]


def test_messages_and_spans_have_rows_of_their_own() -> None:
    found = lanes.lanes(Trace(NAMES, tuple(RUN)))
    said = list(found.said)
    assert {lane: [(one.start_ns, said[one.detail]) for one in row] for lane, row in found.messages.items()} == {
        INTERRUPTS: [(0, ("info", "motor", "step 41"))],
        0: [(20, ("info", "motor", "step 42")), (26, ("error", "a.c:7", "stuck </script> at 1"))],
    }
    rows = [[(one.start_ns, one.end_ns, said[one.detail][2]) for one in row] for row in found.marks[0]]
    assert rows == [[(12, 30, "outer")], [(14, 24, "inner")]]
    lane = lanes.detail(found, NAMES, (0, 50))["lanes"][0]
    assert (lane["messages"], len(lane["spans"])) == ([20, 0, 1, 6, 0, 1], 2)


def test_a_long_message_is_cut_and_many_do_not_fill_the_page() -> None:
    long = Names("host", "dm", ("a",), log={1: Message("info", "", "a.c", 1, "x" * 10_000, ())})
    found = lanes.lanes(Trace(long, (message(1, 0, 1),)))
    assert [len(text) for _, _, text in found.said] == [lanes.TEXT_MAX + 1]
    many = Trace(NAMES, tuple(message(1_000_000 * at, 0, 1, at) for at in range(lanes.DETAIL_PIECES)))
    ((low, high),) = lanes.windows(lanes.read(many), None)
    assert low == 0
    assert abs(high / 1e6 - lanes.DETAIL_PIECES // MESSAGE) < 50  # a part of the time
    kept = lanes.lanes(many, [(low, high)]).messages[0]
    assert len([one for one in kept if one.start_ns < high]) * MESSAGE <= lanes.DETAIL_PIECES + 200


def test_a_message_of_many_words() -> None:
    many = Names("host", "dm", ("a",), log={1: Message("info", "", "a.c", 1, "%d %d %d %d", (4, 4, 4, 4))})
    found = lanes.lanes(Trace(many, (message(1, 0, 1, 5, 6, 7, 8), message(2, 0, 1, 1, 2, 3, 4))))
    assert [text for _, _, text in found.said] == ["5 6 7 8", "1 2 3 4"]


def test_records_that_are_missing_up_to_the_end() -> None:
    entries = [*RUN, event(120, Event.LOST_RECORDS, value=7), event(500, Event.STAT_END, value=500)]
    assert lanes.lanes(Trace(NAMES, tuple(entries))).gaps == [Piece(120, 500, 7)]


def test_jobs_around_lost_records_are_not_mixed() -> None:
    found = lanes.lanes(Trace(NAMES, tuple(LOST)))
    jobs = [(job.number, job.release_ns, job.complete_ns, job.missed) for job in found.jobs[0]]
    assert jobs == [(0, 10, 40, False), (1, 110, None, False), (3, 260, 330, True), (4, 410, 440, False)]
    assert found.gaps == [Piece(120, 300, 1000)]
    lane = lanes.detail(found, NAMES, (0, 500))["lanes"]
    assert lane[0]["numbers"] == [0, 1, 3, 4]
    assert len(lane) == 5  # one for messages of which it is not known who wrote them
    assert found.pieces[0] == [Piece(10, 40, 0), Piece(110, 120, 1), Piece(410, 440, 4)]


def test_a_mutex_held_when_records_are_lost() -> None:
    entries = [
        event(1, Event.RUN, 0, 0),
        Entry(2, Event.LOCK, 0, 0, None, 0, 0),
        event(3, Event.LOST_RECORDS, value=5),
        Entry(900, Event.UNLOCK, 0, 8, None, 0, 0),
    ]
    assert lanes.lanes(Trace(NAMES, tuple(entries))).holds == {0: [Piece(2, 3, 0)]}


def data_of(page: str) -> dict[str, object]:
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert text is not None
    found: dict[str, object] = json.loads(text[1])
    return found


def test_the_page_says_where_records_were_lost() -> None:
    page = report_page.trace_page(Trace(NAMES, tuple(LOST)))
    assert "Records of the trace are missing: 1000 from 120 ns to 300 ns." in page
    assert data_of(page)["gaps"] == [[120, 300, 1000]]


def test_a_run_without_log_has_nothing_of_it() -> None:
    plain = [entry for entry in RUN if entry.event is not Event.LOG]
    page = report_page.trace_page(Trace(NAMES, tuple(plain)))
    assert not {"said", "gaps"} & set(data_of(page))
    assert "Records of the trace" not in page
    window = data_of(page)["windows"][0]  # type: ignore[index]
    assert not any({"messages", "spans", "numbers"} & set(lane) for lane in window["lanes"])


WATCH = """<script>
const drawn = [];
const fillText = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
  drawn.push(text);
  fillText.call(this, text, ...more);
};
</script>"""
# The pointer goes over all of the canvas; what the tip says comes once each.
HOVER = """<script>
addEventListener("load", () => {
  document.querySelector("[data-view=all]").click();
  setTimeout(() => {
    const canvas = document.querySelector("canvas"), area = canvas.getBoundingClientRect(), tips = new Set();
    for (let y = 0; y < area.height; y += 3) for (let x = 0; x < area.width; x += 2) {
      canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: area.left + x, clientY: area.top + y }));
      const tip = document.getElementById("tip");
      if (!tip.hidden) tips.add(tip.textContent);
    }
    const said = document.createElement("pre");
    said.id = "said"; said.textContent = JSON.stringify([drawn, [...tips]]);
    document.body.append(said);
  }, 100);
});
</script>"""


@only_full  # test_run_report.py draws one
@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed")
def test_a_browser_draws_and_tells_them(tmp_path: Path) -> None:
    page = report_page.trace_page(Trace(NAMES, tuple(LOST)))
    page = page.replace("</title>", f"</title>{WATCH}").replace("</body>", f"{HOVER}</body>")
    path = tmp_path / "page.html"
    path.write_text(page, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000", "--window-size=1400,900"]
    command = ["chromium", *options, f"--user-data-dir={tmp_path}/profile", "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    found = re.search(r'<pre id="said">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found is not None, done.stderr
    drawn, tips = json.loads(html.unescape(found[1]))
    assert {"step 43", "stuck </script> at 1", "no task", "not known"} <= set(drawn)
    assert "outer\n0.012000 us for 0.018 us" in tips
    assert "inner\n0.014000 us for 0.010 us" in tips
    assert (
        "outer\n0.120000 us for 0.000 us\nwithout its takt_mark_end" not in tips
    )  # it has no length: the gap is there
    assert any("0.026000 us  error  a.c:7: stuck </script> at 1" in tip for tip in tips)
    assert any(tip.startswith("1000 records of the trace are missing\n") for tip in tips)
    assert any("fast, job 1\n" in tip and "its end is among missing records" in tip for tip in tips)
    assert any("fast, job 4\n" in tip and "response 0.030 us of 0.050 us" in tip for tip in tips)
    for entry in ("log: error", "log: info", "span", "hatched: records are missing"):
        assert f">{entry}</span>" in done.stdout
    assert "log: warning" not in done.stdout
