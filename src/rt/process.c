/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.c - the process object: which devices there are, and what kernels
 * have printed but the program's stdout has not seen yet.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/settings.h"
#include "device/properties.h"
#include "opt/numerics.h"
#include "opt/pipeline.h"
#include "rt/physical.h"
#include "rt/rt.h"
#include "rt/tune.h"

typedef struct {
    sw_rt_device devices[SW_RT_MAX_DEVICES];
    int count;
    sw_status status;
    bool has_numerics; /* chosen, for all devices */
    unsigned numerics;
    bool forked; /* this is a child: worker threads are gone */
    bool exiting;
    bool ready;
    pthread_mutex_t print_lock;
    sw_buf print;
    bool print_lost;
} process;

static process *
process_get(void)
{
    static process self = {.print_lock = PTHREAD_MUTEX_INITIALIZER};
    return &self;
}

static void
on_fork(void)
{
    process_get()->forked = true;
}

static void
on_exit_(void)
{
    sw_rt_print_flush();
    process_get()->exiting = true;
}

static void
device_add(const sw_device_info *info, int physical)
{
    process *p = process_get();
    if (p->count == SW_RT_MAX_DEVICES)
        return;
    sw_rt_device *d = &p->devices[p->count];
    d->info = info;
    d->limits = sw_device_limits((int)info->cc);
    d->total_bytes = sw_device_total_bytes(info);
    pthread_mutex_init(&d->lock, NULL);
    d->physical = physical;
    d->ordinal = p->count++;
}

/* Whether a device's UUID, as "GPU-" and digits in groups, begins so. */
static bool
uuid_begins(const sw_rt_device *d, sw_str start)
{
    char text[41];
    sw_rt_physical_uuid(d->info, d->physical, text);
    return start.n <= strlen(text) && strncasecmp(text, start.p, start.n) == 0;
}

/* By its index, or by the beginning of a UUID that no other has. */
static bool
find_visible(sw_str part, uint64_t *index)
{
    const process *p = process_get();
    enum { PREFIX = 4 }; /* "GPU-" */
    if (sw_str_to_u64(part, 10, index))
        return *index < (uint64_t)p->count;
    int found = 0;
    for (int i = 0; part.n > PREFIX && i < p->count; i++)
        if (uuid_begins(&p->devices[i], part)) {
            *index = (uint64_t)i;
            found++;
        }
    return found == 1;
}

/* Keeps and orders devices as CUDA_VISIBLE_DEVICES says, up to the first entry
 * that is none. */
static void
filter_visible(const char *list)
{
    process *p = process_get();
    const sw_device_info *kept[SW_RT_MAX_DEVICES];
    int places[SW_RT_MAX_DEVICES];
    int count = 0;
    bool seen[SW_RT_MAX_DEVICES] = {false};
    sw_str part;
    while (sw_str_next_part(&list, &part)) {
        uint64_t i;
        if (!find_visible(part, &i))
            break;
        if (seen[i]) { /* a device named twice: none is visible */
            count = 0;
            break;
        }
        seen[i] = true;
        places[count] = (int)i;
        kept[count++] = p->devices[i].info;
    }
    p->count = 0;
    for (int i = 0; i < count; i++)
        device_add(kept[i], places[i]);
}

/* SOFTWARP_NUMERICS: a generation's, instead of each device's own. */
static sw_status
choose_numerics(const char *name)
{
    process *p = process_get();
    p->has_numerics = sw_numerics_find(name, &p->numerics);
    if (p->has_numerics)
        return SW_OK;
    sw_buf names;
    sw_buf_init(&names);
    sw_numerics_names(&names);
    sw_log(SW_LOG_ERROR, "there are no numerics \"%s\"; there are %s", name,
           names.p);
    sw_buf_finish(&names);
    return SW_E_INVALID_DEVICE;
}

/* SOFTWARP_DUMP_IR: after which passes the IR is shown. */
static void
choose_dump(void)
{
    sw_diag diag;
    sw_diag_init(&diag);
    if (sw_opt_dump_after(sw_setting(SW_SETTING_DUMP_IR), &diag) != SW_OK) {
        const sw_diag_entry *entry = sw_vec_at(&diag.entries, 0);
        sw_log(SW_LOG_ERROR, "SOFTWARP_DUMP_IR: %s", entry->text);
    }
    sw_diag_finish(&diag);
}

