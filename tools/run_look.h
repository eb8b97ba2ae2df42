/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_look.h - a look at a program before it is run: whether it can be, and
 * whether it will meet our libraries. Says what it finds on stderr.
 */
#ifndef SW_RUN_LOOK_H
#define SW_RUN_LOOK_H

/* 0: run it (there may have been a warning); else the exit status of a shell
 * that cannot run it: 126 or 127. */
int sw_run_look(const char *program);

#endif
