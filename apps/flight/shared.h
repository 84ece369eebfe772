/* SPDX-License-Identifier: Apache-2.0 */
/* What several tasks need: memory that system.toml declares ([[shared]] state; serial is link.h's). */
#ifndef FLIGHT_SHARED_H
#define FLIGHT_SHARED_H

#include "kept.h"
#include "monitor.h"

/* Lock: navigation_lock. A restart leaves it alone, so it may be half written then. */
struct flight_state {
    struct kept_navigation known;
    struct kept_command command; /* the last that was accepted */
    struct sensor_news news;
};

#endif
