/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXHAUSTIVE_H
#define EXHAUSTIVE_H

/* Every short sequence of the operations of a service, interrupted at every point where a call has the lock open. */
#include "kernel/test/model/plan.h"

enum { THREE = 3, MENU = 8, PROBES = 8 };

/* The kinds of kernel that a service is for: those without budgets, of these the ones with edf levels, or the others.
 */
enum kinds { EVERYWHERE, WITH_EDF, WITH_BUDGETS };

struct service {
    const char *name;
    enum kinds where;
    void (*system)(struct plan *plan); /* what is special: systems.c; NULL: nothing */
    struct op tasks[MENU];             /* what a task may do next */
    struct op interrupts[MENU];        /* what an interrupt may do; another may be the next timer's */
    struct op probes[PROBES];          /* at the end: what is left in the objects */
    uint8_t levels[THREE];             /* of the tasks; 0, 0, 0: the usual ones */
};

extern const struct service services[]; /* until one without a name */

/* systems.c */
void system_jobs(struct plan *plan);
void system_policies(struct plan *plan);
void system_message_triggers(struct plan *plan);
void system_sync_triggers(struct plan *plan);
void system_buffer_triggers(struct plan *plan);
void system_alarms(struct plan *plan);
void system_watchdogs(struct plan *plan);
void system_job_watchdogs(struct plan *plan);
void system_budgets(struct plan *plan);
void system_sections(struct plan *plan);

/* How many operations a list of at most `most` has. */
static inline unsigned list_length(const struct op *list, unsigned most)
{
    unsigned length = 0;
    while (length < most && (list[length].kind != OP_WORK || list[length].ns != 0)) {
        length++;
    }
    return length;
}

/* choices.c: a tree of decisions, walked leaf by leaf. */
unsigned choose(unsigned limit); /* < limit */
void choices_begin(void);        /* of the first leaf */
bool choices_next(void);         /* whether there is another leaf */
bool choices_known(void);        /* whether the leaf before was the same up to here */
void choices_parse(const char *text);
void choices_print(void);

/* points.c: where the lock is open in a run of the kernel. */
struct bounds {
    unsigned operations; /* of tasks */
    unsigned menu;       /* so many of the service's operations, from the first on */
    unsigned interrupts; /* that come at most */
};
void points_begin(struct plan *plan, const struct service *service, const struct bounds *bounds,
                  const struct outcome *outcome);
unsigned points_seen(void);
unsigned points_middle(void); /* mask of interrupts that came between two sections of one operation */

#endif
