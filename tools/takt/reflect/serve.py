# SPDX-License-Identifier: Apache-2.0
"""`takt reflectd`: the server of a node. Takes the place of the tool: the program is reflect/linux/server."""

from __future__ import annotations

import os
from pathlib import Path

import click

from takt.cli import application

PRIORITY = 50
PRIORITY_MAX = 95


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
            f'channels of "{node}" go to other machines, and have no keys', "takt reflect keys, then --keys"
        )
    found = {} if file is None else keys.read(Path(file), keys.of_node(plant, node))
    return plan.text(plant, results, node, found, priority)


@click.command()
@application
@click.option("--node", required=True, metavar="NODE", help="Which [[node]] this machine is.")
@click.option("--keys", "file", metavar="FILE", help="Keys of its channels, from `takt reflect keys`.")
@click.option(
    "--priority",
    type=click.IntRange(0, PRIORITY_MAX),
    default=PRIORITY,
    show_default=True,
    help="SCHED_FIFO priority of its threads, and three above; 0: as other programs.",
)
@click.option(
    "--queue", is_flag=True, help="A queue with priorities for the node's interface, if it has only the usual one."
)
def reflectd(application: str | None, node: str, file: str | None, priority: int, queue: bool) -> None:
    """Run the server of a node: what is written here is sent to readers elsewhere, and what is written there is
    received. It serves until SIGTERM or SIGINT."""
    from takt.support import compile, provision

    text = plan_of(application, node, file, priority)
    program = compile.host_program("reflectd")
    if queue:
        from takt.reflect import admit, plan
        from takt.reflect import queue as queues

        provision.require("link")
        click.echo(f"takt: {queues.install(plan.node_named(admit.load(application), node).address)}", err=True)
    give(text)
    os.execv(program, [str(program)])


def add_command(cli: click.Group) -> None:
    cli.add_command(reflectd)
