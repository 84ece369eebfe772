// SPDX-License-Identifier: Apache-2.0
// Objects of new, while the other task is in the middle of its calls.
#include <stddef.h>
#include <stdint.h>

#include "takt/board.h"
#include "takt_app.h"

namespace
{

struct Counted {
    static int alive;
    uint32_t value;
    explicit Counted(uint32_t given) : value(given)
    {
        alive++;
    }
    ~Counted()
    {
        alive--;
    }
};
int Counted::alive = 0;

struct alignas(32) Wide {
    uint8_t bytes[32];
};

} // namespace

extern "C" void objects_job(void *)
{
    static unsigned jobs;
    auto *one = new Counted(7);
    auto *many = new Counted[3]{Counted(1), Counted(2), Counted(3)};
    auto *wide = new Wide;
    bool right = one->value == 7 && many[2].value == 3 && Counted::alive == 4;
    right = right && reinterpret_cast<uintptr_t>(wide) % 32 == 0;
    delete wide;
    delete[] many;
    delete one;
    if (!right || Counted::alive != 0) {
        takt_board_console_write("objects: wrong\n", 15);
    }
    if (++jobs == 5) {
        takt_board_console_write("objects: done\n", 14);
    }
}
