# SPDX-License-Identifier: Apache-2.0
"""Words that the field does not use stay out of identifiers, names of files, messages and headings.

Looked at: every tracked text, taken apart by tests/support/words.py. Docstrings, the texts of `--help`, the `why` of
mutants and the values of TOML count as messages. Words of EVERYWHERE are looked for in all of the text, comments and
paragraphs included, except in quotes.

Words of ROOM_WORDS are looked for only in identifiers and names of files of the rooms in ROOMS.

Not looked at: comments and paragraphs for `who`, which is right of a person, and for `place`; `what`, which has uses
that are right; words inside another word. In files that are neither C, SystemVerilog, JavaScript, Python nor TOML an
identifier is found only if it holds an underscore. Names that were replaced one by one: test_names.py.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from house.test_files import LEFT_OUT, ROOT
from words import FILE_NAME, HEADING, IDENTIFIER, MESSAGE, parts, pieces

# Word: what to write in its place.
WORDS = {
    "heats": "tournament, group",
    "who": "a task (a reader, a node ...) that",
    "whoever": "a task (a reader, a node ...) that",
    "told": "reported, traced, notified; a command is sent",
    "instant": "time, expiry, release",
    "instants": "times, expiries, releases",
}
EVERYWHERE = ("heats", "whoever", "told", "instant", "instants")  # a comment or paragraph has a better word, too
ROOM_WORDS = dict.fromkeys(("place", "places"), "index, position, slot, copy, entry, address, location")
_KERNEL = ("config", "core", "include", "jobs", "observe", "process", "sync", "time")
_OTHERS = (
    "apps",
    "base",
    "boards",
    "chips",
    "hardware/rtl",
    "hardware/soc",
    "net",
    "ports",
    "reflect",
    "runner",
    "tools/takt",
)
ROOMS = tuple(f"{room}/" for room in (*(f"kernel/{room}" for room in _KERNEL), *_OTHERS))
ALL_WORDS = {**WORDS, **ROOM_WORDS}

# Whole pieces in which a word may occur: (file, kind, text of the piece, reason); kind ALL: the whole file.
ALL = "all of it"
EXCEPTIONS = (
    ("tests/house/test_words.py", ALL, "", "names the words, and uses each of them as a test"),
    ("tests/house/test_names.py", ALL, "", "names identifiers that were replaced"),
    ("tests/mutants/house.toml", ALL, "", "puts words into files, so that the test finds them"),
    ("tools/takt/reflect/admit.py", MESSAGE, "told", "key of takt reflect admit --json: keys are stable"),
    ("tools/takt/report/process_figures.py", IDENTIFIER, "places", "key of takt check --json: keys are stable"),
    ("tools/takt/report/advice.py", IDENTIFIER, "from_places", "key of takt check --json: keys are stable"),
    ("tools/takt/report/advice.py", IDENTIFIER, "to_places", "key of takt check --json: keys are stable"),
    ("tests/reflect/test_reflectd.py", MESSAGE, "told", "key of takt reflect admit --json: keys are stable"),
)
_WORDS = "|".join((*WORDS, *ROOM_WORDS))
_MAYBE = re.compile(rf"(?<![A-Za-z])(?i:{_WORDS})(?![a-z])|(?:{_WORDS.title()})(?![a-z])")  # a text without is fine


def texts() -> dict[str, str]:
    """Every file of ours that is a text, by its path from the root."""
    found = {}
    for folder, names, leaves in os.walk(ROOT):
        names[:] = [name for name in names if name not in LEFT_OUT]
        for path in (Path(folder) / leaf for leaf in leaves):
            content = path.read_bytes()
            if b"\0" not in content:
                found[str(path.relative_to(ROOT))] = content.decode("utf-8", errors="replace")
    return found


def banned(name: str, kind: str) -> set[str]:
    """The words that a piece of that kind may not have in a file of that name."""
    in_room = name.startswith(ROOMS) and kind in (IDENTIFIER, FILE_NAME)
    return {*WORDS, *(ROOM_WORDS if in_room else ())}


def found(name: str, text: str) -> list[str]:
    """What of a file has a word that it may not have: its line, kind, word and the piece."""
    if not _MAYBE.search(f"{name}\n{text}"):
        return []
    excepted = {(kind, piece) for path, kind, piece, _ in EXCEPTIONS if path == name}
    if (ALL, "") in excepted:
        return []
    bad = {
        (piece.line, word): f"{piece.kind} with {word!r} ({ALL_WORDS[word]}): {piece.text[:80]}"
        for piece in pieces(name, text)
        if (piece.kind, piece.text) not in excepted
        for word in banned(name, piece.kind) & set(parts(piece.text))
    }
    for number, line in enumerate(text.split("\n"), 1):
        plain = re.sub(r"`[^`]*`|\"[^\"]*\"", "", line).lower()  # what is quoted is a name
        for word in re.findall(rf"\b({'|'.join(EVERYWHERE)})\b", plain):
            bad.setdefault((number, word), f"text with {word!r} ({WORDS[word]})")
    return [f"{name}:{line}: {what}" for (line, _), what in sorted(bad.items())]


def test_no_word_of_our_own_is_used() -> None:
    bad = {name: found(name, text) for name, text in texts().items()}
    assert [line for lines in bad.values() for line in lines] == []


@pytest.mark.parametrize(
    ("name", "text", "line", "kind"),
    [
        ("a.c", "int a;\nvoid note(char who);\n", 2, IDENTIFIER),
        ("a.c", "/* fine */ struct x { bool isTold; };", 1, IDENTIFIER),
        ("a.c", "/* of test_who_waits */", 1, IDENTIFIER),
        ("a.c", '\n\nfail("who waits is blocked");', 3, MESSAGE),
        ("a.h", "#define TAKT_FIRST_INSTANT 1", 1, IDENTIFIER),
        ("a.sv", "logic told_i; // fine", 1, IDENTIFIER),
        ("a.js", "const a = 1;\nlet b = `${a} instants`;", 2, MESSAGE),
        ("a.py", "def told() -> None: ...\n", 1, IDENTIFIER),
        ("a.py", "x = f(1, who=2)\n", 1, IDENTIFIER),
        ("a.py", "x = f'{told} at'\n", 1, IDENTIFIER),
        ("a.py", "x = f'{a} is told'\n", 1, MESSAGE),
        ("a.py", 'def f() -> None:\n    """Who waits."""\n', 2, MESSAGE),
        ("a.py", "from takt.reflect.told import x\n", 1, IDENTIFIER),
        ("a.toml", 'file = "x"\nwhy = "who waits waits"\n', 2, MESSAGE),
        ("a.toml", "instants = 3\n", 1, IDENTIFIER),
        ("a.json", '{"who": 1}', 1, MESSAGE),
        ("a.md", "Fine.\n\n## What is told\n", 3, HEADING),
        ("a.md", "A line on `note_told`.", 1, IDENTIFIER),
        ("kernel/core/a.h", "unsigned place_of(void);", 1, IDENTIFIER),
        ("tools/takt/a.py", "x = [place for place in y]\n", 1, IDENTIFIER),
        ("reflect/core/places.c", "", 0, FILE_NAME),
        ("tests/told.c", "", 0, FILE_NAME),
        ("docs/when-instants-meet.md", "", 0, FILE_NAME),
    ],
)
def test_a_word_is_found_where_it_is_used(name: str, text: str, line: int, kind: str) -> None:
    (only,) = found(name, text)
    assert only.startswith(f"{name}:{line}: {kind} with ")


@pytest.mark.parametrize(
    "text", ["/* Whoever waits. */", "// of heats", "int a; // It is told.", "/* At an Instant. */"]
)
def test_some_words_are_found_in_comments(text: str) -> None:
    (only,) = found("a.c", text)
    assert only.startswith("a.c:1: text with ")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.c", '/* A user who reads the `told` of "instants". */ int whole, instantly, untold;'),
        ("a.c", 'puts("whole, instantly");'),
        ("a.py", "# who asks\nx = whole\n"),
        ("a.md", "A user who reads `told`.\n\n```\n# who\n```\n"),
        ("kernel/core/a.h", '/* In place of a place. */ int replaced, placed; char *a = "a place";'),
        ("kernel/test/a.c", "unsigned place;"),
        ("tests/whole.c", ""),
    ],
)
def test_plain_english_is_not_found(name: str, text: str) -> None:
    assert found(name, text) == []


def test_an_exception_is_of_a_whole_piece_of_one_file() -> None:
    path = "tests/reflect/test_reflectd.py"
    assert found(path, 'x["told"]\n') == []
    assert len(found(path, 'x["told so"]\n')) == len(found(path, "told\n")) == len(found("a.py", 'x["told"]\n')) == 1
    assert found("tests/house/test_names.py", "told\n") == []


def test_every_exception_is_needed() -> None:
    """An exception that its file does not use is deleted."""
    for path, kind, piece, reason in EXCEPTIONS:
        parts_of = pieces(path, (ROOT / path).read_text(encoding="utf-8"))
        used = [part for part in parts_of if kind == ALL or (part.kind, part.text) == (kind, piece)]
        assert any(banned(path, part.kind) & set(parts(part.text)) for part in used), reason


def test_all_kinds_of_files_are_searched() -> None:
    wanted = {"takt", "CHANGELOG.md", "kernel/core/kernel.h", "tests/mutants/waits.toml", "hardware/rtl/rtm.sv"}
    assert wanted | {"benchmarks/measured/calls.json", "tools/takt/report/assets/timeline.js"} <= texts().keys()


def test_names_are_taken_apart() -> None:
    assert parts("takt_XMLWho2told-at/isInstant.c") == ["takt", "xml", "who", "told", "at", "is", "instant", "c"]
