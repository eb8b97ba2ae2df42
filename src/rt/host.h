/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.h - a thread for host functions that streams call, started when the
 * first one is due. They run one after the other, as on a device's driver.
 * Waits for values in memory have threads of their own, since they may take
 * for ever. Any thread may post.
 */
#ifndef SW_RT_HOST_H
#define SW_RT_HOST_H
#include <stdbool.h>

void sw_rt_host_post(void (*fn)(void *arg), void *arg);
/* For what may never end: a thread to itself. */
void sw_rt_host_post_blocking(void (*fn)(void *arg), void *arg);
/* A short sleep for those who poll. */
void sw_rt_host_pause(void);

/* This computer has a part of its memory with that number. */
bool sw_rt_host_has_node(int node);

#endif
