/* SPDX-License-Identifier: Apache-2.0 */
#include "pump.h"
#include "takt_app.h"

static const int32_t targets[] = {1200, 1500, 900};
static struct settings current = {.target = 1200};

struct settings settings_get(void)
{
    struct settings copy = {0};
    if (takt_mutex_lock(&settings) == TAKT_OK) { /* xSemaphoreTake(settings, portMAX_DELAY) */
        copy = current;
        takt_mutex_unlock(&settings); /* xSemaphoreGive(settings) */
    }
    return copy;
}

void settings_next(void)
{
    if (takt_mutex_lock(&settings) == TAKT_OK) {
        current.changes++;
        current.target = targets[current.changes % (sizeof targets / sizeof targets[0])];
        takt_mutex_unlock(&settings);
    }
}
