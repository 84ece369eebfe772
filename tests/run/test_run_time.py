# SPDX-License-Identifier: Apache-2.0
"""time, clock and gettimeofday of C follow the board's clock, on host virtual time."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from command_line import Takt
from running import FIRST_EMULATED, FIRST_MODE
from takt.support.provision import ROOT

SYSTEM = Path(__file__).parent / "time"


@pytest.mark.parametrize(("board", "protection"), FIRST_MODE)
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


WAITS = """
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "takt/time.h"
#include "takt_app.h"

static unsigned now_ms(void)
{
    return (unsigned)(takt_now() / TAKT_MS(1));
}

void looks_job(void *argument)
{
    (void)argument;
    int done = (int)sleep(2);
    printf("slept %d %u\\n", done, now_ms());
    done = usleep(30000);
    printf("slept %d %u\\n", done, now_ms());
#if defined(__linux__)
    struct timespec time = {.tv_nsec = 100000000}, bad = {.tv_nsec = 1000000000}, now, day;
    printf("bad %d %d", nanosleep(&bad, NULL), clock_nanosleep(CLOCK_PROCESS_CPUTIME_ID, 0, &time, NULL) != 0);
    done = nanosleep(&time, NULL);
    printf(" slept %d %u", done, now_ms());
    time.tv_sec = 2;
    time.tv_nsec = 500000000;
    done = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, NULL);
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    (void)timespec_get(&day, TIME_UTC);
    printf(" slept %d %ld.%03ld %ld.%03ld\\n", done, (long)now.tv_sec, now.tv_nsec / 1000000, (long)day.tv_sec,
           day.tv_nsec / 1000000);
#endif
    for (;;) {
        sleep(1000);
    }
}
"""


@pytest.mark.parametrize(("board", "protection"), FIRST_MODE)
def test_a_task_sleeps_in_the_time_of_the_board(takt: Takt, board: str, protection: bool, tmp_path: Path) -> None:
    shutil.copytree(SYSTEM, tmp_path / "system")
    path = tmp_path / "system" / "system.toml"
    periodic = re.compile(r"period.*\n(?=stack)", re.DOTALL)
    path.write_text(periodic.sub('style = "loop"\n', path.read_text(encoding="utf-8")), encoding="utf-8")
    (tmp_path / "system" / "looks.c").write_text(WAITS, encoding="utf-8")
    said = takt("run", path, "--board", board, "--protection" if protection else "--no-protection")
    assert said.code == 0, said.out + said.err
    assert "slept 0 2000" in said.out
    assert "slept 0 2030" in said.out
    assert board != "host" or "bad -1 1 slept 0 2130 slept 0 2.500 2.500" in said.out


CALLS = """
#define _GNU_SOURCE
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "takt_app.h"

void looks_job(void *argument)
{
    struct timeval day = {0};
    struct timespec now = {0};
    (void)argument;
    (void)(settimeofday(&day, NULL) + gettimeofday(&day, NULL) + clock_settime(CLOCK_REALTIME, &now));
    (void)(clock_gettime(CLOCK_REALTIME, &now) + nanosleep(&now, NULL) + timespec_get(&now, TIME_UTC));
    (void)(usleep(1) + (int)sleep(1));
    (void)(clock_nanosleep(CLOCK_REALTIME, 0, &now, NULL) + (int)time(NULL) + (int)clock());
}
"""


@pytest.mark.parametrize("option", ["--protection", "--no-protection"])
def test_no_application_uses_the_clock_of_the_machine(takt: Takt, option: str, tmp_path: Path) -> None:
    """Built and looked at, never run: were a function the machine's, it would set its clock. Nor does an archive."""
    shutil.copytree(SYSTEM, tmp_path / "system")
    (tmp_path / "system" / "looks.c").write_text(CALLS, encoding="utf-8")
    if option == "--no-protection":
        archive(tmp_path / "system", CALLS)
    said = takt("build", tmp_path / "system", "--board", "host", option)
    assert said.code == 0, said.out + said.err
    image = re.search(r"\S+/application\b", said.out)
    assert image is not None
    names = subprocess.run(["nm", ROOT / image[0]], check=True, capture_output=True, text=True).stdout.split()
    prefix = "takt_user_" if option == "--protection" else ""
    for call in re.findall(r"\b([a-z_]+)\(", CALLS.partition("(void)argument;")[2]):
        assert f"{prefix}{call}" in names
        assert not any(name.startswith(f"{call}@") for name in names)


def archive(folder: Path, text: str) -> None:
    """Makes a file that was compiled elsewhere the application."""
    (folder / "looks.c").write_text("/* It is in looks.o. */\n", encoding="utf-8")
    headers = folder / "headers"
    headers.mkdir()
    (headers / "takt_app.h").write_text("void looks_job(void *argument);\n", encoding="utf-8")
    (headers / "looks.c").write_text(text, encoding="utf-8")
    subprocess.run(["gcc", "-O2", "-c", "-o", "looks.o", f"-I{headers}", headers / "looks.c"], check=True, cwd=folder)
    path = folder / "system.toml"
    text = path.read_text(encoding="utf-8").partition("[[process]]")[0]
    path.write_text(f'{text}[build]\nsources = ["looks.c"]\nlibraries = ["looks.o"]\n', encoding="utf-8")


def test_what_was_compiled_elsewhere_has_the_time_of_the_board(takt: Takt, tmp_path: Path) -> None:
    shutil.copytree(SYSTEM, tmp_path / "system")
    archive(tmp_path / "system", (SYSTEM / "looks.c").read_text(encoding="utf-8"))
    said = takt("run", tmp_path / "system", "--board", "host")
    assert said.code == 0, said.out + said.err
    for line in ("time 1 1 of day 0 1.75 clock 175", "exact 2.25"):
        assert line in said.out + said.err


CHRONO = """
#include <chrono>
#include <cstdio>
#include <thread>
#include "takt_app.h"

void looks_job(void *)
{
    using namespace std::chrono;
    std::this_thread::sleep_for(milliseconds(1500));
    auto steady = duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
    auto of_day = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    std::printf("chrono %ld %ld\\n", (long)steady, (long)of_day);
    std::this_thread::sleep_until(steady_clock::now() + hours(1));
}
"""


def test_clocks_of_cxx_have_the_time_of_the_board(takt: Takt, tmp_path: Path) -> None:
    declared = (SYSTEM / "system.toml").read_text(encoding="utf-8").partition("[[process]]")[0]
    declared = re.sub(r"period.*\n(?=stack)", 'style = "loop"\n', declared, flags=re.DOTALL)
    (tmp_path / "system.toml").write_text(declared + "[build]\ncxx_library = true\n", encoding="utf-8")
    (tmp_path / "looks.cpp").write_text(CHRONO, encoding="utf-8")
    said = takt("run", tmp_path, "--board", "host")
    assert said.code == 0, said.out + said.err
    assert "chrono 1500 1500" in said.out
