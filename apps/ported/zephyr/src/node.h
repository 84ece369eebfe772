/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NODE_H
#define NODE_H

#include <stdbool.h>
#include <stdint.h>

struct sample {
    uint32_t number;
    int32_t value;
};

struct figures {
    uint32_t filtered; /* samples */
    int32_t level;
    uint32_t presses;
    uint32_t lit; /* times that the light went on */
    uint32_t dark;
};

enum { READY_FILTER = 1, READY_RANGE = 2, READY_ALL = 3 };

int32_t scale_get(void);
int32_t vibration_read(uint32_t number);
void light_on(void);
void level_seen(int32_t level);
struct figures figures_get(void);

#endif
