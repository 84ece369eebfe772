/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_E2E_H
#define TAKT_E2E_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"

TAKT_C_BEGIN

/*
 * End-to-end protection of data that one application sends to another: a counter, and a check (CRC) over the data, the
 * counter and an identifier of the data that is not sent. The receiver notices data that was corrupted, lost, repeated,
 * sent out of order, or meant for another, wherever on the way that happened. Profiles 1, 2 and 5 of AUTOSAR's E2E
 * Protocol Specification (document 849, R20-11), with its parameters and states.
 *
 * The data has the bytes of the protection in it, from `offset` on; they are written in place:
 * - profile 1: the CRC-8 (0x1D, SAE J1850); in the next byte the counter (bits 0 to 3; 0 to 14), and with
 *   TAKT_E2E_ID_NIBBLE bits 8 to 11 of the identifier (bits 4 to 7)
 * - profile 2: the CRC-8 (0x2F); in the next byte the counter (bits 0 to 3; 0 to 15)
 * - profile 5: the CRC-16 (0x1021, CCITT), low byte first; the counter (0 to 255)
 *
 * Bits 4 to 7 of the second byte are otherwise the application's. Time is an argument.
 *
 * Context of every call: any; none may run while another has the same receiver. Blocks: never.
 */

enum takt_e2e_profile { TAKT_E2E_PROFILE_1 = 1, TAKT_E2E_PROFILE_2 = 2, TAKT_E2E_PROFILE_5 = 5 };

/* What of its 16 bits of identifier the check of profile 1 has. */
enum takt_e2e_id_mode {
    TAKT_E2E_ID_BOTH = 0,        /* both bytes */
    TAKT_E2E_ID_ALTERNATING = 1, /* the low byte with even counters, the high byte with odd ones */
    TAKT_E2E_ID_LOW = 2,         /* the low byte */
    TAKT_E2E_ID_NIBBLE = 3       /* the low byte; bits 8 to 11 are sent */
};

/* What a check found of the data of one cycle: E2E_PxxCheckStatusType. */
enum takt_e2e_status {
    TAKT_E2E_OK = 0x00,           /* the next one */
    TAKT_E2E_NONEWDATA = 0x01,    /* nothing has come */
    TAKT_E2E_SYNC = 0x03,         /* profiles 1, 2: in order again, and not yet often enough after a wrong counter */
    TAKT_E2E_INITIAL = 0x04,      /* profiles 1, 2: the first one: of no order yet */
    TAKT_E2E_ERROR = 0x07,        /* the check or the sent part of the identifier is wrong */
    TAKT_E2E_REPEATED = 0x08,     /* the counter of the last one */
    TAKT_E2E_OKSOMELOST = 0x20,   /* some are missing before it, no more than may */
    TAKT_E2E_WRONGSEQUENCE = 0x40 /* more are missing, or it is an old one, or the sender has restarted */
};

/* What is known of the sender from all cycles of a window: E2E_SMStateType, and TAKT_E2E_STALE. */
enum takt_e2e_state {
    TAKT_E2E_VALID = 0x00,   /* the last accepted data may be used */
    TAKT_E2E_NODATA = 0x02,  /* nothing right has come since the start */
    TAKT_E2E_INIT = 0x03,    /* something has, not yet often enough */
    TAKT_E2E_INVALID = 0x04, /* too few right ones in the window, or too many errors */
    TAKT_E2E_STALE = 0x10    /* VALID, but the last accepted data is older than `fresh_ns` */
};

enum { TAKT_E2E_WINDOW_MAX = 32, TAKT_E2E_IDS = 16 };

/* Of the window of E2E_SM for one state: it may be, or become, VALID with at least `ok_min` checks of right data and at
 * most `error_max` errors in it. ok_min: 0 .. window. */
struct takt_e2e_quorum {
    uint8_t ok_min;
    uint8_t error_max;
};

