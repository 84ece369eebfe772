# SPDX-License-Identifier: Apache-2.0
"""`takt hints`: what it lists, writes and refuses."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from command_line import Takt, documented, keys
from hints.programs import CODE, SYSTEM
from running import only_full
from takt.declare import declaration
from takt.declare.schema import levels
from takt.hints import apply as hints_apply
from takt.hints.apply import ODD, Found, apply
from takt.hints.code import calls
from takt.hints.code.calls import Role
from takt.hints.command import application_of
from takt.image import contracts
from takt.support import provision
from takt.support.provision import ROOT

NEITHER = b"takt_hint_next(NULL); takt_job_wait();"


def test_it_lists_and_writes_nothing(takt: Takt, application: Path) -> None:
    said = takt("hints", application)
    lines = [line.removeprefix(f"{line.split()[0]}").strip() for line in said.out.splitlines()]
    assert said.code == 0
    assert f"{application}/app.c:10: end of job: `&data` (locked at app.c:6)" in lines
    assert f"{application}/app.c:16: takt_job_wait: `&data` (locked at app.c:17)" in lines
    assert said.out.endswith("4 blocking points: 2 to insert (--apply), 0 kept, 2 left alone\n")
    assert (application / "app.c").read_text() == CODE


PAUSE = """
void pause_and_count(void)
{
    takt_delay(TICK);
    if (takt_mutex_lock(&data) == TAKT_OK) {
        takt_mutex_unlock(&data);
    }
}
"""


def test_folders_and_macros_of_the_build_are_known_and_what_cxx_names_too(takt: Takt, application: Path) -> None:
    """A function that only C++ calls has callers: what follows its end is not known, and what precedes it is."""
    (application / "inc").mkdir()
    (application / "inc" / "tick.h").write_text("#define TICK 1000u * SCALE\n")
    (application / "app.c").write_text('#include "tick.h"\n' + CODE + PAUSE)
    (application / "motor.cpp").write_text(
        'extern "C" void pause_and_count(void);\ntemplate <class T> void move(T) { pause_and_count(); }\n'
    )
    text = SYSTEM + '[build]\ninclude = ["inc"]\ndefines = ["SCALE=2"]\n'
    (application / "system.toml").write_text(text)
    said = takt("hints", application)
    assert said.code == 0, said.err
    assert "takt_delay: `&data` (locked at app.c:27)" in said.out
    (application / "app.c").write_text(
        '#include "tick.h"\n' + CODE + PAUSE.replace("    if (", "    return;\n    if (")
    )
    said = takt("hints", application)
    assert "the callers of `pause_and_count` are unknown: its address is taken at motor.cpp, in C++" in said.out


def test_a_diff_is_one(takt: Takt, application: Path) -> None:
    said = takt("hints", application, "--diff")
    assert said.code == 1
    assert (application / "app.c").read_text() == CODE
    patch = ["patch", "-s", str(application / "app.c")]
    assert subprocess.run(patch, input=said.out, text=True, check=False).returncode == 0
    assert (application / "app.c").read_text().count("takt_hint_next(&data);") == 2
    said = takt("hints", application, "--diff")
    assert (said.code, said.out) == (0, "")


def test_apply_writes_and_a_second_time_keeps(takt: Takt, application: Path) -> None:
    (application / "app.c").chmod(0o640)
    said = takt("hints", application, "--apply")
    assert (said.code, said.out.splitlines()[-1]) == (0, "4 blocking points: 2 inserted, 0 kept, 2 left alone")
    text = (application / "app.c").read_text()
    assert "        takt_hint_next(&data);\n        takt_job_wait();\n" in text
    assert "    (void)takt_semaphore_post(&go);\n    takt_hint_next(&data);\n}\n" in text
    assert (application / "app.c").stat().st_mode & 0o777 == 0o640
    said = takt("hints", application, "--apply")
    assert (said.code, said.out.splitlines()[-1]) == (0, "4 blocking points: 0 inserted, 2 kept, 2 left alone")
    assert (application / "app.c").read_text() == text


def test_json(takt: Takt, application: Path) -> None:
    document = json.loads(takt("hints", application, "--early", "--json").out)
    assert set(keys(document)) == documented("hints")
    assert (document["inserted"], document["kept"], document["left"], document["wrong"]) == (2, 0, 2, 0)
    assert not document["written"]
    point = document["places"][2]
    assert (point["line"], point["call"], point["function"]) == (16, "takt_job_wait", "server")
    assert (point["outcome"], point["mutex"], point["locked_at"]) == ("insert", "&data", "app.c:17")
    assert json.loads(takt("hints", application, "--json", "--apply").out)["written"]


def test_it_says_where_hints_are_nothing(takt: Takt, application: Path) -> None:
    """In a kernel whose bands are all fixed, or without budgets; and where nothing is proved that is not known."""
    none = "With the scheduler that is proved, dm, hints are compiled to nothing: "
    assert none in takt("hints", application).out
    text = (application / "system.toml").read_text()
    budget = 'on_budget = "stop"\n'
    for scheduler, more, late, effective in (
        ("edf", "", False, False),
        ("edf", budget, False, True),
        ("dm", "", False, False),
        ("dm", "", True, None),
    ):
        of = text.replace("[system]\n", f'[system]\nscheduler = "{scheduler}"\n')
        of = of.replace("[[task]]\n", f"[[task]]\n{more}", 1)
        (application / "system.toml").write_text(of.replace('"100 us"', '"9.99 ms"') if late else of)
        document = json.loads(takt("hints", application, "--json").out)
        assert (document["scheduler"], document["effective"]) == (None if late else scheduler, effective)
    assert none not in takt("hints", application).out


def test_kernels_that_heed_hints_are_those_of_the_header() -> None:
    for header in (ROOT / "kernel" / "config" / "sched").glob("*/takt_sched.h"):
        on = re.findall(r"^#define TAKT_(EDF|BUDGETS) 1$", header.read_text(), re.MULTILINE)
        for protection in (False, True):
            heeds = levels.heeds_hints(header.parent.name, "software", protection)
            assert heeds == ("EDF" in on and ("BUDGETS" in on or protection))
            assert not levels.heeds_hints(header.parent.name, "rtm", protection)


def test_a_wrong_hint_is_an_error(takt: Takt, application: Path) -> None:
    text = CODE.replace("        takt_job_wait();", "        takt_hint_next(&other);\n        takt_job_wait();")
    text = text.replace("\nvoid reader", "\nstatic TAKT_MUTEX_DEFINE(other, 9);\n\nvoid reader", 1)
    (application / "app.c").write_text(text)
    said = takt("hints", application, "--apply")
    assert said.code == 1
    assert "app.c:19: takt_job_wait: `&other`: `&data` comes next (locked at app.c:20)" in said.out
    assert "takt_hint_next(&other);" in (application / "app.c").read_text()
    assert said.out.splitlines()[-1] == "4 blocking points: 1 inserted, 0 kept, 1 wrong, 2 left alone"


def test_apply_or_diff(takt: Takt, application: Path) -> None:
    said = takt("hints", application, "--apply", "--diff")
    assert (said.code, said.err) == (
        2,
        "takt: --apply and --diff exclude each other\n  try: --diff first, then --apply\n",
    )


def test_what_does_not_compile_is_not_read(takt: Takt, application: Path) -> None:
    (application / "app.c").write_text(CODE.replace("(void)argument;", "(void)arguments;", 1))
    said = takt("hints", application, "--apply")
    assert said.code == 2
    assert f"{application}/app.c:5: use of undeclared identifier 'arguments'" in said.err
    assert "try: ./takt build" in said.err


def test_line_ends_and_bytes_stay(takt: Takt, application: Path) -> None:
    text = (
        CODE.replace("\n", "\r\n")
        .replace("\r\n\r\nvoid server", "\r\n\r\n/* \xe4\xf6 */\r\nvoid server")
        .encode("latin-1")
    )
    (application / "app.c").write_bytes(text)
    assert takt("hints", application, "--apply").code == 0
    after = (application / "app.c").read_bytes()
    assert after.count(b"\r\n") == text.count(b"\r\n") + 2 == after.count(b"\n")
    assert re.sub(rb" *takt_hint_next\(&data\);\r\n", b"", after) == text


def test_headers_are_left_alone(takt: Takt, application: Path) -> None:
    body = "static inline void next(void)\n{\n    takt_job_wait();\n}\n"
    (application / "next.h").write_text(f'#include "takt_app.h"\n\n{body}')
    (application / "app.c").write_text(CODE.replace("takt_job_wait()", "next()").replace("takt_app.h", "next.h"))
    assert "next.h:5: takt_job_wait: it is in a header\n" in takt("hints", application, "--apply").out
    assert "takt_hint_next" not in (application / "next.h").read_text()


def test_a_job_that_is_called_has_no_end(takt: Takt, application: Path) -> None:
    (application / "app.c").write_text(
        CODE.replace("        takt_job_wait();", "        takt_job_wait();\n        reader(NULL);")
    )
    assert "app.c:10: end of job: `reader` is called as a function, too\n" in takt("hints", application).out


def test_without_the_header_nothing_can_be_written(takt: Takt, application: Path) -> None:
    text = CODE.replace('#include "takt_app.h"', '#include "takt/mutex.h"\nextern struct takt_mutex data;')
    text = text.replace("(void)takt_semaphore_post(&go);", "")
    (application / "app.c").write_text(text)
    assert takt("hints", application).out.count("takt/hint.h is not included\n") == 2


def applied(path: Path, folder: Path) -> Found:
    return apply(application_of(declaration.load(declaration.find(str(path))), folder))


@pytest.mark.parametrize(
    ("name", "inserted"), [pytest.param("flight", 4, marks=only_full), ("telecom", 0), ("shell", 1)]
)
def test_our_applications_compile_with_hints(name: str, inserted: int, tmp_path: Path) -> None:
    copy = tmp_path / name
    shutil.copytree(ROOT / "apps" / name, copy)
    found = applied(copy, tmp_path)
    assert sum(point.outcome == "insert" for point in found.points) == inserted
    assert found.wrong == 0
    for path, text in found.after.items():
        path.write_bytes(text)
        rooms = (
            "",
            "kernel/include",
            "kernel/config/preset/lean",
            "kernel/config/sched/bands",
            "ports/host",
            "analysis/include",
        )
        includes = [f"-I{ROOT / room}" for room in (*rooms, "runner/include", "library/shell/include")] + [
            f"-I{copy}",
            f"-I{tmp_path}",
        ]
        command = ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-DTAKT_LEVELS=32", *includes]
        done = subprocess.run([*command, str(path)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert not applied(copy, tmp_path).after


@pytest.mark.parametrize("name", ["avionics", "troublesome"])
def test_applications_without_code(name: str, tmp_path: Path) -> None:
    assert applied(ROOT / "apps" / name, tmp_path).points == []


def test_a_file_that_says_something_else_is_not_written(
    application: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the tool would get wrong it finds out when it reads the new file."""
    monkeypatch.setattr(hints_apply, "edited", lambda text, points: text.replace(b"takt_job_wait();", NEITHER))
    found = applied(application, tmp_path)
    assert not found.after
    assert [point.why for point in found.points if point.mutex == "" and point.call != "takt_mutex_lock"] == [ODD, ODD]


