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
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from takt.support import children, files
from takt.support.compile import Supply, compile_more, locked, refuse_full
from takt.support.errors import UserError
from takt.support.files import write_if_changed

_LIBRARY = "takt_kernel.dir/"  # of CMake, in the paths of its objects
_DEFINED = re.compile(r"^(?!static |extern (?!inline )|typedef )\w[^\n;]*?\b(takti?_\w+)\s*[(\[=;]", re.MULTILINE)
_INCLUDED = re.compile(r'^#include "(\S+)"', re.MULTILINE)
_SYMBOL = re.compile(r"^(.*): (takti?_\w+) (\w)(?: |$)", re.MULTILINE)  # of nm
_UNITY = "unity_"  # a file of CMake's that includes those of a group

_Symbols = tuple[int, list[str], list[str]]
"""When an object was written, in ns; what it refers to and does not define; what it defines."""


@dataclass(frozen=True)
class Members:
    """`folder`: of a build of the rooms (takt.image.build.rooms). `tools`: prefix of ar and nm."""

    folder: Path
    tools: str
    activity: str
    asked: set[str] = field(default_factory=set)  # objects, of supply

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
            written = one["command"].partition(" -o ")[2].partition(" -c ")[0]
            if _LIBRARY in written and Path(one["file"]).exists():
                found[shlex.split(written)[0] if "\\" in written else written] = Path(one["file"])
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

    def supply(self, names: Collection[str]) -> bool:
        """Compiles what defines these names, and all that it needs of the kernel. False: nothing more defines them."""
        with locked(self.folder):
            members = set(self.so_far())
            defining = self.defining() if names else {}
            wanted = {name for one in names for name in defining.get(one, ())}
            if wanted <= self.asked:
                return False
            self.asked.update(wanted)  # also what another process has compiled since the link
            more = wanted - members
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
        """Names of ours that these objects refer to, not weakly, and none of them defines."""
        stamps = {}
        for path in (self.folder / one for one in objects):
            with suppress(FileNotFoundError):  # another process compiles what is no part of this image
                stamps[str(path)] = path.stat().st_mtime_ns
        found = self._symbols(stamps)
        undefined = {name for path in stamps for name in found[path][1]}
        return undefined - {name for path in stamps for name in found[path][2]}

    def _symbols(self, stamps: Mapping[str, int]) -> dict[str, _Symbols]:
        """Of objects, by when they were written; those of `folder`, which all images have, are read once."""
        kept = self.folder / "symbols.json"
        known: dict[str, _Symbols] = json.loads(files.read_text(kept)) if kept.exists() else {}
        unread = [path for path, stamp in sorted(stamps.items()) if path not in known or known[path][0] != stamp]
        if not unread:
            return known
        known |= {path: (stamps[path], [], []) for path in unread}
        done = children.run([f"{self.tools}nm", "-A", "--extern-only", "--format=posix", *unread])
        for path, name, kind in _SYMBOL.findall(done.stdout):
            if kind not in "wv":
                _, undefined, defined = known[path]
                (undefined if kind == "U" else defined).append(name)
        ours = {path: one for path, one in known.items() if Path(path).is_relative_to(self.folder)}
        if any(path in ours for path in unread):
            files.write_whole(kept, json.dumps(ours))
        return known

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
