# SPDX-License-Identifier: Apache-2.0
"""A priority queue in front of a node's link: what is installed, and what it makes of the server's marks."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from takt.reflect import serve
from takt.reflect.serve import Run
from takt.support import provision

ADDRESS = "10.77.1.1"
MAKE = f"""set -e
ip link set lo up
ip link add wire type veth peer name other
ip address add {ADDRESS}/24 dev wire
ip link set wire up
ip link set other up
echo made
exec cat
"""


def possible() -> bool:
    """Whether this machine lets us have a network of our own."""
    try:
        return subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@contextmanager
def network() -> Iterator[Run]:
    """One of its own, with an interface that has the address; it ends with the process that holds it."""
    provision.require("link")
    with subprocess.Popen(
        ["unshare", "--net", "sh", "-c", MAKE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "made\n"

        def run(command: list[str]) -> subprocess.CompletedProcess[str]:
            inside = ["nsenter", f"--target={holder.pid}", "--net", "--", *command]
            return subprocess.run(inside, capture_output=True, text=True, check=False)

        try:
            yield run
        finally:
            assert holder.stdin is not None
            holder.stdin.close()


def root(run: Run) -> dict[str, Any]:
    """The queue in front of the interface."""
    queues: list[dict[str, Any]] = json.loads(run(["tc", "-json", "qdisc", "show", "dev", "wire"]).stdout)
    return next(one for one in queues if one.get("root"))


@pytest.mark.skipif(not possible(), reason="no network of our own here")
def test_packets_go_by_their_priority() -> None:
    with network() as run:
        assert serve.install(ADDRESS, run).startswith("wire now sends packets by their priority")
        bands = root(run)["options"]["priomap"]
        assert [bands[priority] for priority in (6, 0, 2)] == [0, 1, 2]  # as threads.c marks packets
        assert serve.install(ADDRESS, run) == "wire sends packets by their priority (pfifo_fast)"
        run(["tc", "qdisc", "replace", "dev", "wire", "root", "tbf", "rate", "1mbit", "burst", "3000", "limit", "9000"])
        words = "no priority queue on wire: it is configured with another one, tbf"
        assert serve.install(ADDRESS, run) == words
        assert serve.install("127.0.0.1", run) == "no priority queue: 127.0.0.1 is a loopback address"
        assert serve.install("10.77.1.9", run) == "no priority queue: no network interface has the address 10.77.1.9"


def test_it_is_not_permitted() -> None:
    link = [{"ifname": "eth0", "flags": ["UP"], "addr_info": [{"local": ADDRESS}]}]

    def run(command: list[str]) -> subprocess.CompletedProcess[str]:
        if command[0] == "ip":
            return subprocess.CompletedProcess(command, 0, json.dumps(link), "")
        if "show" in command:
            return subprocess.CompletedProcess(command, 0, '[{"kind": "fq_codel", "root": true}]', "")
        return subprocess.CompletedProcess(command, 2, "", "RTNETLINK answers: Operation not permitted\n")

    assert serve.install(ADDRESS, run) == (
        "no priority queue on eth0: RTNETLINK answers: Operation not permitted; run it as root, or with CAP_NET_ADMIN"
    )
