# SPDX-License-Identifier: Apache-2.0
"""An application whose folder, files and texts have any bytes: every command takes it, and tells its own names."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from children import alive, children, environment, kill, takt_command, wait_until
from command_line import Said, Takt
from running import BOARDS, FIRST_EMULATED, FULL, HOST_AND_FIRST, only_full
from takt.support import names
from takt.support.provision import ROOT

ODD = os.fsdecode(b"a ,%$#\"\\;:'&()*?[b]\x1b\n\xe9")
HEAD = '[system]\nplant = "pla,nt.py"\nduration = "20 ms"\n'
TASK = '[[task]]\nname = "a"\nentry = "a_job"\nperiod = "5 ms"\nwcet = "1 ms"\n[[mutex]]\nname = "m"\n'
MUTEX = 'users = [{ task = "a", hold = "10 us" }]\n'
CODE = b"""#include "near;by.h"
#include "takt_app.h"
void a_job(void *argument) /* Z\xe4hler */
{
    (void)argument;
    NEARBY(takt_mutex_lock(&m) == TAKT_OK);
    takt_mutex_unlock(&m);
}
"""
NEARBY = "#include <takt/fault.h>\n#define NEARBY TAKT_ASSERT\n"
PLANT = """
from pathlib import Path
class Plant:
    finished = False
    def exchange(self, time_ns, transmitted):
        return b""
    def report(self):
        return {"success": Path(__file__).with_name("system.toml").exists(), "reasons": [], "trajectory": []}
def create_plant(seed):
    return Plant()
"""


@pytest.fixture
def odd(tmp_path: Path, scratch_builds: Path) -> Path:
    """An application, whose own names are as odd as its folder's."""
    folder = tmp_path / ODD
    folder.mkdir()
    (folder / "system.toml").write_text(HEAD + TASK + MUTEX)
    (folder / f"{ODD}.c").write_bytes(CODE)
    (folder / "near;by.h").write_text(NEARBY)
    (folder / "pla,nt.py").write_text(PLANT)
    return folder


def output(said: Said, code: int = 0) -> str:
    """All that was said: names in one line, and no link in place of one."""
    text = said.out + said.err
    assert said.code == code, text
    assert f"/takt-{os.geteuid()}/" not in text, text
    assert re.search(r"[\x1b\udc80-\udcff]", text) is None
    return text


@pytest.mark.parametrize("board", BOARDS if FULL else FIRST_EMULATED)
def test_every_command_takes_it(takt: Takt, odd: Path, board: str) -> None:
    shown = names.shown(str(odd))
    where = (odd, "--board", board)
    output(takt("check", *where))
    output(takt("build", *where))
    assert f"of {names.shown(ODD)} was missed" in output(takt("run", *where))
    page = odd / "pa;ge,.html"
    assert f"{shown}/pa;ge,.html" in output(takt("report", *where, "-o", page))
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    tables = odd / "ta\\bles"
    assert f"{shown}/ta\\bles/system.c" in output(takt("generate", *where, "-o", tables))
    shutil.rmtree(tables)


def test_a_trace_into_an_odd_folder(takt: Takt, odd: Path) -> None:
    output(takt("run", odd, "--board", "host"))
    (trace,) = odd.parent.glob("builds/*/run/trace.takt")
    copied = odd / "trace"
    shutil.copy(trace, copied)
    assert "complete" in output(takt("trace", copied))
    assert output(takt("trace", copied, "--html", odd / "t.html")) == names.shown(f"{odd}/t.html") + "\n"
    copied.write_text("x")
    assert f"{names.shown(str(copied))}: not a Takt trace" in output(takt("trace", copied), 2)


def test_hints_name_the_file_itself(takt: Takt, odd: Path) -> None:
    assert f"(locked at {names.shown(ODD)}.c:6)" in output(takt("hints", odd))
    output(takt("hints", odd, "--apply"))
    assert b"Z\xe4hler" in (odd / f"{ODD}.c").read_bytes()


