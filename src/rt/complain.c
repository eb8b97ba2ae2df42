/* SPDX-License-Identifier: Apache-2.0 */
/* complain.c - see complain.h. */
#include "rt/complain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
