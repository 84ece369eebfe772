# SPDX-License-Identifier: Apache-2.0
import sys
from collections import Counter
from pathlib import Path

from takt.trace import segments
from takt.trace.records import Event

# The trace of ./takt run docs/examples/kernel --board host
trace = segments.read(Path(sys.argv[1]))
jobs = Counter(trace.names.task(entry.task) for entry in trace.entries if entry.event == Event.COMPLETE)
misses = [entry for entry in trace.entries if entry.event == Event.MISS]
print(trace.names.board, trace.names.scheduler, len(misses), "misses", jobs["served"], "jobs of served")
