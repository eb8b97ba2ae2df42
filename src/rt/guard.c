/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c - see guard.h. */
#include "rt/guard.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "mem/guard.h"
#include "mem/mem.h"
#include "rt/calls.h"
#include "rt/host.h"

enum {
    WAIT_NS = 1000000000, /* for work that a call leaves behind */
    PAGE = 4096,
    RANGES = 64, /* closed beside device memory, at most */
    WRITES = 2   /* bit of a page fault's code */
};

typedef struct {
    uint64_t first, end;
} closed_range;

static struct {
    bool (*found)(uint64_t addr, uint64_t pc, bool is_write);
    void (*closes)(sw_watch_close_fn *close);
    struct sigaction old;
    pthread_mutex_t lock; /* of what follows */
    uint32_t callers;     /* threads inside of the API */
    closed_range ranges[RANGES];
    uint32_t range_count;
    uint64_t changes; /* how often it was closed or opened */
    bool is_closed;   /* read without the lock, too */
} guard = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local bool is_inside;

/* The access of this thread that was last repeated because memory was open. */
static _Thread_local struct {
    uint64_t addr, pc, changes;
} repeated;

static const size_t *active; /* NULL: no operation yet */

void
sw_rt_guard_count(const size_t *count)
{
    __atomic_store_n(&active, count, __ATOMIC_RELEASE);
}

static bool
has_active(void)
{
    const size_t *count = __atomic_load_n(&active, __ATOMIC_ACQUIRE);
    return count && __atomic_load_n(count, __ATOMIC_SEQ_CST);
}

static void
close_pages(uint64_t first, uint64_t end, bool may_be_read)
{
    first &= ~(uint64_t)(PAGE - 1);
    end = (end + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    if (guard.range_count == RANGES ||
        mprotect((void *)(uintptr_t)first, end - first,
                 may_be_read ? PROT_READ : PROT_NONE))
        return;
    guard.ranges[guard.range_count++] = (closed_range){first, end};
}

static void
open_ranges_locked(void)
{
    for (uint32_t i = 0; i < guard.range_count; i++)
        mprotect((void *)(uintptr_t)guard.ranges[i].first,
                 guard.ranges[i].end - guard.ranges[i].first,
                 PROT_READ | PROT_WRITE);
    guard.range_count = 0;
}

static void
set_closed_locked(bool is_closed)
{
    if (guard.is_closed == is_closed)
        return;
    if (!is_closed)
        open_ranges_locked();
    sw_mem_guard(is_closed);
    if (is_closed)
        guard.closes(close_pages);
    guard.changes++;
    __atomic_store_n(&guard.is_closed, is_closed, __ATOMIC_SEQ_CST);
}

static bool
is_in_range_locked(uint64_t addr)
{
    for (uint32_t i = 0; i < guard.range_count; i++)
        if (addr - guard.ranges[i].first <
            guard.ranges[i].end - guard.ranges[i].first)
            return true;
    return false;
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
    while (has_active() && sw_time_ns() - start < WAIT_NS)
        sw_rt_host_pause();
    pthread_mutex_lock(&guard.lock);
    if (!--guard.callers && !has_active())
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

/* Memory was open already when the fault was looked at: it may have been opened
 * since, then the access is repeated. If it fails again, with memory open all
 * the time, the guard is not why. */
static bool
may_repeat(uint64_t addr, uint64_t pc, uint64_t changes)
{
    bool again = repeated.addr == addr && repeated.pc == pc &&
                 repeated.changes == changes;
    repeated.addr = addr;
    repeated.pc = pc;
    repeated.changes = changes;
    return !again;
}

static void
on_fault(int number, siginfo_t *info, void *context)
{
    const ucontext_t *u = context;
    uint64_t addr = (uint64_t)(uintptr_t)info->si_addr;
    uint64_t pc = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
    (void)number;
    bool is_write = u->uc_mcontext.gregs[REG_ERR] & WRITES;
    pthread_mutex_lock(&guard.lock);
    bool was_closed = guard.is_closed;
    bool is_extra = was_closed && is_in_range_locked(addr);
    uint64_t changes = guard.changes;
    if (was_closed && info->si_code == SEGV_ACCERR &&
        (is_inside || is_ours(pc))) {
        set_closed_locked(false);
        pthread_mutex_unlock(&guard.lock);
        return;
    }
    pthread_mutex_unlock(&guard.lock);
    if (is_extra || is_guarded(addr)) {
        if (!was_closed && may_repeat(addr, pc, changes))
            return;
        if (was_closed && !guard.found(addr, pc, is_write) && is_extra) {
            pthread_mutex_lock(&guard.lock);
            open_ranges_locked();
            pthread_mutex_unlock(&guard.lock);
            return;
        }
    }
    sigaction(SIGSEGV, &guard.old, NULL);
}

void
sw_rt_guard_start(bool (*found)(uint64_t addr, uint64_t pc, bool is_write),
                  void (*closes)(sw_watch_close_fn *close))
{
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags =
                                   SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    guard.found = found;
    guard.closes = closes;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &guard.old);
    sw_rt_calls_observe(
        &(sw_rt_call_observer){.begin = on_begin, .end = on_end});
}