/* A wrong value is an error, not the default's quiet return. */
static void
check_settings(process *p)
{
    sw_buf text;
    sw_buf_init(&text);
    if (!sw_settings_check(&text)) {
        for (char *line = text.p; *line;) {
            size_t n = strcspn(line, "\n");
            sw_log(SW_LOG_ERROR, "%.*s; cuInit returns %s", (int)n, line,
                   sw_status_name(SW_E_INVAL));
            line += n + (line[n] == '\n');
        }
        p->status = SW_E_INVAL;
    }
    sw_buf_finish(&text);
}

static void
init_once(void)
{
    process *p = process_get();
    size_t count;
    const sw_tune_table *const *tables = sw_rt_tune_tables(&count);
    sw_tune_read_environment(tables, count);
    choose_dump();
    if (*sw_device_user_errors())
        sw_log(SW_LOG_ERROR, "device files: %s", sw_device_user_errors());
    check_settings(p);
    size_t physical = 0;
    if (p->status == SW_OK)
        p->status = sw_rt_physical_list(&physical);
    for (size_t i = 0; i < physical; i++)
        device_add(sw_rt_physical_at(i), (int)i);
    const char *numerics = sw_setting(SW_SETTING_NUMERICS);
    if (numerics && p->status == SW_OK)
        p->status = choose_numerics(numerics);
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    if (visible && p->status == SW_OK)
        filter_visible(visible);
    if (p->status == SW_OK && p->count == 0)
        p->status = SW_E_NO_DEVICE;
    sw_buf_init(&p->print);
    pthread_atfork(NULL, NULL, on_fork);
    atexit(on_exit_);
    __atomic_store_n(&p->ready, p->status == SW_OK, __ATOMIC_RELEASE);
}

sw_status
sw_rt_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_once);
    process *p = process_get();
    return p->forked ? SW_E_NOT_INITIALIZED : p->status;
}

bool
sw_rt_is_initialized(void)
{
    process *p = process_get();
    return __atomic_load_n(&p->ready, __ATOMIC_ACQUIRE) && !p->forked;
}

bool
sw_rt_is_exiting(void)
{
    return process_get()->exiting;
}

int
sw_rt_device_count(void)
{
    return process_get()->count;
}

sw_rt_device *
sw_rt_device_at(int ordinal)
{
    process *p = process_get();
    return ordinal >= 0 && ordinal < p->count ? &p->devices[ordinal] : NULL;
}

sw_rt_device *
sw_rt_device_find(int physical)
{
    process *p = process_get();
    for (int i = 0; i < p->count; i++)
        if (p->devices[i].physical == physical)
            return &p->devices[i];
    return NULL;
}

unsigned
sw_rt_device_numerics(const sw_rt_device *device)
{
    const process *p = process_get();
    return p->has_numerics ? p->numerics : sw_numerics_of(device->info->cc);
}

int
sw_rt_device_get(const sw_rt_device *device, int attribute)
{
    int value = 0;
    if (!sw_device_attribute(device->info, attribute, &value))
        return 0;
    return value;
}

/* ---- printing ---- */

void
sw_rt_print_add(const char *text, size_t bytes, size_t limit)
{
    process *p = process_get();
    pthread_mutex_lock(&p->print_lock);
    /* The device's buffer holds arguments, ours the text made of them. */
    if (p->print.n + bytes <= limit * 16) {
        sw_buf_add(&p->print, text, bytes);
    } else if (!p->print_lost) {
        p->print_lost = true;
        sw_log(SW_LOG_WARN,
               "kernels printed more than the printf buffer "
               "(%zu bytes) holds; the rest is lost",
               limit);
    }
    pthread_mutex_unlock(&p->print_lock);
}

void
sw_rt_print_flush(void)
{
    process *p = process_get();
    if (!__atomic_load_n(&p->print.n, __ATOMIC_RELAXED))
        return;
    pthread_mutex_lock(&p->print_lock);
    size_t n = p->print.n;
    char *text = n ? sw_buf_take(&p->print) : NULL;
    p->print_lost = false;
    pthread_mutex_unlock(&p->print_lock);
    if (text) {
        fwrite(text, 1, n, stdout);
        fflush(stdout);
    }
    sw_free(text);
}