def test_what_new_makes_gets_hints(takt: Takt, tmp_path: Path) -> None:
    takt("new", tmp_path / "first")
    points = applied(tmp_path / "first", tmp_path).points
    assert [point.mutex for point in points if point.outcome == "insert"] == ["&data"] * 3


def test_the_table_of_calls_is_that_of_the_contracts() -> None:
    public = {call.name: call.may_block for call in contracts.calls()}
    waiting = {name for name, call in calls.TABLE.items() if calls.blocks(call) or call.role is Role.UNKNOWN}
    assert set(calls.TABLE) <= set(public)
    assert waiting == {name for name, blocks in public.items() if blocks}


def test_its_packages_come_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made: list[list[str]] = []
    monkeypatch.setattr(provision, "VENV", tmp_path)
    monkeypatch.setattr(provision, "_make_venv", made.append)
    provision.require_python("hints")
    assert made == [["run", "hints"]]
    shutil.copyfile(provision.LOCKS / "hints.lock", tmp_path / "hints.lock")
    provision.require_python("hints")
    assert made == [["run", "hints"]]


def test_no_other_command_brings_them() -> None:
    text = (provision.LOCKS / "run.lock").read_text(encoding="utf-8")
    assert "libclang" not in text


def test_the_sleeps_of_c_wait_as_takt_delay_does() -> None:
    for name in ("sleep", "usleep", "nanosleep", "clock_nanosleep"):
        assert calls.call_of(name) == calls.call_of("takt_delay")
