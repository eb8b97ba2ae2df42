/* SPDX-License-Identifier: Apache-2.0 */
/* softwarp/heap_decls.h - the device's malloc and free, which clang's <new>
 * needs. In C++20 <cmath> includes that, so these come before all others. */
#ifndef SOFTWARP_HEAP_DECLS_H
#define SOFTWARP_HEAP_DECLS_H
#pragma GCC system_header

extern "C" {
__attribute__((device)) void *malloc(__SIZE_TYPE__ bytes);
__attribute__((device)) void free(void *p);
}
#endif
