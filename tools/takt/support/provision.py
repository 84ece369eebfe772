# SPDX-License-Identifier: Apache-2.0
"""Sets up what a command needs: Debian packages of its groups and .venv from the pinned, hashed locks.

Standard library only: `./takt` runs it with the system's Python when .venv is missing or its lock changed; commands
call `require` for the groups that depend on the board. Nothing is changed without root on Debian 12, except .venv.
"""

from __future__ import annotations

import fcntl
import importlib
import importlib.util
import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from takt.support import children, files, plain
from takt.support.errors import INTERRUPTED, MISUSE, UserError

ROOT = plain.path(Path(__file__).parents[3])
PACKAGES = ROOT / "tools" / "packages.txt"
LOCKS = ROOT / "tools" / "requirements"
MODULES = ROOT / "tools" / "takt"
VENV = ROOT / ".venv"
LOG = ROOT / "build" / "setup.log"
INSTALL = "apt-get install --no-install-recommends"


@dataclass(frozen=True)
class Package:
    """One line of packages.txt; `probe` is a command, an absolute path or `python:MODULE`. `left_out`: patterns of its
    files that are not installed, unless one of `kept` matches them."""

    group: str
    name: str
    probe: str
    left_out: str = ""
    kept: str = ""

    def present(self) -> bool:
        if self.probe.startswith("python:"):
            return importlib.util.find_spec(self.probe.removeprefix("python:")) is not None
        if self.probe.startswith("/"):
            return Path(self.probe).exists()
        return shutil.which(self.probe) is not None


def _rows() -> list[list[str]]:
    lines = files.read_text(PACKAGES).splitlines()
    return [line.split() for line in lines if line.strip() and not line.startswith("#")]


def packages(groups: Iterable[str]) -> list[Package]:
    """The packages of the groups, in the order of packages.txt."""
    wanted = set(groups)
    return [Package(*row) for row in _rows() if row[0] in wanted]


def groups_of(command: str) -> list[str]:
    """The groups that a command needs on its default board, `base` first."""
    return ["base", *(group for row in _rows() if row[0] == f"@{command}" for group in row[1:])]


def _os_release() -> dict[str, str]:
    try:
        lines = files.read_text(Path("/etc/os-release")).splitlines()
    except UserError:
        return {}
    pairs = (line.split("=", 1) for line in lines if "=" in line)
    return {key: value.strip().strip('"') for key, value in pairs}


def may_install() -> bool:
    """Root on Debian 12."""
    release = _os_release()
    debian = release.get("ID") == "debian" and release.get("VERSION_ID") == "12"
    return debian and os.geteuid() == 0 and shutil.which("apt-get") is not None


