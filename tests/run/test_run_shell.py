# SPDX-License-Identifier: Apache-2.0
"""takt_shell: one session on each board, whatever is typed; where it cannot be is refused; its line editor alone."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from children import environment, takt_command
from running import APPS, BOARDS, FIRST_EMULATED, FULL, SECOND_EMULATED, only_full
from takt.support.provision import ROOT

TYPED = (
    b"\x00\xff\x1b[A\x80\x00hepl\b\blp\rtasks\n"  # NULs, rubbish, corrected
    b"rubbish\x15gain 7\r\nstacks\robjects\r" + b"x" * 200 + b"\rgain 1 2\r1 2 3 4 5 6 7 8 9\rnope\r"
)
SHELL = ROOT / "library" / "shell"


def session(folder: Path, board: str, given: bytes) -> subprocess.CompletedProcess[bytes]:
    command = takt_command("run", folder, "--board", board, "--console")
    return subprocess.run(command, input=given, capture_output=True, env=environment(), check=False)


@pytest.mark.parametrize("board", BOARDS if FULL else FIRST_EMULATED)
def test_a_session(board: str) -> None:
    done = session(APPS / "shell", board, TYPED)
    assert done.returncode == 0, done.stderr.decode()
    said = done.stdout.decode("ascii")
    assert re.search(r"\ngain +\[DIGIT\]: shows", said)
    assert re.search(r"\nsensor +[1-9]\d* +\d+ +[1-9]\d*  \w", said)  # a busy machine is late
    assert re.search(r"\nshell .*  running\r", said)
    assert "\ngain 7\r" in said
    used = r"-" if board == "host" else r"[1-9]\d*"
    assert re.search(rf"\nsensor +{used} of \d+ bytes\r", said)
    assert re.search(r"\nlamps +semaphore, 2 of 3\r", said)
    assert re.search(r"\nsettings +mutex, free\r", said)
    assert said.count("longer than 80 characters: nothing was executed") == 1
    assert "gain takes one digit" in said
    assert "more than 8 words: nothing was executed" in said
    assert "lost" not in said
    assert said.endswith("nope: no such command; try help\r\n> ")


LEAN = """\
sensor N N - waits for release
shell N N - running
sensor - of 1024 bytes
shell - of 1024 bytes
sensor 1.0 % -
shell 10.0 % -
all 11.0 % -
"""


@only_full
@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_what_preset_lean_does_not_keep(tmp_path: Path, board: str) -> None:
    """On mps2-an385 such a system fits into 16 KiB of RAM, half of them the stack of interrupts."""
    for path in (APPS / "shell").iterdir():
        shutil.copy(path, tmp_path)
    text = (tmp_path / "system.toml").read_text(encoding="utf-8").replace("[system]\n", '[system]\npreset = "lean"\n')
    (tmp_path / "system.toml").write_text(text, encoding="utf-8")
    done = session(tmp_path, board, b"tasks\rstacks\rcpu\r")
    assert done.returncode == 0, done.stderr.decode()
    assert b"takt: ended; preset lean keeps no trace\n" in done.stderr
    rows = re.sub(r" +", " ", re.sub(r"> \w*\r\n(task .*\r\n)?", "", done.stdout.decode()).removesuffix("> "))
    assert re.sub(r"^(\w+) [1-9]\d* \d+", r"\1 N N", rows.replace("\r", ""), flags=re.MULTILINE) == LEAN
    if board == "mps2-an385":
        again = takt_command("build", tmp_path, "--board", board)
        built = subprocess.run(again, capture_output=True, env=environment(), check=True, text=True).stdout
        sizes = re.search(r"(\d+) data, (\d+) bss", built)
        assert sizes is not None
        assert int(sizes[1]) + int(sizes[2]) <= 16384


SHOWN = """\
taken            mutex, owned by holder
left             mutex, free
units            semaphore, 2 of 3
release          semaphore, releases released
letters          mailbox, 2 of 3 messages
newest           state message of 12 bytes
none             ring, 0 of 3 items
some             ring, 2 of 3 items
full             ring, 3 of 3 items
flags            events, flags 0x000000a5
blocks           pool, 2 of 4 blocks used at once, at most
once             alarm, stopped, missed 0
later            alarm, in N us, missed 0
guard            watchdog of shell, expired 0
tray             slot, open, owned by shell, 1 of 3 buffers in use
unused           slot, free
signals          signal pool, 2 signals free
inbox            signal queue of shell, signals wait
bytes            pipe, 7 of 40 bytes
console_input    pipe, 0 of 512 bytes
wishes           priority mailbox, 1 of 3 messages
changed          condition, no task waits
meeting          rendezvous, no call waits
house            alarm queue, 0 alarms
"""


@pytest.mark.parametrize("board", SECOND_EMULATED)
def test_every_kind_of_object_is_shown(tmp_path: Path, board: str) -> None:
    """With a shell in C++."""
    source = ROOT / "tests" / "run" / "shell"
    shutil.copy(source / "objects.cpp", tmp_path)
    shutil.copy(source / "objects.toml", tmp_path / "system.toml")
    done = session(tmp_path, board, b"use\robjects\r")
    assert done.returncode == 0, done.stderr.decode()
    assert b"objects.cpp" not in done.stderr, done.stderr.decode()  # a warning of it
    rows = done.stdout.decode().split("> objects\r\n")[1].removesuffix("> ").replace("\r\n", "\n")
    assert re.sub(r"in [1-9]\d* us", "in N us", rows) == SHOWN


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("[system]\n", "[system]\nprotection = true\n", b"takt/shell.h cannot be used with protection"),
        ("[console]\ninput = 512\nrate = 9600\n", "", b"takt/shell.h needs the console's input"),
    ],
)
def test_where_it_cannot_be(tmp_path: Path, old: str, new: str, problem: bytes) -> None:
    for path in (APPS / "shell").iterdir():
        shutil.copy(path, tmp_path)
    text = (tmp_path / "system.toml").read_text(encoding="utf-8")
    assert old in text
    if "protection" in new:
        text += '\n[[process]]\nname = "all"\ntasks = ["sensor", "shell"]\nsources = ["shell.c"]\n'
        text += 'uses = ["console_input", "lamps", "settings"]\n'
        text = text.replace('sources = ["shell.c"]\n', "", 1)
    (tmp_path / "system.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    done = session(tmp_path, "host", b"")
    assert done.returncode == 2
    assert problem in done.stderr


def test_lost_input_is_said(tmp_path: Path) -> None:
    for path in (APPS / "shell").iterdir():
        shutil.copy(path, tmp_path)
    text = (tmp_path / "system.toml").read_text(encoding="utf-8").replace("input = 512", "input = 32")
    (tmp_path / "system.toml").write_text(text, encoding="utf-8")
    done = session(tmp_path, "host", b"help\r" + b"y" * 200 + b"\r")
    assert re.search(rb"\n[1-9]\d* characters of the input were lost\r", done.stdout), done.stdout


def test_the_line_editor(tmp_path: Path) -> None:
    program = tmp_path / "line_test"
    folders = [ROOT, SHELL / "include", *(ROOT / part for part in ("kernel/include", "runner/include"))]
    folders += [ROOT / "kernel" / "config" / "preset" / "standard", ROOT / "kernel" / "config" / "sched" / "fixed"]
    folders += [ROOT / "ports" / "host"]
    command = ["cc", "-g", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover"]
    command += [f"-I{folder}" for folder in folders]
    command += [str(ROOT / "tests" / "run" / "shell" / "line_test.c"), str(SHELL / "src" / "line.c")]
    subprocess.run([*command, "-o", str(program)], check=True)
    subprocess.run([str(program)], check=True)
