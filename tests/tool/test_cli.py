# SPDX-License-Identifier: Apache-2.0
"""The command line: every command of the list is there, and listing them loads none."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest
from takt import cli
from takt.support.provision import ROOT

LOADED = """
import sys
from takt import cli
cli.main(["--help"])
assert not [name for name in sys.modules if name.startswith(("takt.declare", "takt.prove", "takt.commands", "numpy"))]
"""


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_of_the_list_is_there(name: str) -> None:
    context = click.Context(cli.cli)
    command = cli.cli.get_command(context, name)
    assert command is not None
    assert command.name == name
    assert command.get_short_help_str()
    assert cli.cli.get_command(context, f"{name}s") is None


def test_help_loads_no_command() -> None:
    """It takes no longer than the reader needs to let go of the key."""
    environment = {"PYTHONPATH": str(ROOT / "tools"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([sys.executable, "-c", LOADED], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(f"  {name} " in done.stdout for name in cli.COMMANDS)
