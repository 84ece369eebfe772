// SPDX-License-Identifier: Apache-2.0
#include "takt_app.h"

struct Late {
    Late()
    {
        for (;;) {
            takt_work(TAKT_US(50));
        }
    }
};

static Late late;

void late_job(void *)
{
    takt_fault_raise(TAKT_FAULT_ASSERTION, nullptr, __LINE__, reinterpret_cast<uintptr_t>(&late)); // it never runs
}
