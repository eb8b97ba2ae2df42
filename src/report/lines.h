/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines.h - what the instructions of a group's launches counted, by line of the
 * CUDA source, and the text of sources.
 *
 * One thread; what is returned lives as long as the profile's arena.
 */
#ifndef SW_REPORT_LINES_H
#define SW_REPORT_LINES_H
#include "report/profile.h"

/* A line of the source that some instruction of the group belongs to. */
typedef struct {
    const char *file; /* "" for instructions without line information */
    uint32_t line;
    uint32_t instructions; /* of PTX */
    sw_counts counts;
} sw_report_line;

/* Ordered by file, in the order of its first instruction, and line. `out` is
 * empty, of sw_report_line. */
void sw_report_lines(const sw_profile_group *group, sw_vec *out);

/* A text file, cut into lines. */
typedef struct {
    const char **lines; /* from index 0: line 1 */
    size_t count;
} sw_report_text;

/* The text of that name in the profile; else the file as it is now: absolute,
 * or from the folder in which the process ran. NULL if it cannot be read. */
const sw_report_text *sw_report_read_text(const sw_profile *profile,
                                          uint32_t process, const char *file);

#endif
