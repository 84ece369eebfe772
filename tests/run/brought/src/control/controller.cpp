// SPDX-License-Identifier: Apache-2.0
// Static objects with constructors, a virtual function, a template, and a static variable of a function.
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
    explicit Proportional(int offset) : offset_(offset)
    {
    }
    int output(int error) const override
    {
        return scaled<GAIN>(error) + offset_;
    }

  private:
    int offset_;
};

volatile int order = 4; // so that constructors run, and are no constants
Proportional proportional(order / 4);
Controller instance(proportional, order);
} // namespace

Controller::Controller(const Law &law, int order_of) : law_(law), filter_{0, order_of}
{
}

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
