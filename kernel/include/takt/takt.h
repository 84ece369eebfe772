/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_TAKT_H
#define TAKT_TAKT_H

/*
 * All headers that an application needs. The contract of each call names the contexts that may call it and the event
 * that it blocks for: "Context: task. Blocks: never." Contexts: task; interrupt: between takt_interrupt_enter and
 * _exit; init: in takt_system.init, before time 0; any: these three; main, of the board; idle. Further requirements on
 * the caller follow the context. tools/takt/image/contracts.py reads the contracts; docs/calls.md is the table of all
 * calls; kernel/test/unit/core/contract_test.c makes each call from each context.
 */
#include "takt/alarm.h"
#include "takt/budget.h"
#include "takt/ceiling.h"
#include "takt/condition.h"
#include "takt/events.h"
#include "takt/fault.h"
#include "takt/hint.h"
#include "takt/invariants.h"
#include "takt/log.h"
#include "takt/mailbox.h"
#include "takt/mutex.h"
#include "takt/pipe.h"
#include "takt/pool.h"
#include "takt/priority_mailbox.h"
#include "takt/rendezvous.h"
#include "takt/ring.h"
#include "takt/semaphore.h"
#include "takt/server.h"
#include "takt/signal.h"
#include "takt/slot.h"
#include "takt/state.h"
#include "takt/system.h"
#include "takt/task.h"
#include "takt/time.h"
#include "takt/trace.h"
#include "takt/watchdog.h"

#endif
