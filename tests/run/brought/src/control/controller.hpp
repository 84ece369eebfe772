// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "brought/filter.h"

namespace brought
{
class Law
{
  public:
    virtual int output(int error) const = 0;

  protected:
    ~Law() = default;
};

class Controller
{
  public:
    constexpr Controller(const Law &law, int order) : law_(law), filter_{0, order}
    {
    }
    int step(int target);
    int steps() const
    {
        return steps_;
    }

  private:
    const Law &law_;
    filter filter_;
    int steps_ = 0;
};

Controller &controller();
} // namespace brought
