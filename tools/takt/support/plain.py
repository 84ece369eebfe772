# SPDX-License-Identifier: Apache-2.0
"""Paths that every program takes: no other program is ever given a path with an odd character in it.

Make, CMake's lists, linkers (`-Wl,`), QEMU's options, PYTHONPATH and sockets each take some characters for something
else, or cannot have some at all. Rather than quote for each, a folder whose path has any but letters, digits and
`_ . / + -`, or is long, is reached through a link with a plain name in a folder of this user's own. The launcher does
the same for the checkout. Standard library only.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import threading
from collections.abc import Iterable, MutableMapping
from functools import cache
from pathlib import Path

from takt.support.errors import UserError
from takt.support.names import shown

FOLDERS = ("/tmp", "/var/tmp", "/dev/shm")
LENGTH_MAX = 120  # bytes of a folder that is named as it is
_PLAIN = re.compile(rb"[A-Za-z0-9_./+-]*")
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}")
_links: dict[str, str] = {}  # what this process made, or found: link to the odd path behind it


def is_plain(path: Path | str) -> bool:
    """Whether any program can be given it as it is."""
    data = os.fsencode(path)
    return _PLAIN.fullmatch(data) is not None and len(data) <= LENGTH_MAX


def path(of: Path) -> Path:
    """A plain path of the same file or folder, which need not be there. UserError: no parent for a link.

    A file that has an odd name itself keeps its suffix, but the link is not in its folder.
    """
    real = Path(os.path.realpath(of))
    if is_plain(real):
        return real
    head, tail = real, Path()
    while is_plain(head.name) and head != head.parent and len(str(tail)) < LENGTH_MAX // 2:
        head, tail = head.parent, head.name / tail
    return _link(head) / tail


def listed(paths: Iterable[Path]) -> str:
    """Plain paths as a list of CMake's."""
    return ";".join(str(path(one)) for one in paths)


def temporary(environment: MutableMapping[str, str]) -> None:
    """Makes TMPDIR of an environment plain and short, for sockets; one that is no folder is left out, as programs do
    anyway."""
    given = environment.get("TMPDIR")
    if given is None or (is_plain(given) and len(given) <= LENGTH_MAX // 2):
        return
    if Path(given).is_dir():
        environment["TMPDIR"] = str(_link(Path(os.path.realpath(given))))
    else:
        del environment["TMPDIR"]


def restored(text: str) -> str:
    """A program's output, with the paths and names of the files instead of links that it was given."""
    for link, target in _links.items():
        text = text.replace(link, shown(target)).replace(Path(link).name, shown(Path(target).name))
    return text


def stands_for(path: Path) -> bool:
    """Whether a path leads through such a link."""
    return any(str(path) == link or str(path).startswith(f"{link}/") for link in _links)


def _link(target: Path) -> Path:
    """The link to an odd path; the launcher, a shell script, calls it the same."""
    name = hashlib.sha256(os.fsencode(target)).hexdigest()[:16]
    if not target.is_dir() and _SUFFIX.fullmatch(target.suffix):
        name += target.suffix
    link = _folder() / name
    _links[str(link)] = str(target)
    try:
        if link.readlink() == target:
            return link
    except OSError:
        pass
    fresh = Path(f"{link}.{os.getpid()}.{threading.get_ident()}")
    fresh.symlink_to(target)
    return fresh.replace(link)


@cache
def _folder() -> Path:
    """The folder of links, which only this user may write to."""
    for parent in FOLDERS:
        folder = Path(parent) / f"takt-{os.geteuid()}"
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            found = folder.lstat()
        except OSError:
            continue
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o022:
            return folder
    raise UserError(
        f"no folder for a symbolic link with a plain name: takt-{os.geteuid()} cannot be created in "
        f"{', '.join(FOLDERS)}",
        "paths of the application and of Takt with only letters, digits and _ . + -",
    )
