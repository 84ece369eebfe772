/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_PLACES_H
#define TAKTI_PLACES_H

#include "server.h"

/* Places of areas in a server. Context: the main thread. O(channels * log channels), and O(log channels) for a name. */

/* The place of a name among areas that are sent, or written here; their count: it has none. */
uint32_t takti_local_named(const struct takti_server *server, const char *name);
uint32_t takti_reflected_named(const struct takti_server *server, const char *name);

/* The areas of this machine, ascending by name, and the senders of each. False: there is no memory. */
bool takti_place_locals(struct takti_server *server);

/* The same of what is written here. */
bool takti_place_reflected(struct takti_server *server);

/* Lists the areas whose writes are waited for. False: they are too many. */
bool takti_list_waited(struct takti_server *server);

/* Notes that there is none. False. */
bool takti_no_memory(void);

#endif
