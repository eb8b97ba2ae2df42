/* SPDX-License-Identifier: Apache-2.0 */
/*
 * beside.h - another library of ours, loaded when it is first needed: the
 * compiler for those that compile. Any thread.
 */
#ifndef SW_LIB_BESIDE_H
#define SW_LIB_BESIDE_H

/* What dlopen returns for the file of that name in the folder of this library;
 * NULL: dlerror says why. It stays loaded. */
void *sw_lib_open_beside(const char *name);

#endif
