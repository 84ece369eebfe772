/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_PLACES_H
#define TAKTI_PLACES_H

/* Places for messages: taken from what is free, sorted in by priority, given back. Kernel locked. */
#include "kernel/core/ready.h"
#include "takt/places.h"

/* All of them are free. */
static TAKT_INLINE void takti_places_init(struct takt_places *places, void *storage, uint16_t size, uint16_t capacity)
{
    *places = (struct takt_places)TAKTI_PLACES(storage, size, capacity);
}

static inline void *takti_place_message(struct takt_place *place)
{
    return place + 1;
}

/* One of those that are left. */
static inline struct takt_place *takti_place_take(struct takt_places *places)
{
    struct takt_place *place = places->free;
    places->left--;
    if (place != NULL) {
        places->free = place->next;
        return place;
    }
    place = (struct takt_place *)(void *)places->fresh;
    places->fresh += places->bytes;
    return place;
}

static inline void takti_place_free(struct takt_places *places, struct takt_place *place)
{
    place->next = places->free;
    places->free = place;
    places->left++;
}

static inline void takti_place_append(struct takt_places *places, struct takt_place *place)
{
    place->next = NULL;
    if (places->first == NULL) {
        places->first = place;
    } else {
        places->last->next = place;
    }
    places->last = place;
}

static inline void takti_place_prepend(struct takt_places *places, struct takt_place *place)
{
    if (places->first == NULL) {
        places->last = place;
    }
    place->next = places->first;
    places->first = place;
}

/* Behind its equals. At once behind the last; otherwise O(places). */
static inline void takti_place_sort_in(struct takt_places *places, struct takt_place *place)
{
    if (places->first == NULL || places->last->priority <= place->priority) {
        takti_place_append(places, place);
        return;
    }
    struct takt_place **link = &places->first;
    while ((*link)->priority <= place->priority) { /* ends before the last */
        link = &(*link)->next;
    }
    place->next = *link;
    *link = place;
}

/* The first, which there is, leaves. */
static inline struct takt_place *takti_place_leave(struct takt_places *places)
{
    struct takt_place *place = places->first;
    places->first = place->next;
    return place;
}

#endif
