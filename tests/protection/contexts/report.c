/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's side: what is printed on the console. */
#include "kernel_side.h"

static unsigned failures;

void contexts_print(const char *text)
{
    takt_board_console_write(text, strlen(text));
}

void contexts_print_hex(const char *what, uint32_t value)
{
    char digits[9];
    for (unsigned i = 8; i-- > 0; value >>= 4) {
        digits[i] = "0123456789abcdef"[value & 15u];
    }
    digits[8] = '\0';
    contexts_print(what);
    contexts_print(digits);
}

void contexts_report(const char *name, const char *wrong)
{
    contexts_print(wrong == NULL ? "PASS " : "FAIL ");
    contexts_print(name);
    if (wrong != NULL) {
        contexts_print(": ");
        contexts_print(wrong);
        failures++;
    }
    contexts_print("\n");
}

/* What tasks log, and how it has to be. */
static char log_text[32];
static unsigned log_length;

void contexts_log(char letter)
{
    if (log_length < sizeof log_text - 1) {
        log_text[log_length++] = letter;
    }
}

const char *contexts_log_check(const char *wanted)
{
    static char found[sizeof log_text];
    memcpy(found, log_text, sizeof found);
    memset(log_text, 0, sizeof log_text);
    log_length = 0;
    return strcmp(found, wanted) == 0 ? NULL : found;
}

/* What is measured: the least of it, which no interrupt got between. */
static uint32_t least[FIGURES];
static const char *const figure_names[FIGURES] = {
    [FIGURE_NOTHING] = "nothing",
    [FIGURE_FUNCTION] = "function",
    [FIGURE_CALL] = "call",
    [FIGURE_YIELD_WITHIN] = "yield_within",
    [FIGURE_YIELD_ACROSS] = "yield_across",
    [FIGURE_WAKE_WITHIN] = "wake_within",
    [FIGURE_WAKE_ACROSS] = "wake_across",
    [FIGURE_INTERRUPT_WITHIN] = "interrupt_within",
    [FIGURE_INTERRUPT_ACROSS] = "interrupt_across",
};

void contexts_figure(enum figure figure, uint32_t found)
{
    if (least[figure] == 0 || found < least[figure]) {
        least[figure] = found;
    }
}

int contexts_end(void)
{
    for (unsigned i = FIGURE_FUNCTION; i < FIGURES; i++) {
        contexts_print("FIGURE ");
        contexts_print(figure_names[i]);
        contexts_print_hex(" 0x", least[i] - least[FIGURE_NOTHING]);
        contexts_print("\n");
    }
    return failures == 0 ? 0 : 1;
}

void contexts_fault(enum fault_context context)
{
    static uint64_t wanted = UINT64_MAX;
    if (wanted == UINT64_MAX && !takt_board_option("fault", &wanted)) {
        wanted = 0;
    }
    if (wanted == (uint64_t)context) {
        *(volatile uint32_t *)0xF0000000u = 1; /* nothing is there */
    }
}
