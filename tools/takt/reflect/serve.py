# SPDX-License-Identifier: Apache-2.0
"""`takt reflectd`: the server of a node. Replaces the tool by exec: the program is reflect/linux/server."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from takt.support import children
from takt.support.c.admission import PLAN_PRIORITY_MAX
from takt.support.options import application

PRIORITY = 50


def give(text: str) -> None:
    """The text is what the next program reads from its standard input."""
    descriptor = os.memfd_create("takt-plan")
    os.write(descriptor, text.encode())
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.dup2(descriptor, 0)
    os.close(descriptor)


def plan_of(application: str | None, node: str, file: str | None, priority: int) -> str:
    """The plan of a node's server. UserError: what is wrong with the declaration or the keys."""
    from takt.reflect import admit, keys, plan
    from takt.support.errors import UserError

    plant = admit.load(application)
    plan.node_named(plant, node)
    _, results = admit.judge(plant)
    for channel, result in zip(plant.channels, results, strict=True):
        if not result.fits and node == channel.writer:
            click.echo(f"takt: not sent: {admit.refusal(channel, result)}", err=True)
    if file is None and plan.needs_keys(plant, node):
        raise UserError(
            f'channels of "{node}" go to other machines, and have no keys',
            "run takt reflect keys, and give the file with --keys",
        )
    found = {} if file is None else keys.read(Path(file), keys.of_node(plant, node))
    return plan.text(plant, results, node, found, priority)


@click.command()
@application
@click.option("--node", required=True, metavar="NODE", help="The [[node]] of this machine.")
@click.option("--keys", "file", metavar="FILE", help="Keys of its channels, from `takt reflect keys`.")
@click.option(
    "--priority",
    type=click.IntRange(0, PLAN_PRIORITY_MAX),
    default=PRIORITY,
    show_default=True,
    help="Lowest SCHED_FIFO priority of its threads, which use this and the three above; 0: no real-time priority.",
)
@click.option(
    "--queue",
    is_flag=True,
    help="Install a priority queue on the node's network interface, unless it has another queue than the default.",
)
def reflectd(application: str | None, node: str, file: str | None, priority: int, queue: bool) -> None:
    """Run the server of a node, which sends values written here to other nodes and receives values written there.
    It runs until SIGTERM or SIGINT."""
    from takt.support import compile, provision

    text = plan_of(application, node, file, priority)
    program = compile.host_program("reflectd")
    if queue:
        from takt.reflect import admit, plan

        provision.require("link")
        click.echo(f"takt: {install(plan.node_named(admit.load(application), node).address)}", err=True)
    give(text)
    os.execv(program, [str(program)])


def add_command(cli: click.Group) -> None:
    cli.add_command(reflectd)


Run = Callable[[list[str]], "subprocess.CompletedProcess[str]"]
CHOSEN = "pfifo_fast"  # every Linux has it; the first of its bands is for priority 6, the last for 2
BY_PRIORITY = (CHOSEN, "prio")
# defaults of the system, not configured for this interface
USUAL = ("noqueue", "mq", "fq_codel", "fq", "pfifo", "noop")


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
        return f"no priority queue: no network interface has the address {address}"
    name = str(link["ifname"])
    if "LOOPBACK" in link.get("flags", []):
        return f"no priority queue: {address} is a loopback address"
    kind = _kind(name, run)
    if kind in BY_PRIORITY:
        return f"{name} sends packets by their priority ({kind})"
    if kind not in USUAL:
        return f"no priority queue on {name}: it is configured with another one, {kind}"
    done = run(["tc", "qdisc", "replace", "dev", name, "root", CHOSEN])
    if done.returncode != 0:
        why = (done.stderr.strip() or "tc refuses").splitlines()[-1]
        return f"no priority queue on {name}: {why}; run it as root, or with CAP_NET_ADMIN"
    return f"{name} now sends packets by their priority (`tc qdisc del dev {name} root` undoes that)"
