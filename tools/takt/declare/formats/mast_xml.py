# SPDX-License-Identifier: Apache-2.0
"""Models of MAST as XML: the objects that the text of the same model has. Its elements are the types of the text."""

from __future__ import annotations

from takt.declare.exchange.model import Source, quoted
from takt.declare.formats.mast_text import Group, Object, Value, Word
from takt.declare.formats.xml_tree import Node

_KINDS = {
    "_processor": "processing_resource",
    "_network": "processing_resource",
    "_scheduling_server": "scheduling_server",
    "_scheduler": "scheduler",
    "_resource": "shared_resource",
    "_operation": "operation",
    "_transmission": "operation",
    "_transaction": "transaction",
}
_LISTS = ("shared_resources_list", "shared_resources_to_lock", "shared_resources_to_unlock", "operation_list")
# Elements in an object, by the end of their name: the argument of the text that they are, and whether that is a list.
_INNER = {
    "_external_event": ("external_events", True),
    "regular_event": ("internal_events", True),
    "_scheduler": ("policy", False),
    "_policy": ("server_sched_parameters", False),
    "srp_parameters": ("synchronization_parameters", False),
    "_system_timer": ("system_timer", False),
    "overridden_fixed_priority": ("new_sched_parameters", False),
    "overridden_permanent_fp": ("new_sched_parameters", False),
}
_TYPES = {"ticker_system_timer": "ticker", "alarm_clock_system_timer": "alarm_clock", "edf_scheduler": "edf"}
_WHOLE = ("_policy", "_scheduler", "_processor", "_network", "_resource", "_parameters")  # types with their ending


def is_root(root: Node) -> bool:
    return root.name.upper() == "MAST_MODEL"


def objects(source: Source, root: Node) -> list[Object]:
    """The objects of the model."""
    found = []
    for node in root.children:
        name = node.name.lower()
        kind = next((kind for end, kind in _KINDS.items() if name.endswith(end)), None)
        if kind is None:
            source.fail(node.line, f"not MAST: unknown element {quoted(node.name)}", "Simple_Operation, ...")
        found.append(Object(kind, node.line, _group(node)))
    return found


def _type(node: Node) -> str:
    """The type as the text names it: Simple_Operation is simple, Periodic_External_Event periodic."""
    name = node.name.lower()
    if name in _TYPES:
        return _TYPES[name]
    if name == "fixed_priority_scheduler":
        return "fixed_priority"
    if name.endswith(_WHOLE):
        return name
    for end in ("_external_event", "_operation", "_event", "_scheduling_server", "_transaction"):
        name = name.removesuffix(end)
    return name


def _group(node: Node) -> Group:
    group = Group(node.line, {"type": Word(node.line, _type(node))})
    for key, text in node.attributes.items():
        name = {"event": "name", "average_case_execution_time": "avg_case_execution_time"}.get(key.lower(), key.lower())
        group.named[name] = Word(node.line, text)
    if node.name.lower().endswith("_transaction"):
        _transaction(node, group)
        return group
    for child in node.children:
        key, value = _argument(child)
        if key == "timing_requirements" and key in group.named:
            _add(group, key, value)
        else:
            group.named[key] = value
    return group


def _argument(node: Node) -> tuple[str, Value]:
    """A child of an object: the name of the argument, and its value."""
    name = node.name.lower()
    if name in _LISTS:
        key = "composite_operation_list" if name == "operation_list" else name
        words: list[Value] = [Word(node.line, word) for word in node.text.split()]
        return key, Group(node.line, values=words)
    for end, (key, _) in _INNER.items():
        if name.endswith(end):
            return key, _group(node)
    if "deadline" in name or name.endswith(("_ratio", "_req", "_requirement")):
        return "timing_requirements", _group(node)
    return name, _group(node)  # nothing that is known: it is listed


def _transaction(node: Node, group: Group) -> None:
    for child in node.children:
        key = next((key for end, (key, many) in _INNER.items() if many and child.name.lower().endswith(end)), None)
        _add(group, key or "event_handlers", _group(child))


def _add(group: Group, key: str, value: Value) -> None:
    """To a list of groups."""
    listed = group.named.get(key)
    if not isinstance(listed, Group) or not listed.values:
        first = [] if listed is None else [listed]
        listed = group.named[key] = Group(value.line, values=first)
    listed.values.append(value)
