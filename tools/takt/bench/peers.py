# SPDX-License-Identifier: Apache-2.0
"""Others' source from a package registry, fetched once, checked against its hash, kept in build/."""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from takt.support import children, console
from takt.support.compile import BUILD, locked
from takt.support.errors import UserError
from takt.support.files import write_whole
from takt.support.provision import require

FOLDER = BUILD / "peers"


@dataclass(frozen=True)
class Crate:
    """A Rust package; `source`: the folder in it that is wanted, "": all of it."""

    name: str
    version: str
    sha256: str
    source: str


FREERTOS = Crate(
    "freertos-next",
    "0.12.0",  # FreeRTOS V11.2.0
    "b7824fb42660c16e1b3b573eef99c2fe5c5cba6294a631c309084635f6bfcbb0",
    "FreeRTOS-Kernel",
)
# Codecs and a cipher of benchmarks/rtm: C sources that these packages carry.
GSM = Crate("gsm-sys", "0.0.2", "c1563848f92f081879d3d4b9d18f01d45b9d207fcd64774d5687a8e8df9148d4", "libgsm")
SPANDSP = Crate(
    "spandsp-sys", "0.2.4", "c1ea12db036bb0e434b236fc97f0db8fa37ac2f49c7dca8674cf3ecfa399588f", "vendor/src"
)
MONOCYPHER = Crate(
    "monocypher-sys",
    "4.0.2",
    "dc11b58afcc9e7b8dc05ae2a2050b5a7a368ba1155bc0f9b1ad81ccedf5f1c96",
    "Monocypher/src",
)
RTRB = Crate("rtrb", "0.4.1", "5974e397833d890f2f74963408e0d4a6cd8eda2f6a445ae06750291b5d7a997e", "")


def fetch(crate: Crate) -> Path:
    """The folder of the crate's `source`. UserError: no cargo, no network, or not the file that it should be."""
    folder = FOLDER / f"{crate.name}-{crate.version}"
    with locked(FOLDER):
        if not folder.exists():
            require("peers")
            archive = _download(crate)
            digest = hashlib.sha256(archive.read_bytes()).hexdigest()
            if digest != crate.sha256:
                raise UserError(f"{archive}: SHA-256 {digest}, not {crate.sha256}", f"rm {archive}")
            unpacked = FOLDER / "unpacked"
            shutil.rmtree(unpacked, ignore_errors=True)
            shutil.unpack_archive(archive, unpacked, "gztar")
            (unpacked / folder.name).rename(folder)
    return folder / crate.source


def build(project: Path) -> Path:
    """The static library of a Cargo project of ours, of the packages that its Cargo.lock names. UserError: it cannot be
    built here."""
    require("host", "crates")
    folder = FOLDER / project.name
    with locked(folder), console.doing(f"building {project.name}/peer.rs (cargo)"):
        command = ["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", str(folder)]
        done = children.run(command, cwd=project)
    if done.returncode != 0:
        raise UserError(f"cargo could not build the peer\n{done.stderr.strip()}", "--no-peer measures without it")
    return folder / "release" / "libpeer.a"


def _download(crate: Crate) -> Path:
    """The package's file, through cargo: its settings (a mirror, a proxy) and its cache are the user's."""
    project = FOLDER / "fetch" / crate.name
    (project / "src").mkdir(parents=True, exist_ok=True)
    (project / "src" / "lib.rs").touch()
    write_whole(
        project / "Cargo.toml",
        f'[package]\nname = "fetch"\nversion = "0.0.0"\n[dependencies]\n{crate.name} = "={crate.version}"\n',
    )
    with console.doing(f"fetching {crate.name} {crate.version}"):
        command = ["cargo", "fetch", "--quiet"]
        done = children.run(command, cwd=project)
    if done.returncode != 0:
        raise UserError(f"cargo could not fetch {crate.name}\n{done.stderr.strip()}", "--no-peers measures without it")
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    found = sorted(home.glob(f"registry/cache/*/{crate.name}-{crate.version}.crate"))
    if not found:
        raise UserError(f"cargo fetched {crate.name}, but it is not in {home}", "--no-peers measures without it")
    return found[-1]
