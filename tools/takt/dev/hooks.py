# SPDX-License-Identifier: Apache-2.0
"""`takt test --install-hooks`: git runs the fast part of the tests before each commit (.pre-commit-config.yaml)."""

from __future__ import annotations

import sys

from takt.dev.counts import run_command
from takt.support import provision
from takt.support.errors import UserError
from takt.support.provision import ROOT

LOCK = "commit"


def install() -> int:
    """Installs pre-commit into .venv and its hook into this clone. Returns the exit code of pre-commit."""
    if not (ROOT / ".git").exists():
        raise UserError(
            f"{ROOT} is not a git clone: it has no .git", "clone it with git, and run the same command there"
        )
    provision.require("test")
    provision.require_python(LOCK)
    return 1 if run_command([sys.executable, "-m", "pre_commit", "install"]) else 0
