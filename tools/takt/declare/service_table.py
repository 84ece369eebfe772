# SPDX-License-Identifier: Apache-2.0
"""SERVICES: all kinds of shared objects. Each is a file of service_kinds/ and a row here."""

from __future__ import annotations

from takt.declare.service_kinds import (
    alarm,
    alarm_queue,
    condition,
    events,
    mailbox,
    mutex,
    pipe,
    pool,
    priority_mailbox,
    rendezvous,
    ring,
    semaphore,
    signal_pool,
    signal_queue,
    slot,
    state,
    watchdog,
)

# In the order of trace ids.
SERVICES = (
    mutex.SERVICE,
    semaphore.SERVICE,
    mailbox.SERVICE,
    state.SERVICE,
    ring.SERVICE,
    events.SERVICE,
    pool.SERVICE,
    alarm.SERVICE,
    watchdog.SERVICE,
    slot.SERVICE,
    signal_pool.SERVICE,
    signal_queue.SERVICE,
    pipe.SERVICE,
    priority_mailbox.SERVICE,
    condition.SERVICE,
    rendezvous.SERVICE,
    alarm_queue.SERVICE,
)
