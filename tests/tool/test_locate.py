# SPDX-License-Identifier: Apache-2.0
"""The lines of a TOML text, whatever its shape."""

from __future__ import annotations

from takt.declare.schema import locate

TEXT = '''# a comment with [brackets] and "quotes"
title = "a = [b] # no comment"

[system]
board = 'host' # comment
"quoted key" = """
three
lines with "quotes" and \\""" inside"""
a.b.c = 1979-05-27

[[task]]
name = "x"
users = [ # inside an array
    {task = "a", hold = "1 us"},
    {task = "b",
     hold = "2 us"},
]

[[task]]
name = "y"
[task.inner]
key = [[1, 2], [3]]
"""
'''.replace('key = [[1, 2], [3]]\n"""\n', "key = [[1, 2],\n [3]]\nlast = '''\ntext'''''")


def test_lines() -> None:
    lines = locate.lines(TEXT)
    assert lines["title",] == 2
    assert lines["system",] == 4
    assert lines["system", "board"] == 5
    assert lines["system", "quoted key"] == 6
    assert lines["system", "a", "b", "c"] == 9
    assert lines["task", 0] == 11
    assert lines["task", 0, "users", 0, "hold"] == 14
    assert lines["task", 0, "users", 1, "task"] == 15
    assert lines["task", 0, "users", 1, "hold"] == 16
    assert lines["task", 1, "name"] == 20
    assert lines["task", 1, "inner"] == 21
    assert lines["task", 1, "inner", "key", 1, 0] == 23
    assert lines["task", 1, "inner", "last"] == 24


def test_windows_line_ends() -> None:
    assert locate.lines("a = 1\r\nb = 2\r\n") == {("a",): 1, ("b",): 2}
