/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp_end.h - closes what softwarp_begin.h opened. No include guard.
 */
#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
