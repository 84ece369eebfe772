/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_TAKT_H
#define TAKT_TAKT_H

/*
 * Everything an application needs. Each call says who may make it, and what it waits for: "Context: task. Blocks:
 * never." A task; an interrupt between takt_interrupt_enter and _exit; init, takt_system.init before time 0; any: those
 * three. What else a caller must be follows, as do main (the board's) and idle, where they apply.
 * tools/takt/image/contracts.py reads it; docs/calls.md is the table of all calls; kernel/test/unit/contract_test.c
 * makes each from each of those.
 */
#include "takt/alarm.h"
#include "takt/budget.h"
#include "takt/ceiling.h"
#include "takt/condition.h"
#include "takt/events.h"
#include "takt/fault.h"
#include "takt/hint.h"
#include "takt/invariants.h"
#include "takt/mailbox.h"
#include "takt/mutex.h"
#include "takt/pipe.h"
#include "takt/pool.h"
#include "takt/priority_mailbox.h"
#include "takt/rendezvous.h"
#include "takt/ring.h"
#include "takt/semaphore.h"
#include "takt/signal.h"
#include "takt/slot.h"
#include "takt/state.h"
#include "takt/system.h"
#include "takt/task.h"
#include "takt/time.h"
#include "takt/trace.h"
#include "takt/watchdog.h"

#endif
