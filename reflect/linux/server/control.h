/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTR_CONTROL_H
#define TAKTR_CONTROL_H

#include "server.h"

/*
 * What the tool and applications ask of a server, through a socket NODE@ in the folder of names, to its end: a line
 * with its newline, `state`, `start CHANNEL` or `stop CHANNEL`, or a plan (plan.h), with which the server goes on. Half
 * of one does nothing. The answer is a JSON object, with `error` if it cannot be done.
 */

/*
 * The socket, listening; -1: takt_reflect_error says why. A server of that name which is gone is in nobody's way; of
 * two that begin at once one is refused, by the name's lock (reflect/linux/src/folder.h).
 */
int taktr_control_open(struct taktr_server *server);

/* The socket from now on: another one if the file of `listening` was removed, or its folder. Context: the main thread.
 */
int taktr_control_look(struct taktr_server *server, int listening);

/*
 * The answer to a request of `asked` bytes, which is changed, and ends with a zero behind them; the caller frees it.
 * NULL: there is no memory. Context: the main thread.
 */
char *taktr_control_answer(struct taktr_server *server, char *request, size_t asked, size_t *length);

void taktr_control_close(struct taktr_server *server, int listening);

#endif
