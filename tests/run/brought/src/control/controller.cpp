// SPDX-License-Identifier: Apache-2.0
// Static objects that are constants of the image, a virtual function, a template, a static variable of a function, and
// the headers of the C++ library, in which the last calls of at and value would throw.
#include "controller.hpp"

#include <math.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

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

std::array<std::int32_t, 4> limits = {8000, 9, 700, 90};
volatile std::size_t last = 3;
static_assert(sizeof(abs(1.0)) == sizeof(double)); // <math.h> is that of C++

std::optional<std::int32_t> limit(std::size_t number)
{
    if (number > limits.size()) {
        return std::nullopt;
    }
    std::ranges::sort(limits);
    return limits.at(number);
}
} // namespace

int Controller::step(int target)
{
    steps_++;
    return filter_step(&filter_, std::min(law_.output(target), static_cast<int>(limit(last).value())));
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
