# SPDX-License-Identifier: Apache-2.0
"""A program of python-can on the bus udp_multicast beside a run of Takt: gives `wheel` for every second `torque`.

can_multicast.py FOLDER prints a JSON object with the frames that it saw, what it gave, and the run's own document.
"""

from __future__ import annotations

import importlib
import json
import select
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
GROUP, TORQUE, WHEEL = "239.74.163.2", 0x100, 0x080


def main(folder: str) -> None:
    can: Any = importlib.import_module("can")
    ended = threading.Event()
    seen: list[tuple[int, bool, bool, str]] = []
    given = 0
    with can.Bus(interface="udp_multicast", channel=GROUP, hop_limit=0) as bus:

        def play() -> None:
            nonlocal given
            while True:
                over, message = ended.is_set(), bus.recv(0.05)
                if message is None and over:
                    return
                if message is None or message.arbitration_id == WHEEL:  # its own come back
                    continue
                data = bytes(message.data)
                seen.append((message.arbitration_id, message.is_extended_id, message.is_fd, data.hex()))
                fresh = not select.select([bus.fileno()], [], [], 0)[0]
                if message.arbitration_id == TORQUE and data[0] % 2 == 0 and fresh:
                    given += 1
                    payload = bytes([0, 0, 0, 0, 0, given % 256, 2, 3])
                    bus.send(can.Message(arbitration_id=WHEEL, is_extended_id=False, data=payload))

        thread = threading.Thread(target=play)
        thread.start()
        ran = subprocess.run([ROOT / "takt", "run", folder, "--json"], capture_output=True, text=True, check=False)
        ended.set()
        thread.join()
    print(json.dumps({"seen": seen, "given": given, "code": ran.returncode, "ran": ran.stdout, "said": ran.stderr}))


main(*sys.argv[1:])
