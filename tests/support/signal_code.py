# SPDX-License-Identifier: Apache-2.0
"""Code that `takt can import` writes, compiled, beside cantools."""

from __future__ import annotations

import ctypes
import json
import math
import subprocess
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from command_line import Takt
from takt.support import provision

FLAGS = "-std=c11 -O1 -g -fPIC -shared -Wall -Wextra -Wconversion -Wsign-conversion -Wpedantic -Wshadow -Werror".split()
SANITIZED = ["-fsanitize=undefined", "-fno-sanitize-recover=all"]
TYPES = {f"{sign}int{bits}_t": getattr(ctypes, f"c_{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)}
TYPES |= {"float": ctypes.c_float, "double": ctypes.c_double}


class Compiled:
    """The code of a file, beside what cantools has read of it."""

    def __init__(self, takt: Takt, path: Path, folder: Path) -> None:
        provision.require_python("can")
        import cantools.database

        said = takt("can", "import", path, "--output", folder, "--prefix", "bus", "--json")
        assert said.code == 0, said
        self.document: dict[str, Any] = json.loads(said.out)
        command = ["gcc", *FLAGS, *SANITIZED, "-o", str(folder / "bus.so"), str(folder / "bus.c")]
        subprocess.run(command, check=True, capture_output=True)
        self.library = ctypes.CDLL(str(folder / "bus.so"))
        loaded: Any = cantools.database.load_file(path, strict=False)
        self.oracles = {one.name: one for one in loaded.messages}

    def struct(self, message: dict[str, Any]) -> type[ctypes.Structure]:
        rows = [(one["field"], TYPES[one["type"]]) for one in message["signals"]]
        return type(message["struct"], (ctypes.Structure,), {"_fields_": rows})

    def unpack(self, message: dict[str, Any], data: bytes) -> ctypes.Structure | None:
        value = self.struct(message)()
        function = getattr(self.library, f"{message['struct']}_unpack")
        function.restype, function.argtypes = ctypes.c_bool, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
        return value if function(ctypes.addressof(value), data, len(data)) else None

    def pack(self, message: dict[str, Any], value: ctypes.Structure) -> bytes | None:
        data = ctypes.create_string_buffer(b"\xa5" * message["bytes"], message["bytes"])
        function = getattr(self.library, f"{message['struct']}_pack")
        function.restype, function.argtypes = ctypes.c_bool, [ctypes.c_void_p, ctypes.c_void_p]
        if not function(ctypes.addressof(data), ctypes.addressof(value)):
            assert data.raw == b"\xa5" * message["bytes"], "nothing is written"
            return None
        return data.raw


def exact(number: Any) -> Fraction:
    return Fraction(Decimal(repr(number))) if isinstance(number, float) else Fraction(number)


def hold_against(compiled: Compiled, message: dict[str, Any], data: bytes) -> bool:
    """One frame, unpacked and packed again, against cantools. Returns whether the frame is one of the file."""
    import cantools.database

    oracle = compiled.oracles[message["name"]]
    value = compiled.unpack(message, data)
    try:
        raw = oracle.decode(data, decode_choices=False, scaling=False)
    except cantools.database.DecodeError:
        assert value is None
        return False
    assert value is not None
    for one in message["signals"]:
        signal = oracle.get_signal_by_name(one["name"])
        got = getattr(value, one["field"])
        if one["name"] not in raw:
            assert got == 0, "of a signal that is not there"
        elif signal.is_float:
            assert got == raw[one["name"]] or (math.isnan(got) and math.isnan(raw[one["name"]]))
        elif one["divisor"] is None:
            assert got == raw[one["name"]]
        else:
            wanted = raw[one["name"]] * exact(signal.conversion.scale) + exact(signal.conversion.offset)
            assert Fraction(got, one["divisor"]) == wanted, one
    if not any(
        isinstance(number, float) and math.isnan(number) for number in raw.values()
    ):  # Python changes their bits
        assert compiled.pack(message, value) == bytes(oracle.encode(raw, scaling=False, strict=False))
    return True
