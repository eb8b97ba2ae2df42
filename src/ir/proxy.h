/* SPDX-License-Identifier: Apache-2.0 */
/* proxy.h - sub of a MEMBAR: what the fence orders besides, or instead of,
 * accesses of threads (PTX ISA, Memory Consistency Model, Proxies). */
#ifndef SW_PROXY_H
#define SW_PROXY_H

typedef enum {
    SW_PROXY_NONE,
    SW_PROXY_ASYNC /* fence.proxy.async: the generic proxy with that of
                      asynchronous copies */
} sw_proxy;

#endif
