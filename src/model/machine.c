/* SPDX-License-Identifier: Apache-2.0 */
/* machine.c - see machine.h. */
#include "model/machine.h"

#include <stdlib.h>
#include <string.h>

enum { HASHED_FROM = 20 };
static const double LANES = 32;

static const sw_generation generations[] = {
#include "model/generations.def"
};

static const struct {
    const char *text;
    bool of_sm;
} pipes[] = {
#define SW_ROW(name, text, of_sm) {text, of_sm},
    SW_PIPES(SW_ROW)
#undef SW_ROW
};

const char *
sw_pipe_text(sw_pipe pipe)
{
    return (unsigned)pipe < SW_PIPE_COUNT ? pipes[pipe].text : "?";
}

static const sw_generation *
find_generation(uint32_t cc)
{
    const sw_generation *found = &generations[0];
    for (size_t i = 0; i < sizeof generations / sizeof *generations; i++)
        if (generations[i].cc <= cc)
            found = &generations[i];
    return found;
}

sw_machine
sw_machine_of(const sw_device_info *device)
{
    sw_machine m = {
        .device = device,
        .limits = sw_device_limits((int)device->cc),
        .g = *find_generation(device->cc),
        .mhz = sw_device_clock_khz(device) * 1e-3,
        .sms = device->sm_count,
        .dram_bytes = device->mem_bw_gbs,
        .l2_size = device->cc >= HASHED_FROM ? device->l2_bytes : 0,
        .partitions = device->mem_partitions,
        .interleave = device->cc < HASHED_FROM ? device->interleave_bytes : 0};
    sw_machine_finish(&m);
    return m;
}

void
sw_machine_finish(sw_machine *m)
{
    double schedulers = m->limits->schedulers ? m->limits->schedulers : 1;
    m->dram_bytes = m->device->mem_bw_gbs * 1e3 / m->mhz * m->g.dram_share;
    m->l2_sectors = m->g.l2_slice * m->device->sm_count;
    for (int p = 0; p < SW_PIPE_COUNT; p++) {
        double lanes =
            m->g.lanes[p] > 0 ? m->g.lanes[p] : m->g.lanes[SW_PIPE_ALU];
        m->busy[p] = LANES / lanes * (pipes[p].of_sm ? 1 : schedulers);
    }
}

void
sw_machine_divide(sw_machine *m, double n)
{
    m->sms /= n;
    m->dram_bytes /= n;
    m->l2_sectors /= n;
    m->g.dispatch *= n;
    m->l2_size = (uint64_t)((double)m->l2_size / n);
}

/* ---- settings ---- */

typedef struct {
    const char *name;
    size_t at;
} number;

#define NUMBER(field)                                                          \
    {                                                                          \
#field, offsetof(sw_generation, field)                                 \
    }
static const number numbers[] = {NUMBER(issue),
                                 NUMBER(alu),
                                 NUMBER(fp64),
                                 NUMBER(xu),
                                 NUMBER(shared),
                                 NUMBER(l1),
                                 NUMBER(dram),
                                 NUMBER(constant),
                                 NUMBER(texture),
                                 NUMBER(shuffle),
                                 NUMBER(branch),
                                 NUMBER(barrier),
                                 NUMBER(fetch),
                                 NUMBER(exit),
                                 NUMBER(block),
                                 NUMBER(pass),
                                 NUMBER(tag),
                                 NUMBER(store_tag),
                                 NUMBER(atomic),
                                 NUMBER(transaction),
                                 NUMBER(camped),
                                 NUMBER(atomic_word),
                                 NUMBER(atomic_again),
                                 NUMBER(atomic_tag),
                                 NUMBER(atomic_compare),
                                 NUMBER(part_written),
                                 NUMBER(written),
                                 NUMBER(dram_load),
                                 NUMBER(diverge),
                                 NUMBER(slices),
                                 NUMBER(l1_bytes),
                                 NUMBER(l2_bytes),
                                 NUMBER(l2_slice),
                                 NUMBER(partial),
                                 NUMBER(queue),
                                 NUMBER(dram_share),
                                 NUMBER(dram_spread),
                                 NUMBER(dispatch),
                                 NUMBER(launch_ns),
                                 NUMBER(constant_pass),
                                 NUMBER(constant_miss),
                                 NUMBER(write_bytes),
                                 NUMBER(tensor),
                                 {"l2_latency", offsetof(sw_generation, l2)}};

/* Bytes of "80MB", "512KB", "1GB" or a number of them. */
static bool
read_size(const char *text, double *out)
{
    char *end;
    double n = strtod(text, &end);
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"", 1},          {"B", 1},        {"KB", 1 << 10},
                 {"KiB", 1 << 10}, {"MB", 1 << 20}, {"MiB", 1 << 20},
                 {"GB", 1 << 30},  {"GiB", 1 << 30}};
    for (size_t i = 0; end > text && i < sizeof units / sizeof *units; i++)
        if (!strcmp(end, units[i].name)) {
            *out = n * units[i].factor;
            return n > 0;
        }
    return false;
}

/* L2, memory and the dispatcher have clocks of their own: what they take stays
 * as it is in time. */
static void
set_clock(sw_machine *m, double mhz)
{
    double times = mhz / m->mhz;
    double *longer[] = {&m->g.l2,           &m->g.dram,
                        &m->g.dram_spread,  &m->g.dispatch,
                        &m->g.atomic,       &m->g.atomic_word,
                        &m->g.atomic_again, &m->g.part_written};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        *longer[i] *= times;
    m->g.l2_slice /= times;
    m->mhz = mhz;
}

bool
sw_machine_set(sw_machine *m, const char *setting, sw_diag *diag)
{
    const char *equals = strchr(setting, '=');
    sw_str name = {setting, equals ? (size_t)(equals - setting) : 0};
    double value = 0;
    if (!equals || !read_size(equals + 1, &value)) {
        sw_diag_add(diag, SW_DIAG_ERROR, "", 0, 0,
                    "a setting is NAME=NUMBER, as l2=80MB or clock=1500, not "
                    "'%s'",
                    setting);
        return false;
    }
    if (sw_str_is(name, "l2")) {
        m->l2_size = (uint64_t)value;
    } else if (sw_str_is(name, "clock")) {
        set_clock(m, value);
    } else {
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            if (sw_str_is(name, numbers[i].name)) {
                memcpy((char *)&m->g + numbers[i].at, &value, sizeof value);
                sw_machine_finish(m);
                return true;
            }
        sw_diag_add(diag, SW_DIAG_ERROR, "", 0, 0,
                    "no number of a device is called '%.*s'", (int)name.n,
                    name.p);
        return false;
    }
    sw_machine_finish(m);
    return true;
}
