# SPDX-License-Identifier: Apache-2.0
"""An application with a main of its own (docs/main.md): what runs, what is refused, and what a run then says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import BOARDS, FIRST_EMULATED, FULL, HOST_AND_SECOND, SECOND_EMULATED, Run, on_board
from takt.image.link_checks import symbols
from takt.support.provision import ROOT

FOLDER = Path(__file__).parent / "own_main"
Edited = Callable[..., Path]
TICK_NS = 40  # of the slowest counter
CALL = "    takt_run_start();\n"
DIRECT = "    takt_start(&takt_system);\n"


def without_main(folder: Path) -> None:
    (folder / "main.c").unlink()
    app = folder / "app.c"
    app.write_text(app.read_text().replace("static int zero_point;", "static int zero_point = 42;"))


@pytest.mark.parametrize("board", HOST_AND_SECOND)
def test_it_runs_before_the_system(board: str, edited: Edited, run_json: Run, scratch_builds: Path) -> None:
    """And the run tells what it tells of one without a main; time starts at another phase of the board's counter."""
    folder = edited()
    code, own = run_json(folder, "--board", board)
    assert code == 0, own
    (console,) = scratch_builds.rglob("run/console.txt")
    assert console.read_text() == "sensor calibrated\n"
    without_main(folder)
    code, other = run_json(folder, "--board", board)
    assert code == 0, other
    assert console.read_text() == ""
    assert own.keys() == other.keys()
    (task,), (same,) = own["tasks"], other["tasks"]
    assert [task[key] for key in ("jobs", "misses", "bound_ns")] == [10, 0, same["bound_ns"]]
    assert task["response_ns_max"] == pytest.approx(same["response_ns_max"], abs=TICK_NS)


OWN_HOOK = """#include "takt/system.h"

extern const struct takt_system takt_system;

void takt_hook_idle(void)
{
    takt_board_exit(7);
}
"""
HANDLER = """
#include "kernel/port.h"
#include "takt/board.h"

static void edge(void)
{
    takt_board_console_write("!", 1);
}

void takt_app_init(void)
{
    takt_port_irq_attach(3, edge, false);
}
"""


def test_the_board_is_initialized_once(edited: Edited, run_json: Run, scratch_builds: Path) -> None:
    """A device that main starts raises its interrupts: the start of the system does not reset the board."""
    folder = edited(("main.c", CALL, f"    takt_board_interrupt_every(3, 5000000, 20000000);\n{CALL}"))
    with (folder / "app.c").open("a") as source:
        source.write(HANDLER)
    code, document = run_json(folder, "--board", "host")
    assert code == 0, document
    (console,) = scratch_builds.rglob("run/console.txt")
    assert console.read_text() == "sensor calibrated\n!!!!!"


@pytest.mark.parametrize("board", BOARDS if FULL else FIRST_EMULATED)
def test_without_the_harness(board: str, edited: Edited, takt: Takt, scratch_builds: Path) -> None:
    """The image is built and runs, with hooks of its own; takt run refuses it."""
    folder = edited(("main.c", CALL, DIRECT), ("main.c", "int main(void)\n", f"{OWN_HOOK}\nint main(void)\n"))
    said = takt("run", folder, "--board", board)
    assert said.code == 2
    assert (
        "main.c: its main does not call takt_run_start, without which a run has no trace and does not end" in said.err
    )
    assert "try: call takt_run_start() at the end of main (takt/board.h), or use takt build" in said.err
    assert takt("build", folder, "--board", board).code == 0
    (image,) = (path for path in scratch_builds.glob("*/application*") if path.suffix in ("", ".elf"))
    assert not {"takt_run_start", "takt_run_states"} & symbols(image).keys()
    done = on_board(board, image, {})
    assert (done.returncode, done.stdout) == (7, b"sensor calibrated\n")


@pytest.mark.parametrize("board", BOARDS if FULL else SECOND_EMULATED)
@pytest.mark.parametrize(
    ("status", "says"),
    [
        ("0", "main.c ended before it started the system: it sent no trace record"),
        ("3", 'the board ended with exit code 3; the last line of its console: "sensor calibrated"'),
    ],
)
def test_it_returns(board: str, status: str, says: str, edited: Edited, run_json: Run) -> None:
    folder = edited(("main.c", CALL, f"    if (sensor_calibrate()) {{\n        return {status};\n    }}\n{CALL}"))
    code, document = run_json(folder, "--board", board)
    assert code == 1
    assert document["failure"] == says


PROCESS = """
[system]
duration = "100 ms"

[[process]]
name = "reader"
tasks = ["sample"]
sources = ["app.c"]

[[task]]
name = "sample"
entry = "sample_job"
period = "10 ms"
deadline = "5 ms"
wcet = "1 ms"
"""
JOB = '#include "takt_app.h"\nvoid sample_job(void *argument)\n{\n    (void)argument;\n}\n'
STARTS = '#include "takt/board.h"\nint main(void)\n{\n    takt_run_start();\n}\n'


@pytest.mark.parametrize("board", BOARDS if FULL else SECOND_EMULATED)
def test_it_is_of_no_process(board: str, application: Callable[..., Path], run_json: Run, scratch_builds: Path) -> None:
    folder = application(PROCESS, app_dot_c=JOB, main_dot_c=STARTS)
    code, document = run_json(folder, "--board", board, "--protection")
    assert (code, document["tasks"][0]["jobs"]) == (0, 10)


def test_two_are_refused(edited: Edited, takt: Takt) -> None:
    folder = edited(("app.c", "bool sensor_calibrate", "int main(void)\n{\n    return 0;\n}\n\nbool sensor_calibrate"))
    said = takt("build", folder, "--board", "host")
    assert said.code == 2
    assert "defined twice: main in " in said.err
    assert "try: define at most one main; without one, that of runner/main.c is used (docs/main.md)" in said.err


def test_one_of_a_process_is_refused(edited: Edited, takt: Takt) -> None:
    folder = edited(
        (
            "system.toml",
            "[[task]]\n",
            '[[process]]\nname = "reader"\ntasks = ["sample"]\nsources = ["app.c", "main.c"]\n\n[[task]]\n',
        ),
        ("main.c", "    takt_board_console_write(started, sizeof started - 1);\n", ""),
        ("main.c", "    takt_board_init(); /* so that the console works already */\n", ""),
        ("main.c", CALL, "    return 0;\n"),
        ("main.c", 'static const char started[] = "sensor calibrated\\n";\n', ""),
    )
    said = takt("build", folder, "--board", "host", "--protection")
    assert said.code == 2
    assert 'main is in a file of process "reader", but the kernel calls it in its own mode' in said.err


def test_the_page_shows_the_example() -> None:
    page = (ROOT / "docs" / "main.md").read_text(encoding="utf-8")
    code = (FOLDER / "main.c").read_text(encoding="utf-8").partition("\n")[2]
    assert f"```c\n{code}```" in page
