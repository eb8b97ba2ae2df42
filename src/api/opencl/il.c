/* SPDX-License-Identifier: Apache-2.0 */
/*
 * il.c - programs from SPIR-V. The value of a specialization constant is put
 * into the words where they have the constant's own.
 */
#include "api/opencl/il.h"

#include <string.h>

#include "api/opencl/compiler.h"
#include "api/opencl/program.h"

/* Of SPIR-V's specification, chapter 3. An instruction's first word has its
 * length in words and its code. */
enum {
    MAGIC = 0x07230203,
    HEADER_WORDS = 5,
    OP_TYPE_INT = 21, /* result, width, signedness */
    OP_TYPE_FLOAT = 22,
    OP_SPEC_CONSTANT_TRUE = 48, /* type, result */
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50, /* type, result, value */
    OP_DECORATE = 71,      /* target, decoration, literals */
    DECORATION_SPEC_ID = 1,
};

static uint32_t
swapped(uint32_t word)
{
    return __builtin_bswap32(word);
}

/* ---- the words ---- */

/* Every instruction lies within the module. */
static bool
is_whole(const uint32_t *words, size_t count)
{
    size_t at = HEADER_WORDS;
    while (at < count) {
        uint32_t length = words[at] >> 16;
        if (length == 0 || length > count - at)
            return false;
        at += length;
    }
    return count > HEADER_WORDS;
}

/* The next instruction behind `at` (NULL: the first) that is `op` and has at
 * least `operands`; NULL: none. */
static uint32_t *
next(const sw_ocl_il *il, const uint32_t *at, uint32_t op, uint32_t operands)
{
    uint32_t *end = il->special + il->bytes / 4;
    size_t from =
        at ? (size_t)(at - il->special) + (*at >> 16) : (size_t)HEADER_WORDS;
    for (uint32_t *p = il->special + from; p < end; p += *p >> 16)
        if ((*p & 0xffff) == op && *p >> 16 > operands)
            return p;
    return NULL;
}

/* The instruction of that code whose operand `index` (from 0) is `id`. */
static uint32_t *
find(const sw_ocl_il *il, uint32_t op, uint32_t index, uint32_t id)
{
    uint32_t *p = NULL;
    while ((p = next(il, p, op, index + 1)))
        if (p[1 + index] == id)
            return p;
    return NULL;
}

/* Bytes of a constant of that type; 0: it is of none that we know. */
static size_t
size_of_type(const sw_ocl_il *il, uint32_t type)
{
    const uint32_t *p = find(il, OP_TYPE_INT, 0, type);
    if (!p)
        p = find(il, OP_TYPE_FLOAT, 0, type);
    return p && *p >> 16 > 2 ? p[2] / 8 : 0;
}

static void
set_bool(uint32_t *constant, const void *value)
{
    bool is_true = *(const unsigned char *)value;
    *constant = (*constant & 0xffff0000) |
                (is_true ? OP_SPEC_CONSTANT_TRUE : OP_SPEC_CONSTANT_FALSE);
}

/* Values of less than a word have its low bits; those of signed integers go on
 * with their sign. */
static void
set_number(const sw_ocl_il *il, uint32_t *constant, size_t size,
           const void *value)
{
    const uint32_t *type = find(il, OP_TYPE_INT, 0, constant[1]);
    uint64_t bits = 0;
    memcpy(&bits, value, size);
    if (size < 4 && type && *type >> 16 > 3 && type[3]) {
        unsigned unused = 64 - 8 * (unsigned)size;
        bits = (uint64_t)((int64_t)(bits << unused) >> unused);
    }
    memcpy(constant + 3, &bits, size <= 4 ? 4 : size);
}

static cl_int
set_constant(const sw_ocl_il *il, uint32_t id, size_t size, const void *value)
{
    uint32_t *p = find(il, OP_SPEC_CONSTANT, 1, id);
    if (!p) {
        p = find(il, OP_SPEC_CONSTANT_TRUE, 1, id);
        if (!p)
            p = find(il, OP_SPEC_CONSTANT_FALSE, 1, id);
        REQUIRE(p, CL_INVALID_SPEC_ID);
        REQUIRE(size == 1, CL_INVALID_VALUE);
        set_bool(p, value);
        return CL_SUCCESS;
    }
    size_t words = (size + 3) / 4;
    REQUIRE(size == size_of_type(il, p[1]) && size && size <= 8 &&
                *p >> 16 >= 3 + words,
            CL_INVALID_VALUE);
    set_number(il, p, size, value);
    return CL_SUCCESS;
}

