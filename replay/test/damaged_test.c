/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as records, in pieces of any size, into arrays of any size, and with memory that ends: under the
 * sanitizers, what is read stays within its memory, and what is counted stays within the trace. What is given fits its
 * arrays, and each record is taken once, up to the first that is damaged. The events that a reader gives tell another
 * the same.
 */
#include "base/test/check.h"
#include "kernel/include/takt/trace.h"
#include "replay/include/takt/replay.h"
#include "runner/include/takt/board.h"

enum { TASKS = 3, OBJECTS = 4, BANDS = 2, RECORDS = 400, EVENTS_MAX = TAKT_REPLAY_OUT_MIN + 64, PIECES_MAX = 40 };

static const uint8_t kinds[OBJECTS] = {0, 1, 2, TAKT_REPLAY_KIND_DELAY - 1};
static const uint8_t edf[BANDS] = {0, 1};
static const struct takt_replay_budget budgets[TASKS] = {{0}, {1000, 100, true, true}, {5000, 0, false, false}};

/* Allocations that succeed before one fails; then it fails once, or each does. */
static uint64_t granted = UINT64_MAX;
static bool fails_once, failed;

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static bool is_granted(void)
{
    if (granted == 0) {
        failed = true;
        granted = fails_once ? UINT64_MAX : 0;
        return false;
    }
    granted -= granted != UINT64_MAX;
    return true;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_granted() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *memory, size_t size)
{
    return is_granted() ? __real_realloc(memory, size) : NULL;
}

static uint64_t random_state;

static uint64_t random_number(uint64_t below)
{
    return check_random(&random_state) % below;
}

/* Numbers at limits are as frequent as others. */
static uint32_t odd_number(uint32_t usual)
{
    static const uint32_t limits[] = {0,         1,         UINT16_MAX - 2, UINT16_MAX - 1, UINT16_MAX, UINT16_MAX + 1,
                                      INT32_MAX, UINT32_MAX};
    uint64_t kind = random_number(4);
    return kind != 0 ? (uint32_t)random_number(usual) : limits[random_number(sizeof limits / sizeof limits[0])];
}

/* Mostly of the same kind as the last: rows, nested interrupts and the caller's arrays become full. */
static struct takt_trace_record any_record(void)
{
    static unsigned usual;
    bool known = random_number(200) != 0;
    unsigned event = (unsigned)random_number(known ? TAKT_EVENT_LOG_WORDS + 1u : 256u);
    usual = random_number(100) != 0 ? usual : event;
    event = known && random_number(4) != 0 ? usual : event;
    if (event == TAKT_EVENT_TIME && random_number(20) != 0) { /* most are back in time, where reading ends */
        event = TAKT_EVENT_RUN;
    }
    return (struct takt_trace_record){
        .delta_ns = odd_number(5000),
        .event = (uint8_t)event,
        .band = (uint8_t)odd_number(BANDS),
        .task = (uint16_t)(random_number(50) != 0 ? random_number(TASKS + 1) : odd_number(300)),
        .job = odd_number(9),
        .object = (uint16_t)odd_number(OBJECTS),
        .value = (uint16_t)odd_number(4),
    };
}

static struct takt_replay *any_reader(uint32_t tasks)
{
    const struct takt_replay_setup setup = {.tasks = tasks,
                                            .objects = (uint32_t)random_number(OBJECTS + 1),
                                            .kinds = kinds,
                                            .bands = (uint32_t)random_number(BANDS + 1),
                                            .edf = edf,
                                            .budgets = budgets,
                                            .cooperative = random_number(2) != 0,
                                            .from_start = random_number(2) != 0};
    struct takt_replay *replay = takt_replay_new(&setup);
    CHECK((replay == NULL) == failed);
    for (uint64_t i = replay == NULL ? 0 : random_number(40); i > 0; i--) {
        unsigned last = random_number(4) != 0 ? TAKT_EVENT_LOG_WORDS : UINT8_MAX;
        takt_replay_choose(replay, (uint8_t)random_number(last + 1u),
                           (uint8_t)random_number(TAKT_REPLAY_GIVE_WITHIN + 1));
    }
    for (uint64_t i = replay == NULL ? 0 : random_number(6); i > 0; i--) {
        uint64_t from_ns = random_number(100000);
        takt_replay_choose_message(replay, (uint16_t)odd_number(3));
        takt_replay_choose_object(replay, (uint16_t)odd_number(OBJECTS), (uint16_t)odd_number(TASKS), i % 2 != 0);
        takt_replay_choose_time(replay, from_ns, from_ns + odd_number(100000));
    }
    return replay;
}

