# SPDX-License-Identifier: Apache-2.0
"""The kernel's archive that images are linked with: those files of the kernel that images of this kind have needed so
far. The linker takes no others from an archive, so that nothing else is compiled, and an image is as with all of them.

It takes a file also for a reference in code that is left out afterwards, and then weak references find what is in it.
So not only what a link lacks is compiled, but what any object refers to. Which file defines a name is read from the
sources.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from takt.support import children, files
from takt.support.compile import Supply, compile_more, locked, refuse_full
from takt.support.errors import UserError
from takt.support.files import write_if_changed

_LIBRARY = "takt_kernel.dir/"  # of CMake, in the paths of its objects
_DEFINED = re.compile(r"^(?!static |extern (?!inline )|typedef )\w[^\n;]*?\b(takti?_\w+)\s*[(\[=;]", re.MULTILINE)
_INCLUDED = re.compile(r'^#include "(\S+)"', re.MULTILINE)
_UNITY = "unity_"  # a file of CMake's that includes those of a group


@dataclass(frozen=True)
class Members:
    """`folder`: of a build of the rooms (takt.image.build.rooms). `tools`: prefix of ar and nm."""

    folder: Path
    tools: str
    activity: str

    @property
    def archive(self) -> Path:
        return self.folder / "members" / "libtakt_kernel.a"

    @property
    def _list(self) -> Path:
        return self.folder / "members.json"

    @cached_property
    def objects(self) -> Mapping[str, Path]:
        """Of the whole kernel as `folder` was configured last, in the order of its archive, each with its source."""
        found = {}
        for one in json.loads(files.read_text(self.folder / "compile_commands.json")):
            name = shlex.split(one["command"].partition(" -o ")[2])[0]
            if _LIBRARY in name and Path(one["file"]).exists():
                found[name] = Path(one["file"])
        return found

    def so_far(self) -> list[str]:
        """Objects that images needed or a whole kernel has, in that order: all that are compiled, so that what lies in
        the folder is never older than its sources once it is built again."""
        if not self._list.exists():
            return []
        needed = set(json.loads(files.read_text(self._list)))
        return [name for name in self.objects if name in needed]

    def defining(self) -> Mapping[str, set[str]]:
        """Objects by the names that their sources may define."""
        found: dict[str, set[str]] = {}
        for name, source in self.objects.items():
            for text in _texts(source):
                for defined in _DEFINED.findall(text):
                    found.setdefault(defined, set()).add(name)
        return found

    def supply(self, names: Iterable[str]) -> bool:
        """Compiles what defines these names, and all that it needs of the kernel. False: nothing more defines them."""
        with locked(self.folder):
            members = set(self.so_far())
            defining = self.defining()
            more = {name for one in names for name in defining.get(one, ())} - members
            if not more:
                return False
            while more:
                members |= more
                self._note(members)
                compile_more(self.folder, " ".join(sorted(more)), self.activity)
                more = {name for one in self._undefined(more) for name in defining.get(one, ())} - members
            self.pack()
        return True

    def note_all(self) -> None:
        """After a build of the whole kernel."""
        self._note(self.objects)

    def _note(self, members: Iterable[str]) -> None:
        write_if_changed(self._list, json.dumps(sorted(members), indent=1))

    def link(self, image: Path, compile_image: Callable[[Supply], None]) -> None:
        """Builds an image in the folder `image` with the archive, by `compile_image`, which is given `supply`."""
        compile_image(self.supply)
        if self._complete(image):
            compile_image(self.supply)

    def _complete(self, image: Path) -> bool:
        """After a link: compiles what the image's objects and those of the rooms refer to besides. False: there is no
        more of that."""
        others = [path for folder in (image, self.folder) for path in _objects(folder) if _LIBRARY not in str(path)]
        members = [self.folder / name for name in self.so_far()]
        return self.supply(self._undefined([*others, *members]))

    def _undefined(self, objects: Iterable[str | Path]) -> set[str]:
        """Names that these objects refer to, not weakly: also those that others of them define, as a process's parts
        and the kernel's may have the same."""
        command = [f"{self.tools}nm", "--extern-only", "--format=posix", *sorted(map(str, objects))]
        done = children.run(command, cwd=self.folder)
        rows = (line.split() for line in done.stdout.splitlines() if not line.endswith(":"))
        return {row[0] for row in rows if len(row) > 1 and row[1] == "U"}

    def pack(self) -> None:
        """Makes the archive, when an object is newer or another one belongs to it."""
        members = self.so_far()
        paths = [self.folder / name for name in members]
        listed = self.archive.with_suffix(".txt")
        text = "\n".join(members)
        if self.archive.exists() and listed.exists() and files.read_text(listed) == text:
            made = self.archive.stat().st_mtime_ns
            if all(path.stat().st_mtime_ns < made for path in paths):
                return
        self.archive.parent.mkdir(exist_ok=True)
        fresh = self.archive.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        done = children.run([f"{self.tools}ar", "qcsD", fresh, *paths])
        if done.returncode != 0:
            refuse_full(self.activity, self.folder, done.stderr)
            raise UserError(f"{self.activity} failed: {done.stderr.strip()}", "run the same command again")
        fresh.replace(self.archive)  # whole at any time: another process may link with it
        files.write_whole(listed, text)


def _objects(folder: Path) -> Iterable[Path]:
    return [path for pattern in ("*.o", "*.obj") for path in folder.rglob(pattern)]


def _texts(source: Path) -> Iterable[str]:
    text = files.read_text(source)
    if not source.name.startswith(_UNITY):
        return [text]
    return [files.read_text(Path(path)) for path in _INCLUDED.findall(text)]
