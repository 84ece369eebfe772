# SPDX-License-Identifier: Apache-2.0
"""Two nodes on this machine that share nothing but a link, for as long as a `with` lasts.

A node is namespaces of its own (network, mounts with their own /dev/shm, /tmp and /run, processes, IPC, name) without
names: they are those of a process that holds them, which ends when its standard input does. So they and all that runs
in them are gone after a kill too. Programs run as a user of the node's own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from takt.support import children
from takt.support.errors import UserError

ADDRESSES = {"a": "10.77.0.1", "b": "10.77.0.2"}
USERS = {"a": 61001, "b": 61002}  # of no name
LINK = "wire"
PROGRAMS, OUT = "/run/takt/programs", "/run/takt/out"
MEGABITS = 100
TCP = "cubic"  # the default of Linux; where it is not there, what all have
PRIORITY = 50  # under SCHED_FIFO
SHAPE = f"tbf rate {MEGABITS}mbit burst 3028 limit 1514000 overhead 24"
"""Two whole frames may follow each other at once, so that a late interrupt loses no rate; 1000 wait, as in front of a
network interface; 24 bytes of a frame the kernel does not count: checksum, preamble and gap."""
QUEUES = {"fifo": "pfifo limit 1000", "bands": "pfifo_fast"}
"""What waits for the link: one queue, or three bands by the packets' priority."""
_HOLD = f"""set -e
mount -t tmpfs none /run
mkdir -p {PROGRAMS} {OUT}
mount --bind "$TAKT_PROGRAMS" {PROGRAMS}
mount -o remount,bind,ro {PROGRAMS}
chown $TAKT_USER {OUT}
for folder in /tmp /dev/shm; do mount -t tmpfs none $folder; done
ip link set lo up
tcp=/proc/sys/net/ipv4/tcp_congestion_control
(echo {TCP} > $tcp) 2> /dev/null || echo reno > $tcp
read holder rest < /proc/self/stat
mount -t proc proc /proc
echo $holder
exec cat
"""


