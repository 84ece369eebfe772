# SPDX-License-Identifier: Apache-2.0
"""Sizes of a declaration: a product has a limit, and all of them fit into the board, before anything is built."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import Takt
from takt.declare import declaration, tables
from takt.declare.schema import boards
from takt.prove import board_memory
from takt.support.errors import UserError
from takt.support.provision import ROOT

TASK = '[[task]]\nname = "a"\nperiod = "10 ms"\nwcet = "1 us"\n'
OTHER = TASK.replace('"a"', '"b"')
PRODUCTS = {
    "mailbox": ("message_size", 65535, "capacity", 65535),
    "ring": ("item_size", 65535, "capacity", 65535),
    "slot": ("message_size", 65512, "capacity", 65535),
    "priority_mailbox": ("message_size", 65512, "capacity", 65535),
    "signal_pool": ("data_size", 65488, "count", 65535),
    "pool": ("block_size", 65528, "count", 65535),
}
ACTORS = {"ring": 'writer = "a"\nreader = "b"\n', "slot": 'owner = "a"\n'}


def declared(folder: Path, text: str, head: str = "") -> Path:
    path = folder / "system.toml"
    path.write_text(f"[system]\n{head}\n{TASK}{OTHER}{text}", encoding="utf-8")
    return path


def objects(table: str, size: int, count: int, name: str = "x") -> str:
    one, _, other, _ = PRODUCTS[table]
    return f'[[{table}]]\nname = "{name}"\n{one} = {size}\n{other} = {count}\n{ACTORS.get(table, "")}'


@pytest.mark.parametrize("table", PRODUCTS)
def test_the_product_of_size_and_number_is_limited(tmp_path: Path, table: str) -> None:
    one, size, other, count = PRODUCTS[table]
    with pytest.raises(UserError) as raised:
        declaration.load(declared(tmp_path, objects(table, size, count)))
    assert f'system.toml:11: [[{table}]] "x": {one} = {size}, {other} = {count}: ' in str(raised.value)
    assert "at most 16777216 (16 MiB) are possible\n  try: " in str(raised.value)
    declaration.load(declared(tmp_path, objects(table, 8, count)))


def test_what_takes_memory_is_counted() -> None:
    """A new key of a table that may be large is counted here, or named as one that takes no memory."""
    counted = {
        *((table, key) for table, (one, _, other, _) in PRODUCTS.items() for key in (one, other)),
        *(("state", key) for key in ("message_size", "depth")),
        *(("process", key) for key in ("memory", "buffers")),
        *(("task", "stack"), ("pipe", "capacity"), ("shared", "size"), ("system", "heap"), ("process", "heap")),
    }
    none = {
        ("semaphore", "initial"),
        ("semaphore", "maximum"),
        ("state", "writes"),
        ("slot", "important"),
        ("events", "trigger_flags"),
        ("pipe", "trigger_bytes"),
        ("device", "base"),
        ("device", "size"),
        ("interrupt", "stack"),  # it becomes a task
        ("alarm", "stack"),  # likewise
        ("process", "constructors_stack"),  # likewise
        ("console", "input"),  # it becomes a pipe
        ("console", "rate"),
        ("message", "queue"),  # it becomes a mailbox
        ("can", "drift"),
    }
    large = set()
    for table in (one for one in tables.TABLES if one.name not in ("node", "channel")):
        for key in table.keys:
            most = re.match(r"integer -?\d+ to (\d+)|size$", key.kind.name)
            if most and int(most[1] or 1 << 12) >= 1 << 12:
                large.add((table.name, key.name))
    assert large - counted - none == set()


@pytest.mark.parametrize("command", ["check", "build", "run", "report"])
def test_more_than_the_board_has_is_refused_with_the_largest(takt: Takt, tmp_path: Path, command: str) -> None:
    many = objects("mailbox", 1000, 4000, "one") + objects("pool", 800, 700, "two")
    said = takt(command, declared(tmp_path, many))
    assert said.code == 2
    assert "and mps2-an385 has 4194304 bytes of RAM" in said.err
    assert (
        '[[mailbox]] "one" with 4000000 bytes (message_size = 1000, capacity = 4000), [[pool]] "two" with' in said.err
    )
    assert takt("check", tmp_path, "--board", "host").code == 0


@pytest.mark.parametrize("protected", [False, True])
def test_of_a_heap_that_does_not_fit_the_largest_is_said(takt: Takt, tmp_path: Path, protected: bool) -> None:
    key, size = 'heap = "SIZE"\n', '"8 MiB"'
    process = f'[[process]]\nname = "p"\ntasks = ["a", "b"]\n{key if protected else ""}'
    text, head = process if protected else "", "protection = true" if protected else key
    said = takt("check", declared(tmp_path, text.replace('"SIZE"', size), head.replace('"SIZE"', size)))
    assert said.code == 2
    of = '[[process]] "p"' if protected else "[system]"
    assert f"the largest: {of} with 8388608 bytes (heap = 8388608)" in said.err
    (fits,) = re.findall(rf'try: heap = "(\d+) bytes" at most in {re.escape(of)}, or use another board', said.err)
    for size, code in ((f'"{fits} bytes"', 0), (f'"{int(fits) + 8} bytes"', 2)):
        found = takt("check", declared(tmp_path, text.replace('"SIZE"', size), head.replace('"SIZE"', size)))
        assert found.code == code, found.err


def test_many_objects_are_too_many_for_the_host_too(takt: Takt, tmp_path: Path) -> None:
    many = "".join(objects("pool", 8000, 2000, f"p{number}") for number in range(17))
    said = takt("check", declared(tmp_path, many, 'board = "host"'))
    assert said.code == 2
    assert "at most 268435456 are possible" in said.err


def test_stacks_of_a_cooperative_system_are_one(tmp_path: Path) -> None:
    tasks = "".join(f"{TASK.replace(chr(34) + 'a', chr(34) + 't' + str(n))}stack = 1048576\n" for n in range(5))
    system, board = declaration.load(declared(tmp_path, tasks)), boards.load("mps2-an385")
    board_memory.refuse(system, board, cooperative=True)
    with pytest.raises(UserError, match='"t0" with 1048576 bytes'):
        board_memory.refuse(system, board, cooperative=False)


def test_a_channels_product_is_limited(tmp_path: Path) -> None:
    text = (ROOT / "apps" / "plant" / "system.toml").read_text(encoding="utf-8")
    path = tmp_path / "system.toml"
    path.write_text(re.sub(r"(?m)^size = .*$", "size = 67108864\ndepth = 4096", text, count=1), encoding="utf-8")
    with pytest.raises(UserError, match="depth 4096: 274877906944 bytes"):
        declaration.load(path)
