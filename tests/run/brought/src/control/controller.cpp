// SPDX-License-Identifier: Apache-2.0
// Static objects that are constants of the image, a virtual function, a template, a static variable of a function.
#include "controller.hpp"

#include "gains.hpp"
#include "takt_app.h"

namespace brought
{
namespace
{
class Proportional final : public Law
{
  public:
    constexpr explicit Proportional(int offset) : offset_(offset)
    {
    }
    int output(int error) const override
    {
        return scaled<GAIN>(error) + offset_;
    }

  private:
    int offset_;
};

constinit Proportional proportional(OFFSET);
constinit Controller instance(proportional, 4);
} // namespace

int Controller::step(int target)
{
    steps_++;
    return filter_step(&filter_, law_.output(target));
}

Controller &controller()
{
    static Controller &found = instance;
    return found;
}
} // namespace brought

void control_step(void *)
{
    if (takt_mutex_lock(&data) != TAKT_OK) {
        return;
    }
    brought::controller().step(100);
    takt_mutex_unlock(&data);
}
