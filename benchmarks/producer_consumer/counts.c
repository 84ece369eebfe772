/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linked in between the kernel and the host port (-Wl,--wrap): every locked section begins in one of these. What the
 * port itself calls is not wrapped: in an interrupt it closes the lock before it calls the kernel, so that call counts.
 */
#include "counts.h"

#include "kernel/core/kernel.h"

struct counts counts;

uint32_t __real_takt_port_enter(void);
uint32_t __wrap_takt_port_enter(void);
uint32_t __real_takt_port_lock(void);
uint32_t __wrap_takt_port_lock(void);
enum takt_status __real_takt_port_switch(struct takt_task *to, struct takt_task *from, uint32_t task);
enum takt_status __wrap_takt_port_switch(struct takt_task *to, struct takt_task *from, uint32_t task);
void __real_takti_timer_interrupt(void);
void __wrap_takti_timer_interrupt(void);
struct takt_task *__real_takti_switch_pended(void);
struct takt_task *__wrap_takti_switch_pended(void);

static void section(bool outermost)
{
    counts.locks += outermost;
    counts.calls += outermost && counts_in_call();
}

uint32_t __wrap_takt_port_enter(void)
{
    section(true);
    return __real_takt_port_enter();
}

uint32_t __wrap_takt_port_lock(void)
{
    uint32_t state = __real_takt_port_lock();
    section(state == 0);
    return state;
}

enum takt_status __wrap_takt_port_switch(struct takt_task *to, struct takt_task *from, uint32_t task)
{
    counts.switches++;
    return __real_takt_port_switch(to, from, task);
}

void __wrap_takti_timer_interrupt(void)
{
    section(true);
    __real_takti_timer_interrupt();
}

struct takt_task *__wrap_takti_switch_pended(void)
{
    struct takt_task *from = takti_kernel.ready.running;
    struct takt_task *to = __real_takti_switch_pended();
    section(true);
    counts.switches += to != from;
    return to;
}
