# SPDX-License-Identifier: Apache-2.0
"""`takt generate`: writes the constant tables of a system, and says what is in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from takt.commands.verdict import state_lines
from takt.declare import services
from takt.declare.schema import service_calls
from takt.image import generate
from takt.prove import proof as prove
from takt.prove.proof import Proved
from takt.support import console
from takt.support.errors import UserError
from takt.support.files import generated, shown_path
from takt.support.options import application, board_option, json_option, proof_options


def calls(proved: Proved) -> dict[str, list[str]]:
    """The calls of takt_app.h by object, of every object."""
    return {
        item.name: [call.name(item) for call in service_calls.of(service.calls, item)]
        for service, _, item in services.objects(proved.system)
    }


def document(proved: Proved, folder: Path, digest: str) -> dict[str, Any]:
    """The document of `takt generate --json`."""
    kinds, found = services.object_kinds(proved.system), calls(proved)
    proof = proved.as_json()
    return {
        "files": [str(folder / name) for name in generate.FILES],
        "hash": digest,
        "board": proved.board.name,
        **{key: proof[key] for key in ("feasible", "verdict", "scheduler", "bands")},
        "tasks": [
            {"name": task.name, "entry": entry, "stack_bytes": task.stack}
            for task, entry in zip(
                proved.system.tasks, generate.entries(proved.system, proved.board).values(), strict=True
            )
        ],
        "objects": [{"name": name, "kind": kinds[name], "calls": found[name]} for name in kinds],
        "states": proof["states"],
    }


def say(proved: Proved, folder: Path, digest: str) -> None:
    """The same for people."""
    system = proved.system
    source, header = (shown_path(folder / name) for name in generate.FILES)
    kinds = list(services.object_kinds(system).values())
    parts = [f"{len(system.tasks)} task{'s' * (len(system.tasks) != 1)}"]
    parts += [f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)]
    of = f"for {proved.board.name}, scheduler {proved.choice.scheduler}, preset {system.preset}"
    click.echo(f"{source}: {', '.join(parts)}; {of}; hash {digest}")
    names = [name for found in calls(proved).values() for name in found]
    click.echo(f"{header}: {'calls ' + ', '.join(names) if names else 'names of tasks and objects'}")
    for line in state_lines(proved):
        click.echo(line)
    click.echo(prove.verdict_line(proved))
    if not proved.feasible:
        click.echo("Of what is not proved nothing is promised, the depth of state messages included.")


def add_command(cli: click.Group) -> None:
    @cli.command(name="generate")
    @application
    @proof_options
    @board_option
    @click.option(
        "--output", "-o", metavar="DIR", type=click.Path(path_type=Path), help="Where to: the application's folder."
    )
    @json_option
    def command(
        application: str | None,
        scheduler: str | None,
        overheads: str,
        board: str | None,
        output: Path | None,
        as_json: bool,
    ) -> int:
        """Write the constant tables, system.c and takt_app.h, for a build of your own.

        Also for what is not proved: of that they promise nothing, and say so.
        """
        from takt.declare import declaration

        system = declaration.with_board(declaration.load(declaration.find(application)), board)
        proved = prove.prove(system, scheduler, left_out=overheads == "none")
        folder = output if output is not None else proved.system.path.resolve().parent
        for path in (folder / name for name in generate.FILES):
            if path.exists() and not generated(path):
                problem = f"{shown_path(path)} is there, and was not generated: it would be lost"
                raise UserError(problem, "another folder (--output), or another name for it")
        digest = generate.generate_proved(proved, folder)
        if as_json:
            console.print_json(document(proved, folder, digest))
        else:
            say(proved, folder, digest)
        return 0
