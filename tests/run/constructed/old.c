/* SPDX-License-Identifier: Apache-2.0 */
/* A constructor of C, which comes before all objects. */
extern int order;

__attribute__((constructor(101))) static void construct(void)
{
    order = order * 10 + 1;
}
