/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_CONTROL_H
#define TAKTI_CONTROL_H

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
int takti_control_open(struct takti_server *server);

/* The socket from now on: another one if the file of `listening` was removed, or its folder. Context: the main thread.
 */
int takti_control_look(struct takti_server *server, int listening);

/*
 * The answer to a request of `asked` bytes, which is changed, and ends with a zero behind them; the caller frees it.
 * NULL: there is no memory. Context: the main thread.
 */
char *takti_control_answer(struct takti_server *server, char *request, size_t asked, size_t *length);

void takti_control_close(struct takti_server *server, int listening);

#endif
