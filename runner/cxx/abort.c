/* SPDX-License-Identifier: Apache-2.0 */
/* What the headers of the C++ library call where they would throw (std::optional::value): a fault of the processor. The
 * host's C library has its own. */
_Noreturn void abort(void);

_Noreturn void abort(void)
{
    __builtin_trap();
}
