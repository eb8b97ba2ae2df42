/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - what a profile consists of: records of launches, copies, calls of
 * the API and so on, as structs and as lines of text.
 *
 * The library writes lines while the program runs, reports read them back. A
 * line is the record's letter and its fields in the order below, separated by
 * tabs; tab, line feed and backslash in texts are \t, \n and \\. The first line
 * of a file is SW_RECORD_FIRST_LINE; what wrote it and what reads it are of one
 * version. Times are nanoseconds of sw_time_ns. Any thread; keeps no state.
 */
#ifndef SW_REPORT_RECORD_H
#define SW_REPORT_RECORD_H
#include "watch/counters.h"

#define SW_RECORD_FIRST_LINE "softwarp profile 2\n"

/* One a process. wall_ns: of the clock on the wall, at begin_ns.
 * on_device_clock: times of all records are the device's (rt/device_clock.h);
 * else this computer's. */
#define SW_RECORD_PROCESS(F)                                                   \
    F(u64, pid)                                                                \
    F(u64, begin_ns)                                                           \
    F(u64, wall_ns)                                                            \
    F(u32, on_device_clock)                                                    \
    F(str, command)                                                            \
    F(str, folder)

/* name: as the database has it. */
#define SW_RECORD_DEVICE(F)                                                    \
    F(u32, ordinal)                                                            \
    F(str, name)

/* A call of an API function by the program. */
#define SW_RECORD_CALL(F)                                                      \
    F(u64, correlation)                                                        \
    F(u32, thread)                                                             \
    F(u32, is_driver)                                                          \
    F(u32, result)                                                             \
    F(u64, begin_ns)                                                           \
    F(u64, end_ns)                                                             \
    F(str, name)

/* What every operation of a stream has. correlation: of the call that asked
 * for it, 0 if unknown. queued: when it did. */
#define SW_RECORD_OPERATION(F)                                                 \
    F(u64, correlation)                                                        \
    F(u32, device)                                                             \
    F(u64, context)                                                            \
    F(u64, stream)                                                             \
    F(u64, queued_ns)                                                          \
    F(u64, begin_ns)                                                           \
    F(u64, end_ns)

/* status: sw_status. group: launches of the same kernel and shape have the
 * same number. lane_ins: instructions times lanes, 0 if nobody counted. */
#define SW_RECORD_LAUNCH(F)                                                    \
    SW_RECORD_OPERATION(F)                                                     \
    F(u64, launch)                                                             \
    F(u32, group)                                                              \
    F(u32, grid_x)                                                             \
    F(u32, grid_y)                                                             \
    F(u32, grid_z)                                                             \
    F(u32, block_x)                                                            \
    F(u32, block_y)                                                            \
    F(u32, block_z)                                                            \
    F(u32, static_shared_bytes)                                                \
    F(u32, dynamic_shared_bytes)                                               \
    F(u32, local_bytes)                                                        \
    F(u32, regs)                                                               \
    F(u32, status)                                                             \
    F(str, kernel)

/* from, to: SW_PLACE_. is_blocking: the call returned after it. */
#define SW_RECORD_COPY(F)                                                      \
    SW_RECORD_OPERATION(F)                                                     \
    F(u32, from)                                                               \
    F(u32, to)                                                                 \
    F(u32, is_blocking)                                                        \
    F(u64, bytes)

#define SW_RECORD_FILL(F)                                                      \
    SW_RECORD_OPERATION(F)                                                     \
    F(u32, to)                                                                 \
    F(u64, bytes)

/* What a launch counted, of the blocks that were observed. scale: by how much
 * to multiply for all of them. */
#define SW_RECORD_COUNTS(F)                                                    \
    F(u64, launch)                                                             \
    F(u32, sample)                                                             \
    F(u32, caches)                                                             \
    F(f64, scale)                                                              \
    F(counts, counts)

/* What the model of time says of a launch (model/model.h): nanoseconds, clocks
 * of a multiprocessor, a share of the warps that can be resident. used, stalls:
 * as sw_model_put_used and sw_model_put_stalls write them. lines: of the
 * source, "12|wait=0.250 barrier=0.100|/home/me/k.cu", the longest first, with
 * line feeds between them; shares are of the time of all warps. */
