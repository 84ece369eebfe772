/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTR_AREA_INDEX_H
#define TAKTR_AREA_INDEX_H

#include "server.h"

/* Indices of areas in a server. Context: the main thread. O(channels * log channels); of a name O(log channels). */

/* The index of a name among areas that are sent, or written here; their count: it has none. */
uint32_t taktr_local_named(const struct taktr_server *server, const char *name);
uint32_t taktr_reflected_named(const struct taktr_server *server, const char *name);

/* The areas of this machine, ascending by name, and the senders of each. False: there is no memory. */
bool taktr_index_locals(struct taktr_server *server);

/* The same of what is written here. */
bool taktr_index_reflected(struct taktr_server *server);

/* Lists the areas whose writes are waited for. False: they are too many. */
bool taktr_list_waited(struct taktr_server *server);

/* Notes that there is none. False. */
bool taktr_no_memory(void);

#endif
