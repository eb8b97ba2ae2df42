/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch.c - see start.h: entry points become jumps.
 *
 * Near the file lie pages with two pieces of code for each entry point: the
 * first, where the jump goes, jumps through a slot; the slot leads to the
 * second, which says its number and goes to `enter` below. That saves what may
 * hold arguments, has the function looked up in our library, and puts its
 * address into the slot.
 */
#include "start/start.h"

enum {
    JUMP = 5,       /* e9, 32-bit distance */
    SHORT_JUMP = 2, /* eb, 8-bit distance */
    STUB = 32,      /* code for one entry point */
    SLOW = 8,       /* in it: where the slot leads first */
    OBJECTS = 1024,
    INDEX_BITS = 16,
    ENDBR = 4 /* f3 0f 1e fa: where indirect calls may land */
};

/* The pages: code, then this. */
struct sw_start_object {
    uintptr_t enter; /* jumped through by the stubs */
    uintptr_t code;
    size_t bytes; /* all pages */
    uint32_t number;
    unsigned major; /* of CUDA, whose runtime the file has */
    struct {
        uintptr_t to;
        const char *name;
    } slots[];
};

static sw_start_object *objects[OBJECTS];

/* The number of the entry point is on the stack, above the caller's return
 * address. Nothing that may hold an argument is changed. */
void sw_start_enter(void);
__asm__(".text\n"
        ".globl sw_start_enter\n"
        ".hidden sw_start_enter\n"
        ".type sw_start_enter, @function\n"
        "sw_start_enter:\n"
        "  push %rax\n"
        "  push %rdi\n"
        "  push %rsi\n"
        "  push %rdx\n"
        "  push %rcx\n"
        "  push %r8\n"
        "  push %r9\n"
        "  sub $136, %rsp\n"
        "  movups %xmm0, (%rsp)\n"
        "  movups %xmm1, 16(%rsp)\n"
        "  movups %xmm2, 32(%rsp)\n"
        "  movups %xmm3, 48(%rsp)\n"
        "  movups %xmm4, 64(%rsp)\n"
        "  movups %xmm5, 80(%rsp)\n"
        "  movups %xmm6, 96(%rsp)\n"
        "  movups %xmm7, 112(%rsp)\n"
        "  mov 192(%rsp), %edi\n"
        "  call sw_start_resolve\n"
        "  mov %rax, %r11\n"
        "  movups (%rsp), %xmm0\n"
        "  movups 16(%rsp), %xmm1\n"
        "  movups 32(%rsp), %xmm2\n"
        "  movups 48(%rsp), %xmm3\n"
        "  movups 64(%rsp), %xmm4\n"
        "  movups 80(%rsp), %xmm5\n"
        "  movups 96(%rsp), %xmm6\n"
        "  movups 112(%rsp), %xmm7\n"
        "  add $136, %rsp\n"
        "  pop %r9\n"
        "  pop %r8\n"
        "  pop %rcx\n"
        "  pop %rdx\n"
        "  pop %rsi\n"
        "  pop %rdi\n"
        "  pop %rax\n"
        "  add $8, %rsp\n"
        "  jmp *%r11\n"
        ".size sw_start_enter, . - sw_start_enter\n");

/* What a function that we do not have returns: cudaErrorNotSupported. */
static int
not_supported(void)
{
    return 801;
}

/* ---- pieces of code ---- */

static void
put32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

/* ff 25: a jump through a pointer near it. */
static void
put_jump_through(unsigned char *at, const uintptr_t *pointer)
{
    at[0] = 0xff;
    at[1] = 0x25;
    put32(at + 2, (uint32_t)((uintptr_t)pointer - (uintptr_t)at - 6));
}

static bool
put_jump(unsigned char *at, uintptr_t to)
{
    int64_t distance = (int64_t)(to - (uintptr_t)at - JUMP);
    if (distance != (int32_t)distance)
        return false;
    at[0] = 0xe9;
    put32(at + 1, (uint32_t)distance);
    return true;
}

static void
write_stub(sw_start_object *o, uint32_t i)
{
    unsigned char *at = (unsigned char *)o->code + (size_t)i * STUB;
    put_jump_through(at, &o->slots[i].to);
    at[SLOW] = 0x68; /* push */
    put32(at + SLOW + 1, o->number << INDEX_BITS | i);
    put_jump_through(at + SLOW + 5, &o->enter);
    o->slots[i].to = (uintptr_t)at + SLOW;
}

/* ---- entry points ---- */

/* All that compilers put between functions: int3, nop in its lengths. */
static bool
is_padding(const unsigned char *p, size_t n)
{
    if (n && (p[0] == 0x66 || p[0] == 0x2e || (p[0] == 0x0f && p[1] == 0x1f)))
        return true; /* one instruction of as many bytes as there are */
    for (size_t i = 0; i < n; i++)
        if (p[i] != 0x90 && p[i] != 0xcc)
            return false;
    return true;
}

static bool
is_start(const sw_start_scan_result *scan, uintptr_t from, uintptr_t to)
{
    for (size_t i = 0; i < scan->count; i++)
        if (scan->entries[i].address > from && scan->entries[i].address < to)
            return true;
    return false;
}

/* Room for a jump in the body, no longer used, of an entry point at most 127
 * bytes away; NULL if there is none. */
static unsigned char *
borrow(sw_start_scan_result *scan, uintptr_t from)
{
    for (size_t i = 0; i < scan->count; i++) {
        sw_start_entry *e = &scan->entries[i];
        uintptr_t room = e->address + e->taken;
        int64_t distance = (int64_t)(room - from - SHORT_JUMP);
        if (e->taken < JUMP || e->bytes < (uint32_t)e->taken + JUMP ||
            distance != (int8_t)distance)
            continue;
        e->taken = (uint16_t)(e->taken + JUMP);
        return (unsigned char *)room;
    }
    return NULL;
}

