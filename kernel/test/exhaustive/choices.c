/* SPDX-License-Identifier: Apache-2.0 */
/* A run asks for each decision when it comes to it. The next leaf changes the last decision that can be changed. */
#include "base/test/check.h"
#include "exhaustive.h"

enum { CHOICES = 1024 };

static struct {
    unsigned char value[CHOICES];
    unsigned char limit[CHOICES];
    unsigned decided;
    unsigned made;
} choices;

void choices_begin(void)
{
    choices.decided = 0;
    choices.made = 0;
}

unsigned choose(unsigned limit)
{
    CHECK(choices.made < CHOICES && limit > 0 && limit <= UINT8_MAX);
    unsigned position = choices.made++;
    if (position >= choices.decided) {
        choices.value[position] = 0;
    }
    choices.limit[position] = (unsigned char)limit;
    CHECK(choices.value[position] < limit); /* else the run does not follow from its choices */
    return choices.value[position];
}

bool choices_next(void)
{
    unsigned position = choices.made;
    choices.made = 0;
    while (position > 0 && choices.value[position - 1] + 1 == choices.limit[position - 1]) {
        position--;
    }
    choices.decided = position;
    if (position > 0) {
        choices.value[position - 1]++;
    }
    return position > 0;
}

bool choices_known(void)
{
    return choices.made < choices.decided;
}

/* As choices_print writes them. */
void choices_parse(const char *text)
{
    choices_begin();
    while (*text != '\0') {
        char *end;
        choices.value[choices.decided++] = (unsigned char)strtoul(text, &end, 10);
        text = *end == '\0' ? end : end + 1;
    }
}

void choices_print(void)
{
    for (unsigned position = 0; position < choices.made; position++) {
        printf("%s%u", position == 0 ? "" : ",", choices.value[position]);
    }
    printf("\n");
}
