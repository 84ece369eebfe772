/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/test/engine/suite.h"

enum { TASKS = 20, TIMERS = 24, LEVELS = 5, EDF_LEVEL = 2, GRAIN_NS = 1024, NEAR = 12 };

/* The software engines know more than they must: who is alone, and the order of a level. */
#define EXACT (!TAKT_ENGINE_RTM)

unsigned engine_suite_step;

static struct takt_task tasks[TASKS];
static struct takt_task_config configs[TASKS];
static struct takti_call calls[TIMERS];
TAKT_EDF_DEFINE(edf_space, 1, TASKS);
TAKT_TIMERS_DEFINE(timer_space, TASKS + TIMERS);
static struct takt_system built;

/* The naive model. */
static struct {
    bool ready;
    unsigned level;
    uint64_t deadline_ns;
    unsigned leaf; /* order among equal deadlines */
    int order;
} model[TASKS];
static int last_order, first_order;

static unsigned failed; /* line */
static uint32_t random_state;

#define CHECK(condition)       \
    do {                       \
        if (!(condition)) {    \
            fail_at(__LINE__); \
        }                      \
    } while (0)

static void fail_at(unsigned line)
{
    failed = failed == 0 ? line : failed;
}

static uint32_t below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % limit;
}

#include "kernel/test/engine/timers.h"

static bool is_edf(unsigned level)
{
    return TAKT_EDF && level == EDF_LEVEL;
}

/* Whether ready task a is better than b. */
static bool better(unsigned a, unsigned b)
{
    if (model[a].level != model[b].level) {
        return model[a].level < model[b].level;
    }
    if (!is_edf(model[a].level)) {
        return model[a].order < model[b].order;
    }
    return model[a].deadline_ns != model[b].deadline_ns ? model[a].deadline_ns < model[b].deadline_ns
                                                        : model[a].leaf < model[b].leaf;
}

static struct takt_task *best(void)
{
    struct takt_task *found = &takti_kernel.idle;
    for (unsigned one = 0; one < TASKS; one++) {
        if (model[one].ready && (found == &takti_kernel.idle || better(one, (unsigned)(found - tasks)))) {
            found = &tasks[one];
        }
    }
    return found;
}

/* Whether a task of a fixed level would be better than all that are ready. */
static bool leads(unsigned one)
{
    const struct takt_task *first = best();
    bool some = first != &takti_kernel.idle;
    return !is_edf(model[one].level) && (!some || model[one].level < model[first - tasks].level);
}

static unsigned equals(unsigned level)
{
    unsigned found = 0;
    for (unsigned one = 0; one < TASKS; one++) {
        found += model[one].ready && model[one].level == level ? 1 : 0;
    }
    return found;
}

static void key_set(unsigned one, unsigned level, uint64_t deadline_ns)
{
    unsigned number = level == LEVELS - 1 ? TAKT_LEVELS - 2 : level; /* the last but idle's, too */
    tasks[one].level = &takti_kernel.ready.levels[number];
    tasks[one].level_bit = takt_bitmap_bit(TAKT_LEVEL_WORDS, number);
    takti_key_deadline_set(&tasks[one], is_edf(level) ? deadline_ns : 0);
    takti_key_order_set(&tasks[one], one);
    configs[one].level = (uint8_t)number;
    tasks[one].job_deadline_ns = deadline_ns;
    model[one].leaf = one;
    model[one].level = level;
    model[one].deadline_ns = is_edf(level) ? deadline_ns : 0;
}

/* Whether a ready task of its level goes before it. */
static bool is_behind(unsigned one)
{
    bool behind = false;
    for (unsigned other = 0; other < TASKS; other++) {
        behind = behind || (model[other].ready && model[other].level == model[one].level && better(other, one));
    }
    return behind;
}

static void now_ready(unsigned one, bool first)
{
    model[one].ready = true;
    model[one].order = first ? --first_order : ++last_order;
    tasks[one].timer.state = TAKTI_READY;
}

static void now_blocked(unsigned one)
{
    model[one].ready = false;
    tasks[one].timer.state = TAKTI_BLOCKED;
}

