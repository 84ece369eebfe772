/* SPDX-License-Identifier: Apache-2.0 */
/* The ready queue: every level, and whether the best task runs. */
#include "kernel/observe/invariants.h"

struct walk_queue {
    const struct takt_task *best; /* first task of the first occupied level */
    unsigned known;               /* tasks of the tables in the queue */
    unsigned edf_levels;          /* passed so far */
};

/* Whether `task` may be in the level. */
static bool walk_member(const struct takti_walk *walk, const struct takt_task *task, unsigned level)
{
    return level == TAKT_LEVELS - 1u ? task == &takti_kernel.idle : takti_walk_is_task(walk, task);
}

/* Whether a member of the level's queue belongs there. Idle has no level until it has started. */
static bool walk_ready_task(struct takti_walk *walk, const struct takt_task *task, unsigned level,
                            struct walk_queue *queue)
{
    bool early = task == &takti_kernel.idle && !takti_kernel.timers.running && !TAKTI_OPTIMIZE_SIZE;
    const union takti_level *expected = early ? NULL : &takti_kernel.ready.levels[level];
    queue->known += takti_walk_is_known(walk, task) ? 1 : 0;
    return takti_must(walk, task->timer.state == TAKTI_READY, "a task in the ready queue is ready", task) &&
           takti_must(walk, task->level == expected, "a task in the ready queue is at its level", task);
}

/* Each task is followed once, since it is the successor of only one other. */
static void walk_circle(struct takti_walk *walk, unsigned level, struct walk_queue *queue)
{
    const struct takt_task *first = takti_kernel.ready.levels[level].fifo;
    const struct takt_task *task = first;
    do {
        if (!takti_must(walk, walk_member(walk, task, level), "a level's list starts with a task", task) ||
            !walk_ready_task(walk, task, level, queue) ||
            !takti_must(walk, walk_member(walk, task->next, level), "a level's list consists of tasks", task) ||
            !takti_must(walk, task->next->previous == task, "a level's list is linked both ways", task)) {
            return;
        }
        task = task->next;
    } while (task != first);
    if (queue->best == NULL) {
        queue->best = first;
    }
}

/* Whether `leaf` is where an owner is besides the leaf of the key that it inherits: its own leaf. */
static bool walk_second(struct takti_walk *walk, const struct takt_task *task, unsigned level, unsigned leaf,
                        uint64_t key_ns)
{
    if (!TAKT_INHERITS_ORDER || leaf != task->config->index || leaf == takti_key_order(task)) {
        return false;
    }
    const union takti_level *here = &takti_kernel.ready.levels[level];
    bool worse =
        here == task->level ? key_ns >= *task->key_deadline_ns : here > task->level && level == task->config->level;
    takti_must(walk, task->timer.state == TAKTI_READY && worse, "an owner's own leaf is no better than its key", task);
    return true;
}

/* Whether `second`, if it is another than `first`, is the first of `count` leaves from `start` on without that. */
static bool walk_runner_up(const uint64_t *keys, unsigned start, unsigned count, unsigned first, unsigned second)
{
    bool right = second >= start && second < start + count;
    for (unsigned leaf = start; leaf < start + count && right && second != first; leaf++) {
        right = leaf == first || leaf == second || keys[leaf] == TAKT_TOURNAMENT_NONE ||
                takt_tournament_before(keys[second], second, keys[leaf], leaf);
    }
    return right;
}

/* The least key of the eight leaves from `start` on, and the first leaf with it. */
static struct takt_tournament_group walk_group(struct takti_walk *walk, unsigned level, unsigned start,
                                               struct walk_queue *queue)
{
    const uint64_t *keys = takti_kernel.ready.levels[level].tournament->keys;
    struct takt_tournament_group best = {.least = TAKT_TOURNAMENT_NONE, .first = (uint16_t)start};
    for (unsigned leaf = start; leaf < start + TAKT_TOURNAMENT_WIDTH; leaf++) {
        if (keys[leaf] == TAKT_TOURNAMENT_NONE) {
            continue;
        }
        const struct takt_task *task =
            leaf < takti_kernel.system->edf->leaves ? (*takti_kernel.ready.tasks)[leaf] : NULL;
        if (!takti_must(walk, takti_walk_is_task(walk, task), "a leaf of an edf level is a task's", &keys[leaf])) {
            return best;
        }
        if (!walk_second(walk, task, level, leaf, keys[leaf])) {
            if (!walk_ready_task(walk, task, level, queue)) {
                return best;
            }
            takti_must(walk, takti_key_order(task) == leaf, "a task is at the leaf of its key", task);
            takti_must(walk, *task->key_deadline_ns == keys[leaf], "a leaf's key is its task's deadline", task);
        }
        if (keys[leaf] < best.least) {
            best = (struct takt_tournament_group){.least = keys[leaf], .first = (uint16_t)leaf};
        }
    }
    return best;
}

