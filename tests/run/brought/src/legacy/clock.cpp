// SPDX-License-Identifier: Apache-2.0
// A static object of the kernel's side whose constructor is code, with a destructor, which never runs.
#include "takt_app.h"

extern "C" int clock_started(void);

namespace
{
class Clock
{
  public:
    explicit Clock(int start) : start_(start)
    {
    }
    ~Clock()
    {
        start_ = 0;
    }
    int start() const
    {
        return start_;
    }

  private:
    int start_;
};

volatile int seven = 7; // so that it is no constant
Clock clock(seven);
} // namespace

int clock_started(void)
{
    return clock.start();
}
