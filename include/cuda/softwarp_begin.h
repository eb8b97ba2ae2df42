/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp_begin.h - opens the part of a header that declares C symbols
 * visible outside a library; softwarp_end.h closes it. No include guard.
 */
#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif
