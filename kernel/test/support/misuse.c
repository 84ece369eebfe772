/* SPDX-License-Identifier: Apache-2.0 */
#include "misuse.h"

#include <sys/wait.h>
#include <unistd.h>

#include "kernel/port.h"
#include "ports/host/host.h"

static const enum misuse_sched built_for = TAKT_COOPERATIVE ? COOPERATIVE
                                           : TAKT_EDF       ? BANDS
                                           : TAKT_JOBS      ? FIXED
                                                            : PLAIN;

static const struct misuse *current;
static void (*prepare_current)(const struct misuse *next);
static void (*in_interrupt)(void);
static void (*in_idle)(void);

void takt_hook_idle(void)
{
    if (in_idle != NULL) {
        in_idle();
    }
}

static void background(void *argument)
{
    (void)argument;
    scenario_work(1);
    if (current->where == TASK) {
        current->call();
    }
}

static void job(void *argument)
{
    (void)argument;
    if (current->where == JOB) {
        current->call();
    }
}

static void handler(void)
{
    in_interrupt();
}

static void before(void)
{
    prepare_current(current);
    if (current->where == INTERRUPT || current->where == FREE_INTERRUPT) {
        in_interrupt = current->call;
        takt_port_irq_attach(1, handler, current->where == INTERRUPT);
        takt_host_interrupt_every(1, 10, 0);
    } else if (current->where == INIT) {
        current->call();
    }
    in_idle = current->where == IDLE ? current->call : NULL;
}

static void run_current(void)
{
    scenario_new();
    (void)scenario_task("a", 1, background);
    (void)scenario_periodic("p", 0, job, 5);
    scenario.before = before;
    if (current->where == CONFIGURED) {
        current->call();
    }
    scenario_run(100);
}

/* Runs one in a child. Returns its exit code; what it says on stderr is in `said`. */
static int in_child(char *said, size_t room)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        run_current();
        exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    ssize_t got;
    while ((got = read(ends[0], said + length, room - 1 - length)) > 0) {
        length += (size_t)got;
    }
    said[length] = '\0';
    close(ends[0]);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Whether the fault is the one that was expected. */
static bool names_file(const char *said, const char *file)
{
    static const char nobody[] = "nobody: ";
    char expected[64];
    if (file[0] == '?') {
        snprintf(expected, sizeof expected, "takt: fault %s address ", file + 1);
        return strstr(said, expected) != NULL;
    }
    if (strncmp(file, nobody, sizeof nobody - 1) == 0) {
        file += sizeof nobody - 1;
        if (strstr(said, " task 65535 ") == NULL) {
            return false;
        }
    }
    snprintf(expected, sizeof expected, "%s:", file);
    return strstr(said, "takt: fault assertion ") != NULL && strstr(said, expected) != NULL;
}

int misuse_run(const struct misuse *misuses, unsigned count, void (*prepare)(const struct misuse *next))
{
    prepare_current = prepare;
    for (unsigned place = 0; place < count; place++) {
        char said[1024];
        current = &misuses[place];
        if (((current->schedulers == 0 ? BANDS : current->schedulers) & built_for) == 0) {
            continue;
        }
        int code = in_child(said, sizeof said);
        if (code != 4 || !names_file(said, current->file)) {
            printf("misuse %u ends with %d, not with a fault in %s: %s\n", place, code, current->file, said);
            return 1;
        }
    }
    return 0;
}
