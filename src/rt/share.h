/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share.h - memory and events that processes of this machine share.
 *
 * What is shared lies in a file without a name. Another process gets at it
 * through a descriptor that it is sent, or through a handle of
 * SW_RT_HANDLE_BYTES that says where: which process has which descriptor open
 * (so it must be a process of the same user, in the same namespace of
 * processes). What has been opened stays when the exporter frees it or ends;
 * what has not cannot be opened any more. Any thread.
 */
#ifndef SW_RT_SHARE_H
#define SW_RT_SHARE_H
#include "rt/memory.h"

enum { SW_RT_HANDLE_BYTES = 64 };

typedef enum {
    SW_RT_SHARE_MEMORY,
    SW_RT_SHARE_EVENT,
    SW_RT_SHARE_PHYSICAL,
    SW_RT_SHARE_POOL
} sw_rt_share_kind;

/* What a handle says. */
typedef struct {
    uint32_t kind;                   /* sw_rt_share_kind */
    int32_t pid, descriptor, device; /* physical */
    uint64_t volume, inode;          /* of the file: which one it is */
    uint64_t offset, bytes;
} sw_rt_share_place;

/* SW_E_INVAL if the descriptor is none. device: NULL for an event. */
sw_status sw_rt_share_handle(sw_rt_share_kind kind, int file, uint64_t offset,
                             uint64_t bytes, const sw_rt_device *device,
                             void *handle);
/* False: it is not a handle of this kind. */
bool sw_rt_share_read(const void *handle, sw_rt_share_kind kind,
                      sw_rt_share_place *out);
bool sw_rt_share_is_file(const sw_rt_share_place *place, int file);
bool sw_rt_share_has_ended(int pid);
/* A descriptor of the file, owned by caller; -1: its process has ended, or has
 * closed it. */
int sw_rt_share_reach(const sw_rt_share_place *place);

/* A file of `bytes`, a multiple of SW_MEM_PAGE, that takes no memory yet and
 * says at its end what it is. Owned by caller; -1: no memory. */
int sw_rt_share_file(sw_rt_share_kind kind, const sw_rt_device *device,
                     uint64_t bytes);
/* A descriptor of a caller's such file, owned by caller. SW_E_UNKNOWN: no such
 * file, or of no device here; SW_E_NOT_SUPPORTED: another kind; SW_E_NOMEM. */
sw_status sw_rt_share_import(int file, sw_rt_share_kind kind,
                             sw_rt_device **device, uint64_t *bytes, int *out);

/* ---- allocations ---- */

/* Memory of a device that this process has allocated by itself, not of a pool
 * or a graph. */
bool sw_rt_share_is_possible(const sw_rt_alloc *alloc);
/* For the allocation around addr. Waits until nothing of this process runs,
 * the first time: its memory is moved. SW_E_INVAL: not possible; SW_E_NOMEM. */
sw_status sw_rt_share_memory(uint64_t addr, void *handle);
/* The same address as long as it has not been closed as often as opened.
 * SW_E_INVAL: no handle, or the memory is gone; SW_E_INVALID_HANDLE: so is its
 * process; SW_E_INVALID_CONTEXT: of this very process; SW_E_NOMEM. */
sw_status sw_rt_share_open(sw_rt_context *context, const void *handle,
                           uint64_t *addr);
/* SW_E_INVAL: not so opened. */
sw_status sw_rt_share_close(uint64_t addr);
/* All that the context has opened. */
void sw_rt_share_close_all(sw_rt_context *context);

/* ---- events ---- */

/* Counts of records, one for all processes. */
typedef struct sw_rt_shared_event sw_rt_shared_event;

/* One reference, owned by caller. NULL: no memory. */
sw_rt_shared_event *sw_rt_shared_event_create(void);
void sw_rt_shared_event_unref(sw_rt_shared_event *event);
/* SW_E_INVALID_HANDLE for one that was opened. */
sw_status sw_rt_shared_event_export(sw_rt_shared_event *event, void *handle);
/* SW_E_MAP_FAILED: no handle, or the event is gone; SW_E_INVALID_CONTEXT: of
 * this very process. */
sw_status sw_rt_shared_event_open(const void *handle, sw_rt_shared_event **out);
void sw_rt_shared_event_record(sw_rt_shared_event *event, sw_rt_stream *stream);
/* The last record so far, or that the stream shall wait for it. One of a
 * process that has ended counts as done. */
bool sw_rt_shared_event_is_done(sw_rt_shared_event *event);
void sw_rt_shared_event_wait(sw_rt_shared_event *event);
void sw_rt_shared_event_hold(sw_rt_shared_event *event, sw_rt_stream *stream);

#endif
