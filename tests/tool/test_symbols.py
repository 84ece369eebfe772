# SPDX-License-Identifier: Apache-2.0
"""Names of a declaration that are taken in C are refused by `check`; what a linker misses is reported in our words."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from command_line import Takt
from takt.declare import declaration, symbols
from takt.declare.schema import boards, c_names
from takt.support import compile, link_words
from takt.support.errors import UserError
from takt.support.provision import ROOT

TASK = '[system]\nboard = "host"\n[[task]]\nname = "{task}"\nentry = "{entry}"\nperiod = "10 ms"\nwcet = "1 ms"\n'
MORE = '[[{kind}]]\nname = "{name}"\n{keys}\n'
KEYS = {
    "mutex": 'users = [{task = "a", hold = "1 us"}]',
    "mailbox": 'type = "int"\ncapacity = 2',
    "alarm": 'period = "20 ms"\nwcet = "1 us"\nhandler = "came"',
    "semaphore": "",
}
TAKEN = {
    "asm": "a keyword of C",
    "true": "a keyword of C",
    "NULL": "a macro of this name",
    "linux": "a macro of this name",
    "INT_MAX": "a macro of this name",
    "TASK_a": "a macro of this name",
    "errno": "a macro of this name",
    "memcpy": "it belongs to the library of C",
    "malloc": "it belongs to the library of C",
    "sinf": "it belongs to the library of C",
    "y0": "it belongs to the library of C",
    "uint8_t": "it belongs to the library of C",
    "main": "the image begins there",
    "_start": "names of C that begin with _",
}


def refusal(folder: Path, text: str) -> str:
    path = folder / "system.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as raised:
        declaration.load(path)
    return str(raised.value)


def text(kind: str, name: str, entry: str = "a_job", task: str = "a") -> str:
    return TASK.format(task=task, entry=entry) + MORE.format(kind=kind, name=name, keys=KEYS[kind])


@pytest.mark.parametrize("name", TAKEN)
def test_a_name_that_c_has_taken(tmp_path: Path, name: str) -> None:
    for kind in KEYS:
        said = refusal(tmp_path, text(kind, name))
        assert f'[[{kind}]] "{name}": ' in said or f'[[{kind}]] "{name}": name = "{name}": ' in said
        assert TAKEN[name] in said
        assert '\n  try: "' in said
    said = refusal(tmp_path, text("mutex", "m", entry=name))
    assert f'system.toml:5: [[task]] "a": entry = "{name}": {TAKEN[name]}' in said
    handler = text("alarm", "lamp").replace('"came"', f'"{name}"')
    assert f'[[alarm]] "lamp": handler = "{name}": {TAKEN[name]}' in refusal(tmp_path, handler)


def test_names_that_are_free(tmp_path: Path) -> None:
    """Of tasks too, which have no name in C of their own."""
    for task in ("main", "NULL", "printf", "index"):
        (tmp_path / "system.toml").write_text(text("mutex", "data", task=task).replace('"a"', f'"{task}"'))
        declaration.load(tmp_path / "system.toml")
    for name in ("step", "read_sensor", "sinus", "timed", "control_l", "mainf", "x_t", "idle", "self", "errnof"):
        assert c_names.taken(name) is None


COMPILERS = {"host": "gcc", "armv7m": "arm-none-eabi-gcc", "rv32": "riscv64-unknown-elf-gcc"}


@pytest.mark.parametrize("board", ["host", "mps2-an385", "rv32-virt"])
def test_every_macro_of_our_headers_is_known(tmp_path: Path, board: str) -> None:
    """What its compiler and takt.h define is taken, or begins as no name may."""
    port = boards.load(board).port
    specs = [] if board == "host" else ["--specs=picolibc.specs"]
    folders = [ROOT, *(ROOT / "kernel" / name for name in ("include", "config/preset/standard", "config/sched/bands"))]
    includes = [f"-I{folder}" for folder in (*folders, ROOT / "ports" / port, ROOT / "runner" / "include")]
    given = '#include "takt/takt.h"\n#include "takt/board.h"\n'
    command = [COMPILERS[port], *specs, "-std=gnu11", *includes, "-DTAKT_LEVELS=32", "-dM", "-E", "-xc", "-"]
    try:
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip(f"no {command[0]}")
    assert done.returncode == 0, done.stderr
    names = re.findall(r"^#define (\w+)", done.stdout, re.MULTILINE)
    assert len(names) > 100
    assert [name for name in names if c_names.taken(name) is None] == []


LINKED = {
    "/usr/bin/ld: app.c.o: in function `a_job':\n/a b/app.c:3: undefined reference to `helper'": (
        "not defined in any file that is built: helper (/a b/app.c:3)",
        "add the file that defines it",
    ),
    "/x/ld: generated/system.c.obj:(.rodata.takti_configs+0x10): undefined reference to `a_job'": (
        "not defined in any file that is built: a_job",
        "add the file that defines it",
    ),
    "/x/ld: /y/lib/libc.a(libc_printf.c.o): in function `printf':\n./../newlib/printf.c:46: undefined reference to "
    "`stdin'": (
        "printf of the C library needs stdin, and with protection the input stream is that of a process, and this file "
        "is of none",
        "takt_console_read",
    ),
    "/x/ld: app.c.o: in function `a_job':\n/a/app.c:3: undefined reference to `takt_scanf_one'": (
        '/a/app.c:3: scanf: process "one" does not use the input of the console',
        'uses = ["console_input"] in its [[process]]',
    ),
    "/x/ld: /y/libc.a(sbrk.c.o):./newlib/sbrk.c:41: undefined reference to `__heap_start'": (
        "__heap_start: this system declares no heap",
        'heap = "8 KiB" in [system] of system.toml, or a [[pool]]',
    ),
    "/usr/bin/ld: x/b.c.o: in function `count':\n/a/b.c:3: multiple definition of `count'; x/app.c.o:/a/app.c:4: first"
    " defined here": ("defined twice: count in /a/app.c:4 and in /a/b.c:3", "make it static if only one file uses it"),
    f"/usr/bin/ld: {ROOT}/build/k.a(core.c.o):{ROOT}/kernel/core/dispatch.c:6: multiple definition of `takti_kernel'; "
    "x/app.c.o:/a/app.c:2: first defined here": (
        f"defined twice: takti_kernel in /a/app.c:2 and in {ROOT}/kernel/core/dispatch.c:6",
        "rename takti_kernel, which Takt defines",
    ),
    "/a/app.c:2: multiple definition of `main'; x/main.c.o:/a/main.c:4: first defined here": (
        "defined twice: main in /a/main.c:4 and in /a/app.c:2",
        "define at most one main",
    ),
    "/usr/bin/ld: cannot find -lnone: No such file or directory": (
        '[build]: libraries: "none": the compiler has no libnone.a',
        "the path of the archive",
    ),
    "/x/ld: app.cpp.obj: in function `control()':\n/a/app.cpp:3: undefined reference to `operator new(unsigned int)'": (
        "/a/app.cpp:3: operator new(unsigned int): there is no memory for new: no file defines operator new",
        'heap = "8 KiB" in [system] of system.toml; an object of static storage',
    ),
    "/x/ld: app.cpp.obj: in function `f()':\n/a/app.cpp:3: undefined reference to `std::sort()'": (
        "/a/app.cpp:3: std::sort(): the C++ standard library is not linked",
        "do without it, or cxx_library = true",
    ),
}


@pytest.mark.parametrize("printed", LINKED, ids=range(len(LINKED)))
def test_what_a_linker_says_of_names(printed: str) -> None:
    error = compile.Said((), (*printed.splitlines(), "collect2: error: ld returned 1 exit status")).error("building x")
    problem, hint = LINKED[printed]
    assert error.problem == f"building x failed: {problem}"
    assert error.hint.startswith(hint)


def test_what_is_not_about_names_is_shown_as_it_is() -> None:
    for line in ("/usr/bin/ld: app.o: bad reloc", "app.c:3: error: undefined reference to `x'"):
        assert line in compile.Said((), (line,)).error("building x").problem
    assert link_words.explain("x", ["something else"]) is None
    many = [f"/a/b.c:{n}: undefined reference to `f{n}'" for n in range(9)]
    error = link_words.explain("x", many)
    assert error is not None
    assert error.problem.endswith("f4 (/a/b.c:4) and 4 more")


def test_an_error_in_what_was_generated_leads_to_the_declaration() -> None:
    said = compile.Said((), ("/b/x/generated/takt_app.h:3:6: error: expected identifier",)).error("building x")
    assert said.hint.startswith("correct system.toml: ")
    assert compile.Said((), ("/b/app.c:3:6: error: no",)).error("building x").hint == "correct the first error above"


@pytest.mark.parametrize(
    ("header", "page"), [("FreeRTOS.h", "freertos"), ("zephyr/kernel.h", "zephyr"), ("tx_api.h", "threadx")]
)
def test_a_header_of_another_kernel_leads_to_its_page(header: str, page: str) -> None:
    said = compile.Said((), (f"/b/app.c:1:10: fatal error: {header}: No such file or directory",)).error("building x")
    assert said.hint == f"docs/from-{page}.md: what to declare and to call in its place"
    assert (ROOT / "docs" / f"from-{page}.md").is_file()


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        ("'TASK_flwo' undeclared (first use in this function)", "TASK_NAME of a [[task]]"),
        ("'takt_job_release' was not declared in this scope", '#include "takt_app.h"'),
        ("implicit declaration of function 'takt_delay'", '#include "takt_app.h"'),
        ("'portMAX_DELAY' undeclared (first use in this function)", "docs/from-freertos.md"),
        ("unknown type name 'QueueHandle_t'", "docs/from-freertos.md"),
        ("'K_FOREVER' undeclared (first use in this function)", "docs/from-zephyr.md"),
        ("unknown type name 'TX_THREAD'", "docs/from-threadx.md"),
        ("'other' undeclared (first use in this function)", "correct the first error above"),
    ],
)
def test_a_name_that_the_compiler_does_not_know(error: str, hint: str) -> None:
    said = compile.Said((), (f"/b/app.c:3:6: error: {error}",)).error("building x")
    assert said.hint.startswith(hint)


@pytest.mark.parametrize(
    "code",
    [
        "static void a_job(void *argument) { (void)argument; }",
        "",
        "void a_jib(void *a) { (void)a; }",
        "int main(void) { return 0; }",
    ],
)
def test_an_entry_that_no_file_defines(takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr("takt.image.build.BUILD", tmp_path / "builds")
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "system.toml").write_text(text("mutex", "m"))
    (folder / "app.c").write_text(code + "\n")
    said = takt("build", folder)
    assert said.code == 2
    near = ', or "a_jib", which is defined' if "a_jib" in code else ""
    last = said.err.splitlines()[-2:]
    assert last[0].endswith('system.toml:3: [[task]] "a": entry = "a_job": no file that is built defines it')
    assert last[1] == f"  try: void a_job(void *argument), not static{near}"


UNDEFINED = {
    "": "void a_job(void *argument) {}",
    "a prototype and a call": "void came(struct takt_alarm *); void a_job(void *a) { came(0); }",
    "a comment": "void a_job(void *a) {} /* void came(struct takt_alarm *alarm) {} */ // came",
}
DEFINED = {
    "plainly": "void came(struct takt_alarm *alarm)\n{\n}",
    "by a macro": "#define HANDLER(name) void name(struct takt_alarm *alarm)\nHANDLER(came) {}",
    "of joined names": "#define HANDLER(name) void ca##name(struct takt_alarm *alarm)\nHANDLER(me) {}",
    "in a file that a macro names": "#define FILE_OF_IT <x.h>\n#include FILE_OF_IT",
    "in a file from elsewhere": '#include "elsewhere/came.h"',
    "as another name": 'void b(struct takt_alarm *a) {} void came(struct takt_alarm *) __attribute__((alias("b")));',
    "by the assembler": 'asm(".global came\\ncame: bx lr");',
}


def with_alarm(folder: Path, code: str) -> Path:
    (folder / "system.toml").write_text(text("alarm", "m"))
    (folder / "app.c").write_text('#include "takt_app.h"\nvoid a_job(void *argument) {}\n' + code + "\n")
    return folder


@pytest.mark.parametrize("case", UNDEFINED)
def test_a_handler_that_no_file_defines_is_refused_before_the_build(takt: Takt, tmp_path: Path, case: str) -> None:
    """Although no code starts the alarm, and it would be left out of the image."""
    said = takt("build", with_alarm(tmp_path, UNDEFINED[case]))
    assert said.code == 2
    assert ': [[alarm]] "m": handler = "came": no file that is built defines it' in said.err
    assert "building the kernel" not in said.err


@pytest.mark.parametrize("how", DEFINED)
def test_a_handler_that_may_be_defined_is_left_to_the_compiler(tmp_path: Path, how: str) -> None:
    folder = with_alarm(tmp_path, DEFINED[how])
    system = declaration.load(folder / "system.toml")
    symbols.refuse_undefined(system, system.kernel_sources, system.sources)


def test_an_entry_of_an_archive_is_no_undefined_one(tmp_path: Path) -> None:
    system = declaration.load(with_alarm(tmp_path, UNDEFINED[""]) / "system.toml")
    with pytest.raises(UserError):
        symbols.refuse_undefined(system, system.kernel_sources, system.sources)
    symbols.refuse_undefined(system, system.kernel_sources, system.sources, {"came"})


def test_a_handler_in_a_file_of_a_process_is_refused(tmp_path: Path) -> None:
    folder = with_alarm(tmp_path, "")
    (folder / "of_a.c").write_text(DEFINED["plainly"])
    system = declaration.load(folder / "system.toml")
    with pytest.raises(UserError, match=r'handler = "came": .*of_a\.c defines it, a file of a process') as error:
        symbols.refuse_undefined(system, [folder / "app.c"], [folder / "app.c", folder / "of_a.c"])
    assert error.value.hint == "void came(struct takt_alarm *alarm), in a file that no process has in its sources"