static void look(void)
{
    CHECK(takti_ready_first() == best());
    takti_kernel.ready.next = takti_ready_first();
    for (unsigned one = 0; one < TASKS; one++) {
        if (model[one].ready && !is_edf(model[one].level)) {
            bool alone = equals(model[one].level) == 1;
            CHECK(takti_ready_alone(&tasks[one]) == (EXACT && alone));
        }
    }
}

static void insert(unsigned one, enum takti_position position)
{
    bool had = equals(model[one].level) != 0;
    now_ready(one, position == TAKTI_FIRST);
    bool may = takti_ready_insert(&tasks[one], position);
    if (!may && position == TAKTI_BEST) {
        CHECK(!EXACT);
        may = takti_ready_insert(&tasks[one], TAKTI_LAST);
    }
    CHECK(may || (is_edf(model[one].level) ? is_behind(one) : had));
}

static void add(unsigned one)
{
    struct takt_task *next = takti_kernel.ready.next;
    now_ready(one, false);
    bool runs = takti_ready_add(&tasks[one]);
    bool should = best() == &tasks[one];
    CHECK(TAKT_SINGLE_PATH ? runs || !should : runs == should);
    if (!TAKT_SINGLE_PATH) {
        CHECK(takti_kernel.ready.next == (should ? &tasks[one] : next));
    }
}

static void leave(unsigned one)
{
    now_blocked(one);
    takti_ready_remove(&tasks[one]);
}

/* Takes the place of the only task of its level. */
static void replace(unsigned one)
{
    for (unsigned other = 0; other < TASKS; other++) {
        if (model[other].ready && !is_edf(model[other].level) && equals(model[other].level) == 1) {
            key_set(one, model[other].level, 0);
            now_blocked(other);
            now_ready(one, false);
            (void)takti_ready_insert(&tasks[one], TAKTI_REPLACE);
            return;
        }
    }
}

static void edf_key_set(unsigned one, uint64_t deadline_ns, unsigned leaf)
{
    if (TAKT_INHERITS_ORDER && model[one].ready && model[one].leaf != leaf) {
        (void)takti_ready_insert(&tasks[one], TAKTI_UNKEY);
    }
    model[one].deadline_ns = deadline_ns;
    model[one].leaf = leaf;
    takti_key_deadline_set(&tasks[one], deadline_ns);
    takti_key_order_set(&tasks[one], leaf);
}

/* A blocked task whose key nobody has yet; TASKS: none. */
static unsigned lender(void)
{
    unsigned one = below(TASKS);
    for (unsigned other = 0; other < TASKS; other++) {
        if (model[one].ready || (other != one && model[other].leaf == one)) {
            return TASKS;
        }
    }
    return one;
}

/* A ready task of the edf level gets another key: its own, or that of a blocked task, which is better. */
static void rekey(unsigned one)
{
    unsigned by = TAKT_INHERITS_ORDER && below(2) == 0 ? lender() : one;
    uint64_t deadline_ns = GRAIN_NS * (uint64_t)(1 + below(8));
    bool own = by == TASKS || by == one;
    if (own) {
        tasks[one].job_deadline_ns = deadline_ns;
    } else if (deadline_ns >= tasks[one].job_deadline_ns) {
        deadline_ns = tasks[one].job_deadline_ns - GRAIN_NS;
    }
    edf_key_set(one, deadline_ns, own ? one : by);
    (void)takti_ready_insert(&tasks[one], TAKTI_REKEY);
}

/* Who has the key of `one`, which becomes ready, has its own again. `first`: before that; else `one` is ready with it.
 */
static void key_back(unsigned one, bool first)
{
    for (unsigned other = 0; other < TASKS; other++) {
        if (other == one || model[other].leaf != one) {
            continue;
        }
        if (!first && model[other].ready) {
            key_set(one, model[other].level, model[other].deadline_ns);
            insert(one, TAKTI_LAST);
        }
        bool ready = model[other].ready;
        edf_key_set(other, ready ? tasks[other].job_deadline_ns : model[other].deadline_ns, other);
        if (ready) {
            (void)takti_ready_insert(&tasks[other], TAKTI_REKEY);
        }
    }
}

