/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registered.h - KERNEL and VARIABLE of a program, registered as a compiler's
 * code does before main; a vendor's compiler defines KERNEL by itself.
 */
#ifndef API_REGISTERED_H
#define API_REGISTERED_H
#ifndef KERNEL
#include "container.h"
#include "softwarp_host_runtime.h"

static const char ptx[] = ".version 6.4\n.target sm_60\n.address_size 64\n"
                          ".visible .global .align 4 .u32 variable = 5;\n"
                          ".visible .entry kernel() { ret; }\n";

static char kernel_stub, variable_shadow;
#define KERNEL   ((const void *)&kernel_stub)
#define VARIABLE ((const void *)&variable_shadow)

__attribute__((constructor)) static void
register_code(void)
{
    void **handle = __cudaRegisterFatBinary(container_of(ptx));
    __cudaRegisterFunction(handle, &kernel_stub, &kernel_stub, "kernel", -1,
                           NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, &variable_shadow, &variable_shadow, "variable", 0,
                      4, 0, 1);
    __cudaRegisterFatBinaryEnd(handle);
}
#endif

#endif
