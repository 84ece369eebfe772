/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks started on a running system: proved first, over the real analysis. */
#include "takt/admission.h"

#include "kernel/port.h"
#include "kernel/test/support/scenario.h"
#include "ports/host/host.h"

enum { CAPACITY = 5, EXTRA = 4 };

static struct takt_admission_entry entries[CAPACITY];
static struct takt_analysis_task snapshot[CAPACITY];
static struct takt_admission_state state;
static struct takt_admission admission;
static struct takt_task extra[EXTRA];
static struct takt_task_config configs[EXTRA];
static uint64_t stacks[EXTRA][SCENARIO_STACK / 8];
static struct takt_task_statistics statistics[EXTRA];
static uint64_t pending_ns[1];
static struct takt_arrivals arrivals = {.releases_ns = pending_ns, .capacity = 1};

static void work_wcet(void *argument)
{
    takt_work(((const struct takt_task_config *)argument)->wcet_ns);
}

/* A task that may be started later, in ms. */
static void declare(unsigned position, unsigned level, unsigned period, unsigned deadline, unsigned wcet)
{
    configs[position] = (struct takt_task_config){.name = "x",
                                                  .entry = work_wcet,
                                                  .argument = &configs[position],
                                                  .stack = stacks[position],
                                                  .statistics = &statistics[position],
                                                  .stack_size = SCENARIO_STACK,
                                                  .period_ns = TAKT_MS(period),
                                                  .deadline_ns = TAKT_MS(deadline),
                                                  .wcet_ns = TAKT_MS(wcet),
                                                  .index = (uint16_t)(10 + position),
                                                  .release = TAKT_PERIODIC,
                                                  .level = (uint8_t)level};
}

static enum takt_status start(unsigned position)
{
    return takt_task_start(&extra[position], &configs[position]);
}

/* The driver, highest, checks at its times; task a has half of the processor: 5 of 10 ms, at level 2. */
static void system_of(void (*driver)(void *), bool edf)
{
    scenario_new();
    memset(entries, 0, sizeof entries);
    memset(extra, 0, sizeof extra);
    memset(statistics, 0, sizeof statistics);
    state = (struct takt_admission_state){.changes = 0};
    admission = (struct takt_admission){.add = takti_admission_add,
                                        .remove = takti_admission_remove,
                                        .entries = entries,
                                        .snapshot = snapshot,
                                        .state = &state,
                                        .iterations = 1000,
                                        .capacity = CAPACITY};
    scenario.system.admission = &admission;
    (void)scenario_task("d", 0, driver);
    struct takt_task_config *config = scenario_periodic("a", 2, work_wcet, 10);
    config->wcet_ns = TAKT_MS(5);
    config->argument = config;
    if (edf) {
        scenario_edf(2);
    }
}

static void accept_and_refuse(void *argument)
{
    (void)argument;
    declare(0, 3, 20, 20, 9);
    declare(1, 3, 40, 40, 3); /* with it level 3 would need 3 ms more than there are */
    declare(2, 1, 40, 40, 2); /* above a: fits beside it */
    declare(3, 1, 40, 40, 1);
    scenario_sleep_to(1);
    CHECK(start(0) == TAKT_OK);
    CHECK(start(0) == TAKT_STATE);
    CHECK(start(1) == TAKT_REFUSED);
    CHECK(extra[1].config == NULL);
    takt_task_stop(&extra[0]); /* its first release, at 1, was not served: it counts until the time has passed */
    scenario_sleep_to(2);
    CHECK(start(1) == TAKT_OK);
    CHECK(start(2) == TAKT_OK);
    CHECK(start(3) == TAKT_OK);
    CHECK(start(0) == TAKT_LIMIT);
}

static void wide_open(void)
{
    system_of(accept_and_refuse, false);
    scenario_run(100);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_MISSES), 0);
    CHECK_EQUAL(statistics[1].misses + statistics[2].misses + statistics[3].misses, 0);
}

static void within_edf(void *argument)
{
    (void)argument;
    declare(0, 2, 20, 20, 10); /* exactly full */
    declare(1, 2, 20, 14, 10); /* 15 ms of work are due by 14 */
    scenario_sleep_to(1);
    CHECK(start(1) == TAKT_REFUSED);
    CHECK(start(0) == TAKT_OK);
}

static void edf(void)
{
    system_of(within_edf, true);
    scenario_run(100);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_MISSES), 0);
    CHECK_EQUAL(statistics[0].misses, 0);
    CHECK(statistics[0].jobs_completed >= 4);
}

/* Iterations run out. */
static void too_long(void *argument)
{
    (void)argument;
    declare(0, 3, 20, 20, 9);
    CHECK(start(0) == TAKT_UNDECIDED);
    CHECK(takt_task_stopped(&extra[0]));
}

static void undecided(void)
{
    system_of(too_long, false);
    admission.iterations = 1;
    scenario_run(10);
}