static bool
fits(const sw_start_scan_result *scan, const sw_start_entry *e)
{
    const unsigned char *p = (const unsigned char *)e->address;
    uintptr_t end = e->address + JUMP;
    return e->bytes >= JUMP ||
           (e->bytes && end <= scan->text + scan->text_bytes &&
            !is_start(scan, e->address, end) &&
            is_padding(p + e->bytes, JUMP - e->bytes));
}

static bool
patch_long(const sw_start_scan_result *scan, sw_start_entry *e, uintptr_t to)
{
    unsigned char *p = (unsigned char *)e->address;
    if (!fits(scan, e))
        return false;
    size_t skip = e->bytes >= ENDBR + JUMP && p[0] == 0xf3 && p[1] == 0x0f &&
                          p[2] == 0x1e && p[3] == 0xfa
                      ? ENDBR
                      : 0;
    if (!put_jump(p + skip, to))
        return false;
    e->taken = (uint16_t)(skip + JUMP);
    return true;
}

static bool
patch_short(sw_start_scan_result *scan, sw_start_entry *e, uintptr_t to)
{
    unsigned char *p = (unsigned char *)e->address;
    unsigned char *room =
        e->bytes < SHORT_JUMP ? NULL : borrow(scan, e->address);
    if (!room || !put_jump(room, to))
        return false;
    p[0] = 0xeb;
    p[1] = (unsigned char)(room - p - SHORT_JUMP);
    e->taken = SHORT_JUMP;
    return true;
}

/* The generation of CUDA whose runtime has most of what is there and least of
 * what is not. */
static unsigned
find_major(const sw_start_scan_result *scan)
{
    static const unsigned bits[] = {START_L13, START_L12, START_L11};
    int against[3] = {0};
    for (size_t n = 0; n < sw_start_names(); n++) {
        unsigned libraries = sw_start_name_at(n)->libraries;
        bool has = false;
        for (size_t i = 0; i < scan->count && !has; i++)
            has = scan->entries[i].name == n;
        /* One that should be there may have been left out by the linker. */
        for (unsigned k = 0; k < 3; k++)
            if (has != ((libraries & bits[k]) != 0))
                against[k] += has ? 16 : 1;
    }
    unsigned best = 0;
    for (unsigned k = 1; k < 3; k++)
        if (against[k] < against[best])
            best = k;
    return 13 - best;
}

static sw_start_object *
create(const sw_start_scan_result *scan)
{
    uint32_t number = 0;
    while (number < OBJECTS && objects[number])
        number++;
    size_t code = (scan->count * STUB + START_PAGE - 1) / START_PAGE;
    code *= START_PAGE;
    size_t bytes = code + sizeof(sw_start_object) +
                   scan->count * sizeof objects[0]->slots[0];
    bytes = (bytes + START_PAGE - 1) / START_PAGE * START_PAGE;
    char *pages = number < OBJECTS && scan->count >> INDEX_BITS == 0
                      ? sw_start_pages_near(scan->text, bytes)
                      : NULL;
    if (!pages)
        return NULL;
    sw_start_object *o = (sw_start_object *)(void *)(pages + code);
    o->enter = (uintptr_t)sw_start_enter;
    o->code = (uintptr_t)pages;
    o->bytes = bytes;
    o->number = number;
    o->major = find_major(scan);
    for (uint32_t i = 0; i < scan->count; i++) {
        o->slots[i].name = sw_start_name_at(scan->entries[i].name)->name;
        write_stub(o, i);
    }
    if (!sw_start_protect(o->code, code, false, true)) {
        sw_start_unmap(pages, bytes);
        return NULL;
    }
    objects[number] = o;
    return o;
}

int
sw_start_patch(sw_start_scan_result *scan, const char *file,
               sw_start_object **out)
{
    *out = create(scan);
    if (!*out || !sw_start_protect(scan->text, scan->text_bytes, true, false)) {
        sw_start_forget(*out);
        *out = NULL;
        return -1;
    }
    int done = 0;
    const sw_start_entry *left = NULL;
    for (int pass = 0; pass < 2; pass++) /* the long ones lend to the short */
        for (size_t i = 0; i < scan->count; i++) {
            sw_start_entry *e = &scan->entries[i];
            uintptr_t to = (*out)->code + i * STUB;
            if (e->taken)
                continue;
            if (pass == 0 ? patch_long(scan, e, to) : patch_short(scan, e, to))
                done++;
            else if (pass == 1)
                left = e;
        }
    sw_start_protect(scan->text, scan->text_bytes, false, true);
    if (left)
        sw_start_say(1, file, " has functions too short to be redirected, ",
                     sw_start_name_at(left->name)->name,
                     " for one; link it with nvcc -cudart shared", NULL);
    return done;
}

void
sw_start_forget(sw_start_object *object)
{
    if (!object)
        return;
    objects[object->number] = NULL;
    sw_start_unmap((const void *)object->code, object->bytes);
}

uintptr_t
sw_start_resolve(uint32_t object_and_index)
{
    sw_start_object *o = objects[object_and_index >> INDEX_BITS];
    uint32_t i = object_and_index & ((1u << INDEX_BITS) - 1);
    uintptr_t to = sw_start_function(o->major, o->slots[i].name);
    if (!to)
        to = (uintptr_t)not_supported;
    __atomic_store_n(&o->slots[i].to, to, __ATOMIC_RELEASE);
    return to;
}
