/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel against the naive model, exhaustively: exhaustive_test [SERVICE [OPERATIONS MENU INTERRUPTS [CHOICES]]].
 * Three tasks choose what they do when they come to it, so every sequence is one that can happen. The model, given
 * where an interrupt came, says what every call must return and how everything must end. TAKT_TEST_FULL: one more of
 * each.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/test/check.h"
#include "exhaustive.h"
#include "kernel/sync/mutex.h"
#include "kernel/test/model/drive/drive.h"
#include "kernel/test/model/naive/naive.h"

enum { END_NS = 60000, PROBE_NS = 50000, HANGS_S = 60 };

static struct plan plan;
static struct outcome kernel;
static struct outcome model;
static const struct service *service;
static struct bounds bounds;
static bool running;

static void print_plan(void)
{
    plan_print(&plan);
    for (unsigned index = 0; index < plan.intrusion_count; index++) {
        const struct intrusion *point = &plan.intrusions[index];
        printf("%s at %llu ns, point %u of %u, %s its call\n", point->timer ? "timer" : "interrupt",
               (unsigned long long)point->at_ns, point->point, point->actor, point->in_call ? "in" : "before");
    }
    printf("replay: exhaustive_test %s %u %u %u ", service->name, bounds.operations, bounds.menu, bounds.interrupts);
    choices_print();
}

void check_context(void)
{
    print_plan();
}

/* A fault of the kernel ends the process. */
static void at_exit(void)
{
    if (running) {
        print_plan();
        fflush(stdout);
    }
}

static void on_signal(int number)
{
    printf("%s\n", number == SIGALRM ? "a run does not end" : "a run breaks off");
    check_failed();
}

static void plan_begin(void)
{
    static const uint8_t usual[THREE] = {1, 2, 2};
    memset(&plan, 0, sizeof plan);
    plan.end_ns = END_NS;
    plan.task_count = THREE;
    plan.level_count = 5;
    for (unsigned level = 0; level < plan.level_count; level++) {
        plan.level_bands[level] = (uint8_t)level;
    }
    for (unsigned index = 0; index < THREE; index++) {
        plan.tasks[index] = (struct task_plan){
            .release = TAKT_BACKGROUND,
            .rounds = 1,
            .level = service->levels[0] == 0 ? usual[index] : service->levels[index],
        };
    }
    plan.sources[0] = (struct source_plan){.first_ns = UINT64_MAX / 4, .length = 1, .ops = 1};
    plan.sources[1].first_ns = PROBE_NS;
    plan.sources[1].length = plan.sources[1].ops = (uint8_t)list_length(service->probes, PROBES);
    memcpy(plan.sources[1].script, service->probes, sizeof service->probes);
    plan.source_count = plan.sources[1].ops == 0 ? 1 : 2;
    for (unsigned gap = 0; gap < GAPS; gap++) {
        plan.sources[0].gaps_ns[gap] = plan.sources[1].gaps_ns[gap] = UINT64_C(1) << 40;
    }
    for (unsigned index = 0; index < SEMAPHORES; index++) {
        plan.semaphore_maximum[index] = (uint16_t)(index % 2 == 0 ? 2 : 1);
        plan.semaphore_initial[index] = (uint16_t)(index % 2);
    }
    plan_no_triggers(&plan);
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        plan.slot_levels[slot][0] = 0; /* the owner is task 0 */
        plan.slot_levels[slot][1] = 1;
        plan.slot_levels[slot][2] = 4;
    }
    for (unsigned index = 0; index < WATCHDOGS; index++) {
        plan.watchdogs[index].time_ns = END_NS;
    }
    if (service->system != NULL) {
        service->system(&plan);
    }
}

static enum where where_is(unsigned state)
{
    return state == TAKTI_DORMANT                             ? OUT
           : state == TAKTI_BLOCKED_JOB                       ? AWAITS_RELEASE
           : state == TAKTI_READY || state == TAKTI_SUSPENDED ? READY
                                                              : WAITS;
}

static bool same_owner(const struct takt_mutex *mutex, unsigned index)
{
    unsigned owner = naive.owner[index];
    return naive.broken[index] ? mutex->owner == &takti_kernel.idle
           : owner == NOBODY   ? takti_mutex_free(mutex)
                               : mutex->owner == &drive_objects().tasks[owner];
}

/* The states of tasks and the owners of objects in the end. */
static bool same_end(void)
{
    struct drive_objects objects = drive_objects();
    bool same = true;
    for (unsigned index = 0; index < THREE; index++) {
        const struct takt_task *task = &objects.tasks[index];
        const struct naive_task *expected = &naive.tasks[index];
        unsigned state = task->timer.state;
        bool suspended = state == TAKTI_SUSPENDED || (task->timer.flags & TAKTI_FLAG_SUSPENDED) != 0;
        same = same && where_is(state) == expected->where && suspended == expected->suspended &&
               (expected->where == OUT || task->level == &takti_kernel.ready.levels[expected->level]);
    }
    for (unsigned mutex = 0; mutex < MUTEXES; mutex++) {
        same = same && same_owner(&objects.mutexes[mutex], mutex);
    }
    return same;
}

static void model_run(unsigned flipped)
{
    for (unsigned index = 0; index < plan.intrusion_count; index++) {
        plan.intrusions[index].in_call ^= (flipped >> index & 1u) != 0;
    }
    outcome_reset(&model);
    naive_run(&plan, &model);
    if (TAKT_TRACE) {
        log_sort_keys(&model.trace);
    }
    for (unsigned index = 0; index < plan.intrusion_count; index++) {
        plan.intrusions[index].in_call ^= (flipped >> index & 1u) != 0;
    }
}

