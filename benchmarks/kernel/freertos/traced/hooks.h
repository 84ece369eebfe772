/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FREERTOS_TRACED_HOOKS_H
#define FREERTOS_TRACED_HOOKS_H

/*
 * FreeRTOS' own trace hooks, for the events of which Takt's trace has records (takt/trace.h), in as few instructions as
 * we can: in line, without a call, without a test.
 *
 * A record has two words, Takt's has four. The first is the count of the clock that Takt's records have, 32 bits. It is
 * never extended, nor has any record the full time: FreeRTOS' ticks tell a reader when it wraps. The second word is the
 * event with the address of an object: of the task that is switched to, ready or suspended, or of the queue, which may
 * be a semaphore or a mutex. What follows from the records before is in none: the running task, its priority. FreeRTOS
 * has no jobs; Takt's records have the job's number, and the status that a wait returns.
 *
 * A record is written with interrupts masked, in 6 or 7 instructions on the Cortex-M3 and 6 to 8 on RV32. A hook that
 * FreeRTOS calls with open interrupts masks them, which takes 2 more.
 */
#include "target.h"
#include "trace_port.h"

#include <stdint.h>

enum trace_event {
    TRACE_RUN,     /* the task is switched to */
    TRACE_READY,   /* a wait or delay of the task has ended */
    TRACE_CREATE,  /* the task is created, and ready */
    TRACE_DELETE,  /* of a task */
    TRACE_SUSPEND, /* of a task */
    TRACE_RESUME,  /* the task is resumed, and ready */
    TRACE_DELAY,   /* the running task begins a delay */
    TRACE_SEND,    /* a message, a unit of a semaphore, or a mutex that is unlocked */
    TRACE_RECEIVE, /* the same taken, or a mutex locked */
    TRACE_SEND_BLOCK,
    TRACE_RECEIVE_BLOCK,
    TRACE_SEND_FAILED, /* no room, or no longer time */
    TRACE_RECEIVE_FAILED,
    TRACE_INHERIT,    /* the task inherits a priority */
    TRACE_DISINHERIT, /* and has its own again */
    TRACE_FLAGS_SET,  /* of an event group */
    TRACE_FLAGS_CLEAR,
    TRACE_FLAGS_BLOCK,
    TRACE_FLAGS_TAKE, /* the wait for flags is over */
    TRACE_ALLOCATE,   /* a block of the heap */
    TRACE_FREE,
    TRACE_INTERRUPT,     /* the handler of this number begins */
    TRACE_INTERRUPT_END, /* the last one that began ends */
    TRACE_TICK,
    TRACE_TICK_END,
    TRACE_EVENTS
};

/* The second word of a record: the address of the object, and the event times 2^24. RAM is less than 16 MiB. */
#define TRACE_EVENT_UNIT (UINT32_C(1) << 24)

enum { TRACE_RECORD_WORDS = 2, TRACE_RING_BYTES = 1 << 16 };

/* The next record. The ring lies at a multiple of 2^16: it wraps as only the lower half of the address is stored. */
union trace_position {
    uint32_t *record;
    uint16_t low;
};
extern union trace_position trace_next;

/* Interrupts are masked. */
static inline __attribute__((always_inline)) void trace_write(enum trace_event event, uintptr_t object)
{
    uint32_t *next = trace_store(trace_next.record, target_clock(), (uint32_t)object + event * TRACE_EVENT_UNIT);
    trace_next.low = (uint16_t)(uintptr_t)next;
}

/* Interrupts may be open. */
static inline __attribute__((always_inline)) void trace_write_open(enum trace_event event, uintptr_t object)
{
    uint32_t state = trace_lock();
    trace_write(event, object);
    trace_unlock(state);
}

/* Whether the hook is in this function: known when it is compiled. */
#define TRACE_IN(function) (__builtin_strcmp(__func__, function) == 0)

#define TRACE_OF(object) ((uintptr_t)(object))

/* vTaskSwitchContext, in the handler that switches. */
#define traceTASK_SWITCHED_IN() trace_write(TRACE_RUN, TRACE_OF(pxCurrentTCB))

/*
 * A task goes into a ready list: that a wait or delay has ended is one case of several. A creation and a resumption
 * have records of their own, and an inherited priority only moves the task. Setting the flags of a group keeps the
 * scheduler away, not interrupts.
 */
