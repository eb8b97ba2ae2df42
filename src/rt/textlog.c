/* SPDX-License-Identifier: Apache-2.0 */
/* textlog.c - see textlog.h. */
#include "rt/textlog.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "device/occupancy.h"
#include "rt/rt.h"
#include "watch/metrics.h"

enum { MAX_COUNTERS = 4, MAX_FILES = 64 };

/* Columns in the order of the log; wanted: without being asked for. */
#define COLUMNS(X)                                                             \
    X(TIMESTAMP, "timestamp", false)                                           \
    X(GPUSTART, "gpustarttimestamp", false)                                    \
    X(GPUEND, "gpuendtimestamp", false)                                        \
    X(METHOD, "method", true)                                                  \
    X(GPUTIME, "gputime", true)                                                \
    X(CPUTIME, "cputime", true)                                                \
    X(GRIDSIZE, "gridsize", false)                                             \
    X(GRIDSIZE3D, "gridsize3d", false)                                         \
    X(BLOCKSIZE, "threadblocksize", false)                                     \
    X(DYNSMEM, "dynsmemperblock", false)                                       \
    X(STASMEM, "stasmemperblock", false)                                       \
    X(REGS, "regperthread", false)                                             \
    X(OCCUPANCY, "occupancy", true)                                            \
    X(STREAM, "streamid", false)                                               \
    X(COUNTERS, "", true)                                                      \
    X(TRANSFERSIZE, "memtransfersize", false)                                  \
    X(TRANSFERDIR, "memtransferdir", false)                                    \
    X(HOSTMEM, "memtransferhostmemtype", false)
#define ROW(name, text, wanted) COLUMN_##name,
enum { COLUMNS(ROW) COLUMN_COUNT };
#undef ROW
#define ROW(name, text, wanted) {text, wanted},
static const struct {
    const char *name;
    bool wanted;
} columns[] = {COLUMNS(ROW)};
#undef ROW

/* A call that queued work: its time is the lines' cputime. */
typedef struct {
    uint64_t correlation;
    uint32_t queued; /* operations that have no line yet */
    bool has_returned;
    double cpu_us;
} call;

/* A line that waits for its call to return. */
typedef struct {
    uint64_t correlation;
    bool has_returned;
    double cpu_us;
    FILE *file;
    char *before, *after; /* its texts around the cputime */
} line;

/* A device's log, if the name has a place for its number; else all's. */
typedef struct {
    bool has_begun;
    FILE *file; /* NULL: cannot be written */
} log_file;

static struct {
    pthread_mutex_t lock; /* of all */
    bool is_on, is_csv, has_ended;
    const char *name;
    log_file files[MAX_FILES];
    int file_count; /* that have begun */
    bool wanted[COLUMN_COUNT];
    const sw_metric *counters[MAX_COUNTERS];
    size_t counter_count;
    uint64_t begin_ns;
    sw_vec lines; /* line */
    sw_vec calls; /* call */
} log_ = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- what is wanted ---- */

static const char *
setting(const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "COMPUTE_%s", name);
    const char *value = getenv(full);
    if (value)
        return value;
    snprintf(full, sizeof full, "CUDA_%s", name);
    return getenv(full);
}

static bool
is_set(const char *name)
{
    const char *value = setting(name);
    return value && strcmp(value, "0") != 0 && *value;
}

static const sw_metric *
find_counter(const char *name)
{
    const sw_metric *m = sw_metric_find(SW_ERA_TEXT, name);
    return m ? m : sw_metric_find(SW_ERA_NVPROF, name);
}

/* One line of the configuration. */
static void
want(const char *word, const char *file, unsigned number)
{
    /* Options that choose what there is only one of here. */
    static const char *const ignored[] = {
        "countermodeaggregate", "conckerneltrace",     "enableonstart",
        "cacheconfigrequested", "cacheconfigexecuted", "profilelogformat",
    };
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (strcasecmp(columns[i].name, word) == 0) {
            log_.wanted[i] = true;
            return;
        }
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (strcasecmp(ignored[i], word) == 0)
            return;
    const sw_metric *m = find_counter(word);
    if (!m || m->missing) {
        sw_log(SW_LOG_WARN, "%s:%u: %s is no counter that there is%s%s", file,
               number, word, m ? ": " : "", m ? m->missing : "");
        return;
    }
    for (size_t i = 0; i < log_.counter_count; i++)
        if (log_.counters[i] == m)
            return;
    if (log_.counter_count == MAX_COUNTERS) {
        sw_log(SW_LOG_WARN,
               "%s:%u: %s is left out: the hardware counts %d things at a time",
               file, number, word, MAX_COUNTERS);
        return;
    }
    log_.counters[log_.counter_count++] = m;
}

