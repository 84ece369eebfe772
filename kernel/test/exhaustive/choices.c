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
    unsigned place = choices.made++;
    if (place >= choices.decided) {
        choices.value[place] = 0;
    }
    choices.limit[place] = (unsigned char)limit;
    CHECK(choices.value[place] < limit); /* else the run does not follow from its choices */
    return choices.value[place];
}

bool choices_next(void)
{
    unsigned place = choices.made;
    choices.made = 0;
    while (place > 0 && choices.value[place - 1] + 1 == choices.limit[place - 1]) {
        place--;
    }
    choices.decided = place;
    if (place > 0) {
        choices.value[place - 1]++;
    }
    return place > 0;
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
    for (unsigned place = 0; place < choices.made; place++) {
        printf("%s%u", place == 0 ? "" : ",", choices.value[place]);
    }
    printf("\n");
}
