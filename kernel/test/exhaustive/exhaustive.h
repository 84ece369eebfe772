/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXHAUSTIVE_H
#define EXHAUSTIVE_H

/* Every short sequence of the operations of a service, interrupted at every place where a call has the lock open. */
#include "kernel/test/model/plan.h"

enum { THREE = 3, MENU = 8, PROBES = 8 };

struct service {
    const char *name;
    struct op tasks[MENU];      /* what a task may do next */
    struct op interrupts[MENU]; /* what an interrupt may do; another may be the next timer's */
    struct op probes[PROBES];   /* at the end: what is left in the objects */
    uint8_t levels[THREE];      /* of the tasks; 0, 0, 0: the usual ones */
};

extern const struct service services[]; /* until one without a name */

/* How many operations a list of at most `most` has. */
static inline unsigned list_length(const struct op *list, unsigned most)
{
    unsigned length = 0;
    while (length < most && list[length].kind != OP_WORK) {
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

/* places.c: where the lock is open in a run of the kernel. */
struct bounds {
    unsigned operations; /* of tasks */
    unsigned menu;       /* so many of the service's operations, from the first on */
    unsigned interrupts; /* that come at most */
};
void places_begin(struct plan *plan, const struct service *service, const struct bounds *bounds,
                  const struct outcome *outcome);
unsigned places_seen(void);
unsigned places_middle(void); /* mask of interrupts that came between two sections of one operation */

#endif