static void
read_config(const char *name)
{
    char *text;
    size_t bytes;
    if (sw_file_read(name, &text, &bytes) != SW_OK) {
        sw_log(SW_LOG_WARN, "cannot read the profiler's configuration %s",
               name);
        return;
    }
    char *rest = text, *row;
    for (unsigned number = 1; (row = strsep(&rest, "\n")); number++) {
        row += strspn(row, " \t\r");
        row[strcspn(row, " \t\r#")] = 0;
        if (*row)
            want(row, name, number);
    }
    sw_free(text);
}

bool
sw_rt_textlog_load(void)
{
    if (!is_set("PROFILE"))
        return false;
    log_.is_on = true;
    log_.is_csv = is_set("PROFILE_CSV");
    log_.name = setting("PROFILE_LOG");
    log_.begin_ns = sw_time_ns();
    sw_vec_init(&log_.lines, sizeof(line));
    sw_vec_init(&log_.calls, sizeof(call));
    for (int i = 0; i < COLUMN_COUNT; i++)
        log_.wanted[i] = columns[i].wanted;
    const char *config = setting("PROFILE_CONFIG");
    if (config && *config)
        read_config(config);
    if (log_.wanted[COLUMN_GRIDSIZE3D])
        log_.wanted[COLUMN_GRIDSIZE] = false;
    return true;
}

bool
sw_rt_textlog_counts(void)
{
    return log_.counter_count != 0;
}

bool
sw_rt_textlog_needs_caches(void)
{
    for (size_t i = 0; i < log_.counter_count; i++)
        if (log_.counters[i]->caches)
            return true;
    return false;
}

/* ---- the file ---- */

static const char *
file_name(void)
{
    return log_.name && *log_.name ? log_.name : "cuda_profile_%d.log";
}

static FILE *
open_file(int number)
{
    const char *name = file_name();
    sw_buf path;
    sw_buf_init(&path);
    for (const char *p = name; *p; p++) {
        bool known = p[0] == '%' && (p[1] == 'd' || p[1] == 'p');
        if (known)
            sw_buf_printf(&path, "%d", *++p == 'p' ? (int)getpid() : number);
        else
            sw_buf_add(&path, p, 1);
    }
    FILE *file = fopen(path.p, "we");
    if (!file)
        sw_log(SW_LOG_ERROR, "cannot write the profiler's log %s", path.p);
    sw_buf_finish(&path);
    return file;
}

/* What all of 1.x counts means the same everywhere; other counters only mean
 * something where they were. */
static void
drop_foreign_counters(const sw_device_info *device)
{
    size_t kept = 0;
    for (size_t i = 0; i < log_.counter_count; i++) {
        const sw_metric *m = log_.counters[i];
        bool general = m->era == SW_ERA_TEXT && m->from <= 10 && m->to >= 13;
        if (general || sw_metric_applies(m, device->cc))
            log_.counters[kept++] = m;
        else
            sw_log(SW_LOG_WARN,
                   "the profiler's counter %s is one of compute capability "
                   "%u.%u to %u.%u; %s has %u.%u",
                   m->name, m->from / 10, m->from % 10, m->to / 10, m->to % 10,
                   device->name, device->cc / 10, device->cc % 10);
    }
    log_.counter_count = kept;
}

static void
print_names(FILE *file)
{
    const char *comma = "";
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (!log_.wanted[i])
            continue;
        if (i == COLUMN_COUNTERS) {
            for (size_t k = 0; k < log_.counter_count; k++)
                fprintf(file, ",%s", log_.counters[k]->name);
            continue;
        }
        const char *name = columns[i].name;
        if (log_.is_csv && i == COLUMN_GRIDSIZE)
            name = "gridsizeX,gridsizeY";
        else if (log_.is_csv && i == COLUMN_GRIDSIZE3D)
            name = "gridsizeX,gridsizeY,gridsizeZ";
        else if (log_.is_csv && i == COLUMN_BLOCKSIZE)
            name = "threadblocksizeX,threadblocksizeY,threadblocksizeZ";
        fprintf(file, "%s%s", comma, name);
        comma = ",";
    }
    fputs("\n", file);
}

