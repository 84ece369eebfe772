/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's ready queue and its expiries, kept by the task manager: kernel/engine/engine.h says what each function
 * does. A task has one record, which is either ready, with its key, or waits for the task's expiry; every
 * other timer has one while it is armed (docs/decisions/0019-rtm-engine.md).
 *
 * Level 0 of the unit is for expiries: a record whose time has come is NEXT whatever is ready, so the unit interrupts,
 * and the kernel's handler takes all such records out before it determines the running task. RUNNING is what the kernel
 * saw last: it reads TAKE once after its changes, with the lock closed, unless the levels say that the running task
 * stays; so otherwise only time changes NEXT. The level of a task is one below.
 *
 * The bit EDF is set in every record that does not stand ready in a fixed level: then a key is as it is written, and
 * becoming ready in a fixed level stamps it.
 */
#include "hardware/driver/rtm_unit.h"

#include <string.h>

enum {
    KEPT = 0x100 /* takt_timer.record: it stays the timer's */
};

_Static_assert(TAKT_LEVELS <= 256, "every level but idle's is one of the unit's, below that of expiries");

void takti_engine_init(void)
{
    struct takti_timers *timers = &takti_kernel.timers;
    TAKT_ASSERT((WORD(RTM_INFO) & RTM_INFO_RECORDS) >= TAKTI_RECORDS); /* takt run starts such a one */
    TAKT_ASSERT(TAKT_PORT_TICK_NS == 1);                               /* so the clock's halves are ns: quiet.h */
    for (unsigned record = 0; record < TAKTI_RECORDS; record++) {
        RECORD(record, RTM_RECORD_STATUS) = RTM_STATUS_EDF;
        if (record >= takti_kernel.system->task_count) {
            takt_bitmap_set(timers->free, TAKTI_RECORD_WORDS, record);
        }
    }
    WORD(RTM_RUNNING) = 0;
    if (TAKT_EDF) {
        memcpy(takti_kernel.ready.edf, takti_kernel.system->edf_levels, sizeof takti_kernel.ready.edf);
    }
}

/* The record that a timer has from now on: a task of the system its own, for good; any other one that is free. */
static __attribute__((noinline)) void take_record(struct takt_timer *timer)
{
    struct takti_timers *timers = &takti_kernel.timers;
    uintptr_t offset = (uintptr_t)timer - (uintptr_t)&takti_kernel.system->tasks[0].timer;
    uintptr_t number = offset / sizeof(struct takt_task);
    if (number < takti_kernel.system->task_count && offset % sizeof(struct takt_task) == 0) {
        timers->of[number] = timer;
        timer->record = (uint16_t)((number + 1) | KEPT);
        return;
    }
    unsigned record = takt_bitmap_first(timers->free, TAKTI_RECORD_WORDS);
    TAKT_ASSERT(takt_bitmap_test(timers->free, TAKTI_RECORD_WORDS, record)); /* takt build counts them */
    takt_bitmap_clear(timers->free, TAKTI_RECORD_WORDS, record);
    timers->of[record] = timer;
    timer->record = (uint16_t)(record + 1);
}

/* The timer is neither armed nor that of a task that is ready. */
static void give_record_back(struct takt_timer *timer)
{
    if ((timer->record & KEPT) == 0) {
        takt_bitmap_set(takti_kernel.timers.free, TAKTI_RECORD_WORDS, timer->record - 1u);
        timer->record = 0;
    }
}

/* ------ Ready tasks ------ */

/* The order before those of all that stand in the level of the unit; false: there are none. */
static bool order_before(unsigned level, uint32_t *order)
{
    bool some = false;
    for (unsigned record = 0; record < TAKTI_RECORDS; record++) {
        if (level_of(record) == level) {
            uint32_t other = RECORD(record, RTM_RECORD_KEY) & ORDER;
            if (!some || ((other - *order) & ORDER_SIGN) != 0) {
                *order = other;
            }
            some = true;
        }
    }
    *order = (*order - 1) & ORDER;
    return some;
}

static inline void insert(struct takti_ready *ready, struct takt_task *task, unsigned record, bool first)
{
    uint32_t key = takti_rtm_key(task);
    uint32_t order = 0;
    uint32_t status = RTM_STATUS_VALID;
    if (takti_in_edf(ready, task)) {
        order = deadline_order(takti_key_deadline_ns(task));
        status |= RTM_STATUS_EDF;
    } else if (first && order_before(key >> LEVEL, &order)) {
        status |= RTM_STATUS_EDF;
    }
    RECORD(record, RTM_RECORD_KEY) = key | order;
    RECORD(record, RTM_RECORD_STATUS) = status;
}

