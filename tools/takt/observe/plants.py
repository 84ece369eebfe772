# SPDX-License-Identifier: Apache-2.0
"""The plant of an application: a Python file that plays the outside world in `takt run`.

Its code is the user's. Whatever it raises is a sentence with its name, what it prints is progress (standard error), and
what it returns is checked: nothing of it ends the command, or is taken for what it is not.
"""

from __future__ import annotations

import contextlib
import importlib.util
import math
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeVar

from takt.support import files
from takt.support.errors import UserError
from takt.support.names import line_of

EXCHANGE_MAX = 60_000  # bytes: a FIFO holds them, so that a write does not block
DEPTH_MAX = 20  # of what it reports
_CREATES = "create_plant(seed), which returns the plant"

Result = TypeVar("Result")


class Plant(Protocol):
    """What create_plant(seed) of a plant's file returns."""

    @property
    def finished(self) -> bool: ...

    def exchange(self, time_ns: int, transmitted: bytes) -> bytes: ...

    def report(self) -> dict[str, Any]: ...


class PlantError(Exception):
    """What a plant did wrong, in a sentence without a subject."""


class World:
    """A plant. Each call raises PlantError for whatever goes wrong in it."""

    def __init__(self, plant: Plant) -> None:
        self._plant = plant

    @property
    def finished(self) -> bool:
        return _guarded(lambda: bool(self._plant.finished), "finished")

    def exchange(self, time_ns: int, transmitted: bytes) -> bytes:
        """What it sends; at most EXCHANGE_MAX bytes."""
        data = _guarded(lambda: self._plant.exchange(time_ns, transmitted), "exchange()")
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise PlantError(f"exchange() returned {_kind(data)}, not bytes")
        if len(bytes(data)) > EXCHANGE_MAX:
            raise PlantError(f"exchange() returned {len(bytes(data))} bytes, more than {EXCHANGE_MAX}")
        return bytes(data)

    def report(self) -> dict[str, Any]:
        """As JSON has it; numbers that are not finite are None, `reasons` is a list of lines."""
        found = _guarded(self._plant.report, "report()")
        if not isinstance(found, dict):
            raise PlantError(f"report() returned {_kind(found)}, not a dictionary")
        report = {name: _plain(value, f"report()[{name!r}]") for name, value in found.items() if _is_key(name)}
        if "success" in report:
            report["success"] = bool(report["success"])
        reasons = report.get("reasons") or []
        report["reasons"] = [line_of(str(one)) for one in (reasons if isinstance(reasons, list) else [reasons])]
        samples = report.get("trajectory") or []
        if not isinstance(samples, list) or not all(map(_is_sample, samples)):
            raise PlantError("report()['trajectory'] is not a list of dictionaries of numbers")
        return report if "reasons" in found else {name: value for name, value in report.items() if name != "reasons"}


def without_verdict(report: dict[str, Any]) -> dict[str, Any]:
    """The report of a plant that did not come to its end: what is missing then is no failure."""
    return {name: value for name, value in report.items() if name != "reasons"} | {"success": None}


def success(report: dict[str, Any]) -> bool | None:
    """The verdict of a report. None: there is none, as `without_verdict` says."""
    found = report.get("success", True)
    return None if found is None else bool(found)


def verdict(report: dict[str, Any]) -> str:
    """The same in words."""
    words = {True: "success", False: "failure", None: "none: the run was ended before the plant was finished"}
    return words[success(report)]


def load(path: Path, seed: int) -> World:
    """The plant of a file. UserError: it does not load, or lacks what a plant has."""
    name = files.shown_path(path)
    spec = importlib.util.spec_from_file_location("takt_plant", path)
    if spec is None or spec.loader is None or not files.is_regular(path):
        raise UserError(f"the plant {name} is not a Python file", "plant = a Python file in the application's folder")
    module: ModuleType = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    loader = spec.loader

    def create() -> Any:
        loader.exec_module(module)
        return module.create_plant(seed)

    try:
        plant = _guarded(create, "")
    except PlantError as error:
        raise UserError(f"the plant {name} does not load: {error}", _CREATES) from error
    lacking = [one for one in ("finished", "exchange", "report") if one not in dir(plant)]
    if lacking:
        problem = f"the plant {name}: create_plant returned {_kind(plant)} without {lacking[0]}"
        raise UserError(
            problem, "an object with finished, exchange(time_ns, transmitted) and report(), as in apps/flight/plant.py"
        )
    return World(plant)


def _guarded(call: Callable[[], Result], operation: str) -> Result:
    """PlantError: any exception that it raised, SystemExit included, except Ctrl-C."""
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return call()
    except (Exception, SystemExit) as error:
        said = f": {line_of(str(error))}" if str(error) else ""
        raise PlantError(f"{operation}{': ' if operation else ''}{type(error).__name__}{said}") from error


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _is_key(name: object) -> bool:
    if not isinstance(name, str):
        raise PlantError(f"report() has a key that is {_kind(name)}, not a string")
    return True


def _plain(value: Any, where: str, depth: int = 0) -> Any:
    """A value as JSON has it. PlantError: it has none such."""
    if depth > DEPTH_MAX:
        raise PlantError(f"{where} is nested too deeply")
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _plain(one, where, depth + 1) for name, one in value.items() if _is_key(name)}
    if isinstance(value, (list, tuple)):
        return [_plain(one, where, depth + 1) for one in value]
    if callable(getattr(value, "tolist", None)):  # numpy's
        return _plain(_guarded(value.tolist, where), where, depth + 1)
    raise PlantError(f"{where} is {_kind(value)}, which JSON cannot hold")


def _is_sample(sample: object) -> bool:
    return isinstance(sample, dict) and all(isinstance(value, (int, float)) for value in sample.values())
