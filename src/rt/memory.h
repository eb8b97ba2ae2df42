/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.h - allocations as contexts own them, with what the device has left;
 * arrays; pools.
 *
 * Every allocation is one of mem.h whose `user` is its sw_rt_alloc. Arrays
 * are linear memory with a descriptor: rows of `pitch` bytes, slices of
 * `slice` bytes, levels one after the other. Any thread. Does NOT know the
 * order of streams: what is freed is gone.
 */
#ifndef SW_RT_MEMORY_H
#define SW_RT_MEMORY_H
#include "mem/mem.h"
#include "rt/stream.h"

/* Who keeps an allocation that the program may only give back. */
typedef struct {
    /* The program gives it back. SW_E_INVAL: it has done so before. */
    sw_status (*end)(void *arg);
    /* It is freed, as all memory of its context is. */
    void (*gone)(void *arg);
} sw_rt_keeper;

typedef struct {
    sw_rt_context *context;
    sw_rt_device *device;
    sw_rt_pool *pool;           /* or NULL */
    const sw_rt_keeper *keeper; /* or NULL: the program itself */
    void *keeper_arg;
    uint64_t addr, bytes;
    uint64_t offset; /* in the pool's file, if it is there */
    uint32_t flags;  /* the allocator's: of host and managed memory */
    uint32_t opened; /* how often; of memory of another process */
    bool is_array, is_mapped, sync_memops;
    bool in_file; /* of a pool that can be shared */
    bool is_idle; /* freed in a stream's order, whose turn may be to come */
    sw_mem_kind kind;
} sw_rt_alloc;

/* Counts bytes as used. False: so many are not left of the device's memory, or
 * of what the host can give, which SOFTWARP_MEMORY=device does not ask. */
bool sw_rt_device_take(sw_rt_device *device, uint64_t bytes);
void sw_rt_device_give(sw_rt_device *device, uint64_t bytes);
/* The same of the host only. */
bool sw_rt_host_take(uint64_t bytes);
void sw_rt_host_give(uint64_t bytes);
/* Zero bytes: SW_E_INVAL. SW_E_NOMEM beyond what the device has. */
sw_status sw_rt_memory_alloc(sw_rt_context *context, sw_mem_kind kind,
                             uint64_t bytes, uint64_t align, uint32_t flags,
                             uint64_t *addr);
/* An address exactly as allocated, of this kind (HOST: for host memory, else
 * any of DEVICE and MANAGED). SW_E_INVAL. */
sw_status sw_rt_memory_free(uint64_t addr, bool host);
/* Frees whatever was allocated at addr; for stream order. */
void sw_rt_memory_release(uint64_t addr);
sw_status sw_rt_memory_register(sw_rt_context *context, void *p, uint64_t bytes,
                                uint32_t flags);
sw_status sw_rt_memory_unregister(void *p);
/* Memory of the program's own that is a managed variable, until it is
 * disowned. SW_E_HOST_MEMORY_ALREADY_REGISTERED. */
sw_status sw_rt_memory_adopt(sw_rt_context *context, uint64_t addr,
                             uint64_t bytes);
void sw_rt_memory_disown(uint64_t addr);
/* The allocation around addr; NULL if there is none (or it is a module's).
 * *range (may be NULL) is filled if true memory is there. */
const sw_rt_alloc *sw_rt_memory_find(uint64_t addr, sw_mem_range *range);
/* All of [addr, addr + bytes) lies in one allocation, or in memory mapped side
 * by side. */
bool sw_rt_memory_holds(uint64_t addr, uint64_t bytes);
/* Rows of `width` bytes lie in memory that there still is: a graph may be
 * launched long after it was told where. Of the host's nothing is known. */
bool sw_rt_memory_has_rows(uint64_t addr, uint64_t width, uint64_t height,
                           uint64_t depth, uint64_t pitch, uint64_t slice);
void sw_rt_memory_info(sw_rt_device *device, uint64_t *free, uint64_t *total);
/* Frees everything a context has allocated. */
void sw_rt_memory_free_all(sw_rt_context *context);

/* ---- addresses and memory apart: virtual.c ---- */

/* Memory without an address. */
typedef struct {
    sw_rt_object object; /* SW_RT_PHYSICAL; mappings hold references */
    sw_rt_device *device;
    uint64_t bytes;
    int file;
    bool is_imported; /* the device's bytes were taken elsewhere */
    _Alignas(8) unsigned char note[64]; /* the API's own description */
} sw_rt_physical;

