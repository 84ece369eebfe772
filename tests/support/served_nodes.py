# SPDX-License-Identifier: Apache-2.0
"""A declaration of two nodes with channels between: what tests of `takt reflectd` share."""

from __future__ import annotations

from pathlib import Path

NODE = 'rate = "1 Gbit/s"\nsend = "20 us"\nreceive = "20 us"\nwake = "500 us"\n'
CHANNEL = (
    '[[channel]]\nname = "{name}"\nwriter = "plant"\nreader = "station"\nkind = "{kind}"\nsize = {size}\n'
    'period = "{period}"\n{more}\n'
)


def declared(folder: Path, *, plant: str = "", station: str = "", more: str = "") -> Path:
    nodes = f'[[node]]\nname = "plant"\n{NODE}{plant}\n[[node]]\nname = "station"\n{NODE}{station}\n'
    pose = CHANNEL.format(name="pose", kind="monitor", size=24, period="1 ms", more='deadline = "20 ms"')
    views = "".join(
        CHANNEL.format(name=name, kind="media", size=3000, period="5 ms", more='deadline = "30 ms"\ngroup = "view"')
        for name in ("north", "south")
    )
    path = folder / "system.toml"
    path.write_text(nodes + pose + views + more, encoding="utf-8")
    return path
