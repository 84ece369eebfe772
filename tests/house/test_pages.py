# SPDX-License-Identifier: Apache-2.0
"""Links of our pages lead to a file and, where they name one, to a heading of it, and paths that they name are there;
docs/index.md lists every page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"\[[^]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
PATH = re.compile(r"`((?:[\w.-]+/)+[\w.*-]*)`")  # from the root, a file or a folder
CODE = re.compile(r"^```[\s\S]*?^```$|^(?: {4}.*\n)+", re.MULTILINE)


def pages() -> list[Path]:
    """At the root, and all of docs/."""
    return [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]


def prose(page: Path) -> str:
    """A page without its code."""
    return CODE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """Of the headings, as GitHub makes them."""
    titles = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower() for title in HEADING.findall(prose(page)))
    return {re.sub(r"[^\w\- ]", "", title).strip().replace(" ", "-") for title in titles}


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """Links to our own files: the file and the heading in it, or an empty one."""
    for link in LINK.findall(prose(page)):
        if not re.match(r"[a-z]+:", link):
            path, _, anchor = link.partition("#")
            yield ((page.parent / path).resolve() if path else page, anchor)


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


@pytest.mark.parametrize("page", pages(), ids=relative)
def test_links_lead_somewhere(page: Path) -> None:
    wrong = [
        f"{relative(path)}#{anchor}"
        for path, anchor in links(page)
        if not path.exists() or (anchor and anchor not in anchors(path))
    ]
    assert wrong == []


def test_the_index_lists_every_page() -> None:
    listed = [path for path, anchor in links(DOCS / "index.md") if not anchor]
    assert [relative(path) for path in pages() if path not in listed and path != DOCS / "index.md"] == []
    assert [relative(path) for path in listed if listed.count(path) > 1] == []


def test_readers_find_the_index() -> None:
    for name in ("README.md", "ARCHITECTURE.md"):
        reached = [path for path, _ in links(ROOT / name)]
        assert {DOCS / "index.md", DOCS / "terms.md", ROOT / "CONTRIBUTING.md"} <= set(reached), name


@pytest.mark.parametrize("page", [page for page in pages() if page.name != "CHANGELOG.md"], ids=relative)
def test_paths_that_a_page_names_are_there(page: Path) -> None:
    """Not those with a part in capitals, such as boards/NAME/board.toml, nor those of a folder that is not ours."""
    tops = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"build"}
    named = {path for path in PATH.findall(page.read_text(encoding="utf-8")) if path.partition("/")[0] in tops}
    real = {path for path in named if not any(re.match(r"[A-Z]+(?![a-z])", part) for part in path.split("/"))}
    assert [path for path in sorted(real) if not any(ROOT.glob(path.rstrip("/")))] == []
