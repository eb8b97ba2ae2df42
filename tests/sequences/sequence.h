/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sequence.h - what the files of the sequence player share. A sequence is a
 * row of API calls that follows from its seed: often the right ones, with
 * values and in an order that are often wrong. Which calls come next depends
 * on the statuses so far, so two libraries play the same sequence until one
 * answers otherwise.
 *
 * One process plays one sequence, in one thread. It knows nothing but cuda.h
 * and cuda_runtime_api.h: a vendor's libraries can be asked as well as ours.
 */
#ifndef SW_SEQUENCE_H
#define SW_SEQUENCE_H
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* To a sequence a status is an int, whichever API's enumeration it is of. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wsign-conversion"
#endif

/* What a sequence has made, by kind; what it destroys leaves the table, so that
 * no handle is used that is not good any more. */
typedef enum {
    SEQ_CONTEXT,
    SEQ_STREAM,
    SEQ_EVENT,
    SEQ_MODULE,
    SEQ_FUNCTION,
    SEQ_DEVICE_MEMORY,
    SEQ_MANAGED,
    SEQ_PINNED,
    SEQ_ORDERED, /* memory of cuMemAllocAsync */
    SEQ_ARRAY,
    SEQ_POOL,
    SEQ_GRAPH,
    SEQ_NODE,
    SEQ_EXEC,
    SEQ_TEXTURE,
    SEQ_LIBRARY,
    SEQ_KERNEL,
    SEQ_MIPMAP,
    SEQ_SURFACE,
    SEQ_RESERVED, /* addresses of virtual memory */
    SEQ_PHYSICAL, /* and what is mapped there */
    SEQ_KINDS
} seq_kind;

enum { SEQ_MOST = 12 /* objects of a kind */, SEQ_HOST_BYTES = 1 << 16 };

typedef struct {
    uint64_t handle;
    uint64_t bytes; /* of memory; of a node: its graph */
    uint64_t owner; /* of a stream, event ...: the context; of a node: graph */
} seq_object;

typedef struct {
    uint64_t random;
    seq_object objects[SEQ_KINDS][SEQ_MOST];
    unsigned count[SEQ_KINDS];
    uint64_t current;   /* context, as far as the calls went well */
    unsigned capturing; /* streams that capture */
    bool faulted;       /* a kernel has been made to fault */
    uint64_t out;       /* what the call gave besides its status */
    bool has_out;
    unsigned char *host; /* SEQ_HOST_BYTES */
} sequence;

/* One call: makes up its arguments, calls, keeps what it made. */
typedef struct {
    const char *name;
    unsigned weight;
    int (*call)(sequence *s);
} seq_call;

#define SEQ_TABLE(name)                                                        \
    extern const seq_call seq_##name##_calls[];                                \
    extern const unsigned seq_##name##_count;
SEQ_TABLE(driver)
SEQ_TABLE(memory)
SEQ_TABLE(work)
SEQ_TABLE(further)
SEQ_TABLE(graphs)
SEQ_TABLE(runtime)
#undef SEQ_TABLE

/* ---- random choices (pick.c) ---- */

uint32_t seq_random(sequence *s, uint32_t below);
bool seq_chance(sequence *s, unsigned percent);
/* One of n values. */
uint64_t seq_one_of(sequence *s, const uint64_t *values, unsigned n);
#define SEQ_ONE_OF(s, ...)                                                     \
    seq_one_of(s, (const uint64_t[]){__VA_ARGS__},                             \
               sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* A live object, seldom 0. */
uint64_t seq_pick(sequence *s, seq_kind kind);
/* The object itself; NULL if there is none. */
seq_object *seq_pick_object(sequence *s, seq_kind kind);
void seq_keep(sequence *s, seq_kind kind, uint64_t handle, uint64_t bytes,
              uint64_t owner);
void seq_drop(sequence *s, seq_kind kind, uint64_t handle);
/* What lived in a context, or in a graph. */
void seq_drop_owned(sequence *s, uint64_t owner);

/* A stream: made, the legacy or the thread's one. */
uint64_t seq_stream(sequence *s);
size_t seq_size(sequence *s); /* bytes, mostly small */
/* Device memory with room for `bytes`, sometimes with less, not aligned, or
 * none at all. */
uint64_t seq_device(sequence *s, size_t bytes);
void *seq_host(sequence *s, size_t bytes);
int seq_device_number(sequence *s);
unsigned seq_flags(sequence *s, unsigned all); /* of these bits; seldom more */

static inline int
seq_give(sequence *s, int status, uint64_t out)
{
    s->out = out;
    s->has_out = true;
    return status;
}

extern const char *const seq_ptx[];
extern const unsigned seq_ptx_count;
/* The first ones may be linked. What follows refers to a function that nobody
 * defines: devices answer 0, 300 or 999, now this and now that. */
enum { SEQ_LINKABLE = 6 };

#endif