/* NULL if there is no file. */
static FILE *
begin_locked(uint32_t device)
{
    bool apart = strstr(file_name(), "%d") && device < MAX_FILES;
    log_file *to = &log_.files[apart ? device : 0];
    if (to->has_begun)
        return to->file;
    to->has_begun = true;
    int number = log_.file_count++;
    FILE *file = to->file = open_file(number);
    if (!file)
        return NULL;
    /* The factor makes gpustarttimestamp a time on the wall, in ns. */
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    uint64_t factor = (uint64_t)wall.tv_sec * 1000000000 +
                      (uint64_t)wall.tv_nsec - sw_time_ns();
    fputs("# CUDA_PROFILE_LOG_VERSION 2.0\n", file);
    sw_rt_device *d = sw_rt_device_at((int)device);
    if (d) {
        if (!number)
            drop_foreign_counters(d->info);
        fprintf(file, "# CUDA_DEVICE %u %s\n", device, d->info->reported);
    }
    fprintf(file, "# CUDA_CONTEXT %d\n", number + 1);
    if (log_.is_csv)
        fputs("# CUDA_PROFILE_CSV 1\n", file);
    fprintf(file, "# TIMESTAMPFACTOR %llx\n", (unsigned long long)factor);
    print_names(file);
    return file;
}

static void
print_line_locked(const line *l)
{
    fputs(l->before, l->file);
    if (log_.is_csv)
        fprintf(l->file, "%.3f", l->cpu_us);
    else
        fprintf(l->file, "cputime=[ %.3f ] ", l->cpu_us);
    fputs(l->after, l->file);
    fputs("\n", l->file);
    sw_free(l->before);
    sw_free(l->after);
}

static void
flush(FILE *file)
{
    sw_file_limit limit;
    sw_file_limit_begin(&limit);
    fflush(file);
    sw_file_limit_end(&limit);
}

/* Lines stand in the order in which their work ended; `all`: also those whose
 * call has not returned. */
static void
print_lines_locked(bool all)
{
    size_t done = 0;
    while (done < log_.lines.count) {
        const line *l = sw_vec_at(&log_.lines, done);
        if (!l->has_returned && !all)
            break;
        print_line_locked(l);
        flush(l->file);
        done++;
    }
    while (done)
        sw_vec_remove(&log_.lines, --done);
}

/* ---- lines ---- */

/* One value: in the CSV form an empty one holds its place. */
static void put(sw_buf *out, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void
put(sw_buf *out, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!log_.is_csv)
        sw_buf_printf(out, "%s=[ ", name);
    sw_buf_vprintf(out, format, args);
    sw_buf_puts(out, log_.is_csv ? "," : " ] ");
    va_end(args);
}

static void
skip(sw_buf *out, unsigned count)
{
    while (log_.is_csv && count--)
        sw_buf_puts(out, ",");
}

/* The columns that every method has, up to cputime. */
static void
put_common(sw_buf *out, const sw_record_fill *op, const char *method)
{
    double us = (double)(op->end_ns - op->begin_ns) * 1e-3;
    if (log_.wanted[COLUMN_TIMESTAMP])
        put(out, "timestamp", "%.3f",
            (double)(int64_t)(op->begin_ns - log_.begin_ns) * 1e-3);
    if (log_.wanted[COLUMN_GPUSTART])
        put(out, "gpustarttimestamp", "%llx", (unsigned long long)op->begin_ns);
    if (log_.wanted[COLUMN_GPUEND])
        put(out, "gpuendtimestamp", "%llx", (unsigned long long)op->end_ns);
    put(out, "method", "%s", method);
    put(out, "gputime", "%.3f", us);
}

static call *
find_call_locked(uint64_t correlation)
{
    for (size_t i = 0; i < log_.calls.count; i++) {
        call *c = sw_vec_at(&log_.calls, i);
        if (c->correlation == correlation)
            return c;
    }
    return NULL;
}