static void walk_tournament(struct takti_walk *walk, unsigned level, bool occupied, struct walk_queue *queue)
{
    const struct takt_edf_space *space = takti_kernel.system->edf;
    const struct takt_tournament *tournament = takti_kernel.ready.levels[level].tournament;
    unsigned number = queue->edf_levels++;
    unsigned count = TAKT_TOURNAMENT_GROUPS(space->leaves);
    if (!takti_must(walk, tournament == &space->tournaments[number], "an edf level has the tournament of the table",
                    tournament)) {
        return;
    }
    unsigned others = (tournament->keys != space->keys + (size_t)number * TAKT_TOURNAMENT_KEYS(space->leaves)) +
                      (tournament->groups != (count == 1 ? NULL : space->results + (size_t)number * count)) +
                      (tournament->end != space->results + (size_t)(number + 1) * count) +
                      (*takti_kernel.ready.tasks != space->tasks);
    if (!takti_must(walk, others == 0, "the tournament has the groups of the table", tournament)) {
        return;
    }
    struct takt_tournament_group best = {.least = TAKT_TOURNAMENT_NONE};
    for (unsigned index = 0; index < count; index++) {
        unsigned start = index * TAKT_TOURNAMENT_WIDTH;
        struct takt_tournament_group group = walk_group(walk, level, start, queue);
        if (tournament->groups != NULL) {
            const struct takt_tournament_group *said = &tournament->groups[index];
            unsigned wrong = (said->least != group.least) + (said->first != group.first);
            takti_must(walk, wrong == 0, "a group's first is the first of its leaves", said);
            takti_must(walk, walk_runner_up(tournament->keys, start, TAKT_TOURNAMENT_WIDTH, group.first, said->second),
                       "a group's second is the first without its first", said);
        }
        if (group.least < best.least) {
            best = group;
        }
    }
    unsigned wrong = (tournament->least != best.least) + (tournament->first != best.first);
    takti_must(walk, wrong == 0, "the root is the first of the groups", tournament);
    takti_must(walk, walk_runner_up(tournament->keys, 0, count * TAKT_TOURNAMENT_WIDTH, best.first, tournament->second),
               "the root's second is the first without its first", tournament);
    takti_must(walk, occupied == (best.least != TAKT_TOURNAMENT_NONE),
               "the bitmap says of an edf level whether it is occupied", tournament);
    if (queue->best == NULL && best.least != TAKT_TOURNAMENT_NONE) {
        queue->best = space->tasks[best.first];
    }
}

void takti_walk_ready(struct takti_walk *walk)
{
    struct walk_queue queue = {0};
    unsigned expected = 0;
    for (unsigned level = 0; level < TAKT_LEVELS; level++) {
        bool occupied = takt_bitmap_test(takti_kernel.ready.occupied, TAKT_LEVEL_WORDS, level) != 0;
        if (takti_walk_edf(level)) {
            walk_tournament(walk, level, occupied, &queue);
        } else if (occupied) {
            walk_circle(walk, level, &queue);
        }
    }
    for (unsigned number = 0; number < takti_walk_count(walk); number++) {
        const struct takt_task *task = takti_walk_task(walk, number);
        expected += task != NULL && task->timer.state == TAKTI_READY ? 1 : 0;
    }
    bool same = memcmp(takti_kernel.ready.edf, takti_kernel.system->edf_levels, sizeof takti_kernel.ready.edf) == 0;
    takti_must(walk, same, "the edf levels are those of the table", takti_kernel.ready.edf);
    bool idle = takt_bitmap_test(takti_kernel.ready.occupied, TAKT_LEVEL_WORDS, TAKT_LEVELS - 1u) != 0;
    takti_must(walk, idle, "idle is always ready", &takti_kernel.idle);
    takti_must(walk, queue.known == expected, "every ready task is in the ready queue", NULL);
    if (queue.best != NULL) {
        takti_walk_running(walk, queue.best);
    }
}