#define SW_RECORD_TIME(F)                                                      \
    F(u64, launch)                                                             \
    F(f64, ns)                                                                 \
    F(f64, low_ns)                                                             \
    F(f64, high_ns)                                                            \
    F(f64, clocks)                                                             \
    F(f64, occupancy)                                                          \
    F(str, limiter)                                                            \
    F(str, used)                                                               \
    F(str, stalls)                                                             \
    F(str, lines)

/* What one instruction of the launches of a group counted, in this record's
 * launches; those of several records add up. source: CUDA, line 0 if unknown.
 * camping: watch/partitions.h, the greatest. text: the instruction. */
#define SW_RECORD_ROW(F)                                                       \
    F(u32, group)                                                              \
    F(u32, launches)                                                           \
    F(f64, scale)                                                              \
    F(f64, camping)                                                            \
    F(u32, index)                                                              \
    F(u32, ptx_line)                                                           \
    F(u32, source_line)                                                        \
    F(u32, cls)                                                                \
    F(str, function)                                                           \
    F(str, source)                                                             \
    F(str, text)                                                               \
    F(counts, counts)

/* The text of a source that is in no file; name: as rows have it. */
#define SW_RECORD_SOURCE(F)                                                    \
    F(str, name)                                                               \
    F(str, text)

#define SW_RECORDS(R)                                                          \
    R(PROCESS, process, 'P')                                                   \
    R(DEVICE, device, 'D')                                                     \
    R(CALL, call, 'C')                                                         \
    R(LAUNCH, launch, 'L')                                                     \
    R(COPY, copy, 'M')                                                         \
    R(FILL, fill, 'F')                                                         \
    R(COUNTS, counts, 'N')                                                     \
    R(TIME, time, 'T')                                                         \
    R(ROW, row, 'R')                                                           \
    R(SOURCE, source, 'S')

#define SW_FIELD_u32(name)    uint32_t name;
#define SW_FIELD_u64(name)    uint64_t name;
#define SW_FIELD_f64(name)    double name;
#define SW_FIELD_str(name)    const char *name;
#define SW_FIELD_counts(name) const sw_counts *name;
#define SW_FIELD(type, name)  SW_FIELD_##type(name)
#define SW_ROW(upper, lower, letter)                                           \
    typedef struct {                                                           \
        SW_RECORD_##upper(SW_FIELD)                                            \
    } sw_record_##lower;
SW_RECORDS(SW_ROW)
#undef SW_ROW

/* Where the two ends of a copy lie. */
#define SW_PLACES(X)                                                           \
    X(PAGEABLE, "Pageable", "H")                                               \
    X(PINNED, "Pinned", "H")                                                   \
    X(DEVICE, "Device", "D")                                                   \
    X(ARRAY, "Array", "A")                                                     \
    X(MANAGED, "Managed", "M")
#define SW_ROW(name, text, letter) SW_PLACE_##name,
typedef enum { SW_PLACES(SW_ROW) SW_PLACE_COUNT } sw_place;
#undef SW_ROW
const char *sw_place_text(uint32_t place);   /* "Pinned"; "?" */
const char *sw_place_letter(uint32_t place); /* "H" */

#define SW_ROW(upper, lower, letter) SW_RECORD_KIND_##upper,
typedef enum { SW_RECORDS(SW_ROW) SW_RECORD_KIND_COUNT } sw_record_kind;
#undef SW_ROW

/* Appends the line. `record` is the struct of that kind; texts may be NULL,
 * which reads back as "". */
void sw_record_print(sw_record_kind kind, const void *record, sw_buf *out);

typedef union {
#define SW_ROW(upper, lower, letter) sw_record_##lower lower;
    SW_RECORDS(SW_ROW)
#undef SW_ROW
} sw_record;

/*
 * Reads a line (without its line feed); what it points to is in the arena.
 * False if it is none: an unknown letter, too few fields, no number where one
 * should be.
 */
bool sw_record_parse(sw_str line, sw_arena *arena, sw_record_kind *kind,
                     sw_record *out);

#endif
