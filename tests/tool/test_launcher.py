# SPDX-License-Identifier: Apache-2.0
"""./takt on machines that lack things: a copy of the launcher, with a PATH of our making."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from fnmatch import fnmatch
from pathlib import Path

import pytest
from takt.support import provision
from takt.support.errors import UserError

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ("sh", "awk", "dirname", "readlink", "cmp", "id", "cat")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The launcher and what it reads, without a .venv."""
    folder = tmp_path / "clone"
    shutil.copytree(ROOT / "tools", folder / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "takt", folder)
    return folder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A folder for PATH: what a bare system has, and an `id` that says nobody."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in COMMANDS:
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    (folder / "id").unlink()
    script(folder / "id", "echo 65534")
    return folder


def script(where: Path, body: str) -> None:
    where.write_text(f"#!/bin/sh\n{body}\n")
    where.chmod(0o755)


def launch(clone: Path, path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": str(path), "HOME": "/nonexistent"}
    command = [str(clone / "takt"), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


def listing(folder: Path) -> list[str]:
    return sorted(str(found.relative_to(folder)) for found in folder.rglob("*"))


def test_without_python_and_root(clone: Path, path: Path) -> None:
    before = listing(clone)
    done = launch(clone, path, "run")
    assert done.returncode == 2
    wanted = [package.name for package in provision.packages(["base", "host", "arm"])]
    assert done.stderr.splitlines()[-1].split() == ["apt-get", "install", "--no-install-recommends", *wanted]
    assert "python3 is missing" in done.stderr
    assert listing(clone) == before


def test_without_any_program(clone: Path) -> None:
    done = subprocess.run([clone / "takt"], env={"PATH": ""}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, 'takt: no program is found: PATH is ""')


def test_check_asks_for_no_cross_compiler(clone: Path, path: Path) -> None:
    assert "arm" not in launch(clone, path, "check").stderr


def test_only_the_tests_ask_for_every_board(clone: Path, path: Path) -> None:
    """The first run must not fetch the tools of a board that nobody asked for."""
    assert "riscv" not in launch(clone, path, "run").stderr
    assert "gcc-riscv64-unknown-elf" in launch(clone, path, "test").stderr


def test_python_without_venv_and_root(clone: Path, path: Path) -> None:
    """A Python without ensurepip: Debian without python3-venv."""
    hide = "import sys; sys.modules['ensurepip'] = None; import runpy; sys.argv = sys.argv[2:]; "
    setup = "import os; os.geteuid = lambda: 65534; "
    run = "runpy.run_module('takt.support.provision', run_name='__main__', alter_sys=True)"
    patch = 'import importlib.util as u; f = u.find_spec; u.find_spec = lambda n: None if n == "ensurepip" else f(n); '
    (clone / "fake.py").write_text(hide + setup + patch + run + "\n")
    script(path / "python3", f'exec {sys.executable} {clone}/fake.py "$@"')
    before = listing(clone)
    done = launch(clone, path, "run")
    assert done.returncode == 2
    assert "nothing was changed" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("    apt-get install --no-install-recommends python3-venv")
    assert [name for name in listing(clone) if "__pycache__" not in name] == before


def test_second_time_is_quick_and_asks_nobody() -> None:
    start = time.monotonic()
    done = subprocess.run([ROOT / "takt", "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert time.monotonic() - start < 15  # under 1 s on a machine that does nothing else; installing takes longer


def test_works_from_anywhere_and_through_a_link(tmp_path: Path) -> None:
    link = tmp_path / "takt"
    link.symlink_to(ROOT / "takt")
    done = subprocess.run([link, "new", "first"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert (tmp_path / "first" / "system.toml").exists()


def test_works_without_root_once_everything_is_there() -> None:
    """A user without the right to write to the clone."""
    drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    python = [*drop, "sh", "-c", f"{ROOT}/.venv/bin/python -c ''"]
    if os.geteuid() != 0 or subprocess.run(python, capture_output=True, check=False).returncode != 0:
        pytest.skip("not root, or .venv was made from a Python that others may not run")
    done = subprocess.run([*drop, ROOT / "takt", "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_require_names_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provision, "may_install", lambda: False)
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(UserError) as caught:
        provision.require("arm")
    assert "apt-get install --no-install-recommends gcc-arm-none-eabi qemu-system-arm" in str(caught.value)


def test_the_modules_are_compiled_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    (tmp_path / "takt").mkdir()
    (tmp_path / "takt" / "module.py").write_text("value = 1\n")
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "bin" / "python").symlink_to(sys.executable)
    monkeypatch.setattr(provision, "MODULES", tmp_path / "takt")
    monkeypatch.setattr(provision, "VENV", tmp_path / "venv")
    monkeypatch.setattr(provision, "_venv_works", lambda: True)
    monkeypatch.setattr(provision, "_run_or_explain", lambda *_: None)
    provision._make_venv(["run"])
    assert [path.name.partition(".")[0] for path in (tmp_path / "takt" / "__pycache__").iterdir()] == ["module"]


def test_a_failed_installation_is_one_message(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script(tmp_path / "apt-get", "echo 'E: Unable to locate package gcc-arm-none-eabi' >&2; exit 100")
    monkeypatch.setattr(provision, "may_install", lambda: True)
    monkeypatch.setattr(provision, "LOG", provision.ROOT / "build" / "test-setup.log")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    monkeypatch.setattr(provision.Package, "present", lambda self: False)
    with pytest.raises(UserError, match=r"apt-get could not install .*: E: Unable to locate package gcc-arm-none-eabi"):
        provision.require("arm")


def test_of_a_large_package_only_what_boards_need_is_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script(tmp_path / "apt-get", f'echo "$@" > {tmp_path}/given')
    monkeypatch.setattr(provision, "may_install", lambda: True)
    monkeypatch.setattr(provision, "LOG", provision.ROOT / "build" / "test-setup.log")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    monkeypatch.setattr(provision.Package, "present", lambda self: (tmp_path / "given").exists())
    provision.require("cxx_library")
    given = (tmp_path / "given").read_text().split()
    assert given[-2:] == ["install", "libstdc++-arm-none-eabi-picolibc"]
    (left_out,) = (word.partition("--path-exclude=")[2] for word in given if "--path-exclude=" in word)
    (kept,) = (word.partition("--path-include=")[2] for word in given if "--path-include=" in word)
    (package,) = provision.packages(["cxx_library"])
    folder = package.probe.removesuffix("/thumb/v7-m/nofp/libstdc++.a")
    assert fnmatch(package.probe, left_out)
    assert fnmatch(package.probe, kept)
    other = f"{folder}/arm/v5te/hard/libstdc++.a"
    assert fnmatch(other, left_out)
    assert not fnmatch(other, kept)
    assert not fnmatch(f"{folder}/thumb/v7-m/nofp/libc.a", left_out)


def test_an_interrupted_venv_is_made_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without the stamp of a finished creation, what is there is not trusted."""
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "bin" / "python").symlink_to(sys.executable)
    ran: list[list[str]] = []
    monkeypatch.setattr(provision, "VENV", tmp_path / "venv")
    monkeypatch.setattr(provision, "_run_or_explain", lambda command, problem: ran.append(command))
    provision._make_venv(["run"])
    assert [command[1:3] for command in ran] == [["-m", "venv"], ["-m", "pip"]]
    assert "--require-hashes" in ran[1]
    assert provision._stamp_matches("run")
    ran.clear()
    monkeypatch.setattr(provision, "_venv_works", lambda: True)
    provision._make_venv(["run"])
    assert ran == []


def test_a_failed_pip_leaves_no_stamp(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(command: list[str], problem: str) -> None:
        if "pip" in command:
            raise UserError(problem)

    (tmp_path / "venv").mkdir()
    monkeypatch.setattr(provision, "VENV", tmp_path / "venv")
    monkeypatch.setattr(provision, "_run_or_explain", fail)
    with pytest.raises(UserError, match="pip could not install"):
        provision._make_venv(["run"])
    assert not provision._stamp_matches("run")


def test_two_at_once_wait_for_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import sys, time, pathlib; from takt.support import provision; provision.ROOT = pathlib.Path(sys.argv[1])\n"
        "with provision._one_at_a_time():\n"
        "    log = provision.ROOT / 'log'; log.open('a').write('in '); time.sleep(0.3); log.open('a').write('out ')\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tools")}
    command = [sys.executable, "-c", code, str(tmp_path)]
    both = [subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert (tmp_path / "log").read_text() == "in out in out "
