/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.h - a profile in memory: the records of one or several files, joined:
 * launches with their counts, and groups of launches of one kernel and shape
 * with their instructions.
 *
 * A profile owns all that it points to, and is read-only once it is joined.
 * One thread. Does NOT format anything.
 */
#ifndef SW_REPORT_PROFILE_H
#define SW_REPORT_PROFILE_H
#include "report/record.h"

enum { SW_PROFILE_DEVICES = 64 }; /* that a process may have */

typedef struct {
    sw_record_process r;
    const char *devices[SW_PROFILE_DEVICES]; /* by ordinal; NULL: none */
} sw_profile_process;

typedef struct {
    uint32_t process; /* index */
    sw_record_call r;
} sw_profile_call;

typedef struct {
    uint32_t process;
    const char *name; /* the kernel's, as C++ spells it */
    const sw_device_info *device;
    uint32_t group; /* index */
    sw_record_launch r;
    const sw_record_counts *counted; /* or NULL */
    const sw_record_time *time;      /* predicted; or NULL */
    sw_count_launch shape;           /* for sw_metric_value */
} sw_profile_launch;

typedef struct {
    uint32_t process;
    sw_record_copy r;
} sw_profile_copy;

typedef struct {
    uint32_t process;
    sw_record_fill r;
} sw_profile_fill;

typedef struct {
    uint32_t process;
    sw_record_source r;
} sw_profile_source;

/* Launches of one kernel and shape in one process. */
typedef struct {
    uint32_t first;   /* index of its first launch */
    uint32_t longest; /* ... of the one with the longest predicted time */
    uint32_t launches, counted_launches;
    uint64_t total_ns;
    sw_counts counts; /* of all that were counted, of the observed blocks */
    double scale;     /* of these: the blocks of all / the observed ones */
    sw_vec rows;      /* sw_record_row, by index */
} sw_profile_group;

typedef struct {
    sw_arena *arena;
    sw_vec processes; /* sw_profile_process */
    sw_vec calls;     /* sw_profile_call, by begin */
    sw_vec launches;  /* sw_profile_launch, by begin */
    sw_vec copies;    /* sw_profile_copy, by begin */
    sw_vec fills;     /* sw_profile_fill, by begin */
    sw_vec groups;    /* sw_profile_group, by total time, longest first */
    sw_vec sources;   /* sw_profile_source */
    uint64_t begin_ns, end_ns;
    /* Counts and rows as they were read, until join. */
    sw_vec unjoined_counts, unjoined_rows;
} sw_profile;

void sw_profile_init(sw_profile *profile);
void sw_profile_finish(sw_profile *profile);
/* Adds a file's records. SW_E_FILE_NOT_FOUND, SW_E_INVAL (no profile, or a
 * line that is no record: named in diag, and what precedes it is kept). A file
 * whose writer was killed ends at its last whole line. */
sw_status sw_profile_read(sw_profile *profile, const char *path, sw_diag *diag);
/* After the last file. */
void sw_profile_join(sw_profile *profile);

#define SW_PROFILE_EACH(type, name, vec)                                       \
    for (type *name = (type *)(vec)->data,                                     \
              *name##_end = name ? name + (vec)->count : name;                 \
         name < name##_end; name++)

/* The name of a process's device; NULL: it said of none. */
const char *sw_profile_device(const sw_profile *profile, uint32_t process,
                              uint32_t ordinal);

const sw_profile_launch *sw_profile_first(const sw_profile *profile,
                                          const sw_profile_group *group);

/* Times are the device's, not this computer's: in all of its processes. */
bool sw_profile_is_on_device_clock(const sw_profile *profile);

/* That with the longest predicted time; NULL: none has one. */
const sw_profile_launch *sw_profile_longest(const sw_profile *profile,
                                            const sw_profile_group *group);

/* A name as C++ spells it, if the C++ library is there; in the arena. */
const char *sw_profile_demangle(sw_arena *arena, const char *name);
/* Without namespaces, parameters and long template arguments, for narrow
 * places. */
const char *sw_profile_short_name(sw_arena *arena, const char *name);

#endif
