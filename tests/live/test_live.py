# SPDX-License-Identifier: Apache-2.0
"""`takt run --live`: what it shows, that the run is the same as without it, and how Ctrl-C ends it."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path
from typing import IO

import pytest
from children import alive, children, environment, kill, takt_command, wait_until
from command_line import Said, Takt
from running import BOARDS, EMULATED, FULL, SECOND_EMULATED, only_full
from takt.image import build
from takt.support.provision import ROOT

DECLARED = """
[system]
board = "BOARD"
duration = "1300 ms"

[[task]]
name = "fast"
entry = "fast_step"
period = "10 ms"
wcet = "1 ms"

[[task]]
name = "slow"
entry = "slow_step"
period = "100 ms"
deadline = "50 ms"
wcet = "5 ms"
"""
TASKS = """
#include "takt/takt.h"
#include "takt/board.h"
#include "takt_app.h"

void fast_step(void *argument)
{
    static unsigned count;
    (void)argument;
    count++;
    if (count % 30 == 1) {
        takt_log_warning("round %u of %s [bold]", count, "fast");
    }
}

void slow_step(void *argument)
{
    (void)argument;
    takt_board_console_write("[red]printed\\n", 13);
}
"""
PLANT = """
class Plant:
    finished = False

    def exchange(self, time_ns, transmitted):
        EXCHANGE

    def report(self):
        return {"success": False, "reasons": ["it did not arrive"], "distance_m": 7}


def create_plant(seed):
    return Plant()
