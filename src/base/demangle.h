/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demangle.h - names of C++ as people wrote them. They are what the C++ runtime
 * says that the program has, or that is installed: it is looked for when first
 * asked, and nothing of ours is linked to it. Any thread may call.
 */
#ifndef SW_DEMANGLE_H
#define SW_DEMANGLE_H
#include "base/base.h"

/* Adds "store(int*)" for "_Z5storePi"; the name itself if it is none of C++ or
 * no C++ runtime is there. */
void sw_demangle(const char *name, sw_buf *out);

#endif
