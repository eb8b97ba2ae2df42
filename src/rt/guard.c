/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c - see guard.h. */
#include "rt/guard.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "mem/guard.h"
#include "mem/mem.h"
#include "rt/calls.h"
#include "rt/host.h"

enum { WAIT_NS = 20000000 }; /* for work that a call leaves behind */

static struct {
    void (*found)(void *arg, uint64_t addr, uint64_t pc);
    void *arg;
    struct sigaction old;
    pthread_mutex_t lock; /* of what follows */
    uint32_t callers;     /* threads inside of the API */
    bool is_closed;       /* read without the lock, too */
} guard = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local bool is_inside;

static const size_t *unfinished; /* NULL: no operation yet */

void
sw_rt_guard_count(const size_t *count)
{
    __atomic_store_n(&unfinished, count, __ATOMIC_RELEASE);
}

static bool
has_unfinished(void)
{
    const size_t *count = __atomic_load_n(&unfinished, __ATOMIC_ACQUIRE);
    return count && __atomic_load_n(count, __ATOMIC_SEQ_CST);
}

static void
set_closed_locked(bool is_closed)
{
    if (guard.is_closed == is_closed)
        return;
    sw_mem_guard(is_closed);
    __atomic_store_n(&guard.is_closed, is_closed, __ATOMIC_SEQ_CST);
}

static void
on_begin(void *arg, const sw_rt_call *call)
{
    (void)arg;
    (void)call;
    is_inside = true;
    pthread_mutex_lock(&guard.lock);
    guard.callers++;
    set_closed_locked(false);
    pthread_mutex_unlock(&guard.lock);
}

static void
on_end(void *arg, const sw_rt_call *call)
{
    (void)arg;
    (void)call;
    uint64_t start = sw_time_ns();
    while (has_unfinished() && sw_time_ns() - start < WAIT_NS)
        sw_rt_host_pause();
    pthread_mutex_lock(&guard.lock);
    if (!--guard.callers && !has_unfinished())
        set_closed_locked(true);
    pthread_mutex_unlock(&guard.lock);
    is_inside = false;
}

/* The instruction belongs to us: to our libraries, or to no library at all, as
 * compiled kernels do. */
static bool
is_ours(uint64_t pc)
{
    Dl_info ours, its;
    if (!dladdr((void *)(uintptr_t)pc, &its))
        return true;
    return dladdr((void *)&guard, &ours) && ours.dli_fbase == its.dli_fbase;
}

static bool
is_guarded(uint64_t addr)
{
    sw_mem_range range;
    /* A page has allocations of one kind only. */
    bool is_known = sw_mem_find(addr, &range) ||
                    (sw_mem_nearest(addr, &range) &&
                     range.base / SW_MEM_PAGE == addr / SW_MEM_PAGE);
    return is_known &&
           (range.kind == SW_MEM_DEVICE || range.kind == SW_MEM_MODULE);
}

static void
on_fault(int number, siginfo_t *info, void *context)
{
    const ucontext_t *u = context;
    uint64_t addr = (uint64_t)(uintptr_t)info->si_addr;
    uint64_t pc = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
    (void)number;
    if (info->si_code == SEGV_ACCERR && (is_inside || is_ours(pc))) {
        pthread_mutex_lock(&guard.lock);
        bool was_closed = guard.is_closed;
        set_closed_locked(false);
        pthread_mutex_unlock(&guard.lock);
        if (was_closed)
            return;
    } else if (is_guarded(addr)) {
        if (!__atomic_load_n(&guard.is_closed, __ATOMIC_SEQ_CST))
            return; /* opened meanwhile */
        guard.found(guard.arg, addr, pc);
    }
    sigaction(SIGSEGV, &guard.old, NULL);
}

void
sw_rt_guard_start(void (*found)(void *arg, uint64_t addr, uint64_t pc),
                  void *arg)
{
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags =
                                   SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    guard.found = found;
    guard.arg = arg;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &guard.old);
    sw_rt_calls_observe(
        &(sw_rt_call_observer){.begin = on_begin, .end = on_end});
}
