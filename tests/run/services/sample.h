/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdint.h>

struct sample {
    uint32_t number;
    uint32_t square;
};

#endif
