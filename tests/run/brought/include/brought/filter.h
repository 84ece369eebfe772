/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of lib/filter.c, for C and C++. */
#ifndef BROUGHT_FILTER_H
#define BROUGHT_FILTER_H

#ifdef __cplusplus
extern "C" {
#endif

struct filter {
    int state;
    int order;
};

/* The next value. */
int filter_step(struct filter *filter, int value);

#ifdef __cplusplus
}
#endif

#endif
