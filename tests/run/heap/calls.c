/* SPDX-License-Identifier: Apache-2.0 */
/* Each call of the heap, and what it says of what cannot be. The console has the lines that were wrong. */
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "takt/board.h"
#include "takt_app.h"

void *posix_memalign_block(void);

static void check_line(unsigned line, bool right)
{
    char text[] = "heap: line 000 is wrong\n";
    for (unsigned index = 13; index > 10; index--, line /= 10) {
        text[index] = (char)('0' + line % 10);
    }
    if (!right) {
        takt_board_console_write(text, sizeof text - 1);
    }
}
#define HOLDS(condition) check_line(__LINE__, (condition))

static bool is_filled(const uint8_t *block, uint8_t byte, size_t size)
{
    size_t index = 0;
    while (index < size && block[index] == byte) {
        index++;
    }
    return index == size;
}

static void exhausted(void)
{
    void *blocks[32] = {NULL};
    unsigned count = 0;
    errno = 0;
    while (count < 32 && (blocks[count] = malloc(100)) != NULL) {
        count++;
    }
    HOLDS(count > 10 && count < 30 && errno == ENOMEM);
    HOLDS(calloc(20, 10) == NULL);
    errno = 0;
    HOLDS(realloc(blocks[0], 1000) == NULL && errno == ENOMEM); /* and it is as it was */
    for (unsigned one = 0; one < count; one++) {
        free(blocks[one]);
    }
    errno = 0;
    volatile size_t large = SIZE_MAX; /* a compiler refuses a constant */
    HOLDS(malloc(large) == NULL && errno == ENOMEM);
    HOLDS(calloc(large / 2 + 1, 2) == NULL && calloc(large, 1) == NULL);
    HOLDS(malloc(large - 7) == NULL && malloc(large / 2 + 1) == NULL);
}

static void aligned(void)
{
    errno = 0;
    uint8_t *block = aligned_alloc(64, 64);
    uint8_t *other = memalign(128, 10);
    void *third = NULL;
    HOLDS(block != NULL && (uintptr_t)block % 64 == 0 && other != NULL && (uintptr_t)other % 128 == 0);
    HOLDS(posix_memalign(&third, 32, 50) == 0 && (uintptr_t)third % 32 == 0);
    volatile size_t three = 3; /* no power of two */
    HOLDS(posix_memalign(&third, three, 8) == EINVAL && errno == 0);
    HOLDS(posix_memalign(&third, 16, 5000) == ENOMEM && errno == 0);
    HOLDS(aligned_alloc(three, 8) == NULL && errno == EINVAL);
    free(block);
    free(other);
    free(third);
}

void calls_job(void *argument)
{
    static unsigned jobs;
    (void)argument;
    uint8_t *block = malloc(40);
    HOLDS(block != NULL && (uintptr_t)block % 8 == 0 && malloc_usable_size(block) >= 40);
    memset(block, 0x55, 40);
    uint8_t *zeros = calloc(10, 10);
    HOLDS(zeros != NULL && is_filled(zeros, 0, 100));
    memset(zeros, 0xAA, 100);
    block = realloc(block, 200); /* moves: `zeros` is behind it */
    HOLDS(block != NULL && is_filled(block, 0x55, 40));
    block = realloc(block, 8);
    HOLDS(block != NULL && is_filled(block, 0x55, 8) && is_filled(zeros, 0xAA, 100));
    char *copy = strdup("as it was");
    HOLDS(copy != NULL && strcmp(copy, "as it was") == 0);
    free(copy);
    free(zeros);
    HOLDS(realloc(block, 0) == NULL);
    free(NULL);
    exhausted();
    aligned();
    void *whole = malloc(1500); /* all blocks of this job are one again */
    HOLDS(whole != NULL);
    free(whole);
    if (++jobs == 2) {
        takt_board_console_write("calls: done\n", 12);
    }
}