/* The only ready task of the level leaves. */
static void remove_of(unsigned level)
{
    for (unsigned record = 0; record < TAKTI_RECORDS; record++) {
        if (level_of(record) == level) {
            takti_ready_remove(takti_timer_task(takti_kernel.timers.of[record]));
            return;
        }
    }
}

/* takti_ready_insert, but for BEST. */
bool takti_rtm_insert(struct takt_task *task, enum takti_position position)
{
    if (task == &takti_kernel.idle) {
        return true; /* runs when the unit names nobody */
    }
    if (position == TAKTI_REPLACE) {
        remove_of(takti_rtm_key(task) >> LEVEL);
    }
    if (position == TAKTI_REKEY) {
        takti_ready_remove(task);
    }
    if (!has_record(&task->timer)) {
        take_record(&task->timer);
    }
    insert(&takti_kernel.ready, task, takti_rtm_record(&task->timer), position == TAKTI_FIRST);
    return true;
}

/* On their own, so that an addition without that saves no registers. */
static TAKTI_NOINLINE_HOT bool add_with_record(struct takt_task *task)
{
    take_record(&task->timer);
    return takti_ready_add(task);
}

/* The unit is asked, and RUNNING written, once: where takti_reschedule decides. */
bool takti_ready_add(struct takt_task *task)
{
    if (!has_record(&task->timer)) {
        return add_with_record(task);
    }
    struct takti_ready *ready = &takti_kernel.ready;
    insert(ready, task, takti_rtm_record(&task->timer), false);
    return !TAKT_COOPERATIVE && task->level <= ready->next->level;
}

void takti_ready_remove(struct takt_task *task)
{
    unsigned record = takti_rtm_record(&task->timer);
    RECORD(record, RTM_RECORD_STATUS) = RTM_STATUS_EDF;
    give_record_back(&task->timer);
}

/* Of two that are due: earlier expiries first, then the one armed first. */
static inline bool due_before(const struct takt_timer *a, const struct takt_timer *b)
{
    const uint32_t *armed_as = takti_kernel.timers.armed_as;
    return a->at_ns < b->at_ns ||
           (a->at_ns == b->at_ns && (int32_t)(armed_as[takti_rtm_record(a)] - armed_as[takti_rtm_record(b)]) < 0);
}

/* Puts a timer whose time has come among those that are due, where it is mostly the last. */
static void collect(unsigned record)
{
    struct takti_timers *timers = &takti_kernel.timers;
    struct takt_timer *timer = timers->of[record];
    struct takt_timer **link = &timers->due;
    if (*link != NULL && due_before(timers->due_last, timer)) {
        link = &timers->due_last->next;
    }
    while (*link != NULL && due_before(*link, timer)) { /* at most one round per record */
        link = &(*link)->next;
    }
    if (*link == NULL) {
        timers->due_last = timer;
    }
    RECORD(record, RTM_RECORD_STATUS) = RTM_STATUS_EDF;
    timer->armed = timer->armed == PARKED ? DUE_PARKED : DUE;
    timer->next = *link;
    *link = timer;
}

/* Whether a task waits quietly, or is ready since. */
static inline bool is_quiet(const struct takt_timer *timer)
{
    return TAKTI_QUIET && (timer->armed == QUIET || timer->armed == PLAIN);
}

/* Whether a timer whose record is ready stands for an expiry, not for its task. */
static inline bool is_expiry(const struct takt_timer *timer)
{
    return timer->armed != 0 && !is_quiet(timer);
}

/* The same of the record that the unit names. */
static inline bool names_expiry(uint32_t name)
{
    return (name & RTM_SOME) != 0 && is_expiry(takti_kernel.timers.of[name & RTM_INDEX]);
}

/* An expiry is NEXT: it has come since the lock was closed, and its interrupt stays. The best task all the same. */
static __attribute__((noinline)) struct takt_task *behind_expiries(void)
{
    WORD(RTM_RUNNING) = 0;
    for (;;) { /* at most one round per record */
        uint32_t after = WORD(RTM_AFTER);
        if (!names_expiry(after)) {
            return (after & RTM_SOME) == 0 ? &takti_kernel.idle
                                           : takti_timer_task(takti_kernel.timers.of[after & RTM_INDEX]);
        }
        collect(after & RTM_INDEX);
    }
}

/* takti_ready_first if NEXT is the record of a timer that was armed: an expiry, or a task that waited quietly. */
struct takt_task *takti_rtm_first_of(struct takt_timer *timer)
{
    struct takt_task *task = is_expiry(timer) ? behind_expiries() : takti_timer_task(timer);
    if (is_quiet(&task->timer)) {
        task->timer.armed = 0;
        return takti_came(task);
    }
    return task;
}