static void check_given(const struct takt_replay_out *out)
{
    CHECK(out->events_count <= out->events_capacity);
    CHECK(out->pieces_count <= out->pieces_capacity);
    for (size_t i = 0; i < out->pieces_count; i++) {
        CHECK(out->pieces[i].start_ns < out->pieces[i].end_ns);
    }
}

/* Where time went is not more than there was. */
static void check_counted(struct takt_replay *replay, uint32_t tasks)
{
    const struct takt_replay_totals *totals = takt_replay_totals(replay);
    uint64_t executed_ns = 0;
    for (uint32_t task = 0; task < tasks; task++) {
        const struct takt_replay_figures *figures = takt_replay_figures(replay, task);
        CHECK(figures->able_ns <= totals->end_ns);
        executed_ns += figures->executed_ns;
        uint64_t in_bins_ns = 0;
        for (unsigned bin = 0; takt_replay_busy(replay, task) != NULL && bin < TAKT_REPLAY_BINS; bin++) {
            in_bins_ns += takt_replay_busy(replay, task)[bin];
        }
        CHECK(failed || in_bins_ns == figures->executed_ns);
    }
    CHECK(executed_ns <= totals->end_ns);
    CHECK(totals->end_ns / totals->bin_ns < TAKT_REPLAY_BINS);
}

static void ask(struct takt_replay *replay, uint32_t tasks)
{
    uint32_t depth, detail, index = odd_number(TASKS) % 400;
    int32_t actor;
    if (takt_replay_task(replay, index) == NULL) {
        CHECK(failed);
        return;
    }
    CHECK(takt_replay_condition(replay, index).state <= TAKT_REPLAY_RUNNING);
    (void)takt_replay_interrupt(replay, &depth);
    (void)takt_replay_actor(replay, &actor, &detail);
    (void)takt_replay_locks(replay, (uint32_t)random_number(tasks + 1), odd_number(OBJECTS));
    (void)takt_replay_running(replay);
    (void)takt_replay_messages(replay, (uint16_t)odd_number(4));
}

static uint8_t data[RECORDS * sizeof(struct takt_trace_record) + 1];

/* Random records at `offset`. Returns how many bytes they have. */
static size_t any_records(uint64_t offset)
{
    uint64_t records = random_number(RECORDS + 1);
    for (uint64_t i = 0; i < records; i++) {
        struct takt_trace_record record = any_record();
        memcpy(data + offset + i * sizeof record, &record, sizeof record);
    }
    return records * sizeof(struct takt_trace_record);
}

static void one_trace(void)
{
    static struct takt_replay_event events[EVENTS_MAX];
    static struct takt_replay_piece pieces[PIECES_MAX];
    struct takt_replay_out out = {.events = events, .events_capacity = TAKT_REPLAY_OUT_MIN + random_number(65)};
    uint32_t tasks = (uint32_t)random_number(TASKS + 1);
    granted = random_number(3) != 0 ? UINT64_MAX : random_number(30);
    fails_once = random_number(2) != 0;
    failed = false;
    struct takt_replay *replay = any_reader(tasks);
    if (replay == NULL) {
        return;
    }
    uint64_t offset = random_number(2);
    size_t at = 0, end = any_records(offset);
    out.pieces = pieces;
    out.pieces_capacity = TASKS + 4 + random_number(PIECES_MAX - TASKS - 3);
    const struct takt_replay_totals *totals = takt_replay_totals(replay);
    while (at < end && totals->error == TAKT_REPLAY_OK) {
        size_t piece = random_number(end - at) + 1;
        at += takt_replay_feed(replay, data + offset + at, piece, &out);
        check_given(&out);
        CHECK(totals->records * sizeof(struct takt_trace_record) == at);
        ask(replay, tasks);
    }
    takt_replay_finish(replay, &out);
    check_given(&out);
    check_counted(replay, tasks);
    CHECK(!failed || totals->error == TAKT_REPLAY_MEMORY);
    takt_replay_advance(replay, totals->end_ns);
    takt_replay_free(replay);
}

/* All events that one reader gives go to another. */
static void handed_on(struct takt_replay *to, const struct takt_replay_out *given)
{
    static struct takt_replay_event events[TAKT_REPLAY_OUT_MIN];
    static struct takt_replay_piece pieces[PIECES_MAX];
    struct takt_replay_out out = {
        .events = events, .events_capacity = TAKT_REPLAY_OUT_MIN, .pieces = pieces, .pieces_capacity = PIECES_MAX};
    for (size_t at = 0; at < given->events_count;) {
        size_t taken = takt_replay_take(to, given->events + at, given->events_count - at, &out);
        CHECK(taken != 0);
        at += taken;
        CHECK_EQUAL(takt_replay_totals(to)->now_ns, given->events[at - 1].time_ns);
    }
}

