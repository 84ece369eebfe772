/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts on the kernel: those of the plan, and those that come where somebody says. */
#include <string.h>

#include "drive.h"
#include "kernel/core/kernel.h"
#include "kernel/port.h"
#include "ports/host/host.h"

enum { END_SOURCE = 0, FIRST_SOURCE = 1 };

static struct {
    const struct plan *plan;
    struct outcome *outcome;
    unsigned position[SOURCES];
    unsigned raised[SOURCES];
} run;

static void handle(unsigned source)
{
    const struct source_plan *plan = &run.plan->sources[source];
    for (unsigned ops = 0; ops < plan->ops; ops++) {
        drive_perform(HANDLER + source, &plan->script[run.position[source]++ % plan->length]);
    }
}

static void handler_0(void)
{
    handle(0);
}

static void handler_1(void)
{
    handle(1);
}

static void handler_2(void)
{
    handle(2);
}

static uint64_t gap(unsigned number)
{
    unsigned source = number - FIRST_SOURCE;
    return run.plan->sources[source].gaps_ns[run.raised[source]++ % GAPS];
}

void drive_intrude(bool timer)
{
    uint64_t now_ns = takt_port_now_ns();
    if (takt_port_caller(0) != 0) {
        takt_interrupt_enter(FIRST_SOURCE);
        handle(0);
        takt_interrupt_exit(FIRST_SOURCE);
        return;
    }
    if (timer) {
        uint64_t until_ns = takti_timers_first_ns();
        takt_work(until_ns > now_ns ? until_ns - now_ns : 0);
    } else {
        takt_host_interrupt_gaps(FIRST_SOURCE, now_ns, gap);
    }
    takt_host_interrupts_take();
}

static void at_end(void)
{
    drive_read(run.outcome);
    takt_host_leave();
}

void drive_interrupts_init(const struct plan *plan, struct outcome *outcome)
{
    static void (*const handlers[SOURCES])(void) = {handler_0, handler_1, handler_2};
    memset(&run, 0, sizeof run);
    run.plan = plan;
    run.outcome = outcome;
    for (unsigned source = 0; source < plan->source_count; source++) {
        takt_port_irq_attach(FIRST_SOURCE + source, handlers[source], true);
        takt_host_interrupt_gaps(FIRST_SOURCE + source, plan->sources[source].first_ns, gap);
    }
    takt_port_irq_attach(END_SOURCE, at_end, true);
    takt_host_interrupt_every(END_SOURCE, plan->end_ns, 0);
}
