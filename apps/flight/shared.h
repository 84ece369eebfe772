/* SPDX-License-Identifier: Apache-2.0 */
/* What several tasks need: memory that system.toml declares ([[shared]] state; serial is link.h's). */
#ifndef FLIGHT_SHARED_H
#define FLIGHT_SHARED_H

#include "monitor.h"

/* Lock: navigation_lock. */
struct flight_state {
    struct navigation navigation;
    struct sensor_news news;
};

#endif
