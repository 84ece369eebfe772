// SPDX-License-Identifier: Apache-2.0
#include "tables.hpp"

int order;

Squares::Squares(volatile int &count) : squares_{}, count_(count)
{
    order = order * 10 + 2;
    for (int number = 0; number < count_; number++) {
        squares_[number] = number * number;
    }
}

Squares::~Squares() = default;

int Squares::sum() const
{
    int sum = 0;
    for (int number = 0; number < count_; number++) {
        sum += squares_[number];
    }
    return sum;
}
