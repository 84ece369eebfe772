# SPDX-License-Identifier: Apache-2.0
"""Keys of channels: a file for each node with the keys of its channels, and no others. Who has it may write what that
node writes, and read what it reads."""

from __future__ import annotations

import os
import secrets
import stat
import tomllib
from dataclasses import dataclass
from pathlib import Path

from takt.errors import UserError
from takt.files import shown_path
from takt.reflect.declared import Channel, Plant

KEY_BYTES = 32  # TAKT_SEAL_KEY
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
    return {channel.name: Keys(*(secrets.token_hex(KEY_BYTES) for _ in _DIRECTIONS)) for channel in plant.channels}


def make(plant: Plant, folder: Path) -> list[Path]:
    """Writes new keys for all channels, a file for each node that has some. UserError: one is there already."""
    keys = new(plant)
    nodes = [node.name for node in plant.nodes if of_node(plant, node.name)]
    paths = [path_of(folder, node) for node in nodes]
    for path in paths:
        if path.exists() or path.is_symlink():
            raise UserError(f"{shown_path(path)}: there are keys already", "another folder, or remove it first")
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    try:
        for node, path in zip(nodes, paths, strict=True):
            _write(path, node, {channel.name: keys[channel.name] for channel in of_node(plant, node)})
            written.append(path)
    except OSError:
        for path in written:
            path.unlink(missing_ok=True)
        raise
    return paths


def _write(path: Path, node: str, keys: dict[str, Keys]) -> None:
    lines = [f'# Keys of the channels of node "{node}". Only its server may read them.']
    for name, key in keys.items():
        lines += ["", f"[{name}]", *(f'{direction} = "{getattr(key, direction)}"' for direction in _DIRECTIONS)]
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def read(path: Path, wanted: tuple[Channel, ...]) -> dict[str, Keys]:
    """The keys of those channels. UserError: the file may be read by others, or lacks one."""
    name = shown_path(path)
    try:
        text = path.read_bytes()
        mode = path.stat().st_mode
    except OSError as error:
        raise UserError(f"{name}: cannot be read: {error.strerror}", "takt reflect keys APP --to FOLDER") from None
    if stat.S_IMODE(mode) & 0o077:
        raise UserError(f"{name}: others may read it", f"chmod 600 {name}")
    try:
        document = tomllib.loads(text.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{name}: no file of keys: {error}", "takt reflect keys APP --to FOLDER") from None
    return {channel.name: _key(name, channel.name, document.get(channel.name)) for channel in wanted}


def _key(name: str, channel: str, table: object) -> Keys:
    if not isinstance(table, dict):
        raise UserError(
            f"{name}: no key of channel {channel}", "new keys for all nodes: takt reflect keys APP --to FOLDER"
        )
    if set(table) != set(_DIRECTIONS):
        raise UserError(f"{name}: [{channel}]: to_reader and to_writer are what has to be there", "its file, unchanged")
    for direction in _DIRECTIONS:
        key = table[direction]
        if not isinstance(key, str) or len(key) != 2 * KEY_BYTES or not _is_hex(key):
            raise UserError(f"{name}: [{channel}]: {direction} is no key of {KEY_BYTES} bytes", "its file, unchanged")
    return Keys(table["to_reader"], table["to_writer"])


def _is_hex(text: str) -> bool:
    return all(character in "0123456789abcdef" for character in text)
