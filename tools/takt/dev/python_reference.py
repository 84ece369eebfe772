# SPDX-License-Identifier: Apache-2.0
"""docs/reference/python.md: what of the Python package programs of others may use. Read from its syntax."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from takt.support.errors import UserError
from takt.support.files import read_text
from takt.support.provision import ROOT
from takt.support.tables import wrapped

PUBLIC: dict[str, tuple[str, ...]] = {
    "takt.reflect.areas": ("Writer", "Reader", "Value", "Area", "areas", "now_ns", "AreaError"),
    "takt.trace.segments": ("read",),
    "takt.trace.records": ("Trace", "Entry", "Event", "Names", "Budget", "columns"),
    "takt.observe.plants": ("Plant",),
    "takt.support.errors": ("UserError",),
}
"""All that is public, by module. The rest of the package may change in any version."""
EXAMPLES = ROOT / "docs" / "examples" / "python"
_HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by `takt docs` from tools/takt and docs/examples/python: do not edit. -->
# Python

These names are for programs of others; the rest of the package may change in any version. A program has the folder
`tools` on its path (`PYTHONPATH=tools`) and runs with the Python of `.venv`. Reports of commands for programs are JSON:
[json.md](../json.md).
"""


def page() -> str:
    """The page. UserError: a public name is not there, or has no text."""
    parts = [_HEAD.rstrip()]
    for module, names in PUBLIC.items():
        tree = _tree(module)
        parts.append(f"## {module}")
        parts += _text(ast.get_docstring(tree) or "")
        for name in names:
            parts += _entry(_definition(tree, name, module), module)
        parts += _example(module)
    return wrapped("\n\n".join(parts)) + "\n"


def _tree(module: str) -> ast.Module:
    return ast.parse(read_text(ROOT / "tools" / Path(*module.split(".")).with_suffix(".py")))


def _definition(tree: ast.Module, name: str, module: str) -> ast.ClassDef | ast.FunctionDef:
    """A class or function of a module, or of the module that it imports it from. UserError: there is none."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            return node
        if isinstance(node, ast.ImportFrom) and node.module and name in [one.name for one in node.names]:
            return _definition(_tree(node.module), name, node.module)
    raise UserError(f"{module}: no class or function {name}", "PUBLIC of takt.dev.python_reference")


def _entry(node: ast.ClassDef | ast.FunctionDef, module: str) -> Iterator[str]:
    text = ast.get_docstring(node)
    if not text and not _is_error(node):
        raise UserError(f"{module}.{node.name}: public, but it has no docstring", "add one")
    yield f"### {node.name}"
    yield f"```python\n{_shape(node)}\n```"
    yield from _text(text or "")
    if isinstance(node, ast.ClassDef):
        rows = [_method(one, module, node.name) for one in node.body if isinstance(one, ast.FunctionDef)]
        listed = [row for row in rows if row]
        if listed:
            yield "| method | what it does |\n|---|---|\n" + "\n".join(listed)


def _is_error(node: ast.AST) -> bool:
    return isinstance(node, ast.ClassDef) and node.name.endswith("Error")


def _shape(node: ast.ClassDef | ast.FunctionDef) -> str:
    if isinstance(node, ast.FunctionDef):
        returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        return f"def {node.name}({ast.unparse(node.args)}){returns}"
    bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
    lines = [f"class {node.name}{bases}:"]
    lines += [f"    {ast.unparse(one)}" for one in node.body if isinstance(one, ast.AnnAssign | ast.Assign)]
    return "\n".join(lines) if len(lines) > 1 else f"{lines[0]} ..."


def _method(node: ast.FunctionDef, module: str, owner: str) -> str:
    """A row; "" for what is private. What is only declared, as of a protocol, may be without a text."""
    name = owner if node.name == "__init__" else node.name
    if name.startswith("_"):
        return ""
    text = ast.get_docstring(node)
    declared = ast.unparse(node.body[-1]) == "..."
    if not text and not declared and node.name != "__init__":
        raise UserError(f"{module}.{owner}.{node.name}: public, but it has no docstring", "add one")
    arguments = [one.arg for one in node.args.args[1:]]
    kept = ast.unparse(node.args).split(", ", 1)[1] if arguments else ""
    property_ = any(ast.unparse(one) == "property" for one in node.decorator_list)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns and node.name != "__init__" else ""
    call = name if property_ else f"{name}({kept})"
    said = " ".join((text or "").split()).replace("|", "\\|")
    return f"| `{call}{returns}`".replace("|", "\\|").replace("\\|", "|", 1) + f" | {said} |"


def _text(docstring: str) -> Iterator[str]:
    """Paragraphs; one that is code, as its lines show, as code."""
    for part in docstring.strip().split("\n\n"):
        lines = part.split("\n")
        code = any(line.startswith(("    ", "with ", "while ", "for ")) for line in lines)
        yield f"```python\n{part}\n```" if code else " ".join(line.strip() for line in lines)


def _example(module: str) -> Iterator[str]:
    path = EXAMPLES / f"{module.rpartition('.')[2]}.py"
    if not path.exists():
        return
    yield f"### Example of {module}"
    yield f"[{path.name}](../examples/python/{path.name}):"
    yield "```python\n" + read_text(path).split("\n", 1)[1].strip() + "\n```"
    yield "It prints:"
    yield "```\n" + read_text(path.with_suffix(".txt")).strip() + "\n```"