/* Constant; the same at both ends up to `data_ids`. */
struct takt_e2e_config {
    enum takt_e2e_profile profile;
    enum takt_e2e_id_mode mode; /* of profile 1; else TAKT_E2E_ID_BOTH */
    uint8_t size;               /* bytes of the data, with its protection: offset + 2 (profile 5: 3) .. 255 */
    uint8_t offset;             /* where the protection is; 0 with profile 2 */
    uint16_t data_id;           /* of profiles 1 and 5; with TAKT_E2E_ID_NIBBLE below 0x1000 */
    const uint8_t *data_ids;    /* of profile 2: one for each counter; else NULL */
    uint8_t delta_max;          /* MaxDeltaCounter: one more than may be lost; 1 .. 14 (1), 15 (2), 255 (5) */
    uint8_t no_new_max;         /* profiles 1, 2: MaxNoNewOrRepeatedData: after more such checks SYNC; 0 .. 14 */
    uint8_t sync;               /* profiles 1, 2: SyncCounterInit: data in order before OK after a wrong counter */
    uint8_t window;             /* checks that the state follows from: 1 .. TAKT_E2E_WINDOW_MAX */
    struct takt_e2e_quorum init, valid, invalid; /* to become VALID from INIT; to stay it; to become it from INVALID */
    uint64_t fresh_ns;                           /* accepted data older than that is STALE; UINT64_MAX: never */
};

/* Of one receiver. Private. */
struct takt_e2e_receiver {
    uint64_t accepted_ns; /* when the last accepted data came; UINT64_MAX: none has */
    uint32_t right;       /* bit n: the check n before the last one was right */
    uint32_t errors;
    enum takt_e2e_state state;
    uint8_t counter; /* of the last data whose counter counts */
    uint8_t delta_max;
    uint8_t no_new;
    uint8_t sync;
    bool started; /* profiles 1, 2: there is such data */
};

/* Of one that has checked nothing, as an initializer. */
#define TAKT_E2E_RECEIVER                                                         \
    {                                                                             \
        .accepted_ns = UINT64_MAX, .state = TAKT_E2E_NODATA, .counter = UINT8_MAX \
    }

/* What one cycle of a receiver found. */
struct takt_e2e_result {
    enum takt_e2e_status status;
    enum takt_e2e_state state;
    uint8_t lost;    /* with OK, OKSOMELOST and SYNC: data that is missing before this one */
    bool accepted;   /* the data is right and new: OK, OKSOMELOST, SYNC or INITIAL */
    uint64_t age_ns; /* since the last accepted data came; UINT64_MAX: none has */
};

/* The counter after `counter`: E2E_PxxProtect. A sender begins with 0. O(1). */
uint8_t takt_e2e_next(const struct takt_e2e_config *config, uint8_t counter);

/* Writes counter, sent identifier and check into `size` bytes. `counter`: 0, or what takt_e2e_next returned. O(size).
 */
void takt_e2e_protect(const struct takt_e2e_config *config, uint8_t counter, uint8_t *data);

/* Whether the check and the sent identifier of `size` bytes are right, and the counter is one of the profile, which
 * goes to `counter`. O(size). */
bool takt_e2e_is_right(const struct takt_e2e_config *config, const uint8_t *data, uint8_t *counter);

/* TAKT_E2E_RECEIVER, before the first check. O(1). */
void takt_e2e_start(struct takt_e2e_receiver *receiver);

/* The status of a cycle: E2E_PxxCheck. `data`: what came since the last one; NULL: nothing, which is NONEWDATA. Of
 * something it may be ERROR, REPEATED, OKSOMELOST or WRONGSEQUENCE, with profiles 1 and 2 INITIAL or SYNC, too.
 * O(size). */
enum takt_e2e_status takt_e2e_check(const struct takt_e2e_config *config, struct takt_e2e_receiver *receiver,
                                    const uint8_t *data);

/* The state after a cycle with that status: E2E_SMCheck with the mapping of profileBehavior 1, where SYNC is right, and
 * INITIAL is neither right nor an error. Never TAKT_E2E_STALE. O(1). */
enum takt_e2e_state takt_e2e_note(const struct takt_e2e_config *config, struct takt_e2e_receiver *receiver,
                                  enum takt_e2e_status status);

/* Data, and when it came, ns. */
struct takt_e2e_arrival {
    const uint8_t *data;
    uint64_t time_ns;
};

/*
 * A whole cycle of a receiver: check, state, and the age of what it has. `arrival`: what came since the last call;
 * NULL: nothing. `now_ns`: not before its time. O(size).
 */
struct takt_e2e_result takt_e2e_receive(const struct takt_e2e_config *config, struct takt_e2e_receiver *receiver,
                                        const struct takt_e2e_arrival *arrival, uint64_t now_ns);

TAKT_C_END

#endif
