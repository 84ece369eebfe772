// SPDX-License-Identifier: Apache-2.0
#include "takt_app.h"

static volatile uintptr_t nowhere = 16;

struct Lost {
    Lost()
    {
#if defined(__arm__) || defined(__riscv)
        *reinterpret_cast<volatile int *>(nowhere) = 1;
#else
        takt_fault_raise(TAKT_FAULT_ASSERTION, nullptr, __LINE__, 0); // its memory is not protected
#endif
    }
};

static Lost lost;

void lost_job(void *)
{
    takt_fault_raise(TAKT_FAULT_ASSERTION, nullptr, __LINE__, reinterpret_cast<uintptr_t>(&lost)); // it never runs
}
