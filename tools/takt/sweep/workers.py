# SPDX-License-Identifier: Apache-2.0
"""The workers that compute chunks: processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Generator, Sequence
from contextlib import closing
from typing import Any

from takt.support import console, parallel, provision
from takt.support.errors import UserError
from takt.sweep.rows import Chunk, Row, compute

CONNECT_S = 10
WORKERS_S = 60  # until there is a first one
RETRIES = 3  # of a chunk; the loss of a worker is none

Finished = tuple[int, list[Row]]


def on_this_machine(chunks: Sequence[Chunk], workers: int) -> Generator[Finished, None, None]:
    """Chunks as they are finished. UserError: a process was killed."""
    hint = "run it again with --jobs 1; finished rows are kept"
    with closing(parallel.as_finished(compute, chunks, workers, hint)) as finished:
        for index, rows in finished:
            yield chunks[index].number, rows


def _on_dask(chunk: Chunk) -> list[Row]:
    from distributed import get_worker

    return compute(chunk, get_worker().address)


def on_cluster(chunks: Sequence[Chunk], address: str) -> Generator[Finished, None, None]:
    """The same by the workers of a Dask scheduler; those that die are replaced by others. UserError: there is no
    scheduler, or it went away."""
    provision.require_python("cluster")
    from distributed import Client
    from distributed import as_completed as as_finished

    _hush()
    gone = "run the same command when the cluster is back; finished rows are kept"
    try:
        client = Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise UserError(
            f"no Dask scheduler at {address}: {error}", "start one with `dask scheduler`, and give its address"
        ) from None
    with client:
        _wait_for_workers(client, address)
        futures = {client.submit(_on_dask, chunk, pure=False, retries=RETRIES): chunk.number for chunk in chunks}
        try:
            for future in as_finished(futures, loop=client.loop):
                yield futures.pop(future), _result(future)
        except (OSError, TimeoutError) as error:
            raise UserError(f"the Dask cluster at {address} went away: {error}", gone) from None
    if futures:
        raise UserError(f"the Dask cluster at {address} went away", gone)


def _hush() -> None:
    """Dask's own log, a logger for each of its parts: what matters becomes one message."""
    for name in [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _wait_for_workers(client: Any, address: str) -> None:
    with console.doing(f"waiting for a worker of {address}"):
        try:
            client.wait_for_workers(1, timeout=WORKERS_S)
        except TimeoutError:
            raise UserError(
                f"the Dask scheduler at {address} has no workers", f"start one with `dask worker {address}`"
            ) from None
    found: dict[str, Any] = client.run(importlib.util.find_spec, "takt")  # a worker dies of what it cannot import
    without = [worker for worker, spec in found.items() if spec is None]
    if without:
        raise UserError(
            f"{', '.join(without)} cannot import takt", "start `dask worker` with PYTHONPATH=tools of the same clone"
        )


def _result(future: Any) -> list[Row]:
    from distributed import CancelledError, KilledWorker

    try:
        rows: list[Row] = future.result()
    except CancelledError:
        raise OSError("its work was cancelled") from None
    except KilledWorker:
        raise OSError("too many of its workers died") from None
    return rows
