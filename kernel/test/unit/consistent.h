/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CONSISTENT_H
#define CONSISTENT_H

/*
 * Whether everything that the kernel keeps agrees, at a place where the lock is open. Whoever includes it has the
 * objects of the test: TASKS `tasks`, `deadline_timers`, MUTEXES `mutexes`, SEMAPHORES `semaphores`, MAILBOXES
 * `mailboxes` with ROOM for messages; `armed_calls`, how many timers that are calls are armed; and `held_besides`, what
 * a task holds that is no mutex of these.
 */
static unsigned held_besides(const struct takt_task *task);
static unsigned armed_calls(void);

static unsigned timer_room(void)
{
    return takti_kernel.system->timers->capacity;
}

#if TAKTI_SMALL
static unsigned armed_timers(void)
{
    unsigned length = 0;
    for (const struct takt_timer *timer = takti_kernel.timers.first; timer != NULL; timer = timer->next) {
        CHECK(timer->armed == 1 && (timer->next == NULL || timer->at_ns <= timer->next->at_ns));
        CHECK(++length <= timer_room());
    }
    return length;
}
#else
static unsigned chain_length(const struct takt_timer *timer)
{
    unsigned length = 0;
    uint64_t at_ns = timer->at_ns;
    for (; timer != NULL; timer = timer->next) {
        CHECK(timer->armed != 0 && timer->at_ns == at_ns && ++length <= timer_room());
        CHECK(timer->next == NULL || timer->next->previous == timer);
    }
    return length;
}

static unsigned armed_timers(void)
{
    const struct takti_timers *timers = &takti_kernel.timers;
    unsigned found = timers->due == NULL ? 0 : chain_length(timers->due);
    struct takt_timer **places = takti_kernel.system->timers->places + TAKT_TIMERS_MARGIN;
    CHECK(timers->first >= places && timers->last + 1 >= timers->first);
    CHECK(timers->last + 1 == places + timer_room());
    CHECK(timers->last[1]->at_ns == TAKT_FOREVER && !timers->last[1]->armed);
    for (struct takt_timer **place = timers->first; place <= timers->last; place++) {
        const struct takt_timer *last = *place;
        CHECK(last->at_ns < place[1]->at_ns);
        found += chain_length(*place);
        while (last->next != NULL) {
            last = last->next;
        }
        CHECK((*place)->previous == last);
    }
    return found;
}
#endif

static void check_timers(void)
{
    unsigned expected = 0;
    for (unsigned index = 0; index < TASKS; index++) {
        expected += (tasks[index].timer.armed != 0) + (deadline_timers[index].timer.armed != 0);
    }
    expected += armed_calls();
#if TAKT_BUDGETS
    expected += takti_kernel.budgets.timer.armed != 0;
#endif
#if TAKT_SLICES
    expected += takti_kernel.slice.armed != 0;
#endif
    CHECK_EQUAL(armed_timers(), expected);
}

/* How many tasks are ready in an edf level. */
static unsigned ready_in_edf(const union takti_level *level)
{
    unsigned found = 0;
    for (unsigned index = 0; index < TASKS; index++) {
        found += tasks[index].timer.state == TAKTI_READY && tasks[index].level == level;
    }
    CHECK(found > 0);
    return found;
}

static void check_ready(void)
{
    unsigned expected = 1;
    unsigned found = 0;
    for (unsigned level = 0; level < TAKT_LEVELS; level++) {
        union takti_level *place = &takti_kernel.ready.levels[level];
        bool occupied = takt_bitmap_test(takti_kernel.ready.occupied, TAKT_LEVEL_WORDS, level) != 0;
        if (occupied && takti_level_edf(&takti_kernel.ready, level)) {
            found += ready_in_edf(place);
        } else if (occupied) {
            struct takt_task *task = place->fifo;
            do {
                CHECK(task->level == place && task->timer.state == TAKTI_READY && task->next->previous == task);
                found++;
                task = task->next;
            } while (task != place->fifo && found < 100);
        }
    }
    for (unsigned index = 0; index < TASKS; index++) {
        expected += tasks[index].timer.state == TAKTI_READY;
    }
    CHECK_EQUAL(found, expected);
}

