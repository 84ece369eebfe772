/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_SIMULATED_RECEIVE_H
#define TAKT_CAN_SIMULATED_RECEIVE_H

/* The half of a simulated controller that receives. */
#include "takt/can_simulated.h"

/* Forgets what was received. */
void taktc_simulated_empty(struct takt_can_simulated *simulated);

/* Sets the filters, if it has such. */
enum takt_status taktc_simulated_filter(struct takt_can_simulated *simulated, const struct takt_can_filter *filters,
                                        uint32_t count);

/* Puts a frame into a buffer whose filter accepts it. */
void taktc_simulated_put(struct takt_can_simulated *simulated, const struct takt_can_frame *frame);

/* Takes the frame that came first. False: there is none. */
bool taktc_simulated_take(struct takt_can_simulated *simulated, struct takt_can_frame *frame);

/* Whether there is one. */
bool taktc_simulated_holds(const struct takt_can_simulated *simulated);

#endif
