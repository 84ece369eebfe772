# SPDX-License-Identifier: Apache-2.0
"""A queue with priorities in front of a node's link, so that the server's packets, which say how urgent they are, go
before what other programs send (seed 002, 6.3; docs/decisions/0022-reflect-server.md, Marks)."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

from takt.support import children

Run = Callable[[list[str]], "subprocess.CompletedProcess[str]"]

CHOSEN = "pfifo_fast"  # every Linux has it; the first of its bands is for priority 6, the last for 2
BY_PRIORITY = (CHOSEN, "prio")
USUAL = ("noqueue", "mq", "fq_codel", "fq", "pfifo", "noop")  # of the system: nobody chose them for this interface


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return children.run(command)


def _interface(address: str, run: Run) -> dict[str, Any] | None:
    links: list[dict[str, Any]] = json.loads(run(["ip", "-json", "address", "show"]).stdout or "[]")
    for link in links:
        if any(one.get("local") == address for one in link.get("addr_info", [])):
            return link
    return None


def _kind(name: str, run: Run) -> str:
    """Of the queue in front of the interface."""
    queues: list[dict[str, Any]] = json.loads(run(["tc", "-json", "qdisc", "show", "dev", name]).stdout or "[]")
    return next((str(queue["kind"]) for queue in queues if queue.get("root")), "noqueue")


def install(address: str, run: Run = _run) -> str:
    """Sees to it that packets of the interface with that address go by their priority, unless somebody chose another
    queue for it. What became of it, in a sentence; nothing that fails here keeps a server from running."""
    link = _interface(address, run)
    if link is None:
        return f"no queue with priorities: no interface has the address {address}"
    name = str(link["ifname"])
    if "LOOPBACK" in link.get("flags", []):
        return f"no queue with priorities: {address} is of this machine itself"
    kind = _kind(name, run)
    if kind in BY_PRIORITY:
        return f"packets on {name} go by their priority ({kind})"
    if kind not in USUAL:
        return f"no queue with priorities on {name}: it has one that somebody chose, {kind}"
    done = run(["tc", "qdisc", "replace", "dev", name, "root", CHOSEN])
    if done.returncode != 0:
        why = (done.stderr.strip() or "tc refuses").splitlines()[-1]
        return f"no queue with priorities on {name}: {why}; run it as root, or with CAP_NET_ADMIN"
    return f"packets on {name} go by their priority from now on (`tc qdisc del dev {name} root` ends that)"
