# SPDX-License-Identifier: Apache-2.0
"""One task set simulated by SimSo, in the virtual environment that takt.bench.studies.simulation makes for it.

Standard input: {"scheduler": "rm" | "edf", "horizon_ns", "tasks": [[period_ns, deadline_ns, wcet_ns], ...]}. Standard
output: {"seconds", "jobs": [], "misses": [], "responses_ns": []}, the lists by task.

Everything is done to let SimSo be quick: its schedulers for one processor, no overheads or caches modelled, and the
analysis of its log after the simulation is left out; so are start and configuration from the time, which is the
processor's: others on the machine do not count against it.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from typing import Any

SCHEDULERS = {"rm": "simso.schedulers.RM_mono", "edf": "simso.schedulers.EDF_mono"}


class NoResults:
    """Replaces SimSo's analysis of its log."""

    def __init__(self, model: Any) -> None:
        pass

    def end(self) -> None:
        pass


def model_of(wanted: dict[str, Any]) -> Any:
    """SimSo's model. Its millisecond is our nanosecond: whole numbers, so that nothing is rounded."""
    configuration = importlib.import_module("simso.configuration").Configuration()
    configuration.cycles_per_ms = 1
    configuration.duration = wanted["horizon_ns"]
    for number, (period_ns, deadline_ns, wcet_ns) in enumerate(wanted["tasks"]):
        configuration.add_task(
            name=f"t{number}",
            identifier=number,
            period=period_ns,
            deadline=deadline_ns,
            wcet=wcet_ns,
            abort_on_miss=False,
        )
    configuration.add_processor(name="processor", identifier=1)
    configuration.scheduler_info.clas = SCHEDULERS[wanted["scheduler"]]
    configuration.check_all()
    module = importlib.import_module("simso.core.Model")
    module.Results = NoResults  # type: ignore[attr-defined]
    return module.Model(configuration)


def misses(jobs: list[Any], end_ns: int) -> int:
    """Jobs that finished late, or are unfinished and late at the end."""
    return sum(1 for job in jobs if (end_ns if job.end_date is None else job.end_date) > job.absolute_deadline)


def main() -> int:
    wanted = json.load(sys.stdin)
    model = model_of(wanted)
    started = time.process_time()
    model.run_model()
    seconds = time.process_time() - started
    finished = [[job for job in task.jobs if job.end_date is not None] for task in model.task_list]
    document = {
        "seconds": seconds,
        "jobs": [len(jobs) for jobs in finished],
        "misses": [misses(task.jobs, wanted["horizon_ns"]) for task in model.task_list],
        "responses_ns": [
            max((int(job.end_date - job.activation_date) for job in jobs), default=0) for jobs in finished
        ],
    }
    json.dump(document, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
