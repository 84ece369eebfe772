/* SPDX-License-Identifier: Apache-2.0 */
/* What virtual tables have in place of functions that are pure or deleted. Their references are weak, so that no
 * archive is searched for them: constructors.c names them, on host the link. */
#include "runner/cxx/lost.h"

_Noreturn void __cxa_pure_virtual(void);
_Noreturn void __cxa_deleted_virtual(void);

_Noreturn void __cxa_pure_virtual(void)
{
    TAKTI_CXX_LOST("a call of a pure virtual function");
}

_Noreturn void __cxa_deleted_virtual(void)
{
    TAKTI_CXX_LOST("a call of a deleted virtual function");
}
