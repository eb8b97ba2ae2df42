/* SPDX-License-Identifier: Apache-2.0 */
/* fiber.c - see run/fiber.h. x86-64, System V calls. */
#include "jit/run/fiber.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <xmmintrin.h>

#include "jit/abi.h"
#include "jit/tune.h"

#if defined(__SANITIZE_ADDRESS__)
#define SW_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define SW_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SW_ASAN 1
#elif __has_feature(thread_sanitizer)
#define SW_TSAN 1
#endif
#endif
#ifdef SW_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef SW_TSAN
#include <sanitizer/tsan_interface.h>
#endif

enum {
    STACK_BYTES = SW_JIT_STACK_BYTES, /* touched as far as it is used */
    PAGE_BYTES = 4096, /* the lowest of a stack is not accessible */
    STAGGER = 17 * 64, /* so that stacks do not share sets of the cache */
    STAGGERS = 32,
    FIRST_WORDS = 5, /* three, and alignment of what begin() gets */
    CODE_WORDS = 6   /* the same of code and of what comes after it */
};

_Static_assert(STACK_BYTES >= SW_JIT_FRAME_MAX + (256 << 10),
               "room for what compiled code calls");

struct sw_fiber {
    void *sp;   /* of the fiber, while it is not running; see run/sync.c */
    void *back; /* of who entered it; see run/sync.c */
    sw_fiber_fn *fn;
    void *arg;
    uint8_t *stack;
    sw_fiber *next;
    unsigned number;
    bool flushes; /* as it was entered */
#ifdef SW_ASAN
    void *fake, *back_fake;
    const void *back_stack;
    size_t back_bytes;
#endif
#ifdef SW_TSAN
    void *tsan, *back_tsan;
#endif
};

_Static_assert(offsetof(sw_fiber, sp) == 0, "see run/sync.c");
_Static_assert(offsetof(sw_fiber, back) == 8, "see run/sync.c");

typedef struct {
    sw_fiber *first;
    unsigned count;
} spare_list;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

/* Grids whose blocks wait for each other have a stack for each warp, grid after
 * grid: to make one takes four calls of the system. */