void
sw_rt_textlog_queued(uint64_t correlation)
{
    if (!log_.is_on || !correlation)
        return;
    pthread_mutex_lock(&log_.lock);
    call *c = find_call_locked(correlation);
    if (!c) {
        c = sw_vec_push(&log_.calls);
        c->correlation = correlation;
    }
    c->queued++;
    pthread_mutex_unlock(&log_.lock);
}

/* The call has one line less to come. */
static void
settle_locked(line *l)
{
    call *c = find_call_locked(l->correlation);
    l->has_returned = !c || c->has_returned;
    if (!c)
        return;
    l->cpu_us = c->cpu_us;
    c->queued--;
    if (!c->queued && c->has_returned)
        sw_vec_remove(&log_.calls, (size_t)(c - (call *)log_.calls.data));
}

static void
add_line(const sw_record_fill *op, sw_buf *before, sw_buf *after)
{
    while (log_.is_csv && after->n && after->p[after->n - 1] == ',')
        after->p[--after->n] = 0;
    pthread_mutex_lock(&log_.lock);
    FILE *file = log_.has_ended ? NULL : begin_locked(op->device);
    if (file) {
        line *l = sw_vec_push(&log_.lines);
        *l = (line){.correlation = op->correlation,
                    .file = file,
                    .before = sw_buf_take(before),
                    .after = sw_buf_take(after)};
        settle_locked(l);
        print_lines_locked(false);
    }
    pthread_mutex_unlock(&log_.lock);
    sw_buf_finish(before);
    sw_buf_finish(after);
}

static double
occupancy_of(const sw_record_launch *r)
{
    sw_occ_kernel k = {
        .threads = r->block_x * r->block_y * r->block_z,
        .regs = r->regs,
        .static_smem = r->static_shared_bytes,
        .dynamic_smem = r->dynamic_shared_bytes,
    };
    sw_occ occ;
    const sw_rt_device *d = sw_rt_device_at((int)r->device);
    if (!d || sw_occupancy(d->limits, &k, &occ) != SW_OK)
        return 0;
    return occ.percent / 100;
}

static void
put_counters(sw_buf *out, const sw_counters *counters)
{
    for (size_t i = 0; i < log_.counter_count; i++) {
        double value;
        const sw_metric *m = log_.counters[i];
        if (counters &&
            sw_metric_value(m, sw_counters_launch(counters),
                            sw_counters_total(counters),
                            sw_counters_scale(counters), true, &value))
            put(out, m->name, m->unit == SW_FIGURE_COUNT ? "%.0f" : "%.3f",
                value);
        else
            skip(out, 1);
    }
}

/* The first line decides which counters there are. */
static bool
begin(uint32_t device)
{
    if (!log_.is_on)
        return false;
    pthread_mutex_lock(&log_.lock);
    bool good = !log_.has_ended && begin_locked(device);
    pthread_mutex_unlock(&log_.lock);
    return good;
}

void
sw_rt_textlog_launch(const sw_record_launch *r, const sw_counters *counters)
{
    if (!begin(r->device))
        return;
    sw_buf before, out;
    sw_buf_init(&before);
    sw_buf_init(&out);
    put_common(&before, (const sw_record_fill *)r, r->kernel);
    const char *between = log_.is_csv ? "," : ", ";
    skip(&out, 1);
    if (log_.wanted[COLUMN_GRIDSIZE])
        put(&out, "gridsize", "%u%s%u", r->grid_x, between, r->grid_y);
    if (log_.wanted[COLUMN_GRIDSIZE3D])
        put(&out, "gridsize3d", "%u%s%u%s%u", r->grid_x, between, r->grid_y,
            between, r->grid_z);
    if (log_.wanted[COLUMN_BLOCKSIZE])
        put(&out, "threadblocksize", "%u%s%u%s%u", r->block_x, between,
            r->block_y, between, r->block_z);
    if (log_.wanted[COLUMN_DYNSMEM])
        put(&out, "dynsmemperblock", "%u", r->dynamic_shared_bytes);
    if (log_.wanted[COLUMN_STASMEM])
        put(&out, "stasmemperblock", "%u", r->static_shared_bytes);
    if (log_.wanted[COLUMN_REGS])
        put(&out, "regperthread", "%u", r->regs);
    put(&out, "occupancy", "%.3f", occupancy_of(r));
    if (log_.wanted[COLUMN_STREAM])
        put(&out, "streamid", "%llu", (unsigned long long)r->stream);
    put_counters(&out, counters);
    for (int i = COLUMN_TRANSFERSIZE; i <= COLUMN_HOSTMEM; i++)
        skip(&out, log_.wanted[i]);
    add_line((const sw_record_fill *)r, &before, &out);
}

