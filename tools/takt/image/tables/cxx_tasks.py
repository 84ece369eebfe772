# SPDX-License-Identifier: Apache-2.0
"""What each task has in order to throw and catch exceptions of C++ (runner/cxx/exceptions.h)."""

from __future__ import annotations

from collections.abc import Iterator

from takt.declare.schema.model import System


def tables(system: System) -> Iterator[str]:
    """The rows in C: of tasks and threads, after one for what runs in none."""
    if system.build.cxx_library:
        count = len(system.tasks) + system.runtime_tasks + system.threads + 1
        yield '#include "runner/cxx/exceptions.h"'
        yield f"const unsigned takti_cxx_tasks = {count};"
        yield f"struct takti_cxx_globals takti_cxx_globals[{count}];"
        yield f"struct takti_cxx_reserve takti_cxx_reserves[{count}];"