@dataclass(frozen=True)
class Node:
    """`holder`: the process whose namespaces they are, as seen from outside."""

    name: str
    holder: int
    realtime: bool

    @property
    def address(self) -> str:
        return ADDRESSES[self.name]

    @property
    def out(self) -> Path:
        """Where its programs write, as seen from outside."""
        return Path(f"/proc/{self.holder}/root{OUT}")

    def inside(self, command: Sequence[str]) -> list[str]:
        """The command that runs a command in it, as root."""
        return ["nsenter", f"--target={self.holder}", "--net", "--mount", "--pid", "--ipc", "--uts", "--", *command]

    def start(
        self, command: Sequence[str], environment: dict[str, str] | None = None, given: str = ""
    ) -> subprocess.Popen[str]:
        """A program of the node's, as its user; first in line for the processor where that is permitted. It ends when
        this process is ended. `given`: what it reads from its standard input."""
        user = USERS[self.name]
        rise = ["chrt", "--fifo", str(PRIORITY)] if self.realtime else []
        rights = [
            "-all",
            *(["+sys_nice", "+ipc_lock"] if self.realtime else []),
        ]  # to choose priorities, to lock memory
        drop = ["setpriv", "--pdeathsig=TERM"]  # a signal that ends this process, which only waits for it, ends it too
        drop += [f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        drop += [f"--{kind}-caps={','.join(rights)}" for kind in ("inh", "ambient")]
        with tempfile.TemporaryFile("w+") as file:
            file.write(given)
            file.seek(0)
            return subprocess.Popen(
                self.inside([*rise, *drop, "--", *command]),
                stdin=file,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="backslashreplace",
                env={"PATH": os.defpath, "HOME": OUT, **(environment or {})},
            )

    def network(self, *command: str) -> str:
        """What a command says that runs in its network alone, as root."""
        return _run(["nsenter", f"--target={self.holder}", "--net", "--", *command])

    def counters(self) -> dict[str, int]:
        """Of its end of the link: bytes and packets sent, and those that found no room in the queue."""
        found = json.loads(self.network("ip", "-json", "-stats", "link", "show", "dev", LINK))[0]["stats64"]["tx"]
        queues = json.loads(self.network("tc", "-json", "-s", "qdisc", "show", "dev", LINK))
        drops = max((queue.get("drops", 0) for queue in queues), default=0)
        return {"bytes": found["bytes"], "packets": found["packets"], "dropped": drops}

    def tcp(self) -> str:
        """What keeps TCP from congesting the link."""
        return self.network("cat", "/proc/sys/net/ipv4/tcp_congestion_control").strip()

    def queue(self, name: str) -> None:
        """Which of QUEUES waits for the link, from now on."""
        self.network("tc", "qdisc", "replace", "dev", LINK, "parent", "1:1", *QUEUES[name].split())


def _run(command: Sequence[str]) -> str:
    try:
        done = children.run(command)
    except FileNotFoundError as error:
        raise UserError(f"{error.filename} is missing") from None
    if done.returncode != 0:
        raise UserError(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def may_rise() -> bool:
    """Whether programs may be scheduled first in line (SCHED_FIFO)."""
    return children.run(["chrt", "--fifo", str(PRIORITY), "true"]).returncode == 0


def refuse_unless_possible() -> None:
    """UserError: no nodes can be made here."""
    if os.geteuid() != 0:
        raise UserError(
            "the two nodes are network namespaces, which only root may create (nothing outside them is changed)",
            "run the same command as root",
        )
    tried = children.run(["unshare", "--net", "--mount", "--pid", "--fork", "true"])
    if tried.returncode != 0:
        raise UserError(
            f"this machine refuses namespaces ({tried.stderr.strip()})",
            "run it outside the container, or in one with CAP_SYS_ADMIN and CAP_NET_ADMIN",
        )
    for tool in ("ip", "tc"):
        if shutil.which(tool) is None:
            raise UserError(f"{tool} is missing", "apt-get install --no-install-recommends iproute2")


@contextmanager
def _node(name: str, programs: Path, realtime: bool) -> Iterator[Node]:
    spaces = ["--net", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child=KILL"]
    environment = {"PATH": os.environ["PATH"], "TAKT_PROGRAMS": str(programs), "TAKT_USER": str(USERS[name])}
    with subprocess.Popen(
        ["unshare", *spaces, "sh", "-c", _HOLD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="backslashreplace",
        env=environment,
    ) as held:
        assert held.stdin is not None
        assert held.stdout is not None
        try:
            holder = held.stdout.readline().strip()
            if not holder:
                said = held.stderr.read().strip() if held.stderr else ""
                raise UserError(f"node {name} cannot be created: {said}")
            yield Node(name, int(holder), realtime)
        finally:
            held.stdin.close()


@contextmanager
def two(programs: Path) -> Iterator[dict[str, Node]]:
    """Nodes `a` and `b`; `programs` is the folder that both see, read only. UserError: they cannot be made."""
    refuse_unless_possible()
    realtime = may_rise()
    with ExitStack() as stack:
        nodes = {name: stack.enter_context(_node(name, programs, realtime)) for name in ADDRESSES}
        first, second = nodes["a"], nodes["b"]
        first.network("ip", "link", "add", LINK, "type", "veth", "peer", "name", LINK, "netns", str(second.holder))
        for node in nodes.values():
            node.network("ip", "address", "add", f"{node.address}/24", "dev", LINK)
            node.network("ip", "link", "set", LINK, "up")
            node.network("tc", "qdisc", "add", "dev", LINK, "root", "handle", "1:", *SHAPE.split())
            node.queue("fifo")
        yield nodes


def gone(node: Node, within_s: float = 5) -> bool:
    """Whether nothing holds it any more."""
    end = time.monotonic() + within_s
    while Path(f"/proc/{node.holder}").exists():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
