/* SPDX-License-Identifier: Apache-2.0 */
/*
 * static.c - only in libsoftwarp-jit, which LLVM is a part of: what LLVM wants
 * to be called at exit() is forgotten. A compilation may be at work on a thread
 * of its own while the program exits, and needs LLVM's tables until the process
 * is gone.
 */
int __cxa_atexit(void (*fn)(void *), void *arg, void *library);

/* The linker takes this one, which nobody outside sees, instead of the
 * system's. */
int
__cxa_atexit(void (*fn)(void *), void *arg, void *library)
{
    (void)fn;
    (void)arg;
    (void)library;
    return 0;
}
