/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_SWITCH_H
#define TAKTI_SWITCH_H

/* The switch from one task to another in thread mode. Called with the kernel locked. */
#include "kernel/core/handed.h"
#include "kernel/core/ring.h"

/* dispatch.c */
struct takt_task *takti_switch_prepare(struct takt_task *next);
enum takt_status takti_switch_sliced(struct takt_task *next, struct takt_task *from);
/* With TAKTI_SWITCHES_AT_ONCE: takti_switch_prepare, takti_runs, takt_port_switch; of a task that sleeps now, too. */
enum takt_status takti_switch_traced(struct takt_task *next, struct takt_task *from);
enum takt_status takti_switch_delayed(struct takt_task *next, struct takt_task *from);

/* Whether a switch has nothing to do but for time slices. */
#define TAKTI_ONLY_SLICES (TAKT_SLICES && !TAKT_TRACE && !TAKT_STACK_CHECKS && !TAKT_BUDGETS && !TAKTI_OPTIMIZE_SIZE)

/* In thread mode: switches from `from` to `to`, which is takti_kernel.ready.next. Returns as takt_port_switch. */
static inline enum takt_status takti_switch_to(struct takt_task *to, struct takt_task *from, uint32_t caller)
{
    if (TAKTI_SWITCHES_AT_ONCE) {
        return takti_switch_traced(to, from);
    }
    if (TAKTI_ONLY_SLICES) {
        if (TAKTI_UNLIKELY(takti_has_slices())) {
            return takti_switch_sliced(to, from);
        }
    } else if (TAKTI_SWITCH_HOOK) {
        to = takti_switch_prepare(to);
    }
    takti_runs(to, caller);
    return takt_port_switch(to, from, caller);
}

/* The same, where `next` is not known yet. */
static inline enum takt_status takti_switch_last(struct takt_task *to, struct takt_task *from, uint32_t caller)
{
    if (TAKTI_SWITCH_HOOK) {
        takti_kernel.ready.next = to;
        return takti_switch_to(to, from, caller);
    }
    takti_runs(to, caller);
    takti_kernel.ready.next = to;
    return takt_port_switch(to, from, caller);
}

#endif