static void one_trace_by_events(void)
{
    static struct takt_replay_event events[EVENTS_MAX];
    struct takt_replay_out out = {.events = events, .events_capacity = EVENTS_MAX};
    const struct takt_replay_setup setup = {.tasks = TASKS,
                                            .objects = OBJECTS,
                                            .kinds = kinds,
                                            .bands = BANDS,
                                            .edf = edf,
                                            .budgets = budgets,
                                            .from_start = random_number(2) != 0};
    granted = UINT64_MAX;
    struct takt_replay *records = takt_replay_new(&setup), *by_events = takt_replay_new(&setup);
    CHECK(records != NULL && by_events != NULL);
    bool gives = random_number(2) != 0; /* the other one, too */
    for (unsigned event = 0; event <= UINT8_MAX; event++) {
        takt_replay_choose(records, (uint8_t)event, TAKT_REPLAY_GIVE);
        takt_replay_choose(by_events, (uint8_t)event, gives ? TAKT_REPLAY_GIVE : TAKT_REPLAY_SKIP);
    }
    const struct takt_replay_totals *one = takt_replay_totals(records), *other = takt_replay_totals(by_events);
    size_t at = 0, end = any_records(0);
    while (at < end && one->error == TAKT_REPLAY_OK) {
        at += takt_replay_feed(records, data + at, end - at, &out);
        handed_on(by_events, &out);
    }
    takt_replay_finish(records, &out);
    handed_on(by_events, &out);
    takt_replay_finish(by_events, &out);
    CHECK_EQUAL(one->end_ns, other->end_ns);
    CHECK_EQUAL(one->logged, other->logged);
    for (uint32_t task = 0; task < TASKS; task++) {
        const struct takt_replay_figures *figures = takt_replay_figures(records, task);
        CHECK(memcmp(figures, takt_replay_figures(by_events, task), sizeof *figures) == 0);
    }
    CHECK(memcmp(takt_replay_begun(records), takt_replay_begun(by_events), TAKT_REPLAY_BINS * sizeof(uint64_t)) == 0);
    takt_replay_free(records);
    takt_replay_free(by_events);
}

static struct takt_replay *reader_of_one(void)
{
    const struct takt_replay_setup setup = {.tasks = 1, .kinds = kinds, .edf = edf, .budgets = budgets};
    struct takt_replay *replay = takt_replay_new(&setup);
    CHECK(replay != NULL);
    return replay;
}

/* A task that locks without end: what it holds is kept up to a limit. */
static void held_without_end(void)
{
    static struct takt_replay_event events[TAKT_REPLAY_OUT_MIN];
    struct takt_replay_out out = {.events = events, .events_capacity = TAKT_REPLAY_OUT_MIN};
    const struct takt_trace_record lock = {.event = TAKT_EVENT_LOCK, .job = 1};
    struct takt_replay *replay = reader_of_one();
    for (uint32_t i = 0; i <= UINT16_MAX + 2u; i++) {
        CHECK_EQUAL(takt_replay_feed(replay, (const uint8_t *)&lock, sizeof lock, &out), sizeof lock);
    }
    CHECK_EQUAL(takt_replay_task(replay, 0)->mutexes.count, UINT16_MAX + 1u);
    CHECK_EQUAL(takt_replay_locks(replay, 0, 0), UINT16_MAX + 3u);
    takt_replay_free(replay);
    takt_replay_free(NULL);
}

/* A release with a far deadline waits for the record that tells it; the trace ends before that. */
static void release_without_its_deadline(void)
{
    static struct takt_replay_event events[TAKT_REPLAY_OUT_MIN];
    struct takt_replay_out out = {.events = events, .events_capacity = TAKT_REPLAY_OUT_MIN};
    const struct takt_trace_record release = {
        .event = TAKT_EVENT_RELEASE, .job = 7, .object = UINT16_MAX, .value = UINT16_MAX, .delta_ns = 5};
    struct takt_replay *replay = reader_of_one();
    takt_replay_choose(replay, TAKT_EVENT_RELEASE, TAKT_REPLAY_GIVE);
    CHECK_EQUAL(takt_replay_feed(replay, (const uint8_t *)&release, sizeof release, &out), sizeof release);
    CHECK_EQUAL(out.events_count, 0);
    takt_replay_finish(replay, &out);
    CHECK_EQUAL(out.events_count, 1);
    CHECK(events[0].event == TAKT_EVENT_RELEASE && events[0].job == 7 && events[0].time_ns == 5);
    takt_replay_free(replay);
}

int main(void)
{
    random_state = check_seed();
    for (unsigned long left = check_cases(1000); left > 0; left--) {
        one_trace();
        one_trace_by_events();
    }
    granted = UINT64_MAX;
    held_without_end();
    release_without_its_deadline();
    return 0;
}
