/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of kernel/engine/engine.h that the kernel does not need where TAKT_SINGLE_PATH is set; and which tasks
 * can wait quietly, found once at the start. */
#include "hardware/driver/rtm_unit.h"

void takti_ready_each(void (*visit)(struct takt_task *task, void *context), void *context)
{
    for (unsigned level = 1; level <= TAKT_LEVELS; level++) {
        for (unsigned record = 0; record < TAKTI_RECORDS; record++) {
            if (level_of(record) == level && takti_kernel.timers.of[record]->state == TAKTI_READY) {
                visit(takti_timer_task(takti_kernel.timers.of[record]), context);
            }
        }
    }
    visit(&takti_kernel.idle, context);
}

struct takt_task *takti_ready_rotate(struct takt_task *task)
{
    takti_ready_remove(task);
    (void)takti_ready_insert(task, TAKTI_LAST);
    return takti_ready_first();
}

/*
 * Which tasks can wait quietly. In a level of several that is no edf band they cannot: of equals whose expiry is the
 * same the unit does not know which was armed first. Nor can those that others release, or that a supervisor watches.
 */
void takti_rtm_find_quiet(void)
{
    const struct takt_system *system = takti_kernel.system;
    uint8_t users[TAKT_LEVELS] = {0}; /* 2: two or more */
    for (unsigned number = 0; number < system->task_count; number++) {
        uint8_t *count = &users[system->configs[number].level];
        *count = *count == 0 ? 1 : 2;
    }
    for (unsigned number = 0; number < system->task_count; number++) {
        const struct takt_task_config *config = &system->configs[number];
        bool edf = takti_level_edf(&takti_kernel.ready, config->level);
        bool known = config->release != TAKT_SPORADIC && config->deadline_timer == NULL;
        bool quietly = (edf || users[config->level] == 1) && known;
        bool plain = config->release == TAKT_PERIODIC && config->deadline_ns <= config->period_ns;
        takti_kernel.timers.quietly[number] = quietly;
        takti_kernel.timers.plain[number] = quietly && plain && config->period_ns <= HORIZON_NS ? config : NULL;
    }
}