/* What is stopped counts until its deadline or next release; a sporadic task until its next possible release. */
static void stopped_counts(void *argument)
{
    (void)argument;
    declare(0, 3, 20, 30, 9); /* released at 1 */
    declare(1, 3, 40, 40, 12);
    declare(2, 3, 60, 10, 1);
    configs[2].release = TAKT_SPORADIC;
    configs[2].arrivals = &arrivals;
    scenario_sleep_to(1);
    CHECK(start(0) == TAKT_OK);
    scenario_sleep_to(2);
    CHECK(start(1) == TAKT_REFUSED);
    takt_task_stop(&extra[0]); /* deadline 31, next release 21 */
    scenario_sleep_to(30);
    CHECK(start(1) == TAKT_REFUSED);
    scenario_sleep_to(31);
    CHECK(start(1) == TAKT_OK);
    takt_task_stop(&extra[1]);
    scenario_sleep_to(32);
    CHECK(start(2) == TAKT_OK);
    takt_job_release(&extra[2]);
    takt_task_stop(&extra[2]); /* deadline 42, next release 92 */
    configs[1].wcet_ns = TAKT_US(19500);
    configs[2].wcet_ns = 1;
    scenario_sleep_to(91);
    CHECK(start(1) == TAKT_REFUSED);
    scenario_sleep_to(92);
    CHECK(start(1) == TAKT_OK);
    configs[2].level = 1;
    CHECK(start(2) == TAKT_OK);
    takt_task_stop(&extra[2]); /* never released: it counts no more */
    CHECK(start(2) == TAKT_OK);
    configs[2].deadline_ns = TAKT_MS(70);
    takt_job_release(&extra[2]);
    takt_task_stop(&extra[2]); /* next release 152, deadline 102 */
    CHECK(start(2) == TAKT_OK);
    takt_job_release(&extra[2]);
    takt_task_stop(&extra[2]); /* next release 152, deadline 162 */
    CHECK_EQUAL(entries[4].until_ns, TAKT_MS(162));
}

static void stopped(void)
{
    system_of(stopped_counts, false);
    scenario_run(100);
}

/* An entry that does not count any more is not proved, wherever it stands in the table. */
static void expired_entries(void *argument)
{
    (void)argument;
    declare(0, 3, 20, 20, 4);
    declare(1, 3, 20, 20, 4);
    declare(2, 3, 20, 20, 9);
    scenario_sleep_to(1);
    CHECK(start(0) == TAKT_OK);
    CHECK(start(1) == TAKT_OK);
    CHECK(start(2) == TAKT_REFUSED);
    takt_task_stop(&extra[0]);
    takt_task_stop(&extra[1]);
    scenario_sleep_to(50);
    CHECK(start(2) == TAKT_OK);
}

static void expired(void)
{
    system_of(expired_entries, false);
    scenario_run(100);
}

/* Background tasks and tasks of init are taken in without proof, as long as there is room. */
static void no_proof(void *argument)
{
    (void)argument;
    for (unsigned position = 0; position < 3; position++) {
        CHECK(start(position) == (position < 2 ? TAKT_OK : TAKT_LIMIT));
    }
}

static void start_in_init(void)
{
    declare(3, 3, 20, 20, 9);
    CHECK(start(3) == TAKT_OK);
    for (unsigned position = 0; position < 3; position++) {
        declare(position, 4, 0, 0, 1);
        configs[position].release = TAKT_BACKGROUND;
    }
}

static void unproved(void)
{
    system_of(no_proof, false);
    scenario.before = start_in_init;
    scenario_run(100);
    CHECK(statistics[3].jobs_completed >= 4);
}

/* The analysis takes no virtual time: what another task does during a proof comes by a trap in it. */
static void (*meanwhile)(void);

/* The set changes `changes_left` times, each during a proof. */
static unsigned changes_left;

enum takt_analysis_status __real_takt_analysis_feasible(const struct takt_analysis_set *set,
                                                        enum takt_analysis_verdict *verdict,
                                                        enum takt_analysis_verdict *verdicts,
                                                        struct takt_analysis_reason *reason);
enum takt_analysis_status __wrap_takt_analysis_feasible(const struct takt_analysis_set *set,
                                                        enum takt_analysis_verdict *verdict,
                                                        enum takt_analysis_verdict *verdicts,
                                                        struct takt_analysis_reason *reason);

enum takt_analysis_status __wrap_takt_analysis_feasible(const struct takt_analysis_set *set,
                                                        enum takt_analysis_verdict *verdict,
                                                        enum takt_analysis_verdict *verdicts,
                                                        struct takt_analysis_reason *reason)
{
    if (changes_left > 0) {
        changes_left--;
        takt_task_stop(scenario_find("z"));
        CHECK(takt_task_start(scenario_find("z"), &scenario.configs[2]) == TAKT_OK);
    }
    if (meanwhile != NULL) {
        meanwhile();
        meanwhile = NULL;
    }
    return __real_takt_analysis_feasible(set, verdict, verdicts, reason);
}

