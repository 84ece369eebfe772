/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POSE_H
#define POSE_H

#include <stdint.h>

struct pose {
    uint64_t words[8];
};

#endif
