/* SPDX-License-Identifier: Apache-2.0 */
/* On board host: functions of the C library whose result the caller frees, on the heap of the system. */
#include <stdlib.h>
#include <string.h>

char *strndup(const char *text, size_t length_max)
{
    size_t length = strnlen(text, length_max);
    char *copy = malloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *strdup(const char *text)
{
    return strndup(text, strlen(text));
}
