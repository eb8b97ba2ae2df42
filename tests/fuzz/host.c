/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - see fuzz.h: memory that calls may write, and memory that nobody
 * may. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

/* Address space on each side of what may be written. */
#define GUARD_BYTES (UINT64_C(1) << 40)

enum { MOST_FORGIVEN = 64, ALLOCATION_BYTES = 64 << 20, WORD_BYTES = 1 << 16 };

unsigned char *fuzz_host, *fuzz_canary;
static unsigned char *guard;
static struct sigaction before;
static uint64_t forgiven[MOST_FORGIVEN];
static unsigned forgiven_count;

static unsigned char
canary_byte(size_t i)
{
    return (unsigned char)(i * 7 + (i >> 8) + 1);
}

void
fuzz_host_forgive(uint64_t address)
{
    if (address >= (UINT64_C(1) << 32))
        forgiven[forgiven_count++ % MOST_FORGIVEN] = address;
}

static bool
is_forgiven(uint64_t address)
{
    if (address >> 32 >= 1 && address >> 32 <= 7 &&
        (uint32_t)address < WORD_BYTES)
        return true; /* two small numbers of a structure, read as a pointer */
    for (unsigned i = 0; i < forgiven_count && i < MOST_FORGIVEN; i++)
        if (address - forgiven[i] < ALLOCATION_BYTES)
            return true;
    return false;
}

/* The process ends well where a copy has left the memory it was given. */
static void
on_fault(int signal, siginfo_t *info, void *context)
{
    unsigned char *at = info->si_addr;
    if ((at >= guard && at < guard + 2 * GUARD_BYTES + FUZZ_HOST_BYTES) ||
        is_forgiven((uint64_t)(uintptr_t)at))
        fuzz_leave();
    sigaction(signal, &before, NULL); /* the instruction runs again */
    (void)context;
}

void
fuzz_host_create(void)
{
    void *p = mmap(NULL, 2 * GUARD_BYTES + FUZZ_HOST_BYTES, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        fuzz_fail("no address space");
    guard = p;
    fuzz_host = guard + GUARD_BYTES;
    if (mprotect(fuzz_host, FUZZ_HOST_BYTES, PROT_READ | PROT_WRITE))
        fuzz_fail("no memory");
    p = mmap(NULL, FUZZ_HOST_BYTES, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        fuzz_fail("no memory");
    fuzz_canary = p;
    for (size_t i = 0; i < FUZZ_HOST_BYTES; i++)
        fuzz_canary[i] = canary_byte(i);
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(SIGSEGV, &action, &before);
}

void
fuzz_host_check(void)
{
    for (size_t i = 0; i < FUZZ_HOST_BYTES; i++)
        if (fuzz_canary[i] != canary_byte(i))
            fuzz_fail("byte %zu of the canary is %02x, was %02x", i,
                      fuzz_canary[i], canary_byte(i));
}
