# SPDX-License-Identifier: Apache-2.0
"""Keys of channels: a file for each node with the keys of its channels, and no others. A holder of the file may write
what that node writes, and read what it reads."""

from __future__ import annotations

import secrets
import stat
import tomllib
from dataclasses import dataclass
from pathlib import Path

from takt.declare.channels import Channel, Plant
from takt.declare.schema import locate
from takt.support import files
from takt.support.c.admission import SEAL_KEY
from takt.support.errors import UserError
from takt.support.files import shown_path

_DIRECTIONS = ("to_reader", "to_writer")


@dataclass(frozen=True)
class Keys:
    """Of one channel: for packets to its reader, and to its writer; hexadecimal."""

    to_reader: str
    to_writer: str


def path_of(folder: Path, node: str) -> Path:
    return folder / f"{node}.keys"


def of_node(plant: Plant, node: str) -> tuple[Channel, ...]:
    """The channels that a node writes or reads."""
    return tuple(channel for channel in plant.channels if node in (channel.writer, channel.reader))


def new(plant: Plant) -> dict[str, Keys]:
    """Keys of all channels that there never were."""
    return {channel.name: Keys(*(secrets.token_hex(SEAL_KEY) for _ in _DIRECTIONS)) for channel in plant.channels}


def make(plant: Plant, folder: Path) -> list[Path]:
    """Writes new keys for all channels, a file for each node that has some. UserError: one is there already."""
    keys = new(plant)
    nodes = [node.name for node in plant.nodes if of_node(plant, node.name)]
    paths = [path_of(folder, node) for node in nodes]
    for path in paths:
        if path.exists() or path.is_symlink():
            raise UserError(f"{shown_path(path)}: the file exists already", "another folder, or remove the file first")
    folder.mkdir(parents=True, exist_ok=True)
    texts = [_text(node, {channel.name: keys[channel.name] for channel in of_node(plant, node)}) for node in nodes]
    files.write_all(dict(zip(paths, texts, strict=True)), mode=0o600)
    return paths


def _text(node: str, keys: dict[str, Keys]) -> str:
    lines = [f'# Keys of the channels of node "{node}". Only its server may read them.']
    for name, key in keys.items():
        lines += ["", f"[{name}]", *(f'{direction} = "{getattr(key, direction)}"' for direction in _DIRECTIONS)]
    return "\n".join(lines) + "\n"


def read(path: Path, wanted: tuple[Channel, ...]) -> dict[str, Keys]:
    """The keys of those channels. UserError: the file may be read by others, or lacks one."""
    name = shown_path(path)
    text = files.read(path, files.TEXT_MAX, "takt reflect keys APP --to FOLDER")
    mode = path.stat().st_mode
    if stat.S_IMODE(mode) & 0o077:
        raise UserError(f"{name}: other users may read it", f"chmod 600 {name}")
    try:
        document = tomllib.loads(_bounded(text.decode("utf-8")))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{name}: not a file of keys: {error}", "takt reflect keys APP --to FOLDER") from None
    return {channel.name: _key(name, channel.name, document.get(channel.name)) for channel in wanted}


def _bounded(text: str) -> str:
    """TOMLDecodeError: it has more than a file of keys may."""
    found = locate.excess(text)
    if found is not None:
        raise tomllib.TOMLDecodeError(f"{found.problem} (at line {found.line})")
    return text


def _key(name: str, channel: str, table: object) -> Keys:
    if not isinstance(table, dict):
        raise UserError(
            f"{name}: no key of channel {channel}", "new keys for all nodes: takt reflect keys APP --to FOLDER"
        )
    if set(table) != set(_DIRECTIONS):
        raise UserError(
            f"{name}: [{channel}]: it must have the keys to_reader and to_writer, and no others",
            "the file as `takt reflect keys` wrote it",
        )
    for direction in _DIRECTIONS:
        key = table[direction]
        if not isinstance(key, str) or len(key) != 2 * SEAL_KEY or not _is_hex(key):
            raise UserError(
                f"{name}: [{channel}]: {direction} is not a key of {SEAL_KEY} bytes",
                "the file as `takt reflect keys` wrote it",
            )
    return Keys(table["to_reader"], table["to_writer"])


def _is_hex(text: str) -> bool:
    return all(character in "0123456789abcdef" for character in text)
