# SPDX-License-Identifier: Apache-2.0
"""What the C of a protected system refuses, where only the compiler knows."""

from __future__ import annotations

from pathlib import Path

from takt.declare import services
from takt.declare.declaration import load
from takt.support.c.kernel import PROCESS_MESSAGE_MAX

TEXT = """
[system]
protection = true

[[task]]
name = "a"
period = "10 ms"
wcet = "1 ms"

[[process]]
name = "p"
tasks = ["a"]

[[mailbox]]
name = "pictures"
type = "struct picture"
include = "picture.h"
capacity = 2
"""


def test_a_type_of_messages_is_no_longer_than_what_is_copied_at_once(tmp_path: Path) -> None:
    path = tmp_path / "system.toml"
    path.write_text(TEXT, encoding="utf-8")
    (tmp_path / "picture.h").write_text("struct picture { char bytes[300]; };\n", encoding="utf-8")
    for protection, limit in ((True, PROCESS_MESSAGE_MAX), (False, 0xFFFF)):
        said = "\n".join(services.declarations(load(path, protection)))
        assert f"_Static_assert(sizeof(struct picture) <= {limit}," in said
