// SPDX-License-Identifier: Apache-2.0
#ifndef TABLES_HPP
#define TABLES_HPP

// Squares, computed when the process starts.
class Squares
{
  public:
    explicit Squares(volatile int &count);
    virtual ~Squares();
    virtual int sum() const;

  private:
    int squares_[8];
    int count_;
};

extern int order; // of what was constructed so far: a digit each

#endif