/* The best task, of the edf level, leaves, and lends its place to another, which gives it back at once or later. */
static void lend(unsigned owner, bool at_once)
{
    unsigned one = (unsigned)(best() - tasks);
    bool simple = TAKT_INHERITS_ORDER && one < TASKS && one != owner && is_edf(model[one].level);
    if (!simple || model[one].leaf != one || model[owner].leaf != owner) {
        return;
    }
    edf_key_set(owner, model[one].deadline_ns, one);
    CHECK(takti_ready_insert(&tasks[owner], TAKTI_REPLACE));
    now_blocked(one);
    look();
    if (at_once) {
        CHECK(takti_ready_insert(&tasks[one], TAKTI_REPLACE));
        now_ready(one, false);
        edf_key_set(owner, tasks[owner].job_deadline_ns, owner);
        (void)takti_ready_insert(&tasks[owner], TAKTI_LAST);
    }
}

static struct {
    unsigned count;
    unsigned last;
    bool idle;
    unsigned remove; /* every so many */
} visits;

static void visit(struct takt_task *task, void *context)
{
    unsigned one = (unsigned)(task - tasks);
    CHECK(context == &visits && !visits.idle);
    if (task == &takti_kernel.idle) {
        visits.idle = true;
        return;
    }
    CHECK(one < TASKS && model[one].ready);
    bool order = visits.last == TASKS || model[visits.last].level < model[one].level;
    bool same = visits.last != TASKS && model[visits.last].level == model[one].level;
    CHECK(order || (same && (!EXACT || (is_edf(model[one].level) ? model[visits.last].leaf < model[one].leaf
                                                                 : better(visits.last, one)))));
    visits.last = one;
    visits.count++;
    if (visits.remove != 0 && visits.count % visits.remove == 0) {
        takti_ready_remove(task);
        tasks[one].timer.state = TAKTI_SUSPENDED; /* noted below, after the order was compared */
    }
}

static void each(unsigned remove)
{
    unsigned ready = 0;
    for (unsigned one = 0; one < TASKS; one++) {
        ready += model[one].ready ? 1 : 0;
    }
    visits.count = 0;
    visits.last = TASKS;
    visits.idle = false;
    visits.remove = remove;
    takti_ready_each(visit, &visits);
    CHECK(visits.count == ready && visits.idle);
    for (unsigned one = 0; one < TASKS; one++) {
        if (tasks[one].timer.state == TAKTI_SUSPENDED) {
            now_blocked(one);
        }
    }
}

static void rotate(void)
{
    struct takt_task *first = best();
    unsigned one = (unsigned)(first - tasks);
    if (first == &takti_kernel.idle || is_edf(model[one].level)) {
        return;
    }
    model[one].order = ++last_order;
    CHECK(takti_ready_rotate(first) == best());
}

static void begin(void)
{
    takti_reset();
    memset(tasks, 0, sizeof tasks);
    memset(calls, 0, sizeof calls);
    memset(model, 0, sizeof model);
    memset(expected, 0, sizeof expected);
    last_order = first_order = 0;
    built = (struct takt_system){.configs = configs,
                                 .tasks = tasks,
                                 .task_count = TASKS,
                                 .edf = TAKT_EDF ? &edf_space : NULL,
                                 .timers = &timer_space};
    if (TAKT_EDF) {
        takt_bitmap_set(built.edf_levels, TAKT_LEVEL_WORDS, EDF_LEVEL);
    }
    takti_kernel.system = &built;
    takti_kernel.ready.running = &takti_kernel.idle;
    takti_kernel.ready.next = &takti_kernel.idle;
    takti_engine_init();
    struct takt_task *idle = &takti_kernel.idle;
    idle->level = &takti_kernel.ready.levels[TAKT_LEVELS - 1];
    idle->level_bit = takt_bitmap_bit(TAKT_LEVEL_WORDS, TAKT_LEVELS - 1);
    idle->timer.state = TAKTI_READY;
    (void)takti_ready_insert(idle, TAKTI_LAST);
    for (unsigned one = 0; one < TASKS; one++) {
        model[one].leaf = one;
        configs[one] = (struct takt_task_config){.index = (uint16_t)one, .level = TAKT_LEVELS - 2};
        tasks[one].config = &configs[one];
        now_blocked(one);
    }
}

