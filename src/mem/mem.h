/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem.h - the device address space: one reserved range of host addresses, in
 * which every device pointer of the process lies, and what is allocated in it.
 *
 * A device pointer is a host address; nothing is translated. Pages of
 * SW_MEM_PAGE bytes that hold no allocation are inaccessible. Any thread may
 * call anything here. Does NOT know devices' sizes (the runtime accounts for
 * them), streams or contexts.
 *
 * Bounds are those of a real device by default: memory is protected by pages
 * of 2 MiB, so an access a few bytes past an allocation is not seen. With
 * SOFTWARP_BOUNDS=exact only bytes inside allocations are accessible.
 */
#ifndef SW_MEM_H
#define SW_MEM_H
#include "base/base.h"

enum { SW_MEM_PAGE_SHIFT = 21 };
#define SW_MEM_PAGE ((uint64_t)1 << SW_MEM_PAGE_SHIFT)

typedef enum {
    SW_MEM_DEVICE, /* cudaMalloc and friends */
    SW_MEM_HOST,   /* pinned host memory that we allocated */
    SW_MEM_MANAGED,
    SW_MEM_REGISTERED, /* the program's own host memory, registered */
    SW_MEM_MODULE,     /* global and constant variables of modules */
    SW_MEM_HEAP,       /* malloc in kernels; stays accessible when freed */
    SW_MEM_INTERNAL    /* shared and local memory, parameters, workspaces */
} sw_mem_kind;

typedef struct {
    uint64_t base, bytes; /* as asked for */
    sw_mem_kind kind;
    int device;      /* ordinal of the owner; -1: none */
    uint64_t serial; /* 1, 2, ... in order of allocation */
    void *user;      /* the allocator's own; see sw_mem_alloc */
} sw_mem_range;

/* What a fast check needs. base and bytes never change. */
typedef struct {
    uint64_t base, bytes;
    const uint8_t *pages; /* [bytes >> SW_MEM_PAGE_SHIFT] nonzero: accessible */
    bool exact;           /* SOFTWARP_BOUNDS=exact */
} sw_mem_view;

/* Reserves the address space at the first call (it takes no memory). The view
 * is valid for the life of the process. SW_E_NOMEM leaves *view NULL. */
sw_status sw_mem_get_view(const sw_mem_view **view);

/* Zeroed when its pages are fresh, else unspecified content. align: power of
 * two up to 2 MiB; at least 512 is used. bytes > 0. `user` comes back in
 * sw_mem_range. SW_E_NOMEM, SW_E_INVAL. */
sw_status sw_mem_alloc(sw_mem_kind kind, int device, uint64_t bytes,
                       uint64_t align, void *user, uint64_t *addr);
/* addr as returned by sw_mem_alloc. SW_E_INVAL if it is not. */
sw_status sw_mem_free(uint64_t addr);

/* Addresses of `bytes` (a multiple of SW_MEM_PAGE) that no allocation gets;
 * inaccessible until something is mapped there. SW_E_NOMEM, SW_E_INVAL. */
sw_status sw_mem_reserve(uint64_t bytes, uint64_t *addr);
/* As reserved, with nothing mapped. SW_E_INVAL. */
sw_status sw_mem_unreserve(uint64_t addr, uint64_t bytes);
bool sw_mem_is_reserved(uint64_t addr, uint64_t bytes);
/* Shows `bytes` of a file from `offset` at reserved addresses; whole pages.
 * What lies there is for sw_mem_add to say. SW_E_INVAL, SW_E_NOMEM. */
sw_status sw_mem_map(uint64_t addr, uint64_t bytes, int file, uint64_t offset);
/* As mapped, and its ranges with it. SW_E_INVAL. */
sw_status sw_mem_unmap(uint64_t addr, uint64_t bytes);
/* A range of kind DEVICE in what is mapped; its bytes need not be whole pages.
 * It must not touch another. */
void sw_mem_add(uint64_t addr, uint64_t bytes, int device, void *user);
/* The range that begins at addr; what is mapped stays so. */
void sw_mem_remove(uint64_t addr);

/* The file that an allocation of kind DEVICE lies in since sw_mem_share, and
 * the offset of the allocation in it. False: it has not been shared. The file
 * stays open until the pages are free again. */
bool sw_mem_shared(uint64_t addr, int *file, uint64_t *offset);
/* Moves the pages of the allocation at addr, with what else is in them, to a
 * file of whole pages that others may map. Nobody may access any of that
 * meanwhile; nothing is done if it has happened before. SW_E_INVAL: no such
 * allocation; SW_E_NOMEM. */
sw_status sw_mem_share(uint64_t addr);

/* Registers host memory outside the arena. SW_E_HOST_MEMORY_ALREADY_REGISTERED
 * if it overlaps a registration; SW_E_HOST_MEMORY_NOT_REGISTERED. */
sw_status sw_mem_register(void *p, uint64_t bytes, int device, void *user);
sw_status sw_mem_unregister(void *p);

/* The allocation or registration that contains addr. */
bool sw_mem_find(uint64_t addr, sw_mem_range *out);
/* The one nearest to addr, internal ones excepted; false if there is none. */
bool sw_mem_nearest(uint64_t addr, sw_mem_range *out);
/* Calls fn for each range of a device (or -1: all), in address order, without
 * holding locks that fn could need. */
void sw_mem_each(int device, void (*fn)(void *arg, const sw_mem_range *range),
                 void *arg);
/* True if some memory can be written by the host while kernels run: pinned,
 * managed or registered. */
bool sw_mem_is_host_visible(void);
/* Bytes in use by kind for a device. */
uint64_t sw_mem_used(int device, sw_mem_kind kind);

/* From now on fn is told of every range: when it is there (fn runs before its
 * allocator returns), and before it goes. On the thread that does it, holding
 * no lock. Set once, before the first allocation that is to be told. */
void sw_mem_watch(void (*fn)(void *arg, bool is_free,
                             const sw_mem_range *range),
                  void *arg);

/* Changes whenever something stops being accessible: what was found out about
 * an address before holds as long as it does not. */
uint64_t sw_mem_generation(void);

/* True if [addr, addr + bytes) may be accessed: the complete test, with
 * registrations and exact bounds. */
bool sw_mem_is_accessible(uint64_t addr, uint64_t bytes);

/* The fast test, for at most a page: false means "ask sw_mem_is_accessible". */
static inline bool
sw_mem_is_plain(const sw_mem_view *view, uint64_t first, uint64_t last)
{
    uint64_t a = first - view->base, b = last - view->base;
    return b >= a && b < view->bytes && !view->exact &&
           view->pages[a >> SW_MEM_PAGE_SHIFT] &&
           view->pages[b >> SW_MEM_PAGE_SHIFT] &&
           (b >> SW_MEM_PAGE_SHIFT) - (a >> SW_MEM_PAGE_SHIFT) <= 1;
}

#endif