def say(text: str) -> None:
    """A line of progress: standard error, so that --json output stays clean."""
    print(f"takt: {text}", file=sys.stderr, flush=True)


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Held while anything is set up: a second ./takt waits and then finds everything done."""
    try:
        handle = (ROOT / ".venv.lock").open("w", encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"cannot write to {ROOT}: {error.strerror}", "run ./takt once as the owner of the clone"
        ) from None
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another takt is setting up; waiting for it ...")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def require(*groups: str) -> None:
    """Makes sure that the packages of the groups are there: installs them, or says which to install (UserError)."""
    if all(package.present() for package in packages(groups)):
        return
    _refuse_unless_installable(groups)
    with _one_at_a_time():
        missing = [package for package in packages(groups) if not package.present()]
        if missing:
            _apt_install(missing)
    still = [package.name for package in packages(groups) if not package.present()]
    if still:
        raise UserError(f"{', '.join(still)} installed, but not found on PATH", "open a new shell, or correct PATH")


def _refuse_unless_installable(groups: Iterable[str]) -> None:
    missing = [package.name for package in packages(groups) if not package.present()]
    if missing and not may_install():
        raise UserError(
            f"missing: {', '.join(missing)}. Takt installs packages only as root on Debian 12, so nothing was changed."
            f" Install them with\n    {INSTALL} {' '.join(missing)}"
        )


def _apt_install(wanted: list[Package]) -> None:
    names = [package.name for package in wanted]
    paths = [(f"--path-exclude={one.left_out}", f"--path-include={one.kept}") for one in wanted if one.left_out]
    options = [word for path in itertools.chain(*paths) for word in ("-o", f"DPkg::Options::={path}")]
    say(f"installing {', '.join(names)} (apt-get; the log is {LOG.relative_to(ROOT)})")
    LOG.parent.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    with LOG.open("w", encoding="utf-8") as log:
        # An index that is there may do: fetching one costs as much as a small compiler. An old one may name files that
        # are gone; then a new one is fetched.
        if _apt_index_is_there() and _apt_with_progress([*options, "install", *names], log, environment) == 0:
            return
        say("  fetching the package index")
        # A failed update is no failure yet: other sources of the machine may be down and the packages still be there.
        update = ["apt-get", "-q", "-o", "Acquire::Languages=none", "update"]
        mend = ["dpkg", "--configure", "-a"]  # an installation that was interrupted; else it does nothing
        for command in (update, mend):
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, check=False)
        if _apt_with_progress([*options, "install", *names], log, environment) == 0:
            return
    errors = [line for line in files.read_text(LOG).splitlines() if line.startswith("E:")]
    detail = errors[-1] if errors else "see the log"
    raise UserError(
        f"apt-get could not install {' '.join(names)}: {detail}",
        f"correct the cause (see {LOG}) and run the same command",
    )


def _apt_index_is_there() -> bool:
    return any(Path("/var/lib/apt/lists").glob("*_Packages*"))


def _apt_with_progress(words: list[str], log: IO[str], environment: dict[str, str]) -> int:
    """Runs apt-get, turning its status lines into progress. Returns its exit code."""
    reader, writer = os.pipe()
    options = ["-o", f"APT::Status-Fd={writer}", "-o", "DPkg::Lock::Timeout=300", "-o", "Dpkg::Use-Pty=0"]
    command = ["apt-get", "-q", "-y", "--no-install-recommends", *options, *words]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, pass_fds=(writer,)
    ) as apt:
        os.close(writer)
        with os.fdopen(reader, "rb") as status:
            _show_progress(map(files.text_of, status))
        return apt.wait()


def _show_progress(status: Iterable[str]) -> None:
    """Status lines are `dlstatus|pmstatus:what:percent:text`. A terminal gets one moving line, a file one per 20 %."""
    moving = sys.stderr.isatty()
    step = 1 if moving else 20
    shown = (-1, -1)
    for line in status:
        match = re.match(r"(dlstatus|pmstatus):[^:]*:([0-9.]+):(.*)", line)
        if not match:
            continue
        phase = 0 if match[1] == "dlstatus" else 1
        now = (phase, int(float(match[2])) // step * step)
        if now <= shown:
            continue
        shown = now
        text = f"{('downloading', 'unpacking and setting up')[phase]} {now[1]:3d} %"
        print(
            f"\r\x1b[Ktakt:   {text}" if moving else f"takt:   {text}",
            end="" if moving else "\n",
            file=sys.stderr,
            flush=True,
        )
    if moving and shown != (-1, -1):
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _venv_works() -> bool:
    """Whether .venv was made completely, and its Python still runs (the system's may have gone)."""
    if not (VENV / "made").exists():
        return False
    probe = [str(VENV / "bin" / "python"), "-c", "import pip"]
    try:
        return children.run(probe).returncode == 0
    except OSError:
        return False


def _stamp_matches(lock: str) -> bool:
    stamp = VENV / f"{lock}.lock"
    return stamp.exists() and stamp.read_bytes() == (LOCKS / f"{lock}.lock").read_bytes()


def _make_venv(locks: list[str]) -> None:
    """Brings .venv to the locks. Stamps are written last, so an interrupted run is taken up where it was."""
    if not _venv_works():
        say("creating .venv")
        _run_or_explain([sys.executable, "-m", "venv", "--clear", str(VENV)], "could not create .venv")
        (VENV / "made").touch()
    wanted = [lock for lock in locks if not _stamp_matches(lock)]
    if not wanted:
        return
    listed = [argument for lock in locks for argument in ("-r", str(LOCKS / f"{lock}.lock"))]
    say(f"installing the Python packages of {', '.join(f'{lock}.lock' for lock in locks)} (pip)")
    pip = [
        str(VENV / "bin" / "python"),
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "--no-deps",
        "--require-hashes",
    ]
    quiet = [] if sys.stderr.isatty() else ["-q"]
    _run_or_explain([*pip, *quiet, "--only-binary", ":all:", *listed], "pip could not install the locked packages")
    _compile_modules()
    for lock in wanted:
        files.write_whole(VENV / f"{lock}.lock", (LOCKS / f"{lock}.lock").read_bytes())


def _compile_modules() -> None:
    """Writes the tool's modules as byte code, as pip does of packages: without it, as where PYTHONDONTWRITEBYTECODE is
    set, most of a start is their compilation. That they cannot be written changes nothing else."""
    compile_all = [str(VENV / "bin" / "python"), "-m", "compileall", "-qq", str(MODULES)]
    subprocess.run(compile_all, stdin=subprocess.DEVNULL, check=False)


def require_python(lock: str) -> None:
    """Makes sure that the packages of a lock are there which only some commands need, and the others do not load."""
    if _stamp_matches(lock):
        return
    with _one_at_a_time():
        _make_venv(["run", lock])
    importlib.invalidate_caches()


def _run_or_explain(command: list[str], problem: str) -> None:
    """Runs with output on standard error; a failure is one message."""
    code = subprocess.run(children.command_of(command, children.GENTLY), stdout=sys.stderr, check=False).returncode
    if code != 0:
        raise UserError(
            f"{problem} (exit code {code}; its message is above)", "correct the cause and run the same command"
        )


def main(arguments: list[str]) -> int:
    """What `./takt ARGUMENTS` runs first when .venv is not as the locks say."""
    if sys.version_info < (3, 11):  # noqa: UP036 (whatever python3 the launcher finds)
        say(f"Python 3.11 or newer is needed, {sys.executable} is {sys.version.split()[0]}")
        return MISUSE
    command = arguments[0] if arguments else "help"
    try:
        if not all(package.present() for package in packages(["base"])):
            _refuse_unless_installable(groups_of(command))
        require(*groups_of(command)) if may_install() and command == "test" else require("base")
        with _one_at_a_time():
            _make_venv(["run", "test"] if command in ("test", "bench") else ["run"])
    except UserError as error:
        say(str(error))
        return MISUSE
    except KeyboardInterrupt:
        say("interrupted; the same command continues from here")
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