/* Before the start: the timers of time 0, in the order of arming; then the clock runs. */
static void start(void)
{
    look();
    for (unsigned one = 0; one < 6; one++) {
        arm(one, one % 2 == 0 ? 0 : TAKT_S(1000) + one);
    }
    arm(7, TAKT_FOREVER);
    take_all(TAKTI_TAKE_START, 0, false);
    takti_kernel.timers.running = true;
    takti_timers_program();
    takti_timers_program(); /* as a port after an early interrupt */
    cancel(7);
    for (unsigned one = 0; one < TIMERS; one++) {
        cancel(one);
    }
}

/* All tasks in one level, all timers at one time: they come as they were queued; and the dearest insertions. */
static void edges(void)
{
    for (unsigned level = 0; level < LEVELS; level++) {
        for (unsigned one = 0; one < TASKS; one++) {
            key_set(one, level, GRAIN_NS * (uint64_t)(TASKS - one / 2));
            if (one % 4 == 2) {
                add(one); /* in an edf level it is the best */
            } else {
                insert(one, leads(one) ? TAKTI_BEST : TAKTI_LAST);
            }
            look();
        }
        each(0);
        rotate();
        each(3);
        look();
        for (unsigned one = 0; one < TASKS; one++) {
            if (model[one].ready) {
                leave(one);
                look();
            }
        }
    }
    uint64_t at_ns = takt_port_now_ns() + TAKT_US(200);
    for (unsigned one = 0; one < TIMERS; one++) {
        arm(one, one % 3 == 0 ? at_ns : one % 3 == 1 ? at_ns - GRAIN_NS * (uint64_t)one : TAKT_FOREVER - 1 - one);
    }
    engine_suite_pass(at_ns);
    take_all(TAKTI_TAKE_DUE, at_ns, false);
    for (unsigned one = 0; one < TIMERS; one++) {
        cancel(one);
    }
}

static void step(void)
{
    unsigned one = below(TASKS);
    unsigned timer = below(TIMERS);
    unsigned level = below(LEVELS);
    uint64_t deadline_ns = GRAIN_NS * (uint64_t)(1 + below(8));
    (void)takti_settle(&tasks[one], TAKTI_ASKED);
    bool blocked = !model[one].ready;
    if (blocked) {
        key_back(one, below(2) == 0);
    }
    if (blocked && model[one].ready) {
        look();
    } else if (model[one].ready && is_edf(model[one].level) && below(2) == 0) {
        if (below(3) == 0) {
            lend(one, below(2) == 0);
        } else {
            rekey(one);
        }
    } else if (model[one].ready) {
        leave(one);
    } else if (below(8) == 0) {
        replace(one);
    } else {
        key_set(one, level, deadline_ns);
        if (leads(one) && below(2) == 0) {
            insert(one, TAKTI_BEST);
        } else if (below(3) == 0) {
            add(one);
        } else {
            insert(one, is_edf(level) || below(2) == 0 ? TAKTI_LAST : TAKTI_FIRST);
        }
    }
    look();
    if (below(4) == 0) {
        rotate();
    }
    if (below(8) == 0) {
        each(below(3));
    }
    if (expected[timer].armed) {
        if (below(3) == 0) {
            cancel(timer);
        }
    } else if (!takti_timer_armed(&calls[timer].timer)) {
        bool near = below(4) != 0;
        uint64_t base_ns = takt_port_now_ns() / GRAIN_NS * GRAIN_NS;
        arm(timer, near ? base_ns + GRAIN_NS * (uint64_t)(40 + below(NEAR)) : base_ns + TAKT_S(100) * (1 + below(3)));
    }
    if (below(12) == 0) {
        uint64_t by_ns = takt_port_now_ns() + GRAIN_NS * (uint64_t)(40 + NEAR);
        engine_suite_pass(by_ns);
        take_all(TAKTI_TAKE_DUE, by_ns, below(2) == 0);
    }
    look();
}

unsigned engine_suite(uint32_t seed, unsigned steps)
{
    random_state = seed;
    failed = 0;
    taking = false;
    begin();
    start();
    edges();
    for (engine_suite_step = 0; engine_suite_step < steps && failed == 0; engine_suite_step++) {
        step();
    }
    return failed;
}