/* The columns of launches in the line of something else. */
static void
skip_launch(sw_buf *out)
{
    skip(out, log_.wanted[COLUMN_GRIDSIZE] * 2);
    skip(out, log_.wanted[COLUMN_GRIDSIZE3D] * 3);
    skip(out, log_.wanted[COLUMN_BLOCKSIZE] * 3);
    skip(out, log_.wanted[COLUMN_DYNSMEM]);
    skip(out, log_.wanted[COLUMN_STASMEM]);
    skip(out, log_.wanted[COLUMN_REGS]);
    skip(out, 1); /* occupancy */
}

static void
transfer_line(const sw_record_fill *op, const char *method, uint64_t bytes,
              int direction, uint32_t host)
{
    sw_buf before, out;
    sw_buf_init(&before);
    sw_buf_init(&out);
    put_common(&before, op, method);
    skip(&out, 1);
    skip_launch(&out);
    if (log_.wanted[COLUMN_STREAM])
        put(&out, "streamid", "%llu", (unsigned long long)op->stream);
    skip(&out, (unsigned)log_.counter_count);
    if (log_.wanted[COLUMN_TRANSFERSIZE])
        put(&out, "memtransfersize", "%llu", (unsigned long long)bytes);
    if (log_.wanted[COLUMN_TRANSFERDIR]) {
        if (direction >= 0)
            put(&out, "memtransferdir", "%d", direction);
        else
            skip(&out, 1);
    }
    if (log_.wanted[COLUMN_HOSTMEM]) {
        if (host <= SW_PLACE_PINNED)
            put(&out, "memtransferhostmemtype", "%d",
                host == SW_PLACE_PINNED ? 1 : 0);
        else
            skip(&out, 1);
    }
    add_line(op, &before, &out);
}

void
sw_rt_textlog_copy(const sw_record_copy *r)
{
    if (!begin(r->device))
        return;
    char method[32];
    bool from_host = r->from <= SW_PLACE_PINNED,
         to_host = r->to <= SW_PLACE_PINNED;
    snprintf(method, sizeof method, "memcpy%sto%s%s", sw_place_letter(r->from),
             sw_place_letter(r->to), r->is_blocking ? "" : "async");
    transfer_line((const sw_record_fill *)r, method, r->bytes,
                  from_host && !to_host   ? 0
                  : to_host && !from_host ? 1
                                          : -1,
                  from_host ? r->from : r->to);
}

void
sw_rt_textlog_fill(const sw_record_fill *r)
{
    if (begin(r->device))
        transfer_line(r, "memset", r->bytes, -1, SW_PLACE_DEVICE);
}

void
sw_rt_textlog_call(const sw_record_call *record)
{
    if (!log_.is_on)
        return;
    double us = (double)(record->end_ns - record->begin_ns) * 1e-3;
    pthread_mutex_lock(&log_.lock);
    call *c = find_call_locked(record->correlation);
    if (c) {
        c->has_returned = true;
        c->cpu_us = us;
        if (!c->queued)
            sw_vec_remove(&log_.calls, (size_t)(c - (call *)log_.calls.data));
    }
    for (size_t i = 0; i < log_.lines.count; i++) {
        line *l = sw_vec_at(&log_.lines, i);
        if (l->correlation == record->correlation) {
            l->has_returned = true;
            l->cpu_us = us;
        }
    }
    if (c && log_.lines.count)
        print_lines_locked(false);
    pthread_mutex_unlock(&log_.lock);
}

void
sw_rt_textlog_end(void)
{
    pthread_mutex_lock(&log_.lock);
    log_.has_ended = true;
    print_lines_locked(true);
    for (int i = 0; i < MAX_FILES; i++) {
        if (log_.files[i].file)
            fclose(log_.files[i].file);
        log_.files[i].file = NULL;
    }
    pthread_mutex_unlock(&log_.lock);
}

void
sw_rt_textlog_forget(void)
{
    log_.is_on = false;
    log_.has_ended = true;
    memset(log_.files, 0, sizeof log_.files);
    pthread_mutex_init(&log_.lock, NULL);
}