/* bytes: whole pages of SW_MEM_PAGE. SW_E_NOMEM. */
sw_status sw_rt_physical_create(sw_rt_device *device, uint64_t bytes,
                                sw_rt_physical **out);
/* A descriptor for another process, owned by caller. SW_E_NOMEM. */
sw_status sw_rt_physical_export(sw_rt_physical *physical, int *file);
/* The memory behind such a descriptor, which stays the caller's. SW_E_UNKNOWN:
 * not one of ours; SW_E_NOT_SUPPORTED: one of a pool. */
sw_status sw_rt_physical_import(int file, sw_rt_physical **out);
void sw_rt_physical_unref(sw_rt_physical *physical);
/* Nothing can be accessed there yet. SW_E_INVAL: not reserved, or taken.
 * SW_E_NOT_SUPPORTED: not all of the memory, as an H200's driver says. */
sw_status sw_rt_virtual_map(uint64_t addr, uint64_t bytes, uint64_t offset,
                            sw_rt_physical *physical);
/* Whatever is mapped in the range, all of which is reserved; it begins and ends
 * where mappings do. SW_E_INVAL. */
sw_status sw_rt_virtual_unmap(uint64_t addr, uint64_t bytes);
/* access: of a device as the API numbers it: 0 none, 1 read, 3 both. */
sw_status sw_rt_virtual_set_access(sw_rt_context *context, uint64_t addr,
                                   uint64_t bytes, int device, int access);
/* The mapping around addr: what it shows and what a device may do with it.
 * False if there is none. */
bool sw_rt_virtual_find(uint64_t addr, int device, sw_rt_physical **physical,
                        int *access);
/* Addresses for mappings. align: a power of two. SW_E_NOMEM. */
sw_status sw_rt_virtual_reserve(uint64_t bytes, uint64_t align, uint64_t *addr);
/* All of one reservation. SW_E_INVAL: it is none; something is mapped there
 * still. */
sw_status sw_rt_virtual_unreserve(uint64_t addr, uint64_t bytes);
/* The reservation around addr; false: none. */
bool sw_rt_virtual_reserved(uint64_t addr, uint64_t *base, uint64_t *bytes);

/* ---- arrays ---- */

typedef enum { /* what one component is */
               SW_RT_FORMAT_U8,
               SW_RT_FORMAT_U16,
               SW_RT_FORMAT_U32,
               SW_RT_FORMAT_S8,
               SW_RT_FORMAT_S16,
               SW_RT_FORMAT_S32,
               SW_RT_FORMAT_F16,
               SW_RT_FORMAT_F32,
               SW_RT_FORMAT_COUNT
} sw_rt_format;
uint32_t sw_rt_format_bytes(sw_rt_format format);

typedef struct {
    size_t width, height, depth; /* height, depth 0: fewer dimensions; depth
                                    of layered ones: layers */
    sw_rt_format format;
    uint32_t channels; /* 1, 2, 4 */
    bool layered, cubemap, surface, gather;
    bool fraction; /* reads as [0, 1] or [-1, 1] even as integers */
    uint32_t api_flags;
} sw_rt_shape;

typedef struct sw_rt_mipmap sw_rt_mipmap;

typedef struct {
    sw_rt_object object;
    sw_rt_context *context;
    sw_rt_shape shape;
    uint32_t elem_bytes;
    uint64_t addr;
    size_t pitch, slice;
    sw_rt_mipmap *mipmap; /* it is a level of; or NULL */
} sw_rt_array;

enum { SW_RT_MAX_LEVELS = 20 };

struct sw_rt_mipmap {
    sw_rt_object object;
    sw_rt_context *context;
    uint32_t level_count;
    sw_rt_array *levels[SW_RT_MAX_LEVELS];
};

/* SW_E_INVAL: no such shape on this device. */
sw_status sw_rt_array_create(sw_rt_context *context, const sw_rt_shape *shape,
                             sw_rt_array **out);
void sw_rt_array_destroy(sw_rt_array *array);
sw_status sw_rt_mipmap_create(sw_rt_context *context, const sw_rt_shape *shape,
                              uint32_t levels, sw_rt_mipmap **out);
void sw_rt_mipmap_destroy(sw_rt_mipmap *mipmap);

/* ---- pools: pool.c ---- */

enum { SW_RT_POOL_ATTRS = 9 };

