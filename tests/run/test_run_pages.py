# SPDX-License-Identifier: Apache-2.0
"""Pages beside the guide: their code is built and their commands are run as printed, with as little around them as they
take for granted."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Said, Takt
from takt.support.provision import ROOT

Application = Callable[..., Path]
CONTROL = """
[[task]]
name = "control"
entry = "control_step"
period = "100 ms"
wcet = "1 ms"
"""


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(page: str) -> list[str]:
    """Those that a page prints, without their comments."""
    text = "".join(blocks(page, "")).replace("\\\n", "")
    return [line.split(" #")[0].strip() for line in text.splitlines() if line.startswith("./takt ")]


@pytest.fixture
def on_host(takt: Takt, application: Application, scratch_builds: Path) -> Callable[..., Said]:
    def run(declaration: str, **files: str) -> Said:
        return takt("run", application(declaration, **files), "--board", "host")

    return run


def test_log(on_host: Callable[..., Said]) -> None:
    """Its first example, beside a file with a module and a level of its own."""
    code, head = blocks("log", "c")
    around = """
static unsigned step;
static const float limit = 1.0f;
static const unsigned mode = 1;
static const char *const mode_names[] = {"rest", "climb"};
static float filter(void) { return 1.5f; }
"""
    more = f'{head}void other(void);\nvoid other(void) {{ takt_log_debug("fine"); }}\n'
    called = code.replace("{\n    (void)argument;", "{\n    (void)argument;\n    other();", 1)
    said = on_host(CONTROL, app_dot_c=f"void other(void);\n{around}{called}", other_dot_c=more)
    assert said.code == 0, said
    for line in (r"info +control +app\.c:\d+: angle 1\.50, step 0", r"debug +control +filter: fine"):
        assert re.search(line, said.out), said.out
    assert re.search(r"warning +control +app\.c:\d+: angle 1\.50 is over its limit in mode climb", said.out), said.out


def test_main(on_host: Callable[..., Said]) -> None:
    (code,) = blocks("main", "c")
    sensor = "#include <stdbool.h>\nstatic inline bool sensor_calibrate(void) { return true; }\n"
    job = '#include "takt_app.h"\nvoid control_step(void *argument) { (void)argument; }\n'
    said = on_host(CONTROL, main_dot_c=code, app_dot_c=job, sensor_dot_h=sensor)
    assert (said.code, "| sensor calibrated" in said.out) == (0, True), said


def test_monitors(on_host: Callable[..., Said]) -> None:
    (code,) = blocks("monitors", "c")
    around = '#include "takt_app.h"\n#define CAPACITY 2\nstatic void insert(unsigned item);\n'
    use = """static void insert(unsigned item) { store.count += item; }
void fill(void *argument)
{
    (void)argument;
    for (unsigned tries = 0; tries < 3; tries++) {
        takt_log_info("%d", (int)store_put(1, takt_now() + TAKT_MS(1)));
    }
    takt_delay_until(TAKT_FOREVER);
}
"""
    prototype = "enum takt_status store_put(unsigned item, uint64_t until_ns);\n"
    (other,) = blocks("monitors", "cpp")
    system = f"""{CONTROL}
[[task]]
name = "fills"
entry = "fill"
style = "loop"

[[mutex]]
name = "data"
users = [{{ task = "control", hold = "10 us" }}]
"""
    said = on_host(system, app_dot_c=around + prototype + code + use, control_dot_cpp=other)
    assert said.code == 0, said
    statuses = re.findall(r"info +fills +app\.c:\d+: (\d+)", said.out)
    assert (statuses[:2], statuses[2] != "0", len(statuses)) == (["0", "0"], True, 3), said.out


def test_console(on_host: Callable[..., Said]) -> None:
    (system,), (code,) = blocks("console", "toml"), blocks("console", "c")
    handle = (
        '#include "takt_app.h"\nstatic void handle(const char *text, size_t length) { (void)text, (void)length; }\n'
    )
    said = on_host(system, app_dot_c=handle + code)
    assert said.code == 0, said


def test_heap(on_host: Callable[..., Said]) -> None:
    """Without protection; `no_heap` is of the task that the page names last."""
    (system,) = blocks("heap", "toml")
    rest = '\nentry = "control_step"\nperiod = "100 ms"\nwcet = "1 ms"\n'
    plan = '[[task]]\nname = "plan"\nentry = "plan_step"\nperiod = "100 ms"\nwcet = "1 ms"\n'
    job = '#include "takt_app.h"\nvoid control_step(void *argument) { (void)argument; }\n'
    plans = '#include "takt_app.h"\n#include <stdlib.h>\nvoid plan_step(void *argument)\n{\n    (void)argument;\n'
    plans += '    void *block = malloc(100);\n    takt_log_info("%d", block != NULL);\n    free(block);\n}\n'
    said = on_host(f"{system.rstrip()}{rest}{plan}", app_dot_c=job, plan_dot_c=plans)
    assert said.code == 0, said
    assert re.search(r"info +plan +plan\.c:\d+: 1$", said.out, re.MULTILINE), said.out


def test_the_options_of_the_kernel_are_those_that_generate_prints(takt: Takt, tmp_path: Path) -> None:
    (line,) = commands("build")[:1]
    folder = tmp_path / "first"
    assert takt("new", folder).code == 0
    words = line.replace("~/first", str(folder)).replace("~/tables", str(tmp_path / "tables"))
    said = takt(*shlex.split(words)[1:])
    text = "".join(blocks("build", "")).replace("\\\n", "")
    (printed,) = re.findall(r"^kernel: (.*)$", said.out, re.MULTILINE)
    assert set(printed.split()) <= set(text.split()), printed


def test_import(takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.txt").write_text(MODEL, encoding="utf-8")
    run = commands("import")
    assert len(run) == 3
    for line in run:
        said = takt(*shlex.split(line)[1:])
        assert said.code == 0, said
    assert Path("table.csv").read_text(encoding="utf-8").splitlines()[1].startswith("t1,")


def test_editors(takt: Takt, tmp_path: Path) -> None:
    folder = tmp_path / "app"
    assert takt("new", folder).code == 0
    run = commands("editors")
    assert len(run) == 2
    github, sarif = (takt(*shlex.split(line.replace("APP", str(folder)))[1:]) for line in run)
    assert (github.code, github.out, sarif.code, '"2.1.0"' in sarif.out) == (0, "", 0, True), (github, sarif)


MODEL = """
Processing_Resource (Type => Fixed_Priority_Processor, Name => cpu);
Scheduling_Server (Type => Fixed_Priority, Name => s1,
   Server_Sched_Parameters => (Type => Fixed_Priority_policy, The_Priority => 10), Server_Processing_Resource => cpu);
Operation (Type => Simple, Name => op1, Worst_Case_Execution_Time => 5);
Transaction (Type => regular, Name => t1,
   External_Events => ((Type => Periodic, Name => e1, Period => 100)),
   Internal_Events => ((Type => regular, name => o1,
      Timing_Requirements => (Type => Hard_Global_Deadline, Deadline => 50, referenced_event => e1))),
   Event_Handlers => ((Type => Activity, Input_Event => e1, Output_Event => o1, Activity_Operation => op1,
      Activity_Server => s1)));
"""
