# SPDX-License-Identifier: Apache-2.0
"""time, clock and gettimeofday of C follow the board's clock, on host virtual time."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from command_line import Takt
from running import FIRST_EMULATED, MODES
from takt.support.provision import ROOT

SYSTEM = Path(__file__).parent / "time"


@pytest.mark.parametrize(("board", "protection"), MODES)
def test_the_time_of_c_is_that_of_the_board(takt: Takt, board: str, protection: bool) -> None:
    said = takt("run", SYSTEM, "--board", board, "--protection" if protection else "--no-protection")
    assert said.code == 0, said.out + said.err
    for line in ("time 1 1 of day 0 1.75 clock 175", "time 2 2 of day 0 2.25 clock 225"):
        assert line in said.out + said.err
    assert board != "host" or "exact 2.25" in said.out + said.err


SETS = """
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include "takt_app.h"

void looks_job(void *argument)
{
    (void)argument;
    static int jobs;
    struct timeval now = {.tv_sec = 1000000000, .tv_usec = 255000}, bad = {.tv_usec = 1000000};
    if (jobs++ == 0) {
        printf("set %d %d %d\\n", settimeofday(&bad, NULL), settimeofday(NULL, NULL), settimeofday(&now, NULL));
    }
    gettimeofday(&now, NULL);
    time_t seconds = time(NULL);
    printf("day %ld.%02ld year %d clock %ld\\n", (long)now.tv_sec, (long)now.tv_usec / 10000,
           gmtime(&seconds)->tm_year, (long)(clock() / (CLOCKS_PER_SEC / 100)));
}
"""


def with_origin(folder: Path) -> Path:
    shutil.copytree(SYSTEM, folder)
    (folder / "looks.c").write_text(SETS)
    return folder


@pytest.mark.parametrize("board", FIRST_EMULATED)  # not host: were it not ours, it would set the machine's clock
def test_the_time_of_day_has_an_origin_that_is_set(takt: Takt, board: str, tmp_path: Path) -> None:
    said = takt("run", with_origin(tmp_path / "system"), "--board", board)
    assert said.code == 0, said.out + said.err
    for line in ("set -1 -1 0", "day 1000000000.25 year 101 clock 175", "day 1000000000.75 year 101 clock 225"):
        assert line in said.out + said.err


@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_processes_may_not_set_it(takt: Takt, board: str, tmp_path: Path) -> None:
    said = takt("run", with_origin(tmp_path / "system"), "--board", board, "--protection")
    assert said.code == 0, said.out + said.err
    for line in ("set -1 -1 -1", "day 1.75 year 70 clock 175"):
        assert line in said.out + said.err


@pytest.mark.parametrize("option", ["--protection", "--no-protection"])
def test_no_application_sets_the_clock_of_the_machine(takt: Takt, option: str, tmp_path: Path) -> None:
    """Built and looked at, never run."""
    said = takt("build", with_origin(tmp_path / "system"), "--board", "host", option)
    assert said.code == 0, said.out + said.err
    image = re.search(r"\S+/application\b", said.out)
    assert image is not None
    names = subprocess.run(["nm", ROOT / image[0]], check=True, capture_output=True, text=True).stdout.split()
    assert {"takt_library_time", "takt_user_time"} & {*names}
    assert "settimeofday" in names or "takt_user_settimeofday" in names
    assert not any(name.startswith("settimeofday@") for name in names)