/* Another task starts the same one, without a proof, during the proof. */
static void start_in_background(void)
{
    declare(3, 4, 0, 0, 1);
    configs[3].release = TAKT_BACKGROUND;
    CHECK(takt_task_start(&extra[0], &configs[3]) == TAKT_OK);
}

static void raced(void *argument)
{
    (void)argument;
    declare(0, 3, 20, 20, 4);
    declare(1, 3, 20, 20, 5);
    meanwhile = start_in_background;
    CHECK(start(0) == TAKT_STATE);
    CHECK(extra[0].config == &configs[3] && state.prover == NULL);
    scenario_sleep_to(1);
    CHECK(start(1) == TAKT_OK); /* the one that was not started does not count */
}

static void race(void)
{
    system_of(raced, false);
    scenario_run(100);
}

/* A task that is stopped anywhere in takt_task_start leaves nothing behind: linked with --wrap of what locks. */
uint32_t __real_takt_port_lock(void);
uint32_t __wrap_takt_port_lock(void);
uint32_t __real_takt_port_enter(void);
uint32_t __wrap_takt_port_enter(void);
static unsigned locks_left; /* until the starter is stopped */

static void count_lock(void)
{
    if (locks_left > 0 && --locks_left == 0) {
        takt_task_stop(scenario_find("s"));
    }
}

uint32_t __wrap_takt_port_lock(void)
{
    count_lock();
    return __real_takt_port_lock();
}

uint32_t __wrap_takt_port_enter(void)
{
    count_lock();
    return __real_takt_port_enter();
}

static void starter(void *argument)
{
    locks_left = *(const unsigned *)argument;
    CHECK(start(0) == TAKT_OK);
    locks_left = 0;
}

static unsigned entries_of(const struct takt_task *task)
{
    unsigned count = 0;
    for (unsigned position = 0; position < CAPACITY; position++) {
        count += entries[position].task == task && entries[position].until_ns == TAKT_FOREVER ? 1 : 0;
    }
    return count;
}

static unsigned locks;

static void stop_the_starter(void *argument)
{
    (void)argument;
    declare(0, 3, 20, 20, 4);
    for (locks = 1; locks < 8; locks++) {
        CHECK(takt_task_start(scenario_find("s"), &scenario.configs[2]) == TAKT_OK || locks == 1);
        takt_delay(TAKT_MS(50));
        CHECK(takt_task_stopped(scenario_find("s")));
        CHECK_EQUAL(entries_of(&extra[0]), takt_task_stopped(&extra[0]) ? 0 : 1);
        takt_task_stop(&extra[0]);
    }
}

static void stopped_starter(void)
{
    system_of(stop_the_starter, false);
    scenario_task("s", 1, starter)->argument = &locks;
    scenario_run(1000);
    CHECK_EQUAL(locks, 8);
}

static void while_it_changes(void *argument)
{
    (void)argument;
    declare(0, 3, 20, 20, 4);
    declare(1, 3, 0, 0, 1);
    changes_left = 2;
    CHECK(start(0) == TAKT_OK); /* the third proof holds */
    takt_task_stop(&extra[0]);
    scenario_sleep_to(20);
    changes_left = 3;
    CHECK(start(0) == TAKT_UNDECIDED);
    configs[0].deadline_ns = 0; /* what the analysis calls invalid is refused */
    CHECK(start(0) == TAKT_REFUSED);
}

static void changing(void)
{
    system_of(while_it_changes, false);
    (void)scenario_task("z", 5, work_wcet);
    scenario.configs[2].argument = &scenario.configs[2];
    scenario_run(100);
}

/* Somebody else is proving; a prover that is stopped gives the work space back. */
static void prover(void *argument)
{
    (void)argument;
    declare(0, 3, 20, 20, 4);
    state.prover = scenario_find("a");
    CHECK(start(0) == TAKT_UNDECIDED);
    takt_task_stop(scenario_find("a"));
    CHECK(start(0) == TAKT_OK);
    CHECK(state.prover == NULL);
}

static void busy(void)
{
    system_of(prover, false);
    scenario_run(100);
}

/* A task that was never taken in, as when nothing checked that there was room, takes nothing away. */
static void stranger(void *argument)
{
    (void)argument;
    struct takt_admission_entry before[CAPACITY];
    uint32_t changes = state.changes;
    memcpy(before, entries, sizeof before);
    admission.remove(&extra[0]);
    CHECK(memcmp(before, entries, sizeof before) == 0);
    CHECK_EQUAL(state.changes, changes);
}

static void unknown(void)
{
    system_of(stranger, false);
    scenario_run(10);
}

int main(void)
{
    wide_open();
    edf();
    undecided();
    stopped();
    expired();
    unproved();
    race();
    changing();
    stopped_starter();
    busy();
    unknown();
    return 0;
}
