# SPDX-License-Identifier: Apache-2.0
"""What comes from outside is read and shown in one place: no other module decodes strictly, starts a program by itself,
has a path in a message as it is, or writes a file that could be left half-written."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tools" / "takt"
READS = ("support/files.py", "declare/schema/reader.py", "streams.py")
STARTS = ("support/children.py",)
REASONS = {
    "image/contracts.py": "a program of its own, of the build of the kernel's tests, with a text of ours",
    "support/provision.py": "apt-get and pip, which are to end what they began",
    "reproduce/midart/nodes.py": "programs that end with their namespace, or by a setpriv of their own",
}
WRITES = ("support/files.py",)
WRITE_REASONS = {
    "image/contracts.py": "a program of its own, of a build: what it failed to write is made again",
    "support/compile.py": "a lock, without a content",
    "observe/execute.py": "the console of a board, while it runs",
    "observe/terminal/session.py": "the same",
    "observe/network.py": "memory that the nodes of one run share",
    "support/provision.py": "a lock, and the log of what installs",
}
MESSAGES = ("UserError", "AnalysisError", "click.echo")
PATHS = ("path", "folder", "parent", "plant", "script")  # the last name of what is a path
LENIENT = ("backslashreplace", "replace", "surrogateescape", "ignore")


def faults(tree: ast.AST, name: str) -> list[str]:
    """Calls that may fail on bytes from outside, or leave a program behind."""
    found = []
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        words = {key.arg: key.value for key in call.keywords}
        errors = words.get("errors")
        lenient = isinstance(errors, ast.Constant) and errors.value in LENIENT
        what = ast.unparse(call.func)
        starts = what in ("subprocess.run", "subprocess.Popen", "subprocess.check_output", "os.system", "os.popen")
        if starts and name not in STARTS and name not in REASONS:
            found.append(f"{name}:{call.lineno}: {what}: takt.support.children starts programs")
        if starts and not lenient and words.keys() & {"text", "universal_newlines", "encoding"}:
            found.append(f"{name}:{call.lineno}: {what} decodes strictly")
        if name not in READS and not lenient and _reads_text(what, call, words):
            found.append(f"{name}:{call.lineno}: {what} decodes strictly: takt.support.files reads")
    return found


def half_written(tree: ast.AST) -> list[str]:
    """Calls that write a file in its place: a full disk, or the end of the process, leaves half of it."""
    found = []
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        what = ast.unparse(call.func)
        verb = what.rpartition(".")[2]
        place = 1 if what in ("open", "os.fdopen") else 0
        mode = next((key.value for key in call.keywords if key.arg == "mode"), None)
        if mode is None and len(call.args) > place:
            mode = call.args[place]
        text = mode.value if isinstance(mode, ast.Constant) and isinstance(mode.value, str) else "r"
        opens = verb in ("open", "fdopen") and what != "os.open" and set(text) & set("wax+")
        if verb in ("write_text", "write_bytes", "copyfile") or opens or what in ("json.dump", "pickle.dump"):
            found.append(f"{call.lineno}: {what}: takt.support.files.write_whole writes")
    return found


def raw_paths(tree: ast.AST, name: str) -> list[str]:
    """Messages with a path in them as it is: line ends, escape sequences and bytes that are no text."""
    found = []
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func) in MESSAGES:
            texts = [value for value in ast.walk(call) if isinstance(value, ast.FormattedValue)]
            raw = [ast.unparse(text.value) for text in texts]
            found += [f"{name}:{call.lineno}: {{{one}}}: shown_path" for one in raw if one.rpartition(".")[2] in PATHS]
    return found


def _reads_text(what: str, call: ast.Call, words: dict[str | None, ast.expr]) -> bool:
    verb = what.rpartition(".")[2]
    if verb == "read_text":
        return what not in ("read_text", "files.read_text")
    if verb not in ("open", "fdopen") or what == "os.open":
        return False
    place = 1 if what in ("open", "os.fdopen") else 0
    mode = words.get("mode", call.args[place] if len(call.args) > place else None)
    text = mode.value if isinstance(mode, ast.Constant) and isinstance(mode.value, str) else "r"
    return "b" not in text and not set(text) & set("wax")


def test_no_module_reads_or_starts_by_itself() -> None:
    bad = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = str(path.relative_to(PACKAGE))
        if name != "image/contracts.py":
            tree = ast.parse(path.read_text(encoding="utf-8"))
            bad += faults(tree, name) + raw_paths(tree, name)
    assert bad == []


def test_a_board_ends_with_the_test_that_runs_it() -> None:
    """So tests run one by `on_board`, and none is left over by a run of tests that was killed."""
    tests = [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    found = {path.name for path in tests if ".run_command(" in path.read_text(encoding="utf-8")}
    assert found == {"running.py"}
    assert "subprocess.run(command_of(command)" in (ROOT / "tests/support/running.py").read_text(encoding="utf-8")


def test_no_module_writes_by_itself() -> None:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        bad = half_written(ast.parse(path.read_text(encoding="utf-8")))
        if bad:
            found[str(path.relative_to(PACKAGE))] = bad
    assert found.keys() == {*WRITES, *WRITE_REASONS}, found


def test_what_would_be_half_written() -> None:
    for line in ("path.write_text(text)", "a.b.write_bytes(data)", "open(name, 'w')", "path.open(mode='xb')"):
        assert len(half_written(ast.parse(line))) == 1, line
    for line in ("path.open('rb')", "open(name)", "write_whole(path, text)", "os.open(path, os.O_RDONLY)"):
        assert half_written(ast.parse(line)) == [], line


def test_what_would_be_found() -> None:
    lines = [
        "path.read_text(encoding='utf-8')",
        "path.open()",
        "path.open('r', encoding='utf-8')",
        "open(name)",
        "os.fdopen(0)",
        "subprocess.run(command)",
        "os.system('x')",
    ]
    for line in lines:
        assert len(faults(ast.parse(line), "x.py")) == 1, line
    assert len(faults(ast.parse("subprocess.run(command, text=True)"), "support/children.py")) == 1
    for line in ("path.open('wb')", "files.read_text(path)", "path.open(errors='replace')", "os.open(path, 0)"):
        assert faults(ast.parse(line), "x.py") == [], line
    assert len(raw_paths(ast.parse("UserError(f'{a.path}: no')"), "x.py")) == 1
    assert raw_paths(ast.parse("UserError(f'{shown_path(a.path)}: no')"), "x.py") == []
