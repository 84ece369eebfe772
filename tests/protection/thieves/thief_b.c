/* SPDX-License-Identifier: Apache-2.0 */
#define OWN(name) name##_b
#define OTHER(name) name##_a
#define FIRST_PLAYER 10u
#include "thief.h"