#define traceMOVED_TASK_TO_READY_STATE(task)                                       \
    do {                                                                           \
        if (TRACE_IN("vTaskRemoveFromUnorderedEventList")) {                       \
            trace_write_open(TRACE_READY, TRACE_OF(task));                         \
        } else if (TRACE_IN("xTaskIncrementTick") || TRACE_IN("xTaskResumeAll") || \
                   TRACE_IN("xTaskRemoveFromEventList")) {                         \
            trace_write(TRACE_READY, TRACE_OF(task));                              \
        }                                                                          \
    } while (0)

#define traceTASK_CREATE(task) trace_write(TRACE_CREATE, TRACE_OF(task))
#define traceTASK_DELETE(task) trace_write(TRACE_DELETE, TRACE_OF(task))
#define traceTASK_SUSPEND(task) trace_write(TRACE_SUSPEND, TRACE_OF(task))
#define traceTASK_RESUME(task) trace_write(TRACE_RESUME, TRACE_OF(task))
#define traceTASK_RESUME_FROM_ISR(task) trace_write(TRACE_RESUME, TRACE_OF(task))
#define traceTASK_DELAY() trace_write_open(TRACE_DELAY, TRACE_RAM)
#define traceTASK_DELAY_UNTIL(until) trace_write_open(TRACE_DELAY, TRACE_RAM)
#define traceTASK_PRIORITY_INHERIT(task, priority) trace_write(TRACE_INHERIT, TRACE_OF(task))
#define traceTASK_PRIORITY_DISINHERIT(task, priority) trace_write(TRACE_DISINHERIT, TRACE_OF(task))

#define traceQUEUE_SEND(queue) trace_write(TRACE_SEND, TRACE_OF(queue))
#define traceQUEUE_SEND_FROM_ISR(queue) trace_write(TRACE_SEND, TRACE_OF(queue))
#define traceQUEUE_SEND_FAILED(queue) trace_write_open(TRACE_SEND_FAILED, TRACE_OF(queue))
#define traceQUEUE_SEND_FROM_ISR_FAILED(queue) trace_write(TRACE_SEND_FAILED, TRACE_OF(queue))
#define traceQUEUE_RECEIVE(queue) trace_write(TRACE_RECEIVE, TRACE_OF(queue))
#define traceQUEUE_RECEIVE_FROM_ISR(queue) trace_write(TRACE_RECEIVE, TRACE_OF(queue))
#define traceQUEUE_RECEIVE_FAILED(queue) trace_write_open(TRACE_RECEIVE_FAILED, TRACE_OF(queue))
#define traceBLOCKING_ON_QUEUE_SEND(queue) trace_write_open(TRACE_SEND_BLOCK, TRACE_OF(queue))
#define traceBLOCKING_ON_QUEUE_RECEIVE(queue) trace_write_open(TRACE_RECEIVE_BLOCK, TRACE_OF(queue))

#define traceEVENT_GROUP_SET_BITS(group, flags) trace_write_open(TRACE_FLAGS_SET, TRACE_OF(group))
#define traceEVENT_GROUP_CLEAR_BITS(group, flags) trace_write(TRACE_FLAGS_CLEAR, TRACE_OF(group))
#define traceEVENT_GROUP_WAIT_BITS_BLOCK(group, flags) trace_write_open(TRACE_FLAGS_BLOCK, TRACE_OF(group))
#define traceEVENT_GROUP_WAIT_BITS_END(group, flags, expired) trace_write_open(TRACE_FLAGS_TAKE, TRACE_OF(group))

#define traceMALLOC(block, size) trace_write_open(TRACE_ALLOCATE, TRACE_OF(block))
#define traceFREE(block, size) trace_write_open(TRACE_FREE, TRACE_OF(block))

/*
 * A handler of the application begins with traceISR_ENTER and ends with portYIELD_FROM_ISR. The handler of the tick has
 * both in the port for the Cortex-M3; that for RISC-V has none: trace_port.h.
 */
#define TRACE_HANDLER(event, number, tick)                 \
    do {                                                   \
        if (TRACE_IN("xPortSysTickHandler")) {             \
            trace_write(tick, TRACE_RAM);                  \
        } else if (TRACE_HANDLERS_NEST) {                  \
            trace_write_open(event, TRACE_RAM + (number)); \
        } else {                                           \
            trace_write(event, TRACE_RAM + (number));      \
        }                                                  \
    } while (0)
#define traceISR_ENTER() TRACE_HANDLER(TRACE_INTERRUPT, TARGET_IRQ, TRACE_TICK)
#define traceISR_EXIT() TRACE_HANDLER(TRACE_INTERRUPT_END, 0, TRACE_TICK_END)
#define traceISR_EXIT_TO_SCHEDULER() traceISR_EXIT()

#endif
