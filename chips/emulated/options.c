/* SPDX-License-Identifier: Apache-2.0 */
#include "emulated.h"
#include "semihosting.h"
#include "takt/board.h"

/*
 * The options of a run are words name=text, separated by spaces, on the semihosting command line:
 * `-semihosting-config enable=on,target=native,arg=takt,arg=duration_ns=1000000,arg=stream=/tmp/trace`. A text has no
 * space in it; QEMU wants a comma written twice.
 */
#define OPTIONS_SIZE 1024u
static char options[OPTIONS_SIZE]; /* the words, each ended by '\0'; an empty one ends them */

void takt_chip_options_read(void)
{
    const uint32_t parameters[2] = {(uint32_t)(uintptr_t)options, OPTIONS_SIZE - 1};
    if (semihosting(SEMIHOSTING_GET_CMDLINE, parameters) != 0) {
        options[0] = '\0';
    }
    for (size_t i = 0; i < OPTIONS_SIZE - 1 && options[i] != '\0'; i++) {
        if (options[i] == ' ') {
            options[i] = '\0';
        }
    }
    options[OPTIONS_SIZE - 1] = '\0';
}

void takt_chip_run_init(void)
{
    static bool initialized;
    if (initialized) {
        return;
    }
    initialized = true;
    takt_chip_options_read();
    takt_chip_stream_open();
    takt_chip_link_open();
}

const char *takt_chip_option_text(const char *name)
{
    for (const char *word = options; *word != '\0'; word++) { /* from word to word: bounded by OPTIONS_SIZE */
        size_t i = 0;
        while (name[i] != '\0' && word[i] == name[i]) {
            i++;
        }
        if (name[i] == '\0' && word[i] == '=') {
            return word + i + 1;
        }
        while (*word != '\0') {
            word++;
        }
    }
    return NULL;
}

bool takt_board_option(const char *name, uint64_t *value)
{
    const char *text = takt_chip_option_text(name);
    if (text == NULL || *text == '\0') {
        return false;
    }
    uint64_t number = 0;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9') {
            return false;
        }
        number = number * 10u + (uint64_t)(*text - '0');
    }
    *value = number;
    return true;
}
