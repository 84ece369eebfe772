// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace brought
{
template <int gain> constexpr int scaled(int value)
{
    return gain * value;
}
} // namespace brought
