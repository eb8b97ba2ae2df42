/* SPDX-License-Identifier: Apache-2.0 */
/* complain.c - see complain.h. */
#include "rt/complain.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/demangle.h"
#include "base/json.h"
#include "base/settings.h"
#include "mem/mem.h"
#include "rt/host_stack.h"

static sw_rt_host_namer *the_namer;
static bool has_failed;

void
sw_rt_set_host_namer(sw_rt_host_namer *namer)
{
    __atomic_store_n(&the_namer, namer, __ATOMIC_RELEASE);
}

/* The line of /proc/self/maps that has the address: the name of what is mapped
 * there, "" if it has none. False: nothing is. */
static bool
find_mapping(uint64_t address, char *name, size_t bytes)
{
    char line[4096 + 128];
    bool found = false;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && !found && fgets(line, sizeof line, f)) {
        uint64_t from, to;
        int at = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %n", &from,
                   &to, &at) < 2)
            continue;
        found = address >= from && address < to;
        line[strcspn(line, "\n")] = 0;
        if (found)
            snprintf(name, bytes, "%s", at ? line + at : "");
    }
    if (f)
        fclose(f);
    return found;
}

/* What the host has at an address that a kernel took for a device's. */
static void
describe_host(uint64_t address, sw_buf *out)
{
    sw_rt_host_namer *namer = __atomic_load_n(&the_namer, __ATOMIC_ACQUIRE);
    const char *variable = namer ? namer(address) : NULL;
    char name[512];
    if (variable)
        sw_buf_printf(out,
                      "\n    host memory: the host's copy of the device "
                      "variable %s; cudaGetSymbolAddress has its address on "
                      "the device",
                      variable);
    else if (!find_mapping(address, name, sizeof name))
        return;
    else if (strncmp(name, "[stack", 6) == 0)
        sw_buf_puts(out, "\n    host memory: the program's stack, as of a "
                         "local variable");
    else if (strcmp(name, "[heap]") == 0 || !*name)
        sw_buf_puts(out, "\n    host memory: as of malloc or new");
    else
        sw_buf_printf(out, "\n    host memory: as of a global variable, in %s",
                      name);
}

/* "file.cu:12", and the line's number apart, as members of the object. */
static void
put_place(const char *place, sw_buf *out)
{
    const char *colon = strrchr(place, ':');
    uint64_t line;
    if (!colon || !sw_str_to_u64(sw_str_of(colon + 1), 10, &line))
        return;
    sw_buf file;
    sw_buf_init(&file);
    sw_buf_add(&file, place, (size_t)(colon - place));
    sw_buf_puts(out, ", \"file\": ");
    sw_buf_put_json(out, file.p);
    sw_buf_printf(out, ", \"line\": %" PRIu64, line);
    sw_buf_finish(&file);
}

static void
put_indexes(const char *name, const uint32_t index[3], sw_buf *out)
{
    sw_buf_printf(out, ", \"%s\": [%u, %u, %u]", name, index[0], index[1],
                  index[2]);
}

/* The fault as an object on one line, docs/ci.md; `report` is all that is
 * said. */
static void
put_fault(const sw_fault *fault, const char *report, sw_buf *out)
{
    sw_buf words;
    sw_buf_init(&words);
    sw_buf_add(&words, report, strcspn(report, "\n"));
    sw_buf_puts(out, "{\"message\": ");
    sw_buf_put_json(out, words.p);
    sw_buf_finish(&words);
    sw_buf_init(&words);
    sw_demangle(fault->kernel, &words);
    sw_buf_puts(out, ", \"kernel\": ");
    sw_buf_put_json(out, words.p);
    sw_buf_finish(&words);
    put_place(fault->place, out);
    put_indexes("block", fault->block, out);
    put_indexes("thread", fault->thread, out);
    if (fault->address)
        sw_buf_printf(out, ", \"address\": \"0x%" PRIx64 "\"", fault->address);
    sw_buf_printf(out, ", \"status\": \"%s\", \"process\": %d, \"report\": ",
                  sw_status_text(fault->status), (int)getpid());
    sw_buf_put_json(out, report);
    sw_buf_puts(out, "}\n");
}

/* Whole lines at the end of the file, which several processes may have. */
static void
write_fault(const sw_fault *fault, const char *report)
{
    const char *path = sw_setting(SW_SETTING_FAULTS);
    sw_buf line;
    if (!path)
        return;
    int f = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    sw_buf_init(&line);
    put_fault(fault, report, &line);
    if (f < 0 || !sw_file_write(f, line.p, line.n))
        sw_log(SW_LOG_WARN, "SOFTWARP_FAULTS=%s can't be written: %s", path,
               strerror(errno));
    if (f >= 0)
        close(f);
    sw_buf_finish(&line);
}

void
sw_rt_complain(const sw_fault *fault, bool is_first, uint32_t host_stack)
{
    sw_mem_range range;
    __atomic_store_n(&has_failed, true, __ATOMIC_RELAXED);
    if (is_first) {
        sw_buf text;
        sw_buf_init(&text);
        sw_buf_puts(&text, fault->text);
        if (fault->address >= 4096 && !sw_mem_find(fault->address, &range) &&
            strstr(fault->text, "a host pointer?"))
            describe_host(fault->address, &text);
        sw_rt_host_stack_describe(host_stack, &text);
        sw_log(SW_LOG_ERROR, "%s", text.p);
        write_fault(fault, text.p);
        sw_buf_finish(&text);
    }
}

/* Behind the program's own exit handlers, whose work is done then; what they
 * wrote is not lost. */
__attribute__((destructor)) static void
set_exit_status(void)
{
    uint64_t status = sw_setting_number(SW_SETTING_ERROR_EXITCODE, 0);
    if (!status || !__atomic_load_n(&has_failed, __ATOMIC_RELAXED))
        return;
    fflush(NULL);
    _exit((int)status);
}
