/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_RTM_QUIET_H
#define TAKT_RTM_QUIET_H

/*
 * Jobs of tasks that wait quietly for their next release (TAKTI_QUIET), from their release to their end, in line, for
 * operations.h, which has what it uses: all that takti_job_end, takti_timer_arm and takti_came come to where nothing
 * else has happened. So end jobs of periodic tasks whose deadline is not after the next release and whose period is
 * within the horizon. A task that was started again with another configuration than the system's is none of them.
 */
#include "hardware/driver/rtm_limits.h"
#include "hardware/driver/rtm_registers.h"
#include "kernel/core/key.h"

enum {
    ARMED = 1,     /* takt_timer.armed: the unit waits for it ... */
    PARKED = 2,    /* ... or for the horizon */
    QUIET = 3,     /* ... or its task is ready there, and nobody has looked: timer.h */
    PLAIN = 4,     /* the same of a task whose release needs nothing but what is here */
    DUE = 5,       /* its time has come, and it is in the row of those ... */
    DUE_PARKED = 6 /* ... or the horizon has */
};

/* How a task waits, or runs: `armed`, `flags` and `state` of its timer, as one word. */
typedef uint32_t __attribute__((may_alias)) takti_rtm_how;
#define HOW(task) (*(takti_rtm_how *)(void *)&(task)->timer.armed)
#define HOW_RUNS ((uint32_t)TAKTI_FLAG_ACTIVE << 16 | (uint32_t)TAKTI_READY << 24)
#define HOW_WAITS ((uint32_t)PLAIN | (uint32_t)TAKTI_BLOCKED_JOB << 24)
_Static_assert(offsetof(struct takt_timer, flags) == offsetof(struct takt_timer, armed) + 2 &&
                   offsetof(struct takt_timer, state) == offsetof(struct takt_timer, armed) + 3 &&
                   offsetof(struct takt_timer, armed) % 4 == 0 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "one word");

static inline uint32_t deadline_order(uint64_t deadline_ns)
{
    return (uint32_t)(deadline_ns >> DEADLINE_SHIFT) & ORDER;
}

/* The first quantum that is not before the expiry. */
static inline uint32_t quanta(uint64_t at_ns)
{
    return (uint32_t)((at_ns + (1u << TIME_SHIFT) - 1) >> TIME_SHIFT);
}

/* Whether the deadline may have passed. The clock counts ns. Between its two halves it may only be seen too late. */
static inline bool takti_rtm_late(uint64_t deadline_ns)
{
    uint32_t high;
    uint32_t low = takt_port_ticks(&high);
    return ((uint64_t)high << 32 | low) > deadline_ns;
}

/*
 * Ends the running job of the task, which waits for its next release then; that is at most a period away, and has not
 * passed. Its record is ready, and its level stays. False: nothing was done, and takti_job_end is to do it.
 */
static inline bool takti_job_end_quietly(struct takt_task *task)
{
    const struct takt_task_config *config = task->config;
    unsigned record = takti_rtm_record(&task->timer);
    if (HOW(task) != HOW_RUNS || task->holds != TAKTI_HOLDS || takti_kernel.timers.plain[record] != config ||
        takti_rtm_late(task->job_deadline_ns)) {
        return false;
    }
    if (config->statistics != NULL) {
        config->statistics->jobs_completed++;
    }
    uint64_t deadline_ns = task->job_deadline_ns + config->period_ns;
    uint64_t release_ns = deadline_ns - config->deadline_ns;
    uint32_t status = RTM_STATUS_VALID | RTM_STATUS_DELAYED;
    if (takti_in_edf(&takti_kernel.ready, task)) {
        *takti_rtm_word(record, RTM_RECORD_KEY) = takti_rtm_key(task) | deadline_order(deadline_ns);
        status |= RTM_STATUS_EDF;
    }
    task->timer.at_ns = release_ns;
    HOW(task) = HOW_WAITS;
    *takti_rtm_word(record, RTM_RECORD_WAKE) = quanta(release_ns);
    *takti_rtm_word(record, RTM_RECORD_STATUS) = status;
    return true;
}

/* The release of a task that waits since the end of its job, as it runs now. False: nothing was done. */
static inline bool takti_release_quietly(struct takt_task *task)
{
    if (HOW(task) != HOW_WAITS) {
        return false;
    }
    uint64_t deadline_ns = task->timer.at_ns + task->config->deadline_ns;
    task->job_deadline_ns = deadline_ns;
    takti_key_deadline_set(task, takti_in_edf(&takti_kernel.ready, task) ? deadline_ns : 0);
    HOW(task) = HOW_RUNS;
    return true;
}

/* takti_ready_first; NULL: that is to be called. */
static inline struct takt_task *takti_ready_first_quietly(void)
{
    uint32_t name = *takti_rtm_unit(RTM_TAKE);
    if ((name & RTM_SOME) == 0) {
        return &takti_kernel.idle;
    }
    struct takt_task *task = TAKTI_TIMER_OWNER(takti_kernel.timers.of[name & RTM_INDEX], struct takt_task, timer);
    return takti_release_quietly(task) || task->timer.armed == 0 ? task : NULL;
}

#endif
