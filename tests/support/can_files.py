# SPDX-License-Identifier: Apache-2.0
"""Files that describe the messages of a bus, written for a test or by others."""

from __future__ import annotations

import importlib.util
import json
import random
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from command_line import Said
from takt.support import provision
from takt.support.provision import ROOT

SYSTEM_BUS = """
[[can]]
name = "body"
bitrate = "500 kbit/s"
[[message]]
name = "lamp"
bus = "body"
sender = "attitude"
bytes = 8
id = 0x100
deadline = "10 ms"
[[can]]
name = "fast"
bitrate = "1 Mbit/s"
scheduler = "mts"
[[message]]
name = "angle"
bus = "fast"
from = "gyro"
bytes = 8
id = "auto"
period = "2 ms"
[[chain]]
name = "flow"
path = ["attitude", "control"]
age = "1 s"
"""
"""Of a system.toml that has a task attitude."""


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def document(said: Said) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said.out)
    return found


def spoilt(text: str | bytes, seed: int, pieces: bytes = b'"; :@|,09.-BO_\n\\', most: int = 20) -> bytes:
    """With a few places of up to `most` bytes deleted, replaced or filled with bytes of `pieces`."""
    chance = random.Random(seed)
    data = bytearray(text if isinstance(text, bytes) else text.encode())
    for _ in range(chance.randint(1, 4)):
        at, count = chance.randrange(len(data)), chance.randint(0, most)
        data[at : at + count] = bytes(chance.choice(pieces) for _ in range(chance.randint(0, min(most, 5))))
    return bytes(data)


def judged(said: Said, seed: int | str) -> int:
    """The exit code: a verdict, or one message and nothing else."""
    assert said.code in (0, 1, 2), f"{seed}: {said.err}"
    assert (said.err.count("try: ") == 1) == (said.code == 2), f"seed {seed}: {said.err}"
    assert said.code != 2 or said.out == "", f"seed {seed}: {said.out}"
    return said.code


def compiled(source: str, program: Path) -> Path:
    """A program of net/can with all of its frames and buses."""
    net = ROOT / "net" / "can"
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}", f"-I{net / 'include'}"]
    sources = map(str, sorted((net / "src").glob("*.c")))
    subprocess.run(["gcc", *flags, str(ROOT / source), *sources, "-o", str(program)], check=True)
    return program


def decoded_levels(vcd: Path) -> Iterator[tuple[int, str, int, int]]:
    """Identifier, data, check and stuff bits of each frame, as sigrok's decoder sees them in the levels."""
    command = ["sigrok-cli", "-i", str(vcd), "-I", "vcd:downsample=100", "-P", "can:can_rx=can:nominal_bitrate=500000"]
    classes = "sof:eof:id:full-id:data:dlc:stuff-bit:crc-sequence:warnings"
    done = subprocess.run([*command, "-A", f"can={classes}"], capture_output=True, text=True, check=True)
    for text in done.stdout.split("Start of frame")[1:]:
        if "End of frame" not in text:
            continue
        identifier = re.findall(r"(?:Full|can-1:) Identifier: \d+ \(0x([0-9a-fA-F]+)\)", text)[-1]
        data = "".join(f"{int(one, 16):02x}" for one in re.findall(r"Data byte \d+: 0x([0-9a-f]+)", text))
        check = re.findall(r"CRC-15 sequence: 0x([0-9a-f]+)", text)[0]
        assert "arning" not in text
        yield int(identifier, 16), data, int(check, 16), len(re.findall(r"^can-1: [01]$", text, re.MULTILINE))


def cantools_source(folder: Path) -> list[Path]:
    """The DBC, KCD, SYM and ARXML files of the source package of cantools, of the version that tools/requirements pins
    with its hash. It is unpacked in `folder`."""
    lock = (provision.LOCKS / "can.lock").read_text()
    pinned = re.search(r"^cantools==(?:.*\\\n)+.*", lock, re.MULTILINE)
    assert pinned is not None
    wanted = folder / "cantools.lock"
    wanted.write_text(pinned[0] + "\n")
    options = ["--no-deps", "--no-binary", "cantools", "--require-hashes", "-r", str(wanted), "-d", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", "download", *options], check=True)
    (package,) = folder.glob("cantools-*.tar.gz")
    with tarfile.open(package) as archive:
        archive.extractall(folder, filter="data")
    suffixes = (".dbc", ".kcd", ".sym", ".arxml")
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in suffixes and path.is_file())


def opendbc() -> list[Path]:
    """The DBC files of the package, which is installed when it is first asked for."""
    provision.require_python("dbc")
    found = importlib.util.find_spec("opendbc")
    assert found is not None
    assert found.submodule_search_locations is not None
    return sorted(Path(found.submodule_search_locations[0]).rglob("*.dbc"))