def test_a_diff_has_the_bytes_of_the_file(odd: Path, tmp_path: Path) -> None:
    """A Latin-1 line beside one that changes, and one that no line feed ends; `patch` takes it."""
    folder = tmp_path / "plain"
    folder.mkdir()
    head = '[system]\nboard = "host"\n[[semaphore]]\nname = "s"\n'
    users = '[[mutex]]\nname = "m"\n' + MUTEX
    (folder / "system.toml").write_text(head + TASK.partition("[[mutex]]")[0] + users)
    code = (
        b'#include "takt_app.h"\nvoid a_job(void *argument) /* Z\xe4hler \x0c \xc2\x85 */\n{\n    (void)argument;\n'
        b"    (void)takt_semaphore_wait(&s); /* \xfc\x0b */\n    (void)takt_mutex_lock(&m);\n"
        b"    takt_mutex_unlock(&m);\n}"
    )
    (folder / "app.c").write_bytes(code)
    command = takt_command("hints", "plain")
    done = subprocess.run([*command, "--diff"], cwd=tmp_path, env=environment(), capture_output=True, check=False)
    assert done.returncode == 1, done.stderr
    assert b"Z\xe4hler" in done.stdout
    patched = subprocess.run(["patch", "-p1"], cwd=tmp_path, input=done.stdout, capture_output=True, check=False)
    assert patched.returncode == 0, patched.stdout
    changed = (folder / "app.c").read_bytes()
    (folder / "app.c").write_bytes(code)
    subprocess.run([*command, "--apply"], cwd=tmp_path, env=environment(), capture_output=True, check=True)
    assert (folder / "app.c").read_bytes() == changed != code


def test_what_the_compiler_says_of_it(takt: Takt, odd: Path) -> None:
    (odd / f"{ODD}.c").write_bytes(CODE + b'#error "Z\xe4hler"\n')
    text = output(takt("build", odd, "--board", "host"), 2)
    assert f"{names.shown(str(odd))}/{names.shown(ODD)}.c:9" in text
    assert 'error "Z\\xe4hler"' in text


@pytest.mark.parametrize("board", HOST_AND_FIRST)
def test_an_assertion_names_the_file_itself(takt: Takt, odd: Path, board: str) -> None:
    (odd / f"{ODD}.c").write_bytes(CODE.replace(b"OK)", b"OK && 0)"))
    text = output(takt("run", odd, "--board", board), 1)
    assert f"{names.shown(str(odd))}/{names.shown(ODD)}.c:6" in text


def test_a_plant_that_fails_names_itself(takt: Takt, odd: Path) -> None:
    (odd / "pla,nt.py").write_text("x = 1 / 0\n")
    text = output(takt("run", odd, "--board", "host"), 2)
    assert f"the plant {names.shown(str(odd))}/pla,nt.py does not load: ZeroDivisionError" in text


@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_an_emulator_ends_with_a_tool_that_is_killed(tmp_path: Path, board: str) -> None:
    command = takt_command("run", ROOT / "apps" / "flight", "--board", board, "--json")
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as tool:
        known: list[int] = []
        try:
            wait_until(lambda: any(map(_is_emulator, children(tool.pid))), 120, "the emulator")
            known = children(tool.pid)
            os.kill(tool.pid, signal.SIGKILL)
            wait_until(lambda: not any(map(alive, known)), 5, "the end of the emulator")
        finally:
            kill([tool.pid, *known])


def _is_emulator(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/comm").read_text().startswith("qemu-system")
    except OSError:
        return False


@only_full
@pytest.mark.parametrize("board", BOARDS)
def test_a_checkout_in_an_odd_folder(odd: Path, board: str) -> None:
    root = odd / "takt,%"
    done = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, check=True)
    for name in map(Path, os.fsdecode(done.stdout).split("\0")[:-1]):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    (root / ".venv").symlink_to(ROOT / ".venv")
    for command in ("check", "build", "run", "report"):
        ran = subprocess.run([root / "takt", command, odd, "--board", board], capture_output=True, check=False)
        output(Said(ran.returncode, ran.stdout.decode(), ran.stderr.decode()))
    assert list(root.glob("build/*/run/trace.takt"))