/* An expiry far away, or past: the unit waits for the horizon, or no more. */
static TAKTI_NOINLINE_HOT uint64_t within_horizon(struct takt_timer *timer)
{
    struct takti_timers *timers = &takti_kernel.timers;
    timers->seen_ns = takt_port_now_ns();
    if (timer->at_ns < timers->seen_ns) {
        return timers->seen_ns;
    }
    if (timer->at_ns - timers->seen_ns > HORIZON_NS) {
        timer->armed = PARKED;
        return timers->seen_ns + HORIZON_NS;
    }
    return timer->at_ns;
}

/*
 * A task that waits for its own expiry does so quietly. `sleeps`: not for a release. Its level is what it was when it
 * was ready, which its key still says; in an edf band the key will be that of the deadline.
 */
static inline void expect_quietly(unsigned record, struct takt_task *task, bool sleeps)
{
    uint32_t key = takti_rtm_key(task);
    uint32_t status = RTM_STATUS_VALID | RTM_STATUS_DELAYED;
    task->timer.armed = QUIET;
    if (takti_in_edf(&takti_kernel.ready, task)) {
        uint64_t deadline_ns = sleeps ? takti_key_deadline_ns(task) : task->timer.at_ns + task->config->deadline_ns;
        RECORD(record, RTM_RECORD_KEY) = key | deadline_order(deadline_ns);
        status |= RTM_STATUS_EDF;
    } else {
        RECORD(record, RTM_RECORD_KEY) = key;
    }
    RECORD(record, RTM_RECORD_WAKE) = quanta(task->timer.at_ns);
    RECORD(record, RTM_RECORD_STATUS) = status;
}

/* Whether it was one that can. */
static inline bool expected_quietly(unsigned record, struct takt_timer *timer)
{
    bool sleeps = timer->state == TAKTI_BLOCKED_DELAY;
    struct takt_task *task = takti_timer_task(timer);
    if (!takti_kernel.timers.quietly[record] || (!sleeps && timer->state != TAKTI_BLOCKED_JOB) ||
        (timer->flags & TAKTI_FLAG_SUSPENDED) != 0 || task->holds != TAKTI_HOLDS) {
        return false;
    }
    expect_quietly(record, task, sleeps);
    return true;
}

/* The unit waits for the record's timer. */
static void expect(unsigned record, struct takt_timer *timer)
{
    uint64_t at_ns = timer->at_ns;
    timer->armed = ARMED;
    if (at_ns - takti_kernel.timers.seen_ns > HORIZON_NS) {
        at_ns = within_horizon(timer);
    }
    RECORD(record, RTM_RECORD_KEY) = 0;
    RECORD(record, RTM_RECORD_WAKE) = quanta(at_ns);
    RECORD(record, RTM_RECORD_STATUS) = RTM_STATUS_VALID | RTM_STATUS_DELAYED | RTM_STATUS_EDF;
}

void takti_settle_quiet(struct takt_task *task)
{
    struct takt_timer *timer = &task->timer;
    if (!is_quiet(timer)) {
        return;
    }
    unsigned record = takti_rtm_record(timer);
    if ((RECORD(record, RTM_RECORD_STATUS) & RTM_STATUS_DELAYED) == 0) {
        timer->armed = 0;
        (void)takti_came(task);
        return;
    }
    timer->armed = ARMED;
    takti_kernel.timers.armed_as[record] = takti_kernel.timers.armings++;
    RECORD(record, RTM_RECORD_KEY) = 0;
    RECORD(record, RTM_RECORD_STATUS) = RTM_STATUS_VALID | RTM_STATUS_DELAYED | RTM_STATUS_EDF; /* the expiry stays */
}

static TAKTI_NOINLINE_HOT void arm_with_record(struct takt_timer *timer, uint64_t at_ns)
{
    take_record(timer);
    takti_timer_arm(timer, at_ns);
}

/* An expiry that is not waited for quietly. */
static TAKTI_NOINLINE_HOT void arm_loudly(struct takt_timer *timer)
{
    struct takti_timers *timers = &takti_kernel.timers;
    unsigned record = takti_rtm_record(timer);
    if (timer->at_ns == TAKT_FOREVER) {
        give_record_back(timer); /* never comes */
        return;
    }
    timer->armed = ARMED;
    timers->armed_as[record] = timers->armings++;
    if (timers->running) { /* before that the clock is another */
        expect(record, timer);
    }
}