"""
END_S = 60


@pytest.fixture
def builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(build, "BUILD", tmp_path / "builds")
    return tmp_path / "builds"


def application(folder: Path, board: str, more: str = "", tasks: str = TASKS) -> Path:
    made = folder / "shown"
    made.mkdir()
    (made / "system.toml").write_text(DECLARED.replace("BOARD", board) + more, encoding="utf-8")
    (made / "tasks.c").write_text(tasks, encoding="utf-8")
    return made


def records(builds: Path) -> bytes:
    """Of the trace of the one system that ran."""
    (path,) = builds.glob("*/run/trace.takt")
    return path.read_bytes().partition(b"\n")[2]


def figures(out: str) -> list[tuple[str, ...]]:
    """Of each task its name, jobs and misses."""
    found = re.findall(r"^(fast|slow) +(\d+) +(\S+) .* ok *$", out, re.MULTILINE)
    assert len(found) == 2, out
    return found


@pytest.mark.parametrize("board", BOARDS if FULL else SECOND_EMULATED)
def test_the_run_is_that_without_it(takt: Takt, tmp_path: Path, builds: Path, board: str) -> None:
    folder = application(tmp_path, board)
    plain: Said = takt("run", folder)
    assert plain.code == 0, plain.err
    before = records(builds)
    live = takt("run", folder, "--live", "--duration", "1300 ms")
    assert live.code == 0, live.err
    if board == "host":
        assert records(builds) == before
    assert figures(live.out) == figures(plain.out)
    lines = live.err.splitlines()
    assert f"takt: shown runs on {board} for 1.3 s; Ctrl-C ends it" in lines
    second = next(line for line in lines if line.startswith("takt: 1 s: "))
    assert re.fullmatch(r"takt: 1 s: load \d+%, 110 jobs, no miss, least margin \S+ ms \(fast\)", second), second
    texts = [line for line in lines if "warning" in line]
    assert [re.sub(r"^ +\S+", "", text) for text in texts] == [
        f"  warning  fast     tasks.c:{line}: round {count} of fast [bold]"
        for line in [12]
        for count in (1, 31, 61, 91, 121)
    ]
    assert lines.count("| [red]printed") == 13
    assert lines.index(texts[3]) < lines.index(second) < lines.index(texts[4])


def command(folder: Path, *more: str) -> list[str]:
    return ["env", "--default-signal=INT", *takt_command("run", folder, "--live", *more)]


def started(folder: Path, err: IO[bytes], *more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command(folder, *more), env=environment(), start_new_session=True, stdout=subprocess.PIPE, stderr=err
    )


def interrupted(folder: Path, tmp_path: Path, seen: str, *more: str) -> tuple[int, str, str]:
    """A run that Ctrl-C ended when it had shown something: exit code, standard output, standard error."""
    err = tmp_path / "err"
    with err.open("wb") as to_err, started(folder, to_err, *more) as process:
        known: list[int] = []
        try:
            wait_until(lambda: seen in err.read_text(encoding="utf-8") or process.poll() is not None, END_S, seen)
            known = children(process.pid)
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=END_S)
            assert not any(map(alive, known))
        finally:
            process.kill()
            kill(known)
    return process.returncode, out.decode(), err.read_text(encoding="utf-8")


@pytest.mark.parametrize("board", ["host", *EMULATED[:1]] if FULL else ["host"])
def test_ctrl_c_ends_it_into_the_report(tmp_path: Path, board: str) -> None:
    code, out, err = interrupted(application(tmp_path, board), tmp_path, "round 31", "--duration", "1000000 s")
    assert code == 0, err
    assert "Traceback" not in err
    found = re.search(r"Within what was proved: in (\S+ \S+) no deadline of shown was missed", out)
    assert found is not None, out
    (jobs,) = re.findall(r"^fast +(\d+) ", out, re.MULTILINE)
    assert 31 <= int(jobs) < 1000
    assert re.search(r"^log: \d+ warning", out, re.MULTILINE)
    assert "report: " in out


@only_full
def test_a_board_without_idle_time_is_stopped(tmp_path: Path) -> None:
    tasks = TASKS.replace("    (void)argument;\n    takt_board", "    (void)argument;\n    for (;;) {}\n    takt_board")
    folder = application(tmp_path, "mps2-an385", tasks=tasks)
    code, out, err = interrupted(folder, tmp_path, "runs on mps2-an385", "--duration", "1000000 s")
    assert code == 1
    assert "it was stopped: asked to end, it sent nothing for 5 s, as it has no idle time" in out, (out, err)


@only_full
def test_misses_are_shown_as_they_come(takt: Takt, tmp_path: Path, builds: Path) -> None:
    declared = 'name = "more"\nperiod = "1 ms"\nwcet = "1 ms"\n'
    said = takt("run", application(tmp_path, "host", f"[[task]]\n{declared}"), "--live", "--force", "--duration", "1 s")
    lines = [line for line in said.err.partition("takt: 1 s: ")[0].splitlines() if " missed " in line]
    assert len(lines) == 10, said.err
    assert re.fullmatch(r" +\d+\.\d{6}  missed   \w+ +the deadline of job \d+ passed", lines[0])
    more = re.search(r"takt:   (\d+) more of these in this second", said.err)
    assert more is not None
    second = re.search(r"takt: 1 s: load 100%, \d+ jobs, (\d+) misses, least margin -\d+ ms", said.err)
    assert second is not None, said.err
    assert int(second[1]) == 10 + int(more[1])


def with_plant(folder: Path, board: str, exchange: str) -> Path:
    tasks = TASKS.replace(
        "    takt_board_console",
        "    uint8_t byte;\n    takt_board_link_exchange(&byte, 0, &byte, 1);\n    takt_board_console",
    )
    made = application(folder, board, tasks=tasks)
    text = (made / "system.toml").read_text(encoding="utf-8")
    (made / "system.toml").write_text(text.replace("[system]\n", '[system]\nplant = "p.py"\n'), encoding="utf-8")
    (made / "p.py").write_text(PLANT.replace("EXCHANGE", exchange), encoding="utf-8")
    return made


def test_a_plant_that_fails_ends_it(takt: Takt, tmp_path: Path, builds: Path) -> None:
    said = takt("run", with_plant(tmp_path, "host", 'raise ValueError("no such world")'), "--live")
    assert said.code == 1
    assert "the plant failed at " in said.out
    assert "no such world" in said.out


@pytest.mark.parametrize("board", ["host", *EMULATED[:1]] if FULL else ["host"])
def test_a_plant_that_ctrl_c_ends_has_no_verdict(tmp_path: Path, board: str) -> None:
    """Without it the same report is a failure."""
    folder = with_plant(tmp_path, board, 'return b"x"')
    code, out, err = interrupted(folder, tmp_path, "round 31", "--duration", "1000000 s")
    assert code == 0, (out, err)
    assert "plant: none: the run was ended before the plant was finished\n  distance m: 7" in out
    assert "it did not arrive" not in out
    page = re.search(r"^report: (\S+)", out, re.MULTILINE)
    assert page is not None
    text = (ROOT / page[1]).read_text(encoding="utf-8")
    assert "<p class='verdict good'>The plant&#x27;s verdict: none: the run was ended" in text
    done = subprocess.run(command(folder, "--duration", "20 ms"), env=environment(), capture_output=True, check=False)
    assert done.returncode == 1
    assert b"plant: failure: it did not arrive" in done.stdout


@only_full
def test_a_plant_that_does_not_answer_is_left_behind(tmp_path: Path) -> None:
    folder = with_plant(tmp_path, "host", "while True: pass")
    code, out, err = interrupted(folder, tmp_path, "runs on host", "--duration", "1000000 s")
    assert code == 1
    assert "the plant has not answered for 5 s" in out, (out, err)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--console"], "--live cannot be used with --console, which takes the terminal"),
        (["--gdb"], "--live cannot be used with a debugger, which stops the board"),
    ],
)
def test_what_it_cannot_be_used_with(takt: Takt, tmp_path: Path, words: list[str], problem: str) -> None:
    said = takt("run", application(tmp_path, "host"), "--live", *words)
    assert (said.code, problem in said.err) == (2, True), said.err


def test_a_system_without_a_trace(takt: Takt, tmp_path: Path) -> None:
    folder = application(tmp_path, "host")
    text = (folder / "system.toml").read_text(encoding="utf-8").replace("[system]\n", '[system]\npreset = "lean"\n')
    (folder / "system.toml").write_text(text, encoding="utf-8")
    said = takt("run", folder, "--live")
    assert said.code == 2
    assert "preset lean keeps no trace" in said.err
    assert 'preset = "standard"' in said.err