static void check_task(const struct takt_task *task)
{
    const union takti_level *best = &takti_kernel.ready.levels[takti_own_level(task)];
    unsigned holds = 0;
    unsigned contended = 0;
    if (task->timer.state == TAKTI_STOPPED) {
        CHECK(task->timer.armed == 0);
        return;
    }
    for (unsigned index = 0; index < MUTEXES; index++) {
        const struct takt_mutex *mutex = &mutexes[index];
        if (mutex->owner == task) {
            holds++;
            if (mutex->waiters != NULL) {
                contended++;
                best = mutex->waiters->level < best ? mutex->waiters->level : best;
            }
        }
    }
    CHECK_EQUAL(task->holds & TAKTI_HOLDS_COUNT, holds + held_besides(task));
    bool hinted = (task->timer.flags & TAKTI_FLAG_HINTED) != 0; /* hint.c: takes off what says that no stop waits */
    CHECK(task->holds != 0 || hinted);                          /* a stop waits for the last unlock, not longer */
    CHECK((task->timer.flags & TAKTI_FLAG_SUSPENDED) == 0 || task->timer.state != TAKTI_READY);
    for (const struct takt_mutex *mutex = task->timer.contended; mutex != NULL; mutex = mutex->next_contended) {
        CHECK(mutex->owner == task && mutex->waiters != NULL);
        if (mutex >= &mutexes[0] && mutex < &mutexes[MUTEXES]) {
            CHECK(contended-- > 0);
        } else { /* a call that it serves, or messages in its slot */
            best = mutex->waiters->level < best ? mutex->waiters->level : best;
        }
    }
    CHECK_EQUAL(contended, 0);
    CHECK(task->level == best);
    CHECK_EQUAL(task->level_bit, TAKT_BITMAP_BIT(best - takti_kernel.ready.levels));
    bool waits = task->timer.state == TAKTI_WAITING || task->timer.state == TAKTI_LOCKING;
    if (waits && task->wait_queue != NULL) {
        const struct takt_task *other = *task->wait_queue;
        bool found = false;
        for (unsigned place = 0; other != NULL && place < 20; place++, other = other->next) {
            found = found || other == task;
            CHECK(other->wait_queue == task->wait_queue);
            CHECK(other->next == NULL || other->level <= other->next->level);
        }
        CHECK(found && other == NULL);
    }
}

static void check_mailbox(const struct takt_mailbox *mailbox)
{
    uint32_t messages = TAKTI_SMALL ? mailbox->hidden : mailbox->count + mailbox->hidden;
    uint32_t used =
        (uint32_t)(mailbox->in - mailbox->out + mailbox->message_size * ROOM) / mailbox->message_size % ROOM;
    CHECK(messages <= ROOM && messages % ROOM == used);
    CHECK(mailbox->receivers == NULL || messages == 0);
    CHECK(mailbox->senders == NULL || messages == ROOM);
    if (TAKTI_SMALL) {
        return;
    }
    CHECK(mailbox->count == 0 || mailbox->hidden == 0);
    CHECK(mailbox->room == 0 || mailbox->room + mailbox->count == ROOM);
    CHECK(mailbox->receivers == NULL || mailbox->room == 0);
    CHECK(mailbox->senders == NULL || (mailbox->count == 0 && mailbox->room == 0));
}

static void check_all(void)
{
    check_timers();
    check_ready();
    for (unsigned index = 0; index < TASKS; index++) {
        check_task(&tasks[index]);
    }
    for (unsigned index = 0; index < MUTEXES; index++) {
        const struct takt_mutex *mutex = &mutexes[index];
        CHECK(mutex->owner != NULL || mutex->waiters == NULL);
        CHECK(!mutex->lent || mutex->waiters == NULL || (mutex->waiters->next == NULL && !mutex->waiters->timer.armed));
    }
    for (unsigned index = 0; index < MAILBOXES; index++) {
        check_mailbox(&mailboxes[index]);
    }
    for (unsigned index = 0; index < SEMAPHORES; index++) {
        const struct takt_semaphore *semaphore = &semaphores[index];
        CHECK(semaphore->waiters == NULL || (semaphore->count == 0 && semaphore->room == 0));
        CHECK(semaphore->room == 0 || semaphore->room + semaphore->count == semaphore->maximum);
    }
    bool task = takt_port_caller(0) == 0;
    CHECK((TAKTI_SMALL && !task) || takti_kernel.ready.next == takti_select());
    CHECK(!task || takti_kernel.ready.next == takti_kernel.ready.running);
}

#endif
