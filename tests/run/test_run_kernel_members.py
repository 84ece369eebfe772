# SPDX-License-Identifier: Apache-2.0
"""Of the kernel only the files that an image links are compiled. test_run_builds: the image is as with all of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import FIRST_EMULATED, only_full
from takt.declare.schema import boards
from takt.image import build
from takt.image.kernel_members import Members

SYSTEM = """
[system]
board = "{board}"
[[task]]
name = "one"
entry = "one_job"
period = "10 ms"
wcet = "1 ms"
"""
LETTERS = '[[mailbox]]\nname = "letters"\nmessage_size = 4\ncapacity = 1\n'
EMPTY = """#include "takt_app.h"

void one_job(void *argument)
{
    (void)argument;
}
"""
SENDS = EMPTY.replace("    (void)argument;", "    (void)takt_mailbox_try_send(&letters, argument);")
UNUSED = """
void unused(struct takt_semaphore *semaphore);
void unused(struct takt_semaphore *semaphore)
{
    takt_semaphore_flush(semaphore);
}
"""
UNKNOWN = EMPTY.replace("{", "{\n    void nobody_has_it(void);\n    nobody_has_it();")


@only_full
@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_a_file_is_compiled_when_an_image_links_it(
    takt: Takt, application: Callable[..., Path], scratch_builds: Path, monkeypatch: pytest.MonkeyPatch, board: str
) -> None:
    rooms = scratch_builds.parent / "rooms"
    monkeypatch.setattr(build, "ROOMS", rooms)

    def compiled(folder: Path) -> tuple[set[str], Members]:
        said = takt("build", folder)
        assert said.code == 0, said.err
        (only,) = rooms.iterdir()
        members = Members(only, boards.load(board).tools, "")
        stems = {members.objects[name].stem for name in members.so_far()}
        assert stems == {path.name.partition(".")[0] for path in (only / "kernel").rglob("*.obj")}
        return stems, members

    first = application(SYSTEM.format(board=board), "first", app_dot_c=EMPTY)
    stems, _ = compiled(first)
    assert stems >= {"task", "job", "dispatch"}
    assert stems.isdisjoint({"mailbox", "invariants"})

    second = application(SYSTEM.format(board=board) + LETTERS, "second", app_dot_c=SENDS + UNUSED)
    more, members = compiled(second)
    assert more > stems
    assert more - stems >= {"mailbox", "semaphore"}  # weak references find what is in the archive: it has both
    stamp = members.archive.stat().st_mtime_ns
    for folder in (first, second):
        assert compiled(folder)[0] == more
    assert members.archive.stat().st_mtime_ns == stamp

    (only,) = rooms.iterdir()
    os.utime(only / "build.ninja", (0, 0))  # CMake is run again, as when its files changed, and knows nothing of `gone`
    text = (only / "compile_commands.json").read_text(encoding="utf-8")
    (only / "compile_commands.json").write_text(text.replace("/job.c.obj", "/gone.c.obj"), encoding="utf-8")
    listed = only / "members.json"
    listed.write_text(listed.read_text(encoding="utf-8").replace("/job.c.obj", "/gone.c.obj"), encoding="utf-8")
    (first / "app.c").write_text(EMPTY + "/**/", encoding="utf-8")
    assert compiled(first)[0] == more

    (second / "app.c").write_text(UNKNOWN, encoding="utf-8")
    said = takt("build", second)
    assert (said.code, "nobody_has_it" in said.err, "takti_" in said.err) == (2, True, False), said.err
    assert not members.supply(["nobody_has_it"])
    assert members.supply(["takt_job_wait"])  # there by now: another process may have compiled it since the link
    assert not members.supply(["takt_job_wait"])
