# SPDX-License-Identifier: Apache-2.0
"""`takt reflect list` and `info`: areas of this machine, as a table, as JSON, and as OpenMetrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from takt.support.options import json_option

if TYPE_CHECKING:
    from takt.reflect.areas import Area

METRICS = {  # name: type, unit, what it is, field of the document
    "takt_area_values": ("counter", "", "Values that its writer has written.", "values"),
    "takt_area_size_bytes": ("gauge", "bytes", "Most bytes of a value.", "size"),
    "takt_area_depth": ("gauge", "", "Values that it holds.", "depth"),
    "takt_area_age_seconds": ("gauge", "seconds", "Time since its newest value was written.", "age_ns"),
}


def row(area: Area, now_ns: int) -> dict[str, Any]:
    """What `--json` has of an area."""
    return {
        "name": area.name,
        "writer": area.writer,
        "size": area.size,
        "depth": area.depth,
        "values": area.newest,
        "age_ns": now_ns - area.time_ns if area.newest else None,
    }


def metrics(rows: list[dict[str, Any]]) -> str:
    """The rows as OpenMetrics text (openmetrics.io, 1.0)."""
    lines = []
    for name, (kind, unit, words, field) in METRICS.items():
        lines += [f"# TYPE {name} {kind}", *([f"# UNIT {name} {unit}"] if unit else []), f"# HELP {name} {words}"]
        for found in rows:
            value = found[field]
            if value is not None:
                shown = f"{value / 1e9:.9f}" if field == "age_ns" else value
                lines.append(f'{name}{"_total" if kind == "counter" else ""}{{area="{found["name"]}"}} {shown}')
    return "\n".join([*lines, "# EOF"]) + "\n"


STATE_METRICS = {  # name: type, what it is, fields of the state (docs/json.md) that are its rows
    "takt_node_packets": ("counter", "Packets by outcome; docs/json.md explains the outcomes.", "counters"),
    "takt_channel_sent": ("counter", "Sequence number of the value of a channel that was sent last.", "senders"),
    "takt_channel_received": (
        "counter",
        "Sequence number of the value of a channel that was received last.",
        "receivers",
    ),
}


def state_metrics(state: dict[str, Any]) -> str:
    """What a server says as OpenMetrics text."""
    lines = []
    for name, (kind, words, field) in STATE_METRICS.items():
        lines += [f"# TYPE {name} {kind}", f"# HELP {name} {words}"]
        rows = (
            [(f'what="{outcome}"', count) for outcome, count in state["counters"].items()]
            if field == "counters"
            else [(f'channel="{row["name"]}"', row["number"]) for row in state[field]]
        )
        lines += [f'{name}_total{{node="{state["node"]}",{label}}} {count}' for label, count in rows]
    return "\n".join([*lines, "# EOF"]) + "\n"


def state_text(state: dict[str, Any]) -> str:
    """What a server says, for reading."""
    priority = "with" if state["real_time"] else "without"
    lines = [f"{state['node']}: process {state['process']}, {priority} real-time priority"]
    for row in state["senders"]:
        writer = f"written by process {row['writer']}" if row["writer"] else "without a writer"
        if row["unfit"]:
            writer = f"its writer has values of {row['unfit']} bytes, not of the declared size"
        to = "not admitted" if not row["admitted"] else "subscribed" if row["subscribed"] else "without a subscriber"
        to = to if row["started"] else "stopped here"
        lines.append(f"  {row['name']}, sent: {to}, {writer}, {row['number']} values")
    for row in state["receivers"]:
        lines.append(f"  {row['name']}, received: {row['phase']}{refusal_text(row['refusal'])}, {row['number']} values")
    counts = [f"{count} {name}" for name, count in state["counters"].items() if count]
    return "\n".join([*lines, f"  {', '.join(counts) or 'no packets yet'}"])


def refusal_text(refusal: dict[str, Any] | None) -> str:
    """Why a writer's node does not send it."""
    from takt.support.c.admission import Inequality

    if refusal is None:
        return ""
    if refusal["verdict"] == "withheld":
        return " (its writer's node has stopped it)"
    if refusal["verdict"] == "unfit":
        return f" (the writer has values of {refusal['left']} bytes, the reader of {refusal['right']})"
    failed = Inequality(refusal["inequality"]).name.lower()
    return f" ({failed}: {refusal['left']} ns, more than {refusal['right']} ns)"


def age(found: dict[str, Any]) -> str:
    return "no value yet" if found["age_ns"] is None else f"{found['age_ns'] / 1e6:.3f} ms"


def _rows(names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Of those names, or of all. UserError: one has no writer."""
    from takt.reflect import areas
    from takt.support.errors import UserError, did_you_mean
    from takt.support.names import shown

    found = {area.name: area for area in areas.areas()}
    for name in names:
        if name not in found:
            hint = did_you_mean(name, found) or f"takt reflect pub {shown(name)} 1"
            raise UserError(f'no process writes "{shown(name)}"', hint)
    now_ns = areas.now_ns()
    return [row(found[name], now_ns) for name in (names or found)]


def add_command(group: click.Group) -> None:
    @group.command(name="list")
    @json_option
    def list_(as_json: bool) -> None:
        """List the areas of this machine that have a writer."""
        from takt.support import console
        from takt.support.tables import Table

        rows = _rows(())
        if as_json:
            console.print_json({"areas": rows})
        elif not rows:
            click.echo("no process writes an area of this user")
        else:
            heads = ["area", "writer", "bytes", "depth", "values", "newest, ms ago"]
            cells = [
                [*(found[key] for key in ("name", "writer", "size", "depth", "values")), _ms(found)] for found in rows
            ]
            click.echo(Table("Areas", heads, cells).text())

    @group.command()
    @click.argument("names", nargs=-1, metavar="[AREA]...")
    @click.option("--openmetrics", is_flag=True, help="Print OpenMetrics text, for Prometheus and others.")
    @click.option(
        "--node", metavar="NODE", help="Print the channels and packets of the server of a node on this machine."
    )
    @json_option
    def info(names: tuple[str, ...], openmetrics: bool, node: str | None, as_json: bool) -> None:
        """Print details of areas, all or those that are named; or of a server's channels."""
        from takt.support import console
        from takt.support.errors import UserError

        if openmetrics and as_json:
            raise UserError("--openmetrics and --json exclude each other", "only one of the two")
        if node is not None:
            if names:
                raise UserError("areas and --node exclude each other", "only one of the two")
            _show_state(node, openmetrics, as_json)
            return
        rows = _rows(names)
        if openmetrics:
            click.echo(metrics(rows), nl=False)
        elif as_json:
            console.print_json({"areas": rows})
        else:
            for found in rows:
                click.echo(
                    f"{found['name']}: written by process {found['writer']}, {found['values']} values of up to"
                    f" {found['size']} bytes, the last {found['depth']} of them kept; newest: {age(found)}"
                )


def _show_state(node: str, openmetrics: bool, as_json: bool) -> None:
    from takt.reflect import server
    from takt.support import console

    state = server.state(node)
    if openmetrics:
        click.echo(state_metrics(state), nl=False)
    elif as_json:
        console.print_json(state)
    else:
        click.echo(state_text(state))


def _ms(found: dict[str, Any]) -> str | None:
    return None if found["age_ns"] is None else f"{found['age_ns'] / 1e6:.1f}"
