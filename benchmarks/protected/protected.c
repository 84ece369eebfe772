/* SPDX-License-Identifier: Apache-2.0 */
#include "protected.h"

#include "kernel/process/process.h"
#include "protected_regions.h"
#include "takt/board.h"
#include "takt/events.h"

struct takt_process protected_processes[PROTECTED_PROCESSES];
struct takti_hint_copy takti_hint_copies[1]; /* no task gives a set of hints: for the link */

enum { WORK = 1u << 16 }; /* handle of slot 0: in_kernel */
static const struct takt_region regions[] = {PROTECTED_REGIONS};
static uint8_t rights[PROTECTED_OBJECTS];
static struct takt_object objects[PROTECTED_OBJECTS];
static struct takt_events work_events; /* of slot 0 */
static uint8_t tls[64] __attribute__((aligned(8)));

#define PROCESS(number)                                                                                               \
    {                                                                                                                 \
        .name = "measured", .regions = regions, .region_count = sizeof regions / sizeof regions[0], .rights = rights, \
        .board = TAKT_BOARD_CONSOLE, .tls = tls, .thread_level = TAKT_LEVELS - 2, .index = (number),                  \
        .restarts_max = UINT8_MAX                                                                                     \
    }
static const struct takt_process_config configs[PROTECTED_PROCESSES] = {PROCESS(0), PROCESS(1)};

void protected_declare(struct takt_system *system)
{
    for (unsigned index = 0; index < PROTECTED_OBJECTS; index++) {
        rights[index] = TAKT_RIGHT_USE | TAKT_RIGHT_GIVE | TAKT_RIGHT_MANAGE;
    }
    objects[0] =
        (struct takt_object){.object = &work_events, .generation = 1, .kind = TAKT_OBJECT_EVENTS, .owner = UINT8_MAX};
    system->objects = objects;
    system->object_count = PROTECTED_OBJECTS;
    system->processes = protected_processes;
    system->process_count = PROTECTED_PROCESSES;
    system->process_configs = configs;
    protected_user_mode();
}

uintptr_t protected_handle(void *object, enum takt_object_kind kind)
{
    unsigned index = 0;
    while (objects[index].object != NULL && objects[index].object != object) {
        if (++index == PROTECTED_OBJECTS) {
            takt_board_exit(2);
        }
    }
    objects[index] = (struct takt_object){.object = object, .generation = 1, .kind = (uint8_t)kind, .owner = UINT8_MAX};
    return index | 1u << 16;
}

/* A call that is not needed here, of flags that nothing else uses: instead of the kernel's (the linker's --wrap). */
struct work {
    void (*function)(void *argument);
    void *argument;
};

void __wrap_takt_events_clear(struct takt_events *events, uint32_t flags);
void takt_user_events_clear(uintptr_t events, uint32_t flags);

void __wrap_takt_events_clear(struct takt_events *events, uint32_t flags)
{
    (void)events;
    const struct work *work = (const struct work *)(uintptr_t)flags;
    work->function(work->argument);
}

void in_kernel(void (*function)(void *argument), void *argument)
{
    struct work work = {function, argument};
    __asm volatile("" : : "r"(&work) : "memory");
    takt_user_events_clear(WORK, (uint32_t)(uintptr_t)&work);
}
