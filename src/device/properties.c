/* SPDX-License-Identifier: Apache-2.0 */
/* properties.c - see properties.h; the rules are rows of attributes.def. */
#include "device/properties.h"

#include <string.h>

typedef enum { LIMITS, VALUES, FUNCTION } rule_kind;

typedef int (*value_fn)(const sw_device_info *d, const sw_cc_limits *l);

/* Values for capability 1.x, 2.x, 3.x, 5.x and from 6.0 on; `from` replaces
 * them by `later` from that capability on. */
typedef struct {
    const char *name;
    rule_kind kind;
    size_t limit; /* offset in sw_cc_limits */
    int32_t era[5];
    uint32_t from;
    int32_t later;
    value_fn call;
} rule;

/* ---- the functions of the table ---- */

static int
clamp(double value)
{
    return value < INT32_MAX ? (int)value : INT32_MAX;
}

static int
clock_khz(const sw_device_info *d, const sw_cc_limits *l)
{
    (void)l;
    return (int)sw_device_clock_khz(d);
}

static int
sm_count(const sw_device_info *d, const sw_cc_limits *l)
{
    (void)l;
    return (int)d->sm_count;
}

static int
is_integrated(const sw_device_info *d, const sw_cc_limits *l)
{
    (void)l;
    return strcmp(d->bus, "integrated") == 0;
}

/* Host memory that kernels reach: from 1.2 on, and what has no other memory. */
static int
maps_host(const sw_device_info *d, const sw_cc_limits *l)
{
    return d->cc >= 12 || is_integrated(d, l);
}

/* Boards for servers: those with stacked memory. */
static int
is_server(const sw_device_info *d, const sw_cc_limits *l)
{
    (void)l;
    return strncmp(d->mem_type, "HBM", 3) == 0;
}

static int
is_server_80(const sw_device_info *d, const sw_cc_limits *l)
{
    return d->cc >= 80 && is_server(d, l);
}

/* Half the data rate, which is how the driver counts all kinds of memory. */
static int
mem_clock_khz(const sw_device_info *d, const sw_cc_limits *l)
{
    (void)l;
    return clamp(d->mem_rate_gbps * 1e6 / 2 + 0.5);
}

static int
bus_bits(const sw_device_info *d, const sw_cc_limits *l)
{
    (void)l;
    return (int)d->bus_bits;
}

/* Below 2.0 the L2 is for textures only, and the driver says none. */
static int
l2_bytes(const sw_device_info *d, const sw_cc_limits *l)
{
    (void)l;
    return d->cc < 20 ? 0 : clamp((double)d->l2_bytes);
}

static int
copy_engines(const sw_device_info *d, const sw_cc_limits *l)
{
    if (d->cc < 20)
        return d->cc > 10 && !is_integrated(d, l);
    if (d->cc >= 70 && is_server(d, l))
        return 3;
    bool consumer = strncmp(d->name, "GeForce", 7) == 0;
    return d->cc < 60 && consumer ? 1 : 2;
}

static int
copies_meanwhile(const sw_device_info *d, const sw_cc_limits *l)
{
    return copy_engines(d, l) > 0;
}

static int
cc_major(const sw_device_info *d, const sw_cc_limits *l)
{
    (void)l;
    return (int)(d->cc / 10);
}

static int
cc_minor(const sw_device_info *d, const sw_cc_limits *l)
{
    (void)l;
    return (int)(d->cc % 10);
}

static int
global_l1(const sw_device_info *d, const sw_cc_limits *l)
{
    (void)d;
    return strncmp(l->l1_caches_global, "no", 2) != 0;
}

static int
has_twin(const sw_device_info *d, const sw_cc_limits *l)
{
    (void)l;
    return d->gpus_on_board > 1;
}

static int
double_ratio(const sw_device_info *d, const sw_cc_limits *l)
{
    (void)d;
    return l->dp_units ? (int)(l->sp_units / l->dp_units) : 0;
}