static struct {
    pthread_mutex_t lock;
    spare_list list;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Stores the stack pointer and goes on with another one. What lies on top of a
 * stack is where it goes on; see also run/sync.c. */
void sw_fiber_switch(void **save, void *load);
__asm__(".text\n"
        ".globl sw_fiber_switch\n"
        ".hidden sw_fiber_switch\n"
        ".type sw_fiber_switch, @function\n"
        ".align 16\n"
        "sw_fiber_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    leaq 1f(%rip), %rax\n"
        "    pushq %rax\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %rcx\n"
        "    xorl %eax, %eax\n"
        "    jmpq *%rcx\n"
        "1:  popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    popq %rcx\n" /* processors expect to return to another place */
        "    jmpq *%rcx\n"
        ".size sw_fiber_switch, . - sw_fiber_switch\n");

static void
destroy(sw_fiber *fiber)
{
#ifdef SW_TSAN
    if (fiber->tsan)
        __tsan_destroy_fiber(fiber->tsan);
#endif
    munmap(fiber->stack, STACK_BYTES);
    sw_free(fiber);
}

static sw_fiber *
pop(spare_list *list)
{
    sw_fiber *fiber = list->first;
    if (fiber) {
        list->first = fiber->next;
        list->count--;
    }
    return fiber;
}

static void
push(spare_list *list, sw_fiber *fiber)
{
    fiber->next = list->first;
    list->first = fiber;
    list->count++;
}

static void
destroy_list(void *arg)
{
    spare_list *list = arg;
    for (sw_fiber *fiber; (fiber = pop(list));)
        destroy(fiber);
    sw_free(list);
}

static void
make_key(void)
{
    SW_ASSERT(pthread_key_create(&key, destroy_list) == 0);
}

static spare_list *
my_list(void)
{
    static __thread spare_list *mine;
    if (!mine) {
        pthread_once(&once, make_key);
        mine = sw_alloc(sizeof *mine);
        pthread_setspecific(key, mine);
    }
    return mine;
}

static sw_fiber *
create(void)
{
    static unsigned numbers;
    uint8_t *room =
        mmap(NULL, 2 * STACK_BYTES, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (room == MAP_FAILED)
        return NULL;
    size_t before = -(uintptr_t)room % STACK_BYTES;
    uint8_t *stack = room + before;
    if (before)
        munmap(room, before);
    if (before < STACK_BYTES)
        munmap(stack + STACK_BYTES, STACK_BYTES - before);
    mprotect(stack, PAGE_BYTES, PROT_NONE);
    sw_fiber *fiber = sw_alloc(sizeof *fiber);
    fiber->stack = stack;
    fiber->number = __atomic_fetch_add(&numbers, 1, __ATOMIC_RELAXED);
    return fiber;
}

static void
arrive(sw_fiber *fiber)
{
#ifdef SW_ASAN
    __sanitizer_finish_switch_fiber(fiber->fake, &fiber->back_stack,
                                    &fiber->back_bytes);
#else
    (void)fiber;
#endif
}

/* The first frame of a fiber. */
static void
begin(sw_fiber *fiber)
{
    arrive(fiber);
    fiber->fn(fiber->arg);
    sw_assert_fail("a fiber's function returned", __FILE__, __LINE__);
}

void sw_fiber_first(void);
__asm__(".text\n"
        ".globl sw_fiber_first\n"
        ".hidden sw_fiber_first\n"
        ".type sw_fiber_first, @function\n"
        "sw_fiber_first:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined rip\n"
        "    popq %rdi\n"
        "    popq %rax\n"
        "    xorl %ebp, %ebp\n"
        "    callq *%rax\n"
        "    ud2\n"
        "    .cfi_endproc\n"
        ".size sw_fiber_first, . - sw_fiber_first\n");

/* The first frame of a fiber that begins with code, and what that returns to.
 */
void sw_fiber_code(void);
void sw_fiber_after(void);
__asm__(".text\n"
        ".globl sw_fiber_code\n"
        ".hidden sw_fiber_code\n"
        ".type sw_fiber_code, @function\n"
        "sw_fiber_code:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined rip\n"
        "    popq %rdi\n"
        "    popq %rcx\n"
        "    xorl %ebp, %ebp\n"
        "    jmpq *%rcx\n"
        "    .cfi_endproc\n"
        ".size sw_fiber_code, . - sw_fiber_code\n"
        ".globl sw_fiber_after\n"
        ".hidden sw_fiber_after\n"
        ".type sw_fiber_after, @function\n"
        "    nop\n" /* debuggers look before the place of return */
        "sw_fiber_after:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined rip\n"
        "    popq %rdi\n"
        "    popq %rax\n"
        "    callq *%rax\n"
        "    ud2\n"
        "    .cfi_endproc\n"
        ".size sw_fiber_after, . - sw_fiber_after\n");

static uint64_t *
top_of(const sw_fiber *fiber)
{
    uint8_t *top =
        fiber->stack + STACK_BYTES - (fiber->number % STAGGERS) * STAGGER;
    return (uint64_t *)(void *)top;
}

void
sw_fiber_begin_code(sw_fiber *fiber, sw_fiber_fn *code, void *arg,
                    sw_fiber_fn *after, void *after_arg)
{
    uint64_t *sp = top_of(fiber) - CODE_WORDS;
    sp[0] = (uint64_t)(uintptr_t)sw_fiber_code;
    sp[1] = (uint64_t)(uintptr_t)arg;
    sp[2] = (uint64_t)(uintptr_t)code;
    sp[3] = (uint64_t)(uintptr_t)sw_fiber_after;
    sp[4] = (uint64_t)(uintptr_t)after_arg;
    sp[5] = (uint64_t)(uintptr_t)after;
    fiber->sp = sp;
}

/* True if the stack has memory as far down as that. */
static bool
is_deep(const sw_fiber *fiber)
{
    uintptr_t at = (uintptr_t)top_of(fiber) - sw_jit_tune.fiber_bytes_kept;
    unsigned char is_resident = 1;
    mincore((void *)(at / PAGE_BYTES * PAGE_BYTES), 1, &is_resident);
    return is_resident & 1;
}

/* Some of a full list go to the one of all. */
static void
give_some(spare_list *list)
{
    for (unsigned i = 0; i < sw_jit_tune.fibers_moved && list->first; i++) {
        sw_fiber *fiber = pop(list);
        bool keep = !is_deep(fiber);
        if (keep) {
            pthread_mutex_lock(&kept.lock);
            keep = kept.list.count < sw_jit_tune.fibers_kept;
            if (keep)
                push(&kept.list, fiber);
            pthread_mutex_unlock(&kept.lock);
        }
        if (!keep)
            destroy(fiber);
    }
}

static void
take_some(spare_list *list)
{
    pthread_mutex_lock(&kept.lock);
    for (unsigned i = 0; i < sw_jit_tune.fibers_moved && kept.list.first; i++)
        push(list, pop(&kept.list));
    pthread_mutex_unlock(&kept.lock);
}

sw_fiber *
sw_fiber_get(sw_fiber_fn *fn, void *arg)
{
    spare_list *list = my_list();
    if (!list->first)
        take_some(list);
    sw_fiber *fiber = pop(list);
    if (!fiber)
        fiber = create();
    if (!fiber)
        return NULL;
    fiber->fn = fn;
    fiber->arg = arg;
    uint64_t *sp = top_of(fiber) - FIRST_WORDS;
    sp[0] = (uint64_t)(uintptr_t)sw_fiber_first;
    sp[1] = (uint64_t)(uintptr_t)fiber;
    sp[2] = (uint64_t)(uintptr_t)begin;
    fiber->sp = sp;
#ifdef SW_ASAN
    __asan_unpoison_memory_region(fiber->stack + PAGE_BYTES,
                                  STACK_BYTES - PAGE_BYTES);
    fiber->fake = NULL;
#endif
#ifdef SW_TSAN
    if (fiber->tsan)
        __tsan_destroy_fiber(fiber->tsan);
    fiber->tsan = __tsan_create_fiber(0);
#endif
    return fiber;
}

void
sw_fiber_put(sw_fiber *fiber)
{
    if (!fiber)
        return;
    spare_list *list = my_list();
    if (list->count >= sw_jit_tune.fibers_spare)
        give_some(list);
    push(list, fiber);
}

void
sw_fiber_enter(sw_fiber *fiber, bool flushes)
{
    unsigned state = flushes ? _mm_getcsr() : 0;
    fiber->flushes = flushes;
    if (flushes)
        _mm_setcsr(state | SW_JIT_FLUSHES);
#ifdef SW_ASAN
    __sanitizer_start_switch_fiber(&fiber->back_fake, fiber->stack + PAGE_BYTES,
                                   STACK_BYTES - PAGE_BYTES);
#endif
#ifdef SW_TSAN
    fiber->back_tsan = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber->tsan, 0);
#endif
    sw_fiber_switch(&fiber->back, fiber->sp);
    if (flushes)
        _mm_setcsr(state);
#ifdef SW_ASAN
    __sanitizer_finish_switch_fiber(fiber->back_fake, NULL, NULL);
#endif
}

void
sw_fiber_leave(sw_fiber *fiber, const sw_fiber *root)
{
#ifdef SW_ASAN
    __sanitizer_start_switch_fiber(&fiber->fake, root->back_stack,
                                   root->back_bytes);
#endif
#ifdef SW_TSAN
    __tsan_switch_to_fiber(root->back_tsan, 0);
#endif
    bool flushes = root->flushes;
    unsigned state = flushes ? _mm_getcsr() : 0;
    sw_fiber_switch(&fiber->sp, root->back);
    if (flushes)
        _mm_setcsr(state);
    arrive(fiber);
}

bool
sw_fiber_is_plain(void)
{
#if defined(SW_ASAN) || defined(SW_TSAN)
    return false;
#else
    return true;
#endif
}