/* All that have this number; CL_INVALID_SPEC_ID: none has. */
static cl_int
specialize(const sw_ocl_il *il, uint32_t spec_id, size_t size,
           const void *value)
{
    cl_int result = CL_INVALID_SPEC_ID;
    const uint32_t *p = NULL;
    while ((p = next(il, p, OP_DECORATE, 3)))
        if (p[2] == DECORATION_SPEC_ID && p[3] == spec_id) {
            result = set_constant(il, p[1], size, value);
            if (result != CL_SUCCESS)
                break;
        }
    return result;
}

/* ---- life ---- */

/* NULL: it is no SPIR-V. */
static sw_ocl_il *
create(const void *words, size_t bytes)
{
    if (bytes < 4 * HEADER_WORDS || bytes % 4)
        return NULL;
    uint32_t *special = sw_alloc(bytes);
    memcpy(special, words, bytes);
    if (special[0] == swapped(MAGIC))
        for (size_t i = 0; i < bytes / 4; i++)
            special[i] = swapped(special[i]);
    if (special[0] != MAGIC || !is_whole(special, bytes / 4)) {
        sw_free(special);
        return NULL;
    }
    sw_ocl_il *il = sw_alloc(sizeof *il);
    il->words = sw_alloc(bytes);
    memcpy(il->words, words, bytes);
    il->bytes = bytes;
    il->special = special;
    return il;
}

void
sw_ocl_il_free(sw_ocl_il *il)
{
    if (!il)
        return;
    sw_free(il->words);
    sw_free(il->special);
    sw_free(il);
}

void *
sw_ocl_il_copy(cl_program p)
{
    void *copy = sw_alloc(p->il->bytes);
    pthread_mutex_lock(&p->lock);
    memcpy(copy, p->il->special, p->il->bytes);
    pthread_mutex_unlock(&p->lock);
    return copy;
}

/* ---- the calls ---- */

static cl_int
create_program(cl_context context, const void *words, size_t bytes,
               cl_program *out)
{
    GET(cl_context, c, context, SW_OCL_CONTEXT, CL_INVALID_CONTEXT);
    REQUIRE(words && bytes, CL_INVALID_VALUE);
    if (!sw_ocl_takes_spirv()) {
        static const char text[] =
            "no program can be made of SPIR-V: there is no translator of it "
            "to LLVM (package llvm-spirv-19, or of the clang that is used)";
        sw_ocl_notify(c, text);
        sw_log(SW_LOG_WARN, "clCreateProgramWithIL: %s", text);
        return CL_INVALID_OPERATION;
    }
    sw_ocl_il *il = create(words, bytes);
    REQUIRE(il, CL_INVALID_VALUE);
    cl_program p = sw_ocl_program_create(c, 0, NULL);
    if (!p) {
        sw_ocl_il_free(il);
        return CL_OUT_OF_HOST_MEMORY;
    }
    p->il = il;
    *out = p;
    return CL_SUCCESS;
}

cl_program
clCreateProgramWithIL(cl_context context, const void *il, size_t length,
                      cl_int *errcode_ret)
{
    cl_program p = NULL;
    sw_ocl_set_error(errcode_ret, create_program(context, il, length, &p));
    return p;
}

cl_program
clCreateProgramWithILKHR(cl_context context, const void *il, size_t length,
                         cl_int *errcode_ret)
{
    return clCreateProgramWithIL(context, il, length, errcode_ret);
}

cl_int
clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id,
                                   size_t spec_size, const void *spec_value)
{
    GET(cl_program, p, program, SW_OCL_PROGRAM, CL_INVALID_PROGRAM);
    REQUIRE(p->il, CL_INVALID_PROGRAM);
    REQUIRE(spec_value, CL_INVALID_VALUE);
    pthread_mutex_lock(&p->lock);
    cl_int result = specialize(p->il, spec_id, spec_size, spec_value);
    pthread_mutex_unlock(&p->lock);
    return result;
}