/* Five eighths of the L2 on the H200, three quarters on the A100. */
static int
persisting_l2(const sw_device_info *d, const sw_cc_limits *l)
{
    (void)l;
    if (d->cc < 80)
        return 0;
    return d->cc < 90 ? clamp((double)d->l2_bytes * 3 / 4)
                      : clamp((double)d->l2_bytes * 5 / 8);
}

static int
rdma_ordering(const sw_device_info *d, const sw_cc_limits *l)
{
    return is_server(d, l) ? 100 : 0;
}

/* Handle types of memory pools: file descriptors; from 9.0 on fabric too. */
static int
pool_handles(const sw_device_info *d, const sw_cc_limits *l)
{
    (void)l;
    return d->cc >= 90 ? 9 : d->cc >= 50;
}

/* PCI identities: known of the default device only. */
static int
pci_id(const sw_device_info *d, const sw_cc_limits *l)
{
    (void)l;
    return d == sw_device_default() ? 590680286 : 0;
}

static int
pci_subsystem(const sw_device_info *d, const sw_cc_limits *l)
{
    (void)l;
    return d == sw_device_default() ? 415174878 : 0;
}

/* ---- the table ---- */

#define EVERY(n)                                                               \
    {                                                                          \
        n, n, n, n, n                                                          \
    }
#define LIMIT(field)                    .kind = LIMITS, .limit = offsetof(sw_cc_limits, field)
#define ALWAYS(n)                       .kind = VALUES, .era = EVERY(n)
#define SINCE(cc, n)                    .kind = VALUES, .from = cc, .later = n
#define STEPS(a, cc, b)                 .kind = VALUES, .era = EVERY(a), .from = cc, .later = b
#define BY_ERA(t, f, k, m, p)           .kind = VALUES, .era = {t, f, k, m, p}
#define CALL(fn)                        .kind = FUNCTION, .call = fn
#define ATTRIBUTE(number, name_, value) [number] = {.name = #name_, value},

static const rule rules[] = {
#include "device/attributes.def"
};

_Static_assert(sizeof rules / sizeof *rules == SW_DEVICE_ATTRIBUTES + 1,
               "attributes.def ends at SW_DEVICE_ATTRIBUTES");

bool
sw_device_attribute(const sw_device_info *device, int attribute, int *value)
{
    if (attribute < 1 || attribute > SW_DEVICE_ATTRIBUTES)
        return false;
    const rule *r = &rules[attribute];
    const sw_cc_limits *limits = sw_device_limits((int)device->cc);
    uint32_t major = device->cc / 10;
    uint32_t era = major < 4 ? (major ? major - 1 : 0) : major < 6 ? 3 : 4;
    uint32_t limit = 0;

    switch (r->kind) {
    case LIMITS:
        memcpy(&limit, (const char *)limits + r->limit, sizeof limit);
        *value = limit < INT32_MAX ? (int)limit : INT32_MAX;
        break;
    case VALUES:
        *value = r->from && device->cc >= r->from ? r->later : r->era[era];
        break;
    case FUNCTION:
        *value = r->call(device, limits);
        break;
    }
    return true;
}

const char *
sw_device_attribute_name(int attribute)
{
    if (attribute < 1 || attribute > SW_DEVICE_ATTRIBUTES)
        return NULL;
    return rules[attribute].name;
}

uint64_t
sw_device_total_bytes(const sw_device_info *device)
{
    return device->mem_bytes;
}

void
sw_device_uuid(const sw_device_info *device, int physical, uint8_t uuid[16])
{
    size_t n = strlen(device->name);
    uint64_t halves[2] = {
        sw_hash_bytes(device->name, n, (uint64_t)(unsigned)physical),
        sw_hash_bytes(device->name, n, ~(uint64_t)(unsigned)physical)};
    memcpy(uuid, halves, 16);
    /* RFC 4122: version 8 (own), variant 1. */
    uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x80);
    uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}
