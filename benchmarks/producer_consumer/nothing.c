/* SPDX-License-Identifier: Apache-2.0 */
/* Where the port's lock and switch are inline nothing is counted. */
#include "counts.h"

struct counts counts;
