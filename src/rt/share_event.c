/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share_event.c - events of share.h: two counts in memory that the processes
 * map, of records made and of the last one that is done.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rt/host.h"
#include "rt/share.h"

enum { PAGE_BYTES = 4096 };

/* All atomic. */
typedef struct {
    uint64_t recorded, done;
    int32_t recorder; /* process of the last record */
} counts;

struct sw_rt_shared_event {
    uint32_t refs; /* atomic */
    int file;
    bool is_opened;
    counts *counts;
};

static sw_rt_shared_event *
map(int file, bool is_opened)
{
    void *p =
        mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (p == MAP_FAILED) {
        close(file);
        return NULL;
    }
    sw_rt_shared_event *e = sw_alloc(sizeof *e);
    *e = (sw_rt_shared_event){1, file, is_opened, p};
    return e;
}

sw_rt_shared_event *
sw_rt_shared_event_create(void)
{
    int file = memfd_create("softwarp-event", MFD_CLOEXEC);
    if (file < 0)
        return NULL;
    if (!sw_file_resize(file, PAGE_BYTES)) {
        close(file);
        return NULL;
    }
    return map(file, false);
}

static void
ref(sw_rt_shared_event *e)
{
    __atomic_add_fetch(&e->refs, 1, __ATOMIC_RELAXED);
}

void
sw_rt_shared_event_unref(sw_rt_shared_event *e)
{
    if (!e || __atomic_sub_fetch(&e->refs, 1, __ATOMIC_ACQ_REL))
        return;
    munmap(e->counts, PAGE_BYTES);
    close(e->file);
    sw_free(e);
}

sw_status
sw_rt_shared_event_export(sw_rt_shared_event *e, void *handle)
{
    if (e->is_opened)
        return SW_E_INVALID_HANDLE;
    return sw_rt_share_handle(SW_RT_SHARE_EVENT, e->file, 0, PAGE_BYTES, NULL,
                              handle);
}

sw_status
sw_rt_shared_event_open(const void *handle, sw_rt_shared_event **out)
{
    sw_rt_share_place place;
    if (!sw_rt_share_read(handle, SW_RT_SHARE_EVENT, &place))
        return SW_E_MAP_FAILED;
    if (place.pid == getpid())
        return SW_E_INVALID_CONTEXT;
    int file = sw_rt_share_reach(&place);
    *out = file < 0 ? NULL : map(file, true);
    return *out ? SW_OK : SW_E_MAP_FAILED;
}

/* ---- records ---- */

typedef struct {
    sw_rt_shared_event *event;
    uint64_t number;
} record;

static record *
record_of(sw_rt_shared_event *e, uint64_t number)
{
    record *r = sw_alloc(sizeof *r);
    *r = (record){e, number};
    ref(e);
    return r;
}

static void
free_record(record *r)
{
    sw_rt_shared_event_unref(r->event);
    sw_free(r);
}

/* All that was ahead in the stream is done. */
static void
reach(void *handle, int status, void *arg)
{
    record *r = arg;
    (void)handle;
    (void)status;
    uint64_t *done = &r->event->counts->done;
    uint64_t now = __atomic_load_n(done, __ATOMIC_RELAXED);
    while (now < r->number &&
           !__atomic_compare_exchange_n(done, &now, r->number, true,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    free_record(r);
}

void
sw_rt_shared_event_record(sw_rt_shared_event *e, sw_rt_stream *stream)
{
    uint64_t number =
        __atomic_add_fetch(&e->counts->recorded, 1, __ATOMIC_ACQ_REL);
    __atomic_store_n(&e->counts->recorder, (int32_t)getpid(), __ATOMIC_RELEASE);
    sw_rt_work work = {.kind = SW_RT_CALLBACK};
    work.callback.fn = reach;
    work.callback.arg = record_of(e, number);
    sw_rt_stream_submit(stream, &work);
}

static bool
has_reached(const sw_rt_shared_event *e, uint64_t number)
{
    return __atomic_load_n(&e->counts->done, __ATOMIC_ACQUIRE) >= number;
}

static bool
recorder_has_ended(const sw_rt_shared_event *e)
{
    int32_t pid = __atomic_load_n(&e->counts->recorder, __ATOMIC_ACQUIRE);
    return pid && sw_rt_share_has_ended(pid);
}

static uint64_t
last_record(const sw_rt_shared_event *e)
{
    return __atomic_load_n(&e->counts->recorded, __ATOMIC_ACQUIRE);
}

bool
sw_rt_shared_event_is_done(sw_rt_shared_event *e)
{
    return has_reached(e, last_record(e)) || recorder_has_ended(e);
}

static void
wait_for(sw_rt_shared_event *e, uint64_t number)
{
    while (!has_reached(e, number) && !recorder_has_ended(e))
        sw_rt_host_pause();
}

void
sw_rt_shared_event_wait(sw_rt_shared_event *e)
{
    wait_for(e, last_record(e));
}

static void
wait_in_stream(void *arg)
{
    record *r = arg;
    wait_for(r->event, r->number);
    free_record(r);
}

void
sw_rt_shared_event_hold(sw_rt_shared_event *e, sw_rt_stream *stream)
{
    uint64_t number = last_record(e);
    if (has_reached(e, number))
        return;
    sw_rt_work work = {.kind = SW_RT_BLOCKING};
    work.host.fn = wait_in_stream;
    work.host.arg = record_of(e, number);
    sw_rt_stream_submit(stream, &work);
}