static bool same(void)
{
    return naive.intrusions == plan.intrusion_count && logs_equal(&kernel.results, &model.results) &&
           (!TAKT_TRACE || logs_equal(&kernel.trace, &model.trace)) && same_end();
}

/* One leaf. What comes in the middle of several sections comes after them, or else before them. */
static void one(void)
{
    plan_begin();
    points_begin(&plan, service, &bounds, &kernel);
    outcome_reset(&kernel);
    running = true;
    drive_run(&plan, &kernel);
    running = false;
    if (TAKT_TRACE) {
        log_sort_keys(&kernel.trace);
    }
    unsigned middle = points_middle();
    for (unsigned flipped = 0; flipped <= middle; flipped++) {
        if ((flipped & ~middle) == 0) {
            model_run(flipped);
            if (same()) {
                return;
            }
        }
    }
    model_run(0);
    int differ = logs_compare("results", &kernel.results, &model.results);
    if (TAKT_TRACE) {
        differ |= logs_compare("traces", &kernel.trace, &model.trace);
    }
    printf("%s\n", differ ? "" : naive.intrusions == plan.intrusion_count ? "other states" : "no such point");
    check_failed();
}

struct explored {
    unsigned long long sequences;
    unsigned long long points;
    unsigned long long interrupted;
};

static void explore(struct explored *explored)
{
    choices_begin();
    do {
        if ((explored->sequences + explored->interrupted) % 4096 == 0) {
            alarm(HANGS_S);
        }
        one();
        if (plan.intrusion_count == 0) {
            explored->sequences++;
            explored->points += points_seen();
        } else {
            explored->interrupted++;
        }
    } while (choices_next());
}

static void explore_service(struct bounds within)
{
    struct explored explored = {0};
    bounds = within;
    explore(&explored);
    printf("%s: %llu sequences, %llu points explored: %u operations of %u, up to %u interrupts of %u: %llu runs\n",
           service->name, explored.sequences, explored.points, bounds.operations,
           list_length(service->tasks, bounds.menu), bounds.interrupts, list_length(service->interrupts, MENU) + 1,
           explored.interrupted);
}

static bool is_set(const char *name)
{
    return getenv(name) != NULL && *getenv(name) != '\0';
}

/*
 * Six operations in all, one of them the interrupt's, if a fault is looked for (TAKT_MUTANT); one less in a usual run,
 * and where fixed_lean does the same with one more.
 */
static void explore_usual(void)
{
    bool full = is_set("TAKT_TEST_FULL");
    bool quick = !TAKT_TRACE && !TAKTI_OPTIMIZE_SIZE;
    unsigned more = full ? 1 : 0;
    bool timed = service->system != NULL;
    bool elsewhere = TAKT_ASSERTIONS && service->where == EVERYWHERE;
    bool fewer = !full && (elsewhere || !is_set("TAKT_MUTANT"));
    explore_service((struct bounds){fewer ? 4 : 5, full && quick && !timed ? 5 : 3 + more, 1});
    explore_service((struct bounds){3 + more, MENU, 1});
    if (full || !timed) {
        explore_service((struct bounds){timed ? 2 : 2 + more, MENU, 2});
    }
}

static bool is_here(const struct service *each)
{
    return each->where == WITH_BUDGETS ? TAKT_BUDGETS : !TAKT_BUDGETS && (each->where == EVERYWHERE || TAKT_EDF);
}

static const struct service *find(const char *name)
{
    for (const struct service *each = services; each->name != NULL; each++) {
        if (is_here(each) && strcmp(each->name, name) == 0) {
            return each;
        }
    }
    return NULL;
}

/* Each service in a process of its own, as many at a time as there are processors. After a failure no other begins. */
static int all(void)
{
    long most = sysconf(_SC_NPROCESSORS_ONLN);
    long active = 0;
    int failed = 0;
    for (const struct service *next = services; active > 0 || (next->name != NULL && !failed);) {
        if (next->name != NULL && !is_here(next)) {
            next++;
            continue;
        }
        if (next->name != NULL && active < most && !failed) {
            service = next++;
            fflush(stdout);
            if (fork() == 0) {
                (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
                explore_usual();
                exit(0);
            }
            active++;
            continue;
        }
        int status = 0;
        (void)wait(&status);
        active--;
        failed |= status != 0;
    }
    return failed;
}

int main(int argc, char **argv)
{
    (void)signal(SIGALRM, on_signal);
    (void)signal(SIGSEGV, on_signal);
    (void)atexit(at_exit);
    if (argc == 1) {
        return all();
    }
    service = find(argv[1]);
    if (service == NULL || (argc != 2 && argc != 5 && argc != 6)) {
        fprintf(stderr, "usage: exhaustive_test [SERVICE [OPERATIONS MENU INTERRUPTS [CHOICES]]]\n");
        return 2;
    }
    if (argc == 2) {
        explore_usual();
        return 0;
    }
    bounds.operations = (unsigned)strtoul(argv[2], NULL, 10);
    bounds.menu = (unsigned)strtoul(argv[3], NULL, 10);
    bounds.interrupts = (unsigned)strtoul(argv[4], NULL, 10);
    if (argc == 5) {
        explore_service(bounds);
    } else {
        choices_parse(argv[5]);
        one();
    }
    return 0;
}
