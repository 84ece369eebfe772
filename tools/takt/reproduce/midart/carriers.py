# SPDX-License-Identifier: Apache-2.0
"""What carries values between the nodes, each in its settings, and the programs in benchmarks/midart that do it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from takt.reproduce.midart import ours
from takt.reproduce.midart.nodes import PROGRAMS
from takt.support.provision import ROOT

SOURCE = ROOT / "benchmarks" / "midart"
LOCK = "midart"
PYTHON = "/usr/bin/python3"  # any version: Zenoh's package is for all


@dataclass(frozen=True)
class Carrier:
    """`command`: on a node, before the arguments of node.c. `queues`: by setting, which of nodes.QUEUES the link has:
    bands only help if packets are marked. `settle_s`: until writers and readers have found each other. `served`: each
    node has a server of ours (ours.py)."""

    name: str
    command: tuple[str, ...]
    queues: dict[str, str]
    settle_s: float
    package: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    served: bool = False

    def version(self) -> str:
        return importlib.metadata.version(self.package) if self.package else ""


CARRIERS = {
    carrier.name: carrier
    for carrier in (
        Carrier(
            "takt",
            (f"{PROGRAMS}/area",),
            {"default": "fifo", "best": "bands"},
            1.5,
            environment={"TAKT_REFLECT_FOLDER": ours.FOLDER},
            served=True,
        ),
        Carrier("udp", (f"{PROGRAMS}/udp",), {"default": "fifo", "best": "bands"}, 1.5),
        Carrier("cyclone", (f"{PROGRAMS}/cyclone",), {"default": "fifo", "best": "fifo"}, 2.0, "cyclonedds"),
        Carrier(
            "zenoh",
            (PYTHON, "-S", f"{PROGRAMS}/zenoh_node.py"),
            {"default": "fifo", "priorities": "fifo", "best": "bands"},
            4.0,
            "eclipse-zenoh",
            {"PYTHONPATH": f"{PROGRAMS}/site"},
        ),
    )
}
"""A carrier more is a program with the arguments of node.c, and a line here."""


@dataclass(frozen=True)
class Configuration:
    """A carrier in one of its settings."""

    carrier: Carrier
    setting: str

    @property
    def queue(self) -> str:
        return self.carrier.queues[self.setting]


def configurations(names: tuple[str, ...] = (), settings: tuple[str, ...] = ()) -> list[Configuration]:
    """All, or those of some carriers, in some settings."""
    return [
        Configuration(carrier, setting)
        for name, carrier in CARRIERS.items()
        if not names or name in names
        for setting in carrier.queues
        if not settings or setting in settings
    ]


def _package(module: str) -> Path:
    found = importlib.util.find_spec(module)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent


def build(names: tuple[str, ...] = ()) -> Path:
    """The folder of programs that nodes see. UserError: a compiler or a peer cannot be had here."""
    from takt.support import provision
    from takt.support.compile import BUILD, compile_project, host_program, locked

    provision.require("host", "link")
    server = host_program("reflectd")
    packaged = any(CARRIERS[name].package for name in names or CARRIERS)
    if packaged:
        provision.require_python(LOCK)
    folder = BUILD / ("midart" if packaged else "midart-alone")
    settings = {"CMAKE_BUILD_TYPE": "Release"}
    settings["CYCLONE"] = str(_package("cyclonedds") / ".libs" / "libddsc.so") if packaged else ""
    with locked(folder):
        compile_project(SOURCE, folder, settings, "building benchmarks/midart", "carriers")
        shutil.copy(SOURCE / "zenoh_node.py", folder)
        shutil.copy(server, folder)
        site = folder / "site" / "zenoh"
        if packaged and not site.exists():
            shutil.copytree(_package("zenoh"), site)
    return folder
