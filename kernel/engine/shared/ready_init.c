/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/core/kernel.h"

/* Every edf level has a leaf per task, since any task may inherit a key in it. */
void takti_ready_init(void)
{
    const struct takt_system *system = takti_kernel.system;
    const struct takt_edf_space *space = system->edf;
    uint64_t *keys = space == NULL ? NULL : space->keys;
    struct takt_tournament_group *results = space == NULL ? NULL : space->results;
    unsigned used = 0;
    if (!TAKT_EDF) {
        return;
    }
    memcpy(takti_kernel.ready.edf, system->edf_levels, sizeof system->edf_levels);
    *takti_kernel.ready.tasks = space == NULL ? NULL : space->tasks;
    for (unsigned level = 0; level < TAKT_LEVELS - 1u; level++) {
        if (takti_level_edf(&takti_kernel.ready, level)) {
            TAKT_ASSERT(space != NULL && used < space->levels && space->leaves >= system->task_count);
            takti_kernel.ready.levels[level].tournament = &space->tournaments[used++];
            takt_tournament_init(takti_kernel.ready.levels[level].tournament, keys, results, space->leaves);
            keys += TAKT_TOURNAMENT_KEYS(space->leaves);
            results += TAKT_TOURNAMENT_GROUPS(space->leaves);
        }
    }
}
