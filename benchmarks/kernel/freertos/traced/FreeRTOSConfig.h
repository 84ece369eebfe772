/* SPDX-License-Identifier: Apache-2.0 */
/* The bare configuration, and what standard has besides lean: a trace (hooks.h) and assertions. No check of stacks. */
#ifndef FREERTOS_TRACED_CONFIG_H
#define FREERTOS_TRACED_CONFIG_H

#include "../FreeRTOSConfig.h"
#include "hooks.h"

_Noreturn void assertion_failed(unsigned line);

#define configASSERT(condition)         \
    do {                                \
        if (!(condition)) {             \
            portDISABLE_INTERRUPTS();   \
            assertion_failed(__LINE__); \
        }                               \
    } while (0)

#endif