void takti_timer_arm(struct takt_timer *timer, uint64_t at_ns)
{
    TAKT_ASSERT(!takti_timer_armed(timer));
    if (!has_record(timer)) {
        arm_with_record(timer, at_ns);
        return;
    }
    timer->at_ns = at_ns;
    const struct takti_timers *timers = &takti_kernel.timers;
    if (TAKTI_QUIET && timers->running && at_ns - timers->seen_ns <= HORIZON_NS &&
        expected_quietly(takti_rtm_record(timer), timer)) {
        return;
    }
    arm_loudly(timer);
}

/* Cancels a timer that is armed. */
void takti_timer_remove(struct takt_timer *timer)
{
    if (timer->armed >= DUE) {
        struct takt_timer **link = &takti_kernel.timers.due;
        struct takt_timer *before = NULL;
        while (*link != timer) { /* at most one round per record */
            before = *link;
            link = &before->next;
        }
        *link = timer->next;
        if (timer->next == NULL) {
            takti_kernel.timers.due_last = before;
        }
    } else {
        unsigned record = takti_rtm_record(timer);
        RECORD(record, RTM_RECORD_STATUS) = RTM_STATUS_EDF;
    }
    timer->armed = 0;
    give_record_back(timer);
}

/* Whether the unit is to wait for the record's timer. */
static bool waits(unsigned record)
{
    const struct takt_timer *timer = takti_kernel.timers.of[record];
    return timer != NULL && (timer->record & TAKTI_RECORD) == record + 1u && timer->armed <= PARKED &&
           timer->armed != 0;
}

/* All that was armed before the clock was the system's. */
void takti_timers_program(void)
{
    if (takti_kernel.timers.programmed) {
        return;
    }
    takti_kernel.timers.programmed = true;
    if (TAKTI_QUIET) {
        takti_rtm_find_quiet();
    }
    for (unsigned record = 0; record < TAKTI_RECORDS; record++) {
        if (waits(record)) {
            expect(record, takti_kernel.timers.of[record]);
        }
    }
}

/* Before the start, when nothing is expected of the unit: all that are due at time 0. */
static void gather_at_start(void)
{
    for (unsigned record = 0; record < TAKTI_RECORDS; record++) {
        if (waits(record) && takti_kernel.timers.of[record]->at_ns == 0) {
            collect(record);
        }
    }
}

/* All that the unit says have come. */
static void gather(void)
{
    for (uint32_t next; names_expiry(next = WORD(RTM_NEXT));) { /* at most one round per record */
        collect(next & RTM_INDEX);
    }
}

/*
 * The first of what is due. The unit looks at one record after the other, so one for the same expiry, or one before,
 * may still be missing: it is waited for, which the way into the interrupt mostly has done.
 */
static __attribute__((noinline)) struct takt_timer *take_due(void)
{
    struct takti_timers *timers = &takti_kernel.timers;
    for (;;) { /* at most one round per record that was parked, and what is said below */
        if (timers->running) {
            gather();
        } else if (timers->due == NULL) {
            gather_at_start();
        }
        struct takt_timer *timer = timers->due;
        if (timer == NULL) {
            return NULL;
        }
        if (timer->armed == DUE_PARKED) { /* which is at the end of the row, or its time has come by now */
            timers->due = timer->next;
            expect(takti_rtm_record(timer), timer);
            continue;
        }
        if (timers->running && WORD(RTM_NOW) - quanta(timer->at_ns) < ROUND) {
            continue; /* for a round at most */
        }
        timers->due = timer->next;
        timer->armed = 0;
        give_record_back(timer);
        return timer;
    }
}

/* The first of what is due, which is armed no more; NULL: nothing is. */
static inline struct takt_timer *take(void)
{
    const struct takti_timers *timers = &takti_kernel.timers;
    if (timers->running && timers->due == NULL) {
        uint32_t next = WORD(RTM_NEXT);
        if (!names_expiry(next)) {
            return NULL;
        }
        collect(next & RTM_INDEX);
    }
    return take_due();
}

/* Where the end of the interrupt does not select the task to run, nothing else says that the interrupt was served. */
static TAKTI_NOINLINE_HOT struct takt_timer *take_unselected(enum takti_take which)
{
    struct takt_timer *timer = take();
    if (timer == NULL && which != TAKTI_TAKE_START) {
        (void)takti_ready_first();
    }
    return timer;
}

struct takt_timer *takti_timers_take(enum takti_take which)
{
    return TAKT_COOPERATIVE || !takti_kernel.timers.running ? take_unselected(which) : take();
}

uint64_t takti_timers_first_ns(void)
{
    return takti_kernel.timers.due == NULL ? TAKT_FOREVER : takti_kernel.timers.due->at_ns;
}