/*
 * The memory of a pool that can be shared lies in a file, which is as large as
 * the device and takes what is in use; what is allocated has an offset in it,
 * and an address in each process. The rest of memory has nothing to do with
 * pools: they count.
 */
typedef enum {
    SW_RT_POOL_OF_DEVICE,
    SW_RT_POOL_OF_HOST,
    SW_RT_POOL_MANAGED,
    SW_RT_POOL_KINDS
} sw_rt_pool_kind;

enum { /* attributes, by the API's number */
       SW_RT_POOL_THRESHOLD = 4,
       /* What a pool takes of a device at a time, as an H200's. */
       SW_RT_POOL_STEP = 32 << 20
};

struct sw_rt_pool {
    sw_rt_object object;
    sw_rt_device *device;
    sw_rt_pool_kind kind;
    bool is_default, is_imported;
    uint64_t attrs[SW_RT_POOL_ATTRS]; /* by the API's number */
    /* What is in use, and what a real pool would hold for it;
     * sw_rt_pool_counts_lock */
    uint64_t used, used_high, reserved, reserved_high;
    uint32_t idle;      /* allocations that are; the same lock */
    uint64_t max_bytes; /* 0: none */
    uint64_t peers;
    uint32_t handle_types; /* the API's */
    int file;              /* -1: cannot be shared */
    sw_vec free;           /* stretches of the file; lock of pool_file.c */
};

sw_rt_pool *sw_rt_pool_create(sw_rt_device *device);
/* Gives it a file. SW_E_NOMEM. */
sw_status sw_rt_pool_make_shareable(sw_rt_pool *pool);
/* What is still allocated from it lives on. */
void sw_rt_pool_destroy(sw_rt_pool *pool);
sw_rt_pool *sw_rt_pool_default(sw_rt_device *device);
/* That of no device; *current is what the program has set instead. */
sw_rt_pool *sw_rt_pool_elsewhere(sw_rt_pool_kind kind, sw_rt_pool ***current);
/* Around what is counted of pools, and around the list of idle memory; may be
 * taken under any other lock of pools. */
void sw_rt_pool_counts_lock(void);
void sw_rt_pool_counts_unlock(void);
/* `bytes` more are given out; false: its limit is lower. */
bool sw_rt_pool_use_more(sw_rt_pool *pool, uint64_t bytes);
/* `bytes` of what it has given out are free again. */
void sw_rt_pool_used_less(sw_rt_pool *pool, uint64_t bytes);
/* Holds no more than it must, or so many bytes. */
void sw_rt_pool_trim(sw_rt_pool *pool, uint64_t bytes);
/* The high marks, or one of them, become what is now. */
void sw_rt_pool_reset_high(sw_rt_pool *pool, bool reserved);
/* Allocates at once; the stream's order is kept by freeing in its order. What
 * was freed in the same stream, of the same size, is taken again before the
 * stream has come to the free. */
sw_status sw_rt_pool_alloc(sw_rt_pool *pool, sw_rt_context *context,
                           uint64_t stream_id, uint64_t bytes, uint64_t *addr);
/* The program has freed it in that stream; the result is for sw_rt_pool_free
 * when its turn comes. NULL: it was freed before, or is none of a pool's own.
 */
void *sw_rt_pool_idle(uint64_t addr, uint64_t stream_id);
void sw_rt_pool_free(void *idle);
/* In the file of a pool that can be shared. SW_E_NOMEM. */
sw_status sw_rt_pool_alloc_in_file(sw_rt_pool *pool, sw_rt_context *context,
                                   uint64_t bytes, uint64_t *addr);
/* Frees what has an address there, and the record. */
void sw_rt_pool_give(sw_rt_alloc *alloc);

/* As of sw_rt_physical; SW_E_NOT_SUPPORTED: one of such memory. */
sw_status sw_rt_pool_export(sw_rt_pool *pool, int *file);
sw_status sw_rt_pool_import(int file, sw_rt_pool **out);
/* What an importer of the pool needs to find the allocation at addr:
 * SW_RT_HANDLE_BYTES. SW_E_INVAL: not one of a pool that can be shared. */
sw_status sw_rt_pool_export_pointer(uint64_t addr, void *handle);
/* The same address until it is freed, which counts for all imports of it.
 * SW_E_INVAL: not from this imported pool. */
sw_status sw_rt_pool_import_pointer(sw_rt_pool *pool, sw_rt_context *context,
                                    const void *handle, uint64_t *addr);

#endif
