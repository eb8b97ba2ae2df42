/* SPDX-License-Identifier: Apache-2.0 */
/* launch.c - see launch.h. Statuses are those a real H200 gave. */
#include "device/launch.h"

#include "device/cluster.h"
#include "device/occupancy.h"

/* What the check found: nothing, or a status and a sentence. */
typedef struct {
    const sw_device_info *device;
    const sw_cc_limits *limits;
    const sw_launch_shape *shape;
    sw_diag *diag;
    bool is_question; /* of occupancy: more may be asked than launched */
} check;

static sw_status refuse(const check *c, sw_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static sw_status
refuse(const check *c, sw_status status, const char *fmt, ...)
{
    if (!c->diag)
        return status;
    va_list args;
    sw_buf text;
    sw_buf_init(&text);
    va_start(args, fmt);
    sw_buf_vprintf(&text, fmt, args);
    va_end(args);
    sw_diag_add(c->diag, SW_DIAG_ERROR, "", 0, 0,
                "%s can't be launched on \"%s\": %s",
                c->shape->kernel ? c->shape->kernel : "the kernel",
                c->device->reported, text.p);
    sw_buf_finish(&text);
    return status;
}

/* Saturated, so that no product wraps. */
static uint64_t
volume(const uint32_t dims[3])
{
    uint64_t plane = (uint64_t)dims[0] * dims[1];
    return dims[2] && plane > UINT64_MAX / dims[2] ? UINT64_MAX
                                                   : plane * dims[2];
}

static sw_status
check_dims(const check *c)
{
    static const char axes[] = "xyz";
    const sw_launch_shape *s = c->shape;
    const sw_cc_limits *l = c->limits;
    for (int i = 0; i < 3; i++) {
        if (!s->grid[i] || !s->block[i])
            return refuse(c, SW_E_INVAL, "its %s is 0 in %c",
                          s->grid[i] ? "block" : "grid", axes[i]);
        if (s->block[i] > l->max_block[i])
            return refuse(c, SW_E_INVAL,
                          "its block has %u threads in %c, the device allows "
                          "%u",
                          (unsigned)s->block[i], axes[i],
                          (unsigned)l->max_block[i]);
        if (s->grid[i] > l->max_grid[i])
            return refuse(c, SW_E_INVAL,
                          "its grid has %u blocks in %c, the device allows %u",
                          (unsigned)s->grid[i], axes[i],
                          (unsigned)l->max_grid[i]);
    }
    uint64_t threads = volume(s->block);
    if (threads > l->max_threads_block)
        return refuse(c, SW_E_INVAL,
                      "its block has %llu threads (%u x %u x %u), the device "
                      "allows %u",
                      (unsigned long long)threads, (unsigned)s->block[0],
                      (unsigned)s->block[1], (unsigned)s->block[2],
                      (unsigned)l->max_threads_block);
    if (s->max_threads && threads > s->max_threads)
        return refuse(c, SW_E_INVAL,
                      "its block has %llu threads, its launch bounds allow %u",
                      (unsigned long long)threads, (unsigned)s->max_threads);
    const uint32_t *own = s->own_block;
    if (own[0] && (own[0] != s->block[0] || own[1] != s->block[1] ||
                   own[2] != s->block[2]))
        return refuse(c, SW_E_INVAL,
                      "its block is %ux%ux%u, the kernel is made for %ux%ux%u",
                      (unsigned)s->block[0], (unsigned)s->block[1],
                      (unsigned)s->block[2], (unsigned)own[0], (unsigned)own[1],
                      (unsigned)own[2]);
    return SW_OK;
}

static sw_status
check_smem(const check *c)
{
    const sw_launch_shape *s = c->shape;
    const sw_cc_limits *l = c->limits;
    uint64_t total = (uint64_t)s->static_smem + s->dynamic_smem;
    if (total > l->smem_block_optin)
        return refuse(c, SW_E_INVAL,
                      "a block takes %llu bytes of shared memory (%u static, "
                      "%u dynamic), the device has %u",
                      (unsigned long long)total, (unsigned)s->static_smem,
                      (unsigned)s->dynamic_smem, (unsigned)l->smem_block_optin);
    /* Opting in moves the limit of the dynamic part, up or down. */
    if (s->is_bounded && s->dynamic_smem > s->max_dynamic_smem)
        return refuse(c, SW_E_INVAL,
                      "a block takes %u bytes of dynamic shared memory, the "
                      "kernel was allowed %u",
                      (unsigned)s->dynamic_smem, (unsigned)s->max_dynamic_smem);
    if (!s->is_bounded && total > l->smem_block)
        return refuse(c, SW_E_INVAL,
                      "a block takes %llu bytes of shared memory; more than "
                      "%u must be allowed by the attribute "
                      "MaxDynamicSharedMemorySize",
                      (unsigned long long)total, (unsigned)l->smem_block);
    return SW_OK;
}

static bool
is_given(const uint32_t dims[3])
{
    return dims[0] || dims[1] || dims[2];
}

/* What every device can; with an attribute of the kernel, all this one can. */
static uint32_t
most_in_cluster(const check *c)
{
    uint32_t groups[SW_DEVICE_GROUPS];
    bool nonportable = c->shape->nonportable_cluster;
    if (nonportable && c->is_question && sw_device_groups(c->device, groups))
        return groups[0];
    return sw_device_max_cluster(c->device, nonportable);
}

/* Dimensions of 0 match any. */
static bool
match(const uint32_t own[3], const uint32_t dims[3])
{
    for (int i = 0; i < 3; i++)
        if (own[i] && own[i] != dims[i])
            return false;
    return true;
}

static sw_status
check_preferred(const check *c)
{
    const sw_launch_shape *s = c->shape;
    for (int i = 0; is_given(s->preferred_cluster) && i < 3; i++)
        if (!s->preferred_cluster[i] || !s->cluster[i] ||
            s->preferred_cluster[i] % s->cluster[i] ||
            s->grid[i] % s->preferred_cluster[i])
            return refuse(c, SW_E_INVALID_CLUSTER_SIZE,
                          "the %u blocks in %c of its preferred clusters are "
                          "no multiple of the others' %u, or the grid's %u no "
                          "multiple of these",
                          (unsigned)s->preferred_cluster[i], "xyz"[i],
                          (unsigned)s -> cluster[i], (unsigned)s -> grid[i]);
    return SW_OK;
}

/* The statuses of all that is wrong with a cluster are the same. */
static sw_status
check_cluster(const check *c)
{
    const sw_launch_shape *s = c->shape;
    uint64_t blocks = volume(s->cluster);
    const uint32_t *own = s->own_cluster;
    if (!is_given(s->cluster) && s->needs_cluster)
        return refuse(c, SW_E_INVALID_CLUSTER_SIZE,
                      "the kernel wants the launch to say the dimensions of "
                      "its clusters");
    if (!is_given(s->cluster))
        return check_preferred(c);
    if (!c->limits->max_cluster)
        return refuse(c, SW_E_NOT_SUPPORTED,
                      "clusters need compute capability 9.0, it has %u.%u",
                      (unsigned)(c->device->cc / 10),
                      (unsigned)(c->device->cc % 10));
    if (!match(own, s->cluster))
        return refuse(c, SW_E_INVALID_CLUSTER_SIZE,
                      "its cluster is %ux%ux%u, the kernel is made for "
                      "%ux%ux%u",
                      (unsigned)s->cluster[0], (unsigned)s->cluster[1],
                      (unsigned)s->cluster[2], (unsigned)own[0],
                      (unsigned)own[1], (unsigned)own[2]);
    if (!blocks || blocks > most_in_cluster(c))
        return refuse(c, SW_E_INVALID_CLUSTER_SIZE,
                      "its cluster has %llu blocks, 1 to %u are allowed%s",
                      (unsigned long long)blocks, (unsigned)most_in_cluster(c),
                      s->nonportable_cluster
                          ? ""
                          : "; the attribute NonPortableClusterSizeAllowed "
                            "would allow more");
    if (s->max_cluster && blocks > s->max_cluster)
        return refuse(c, SW_E_INVALID_CLUSTER_SIZE,
                      "its cluster has %llu blocks, its launch bounds allow %u",
                      (unsigned long long)blocks, (unsigned)s->max_cluster);
    for (int i = 0; i < 3; i++)
        if (s->grid[i] % s->cluster[i])
            return refuse(c, SW_E_INVALID_CLUSTER_SIZE,
                          "its grid of %u blocks in %c is no multiple of the "
                          "cluster's %u",
                          (unsigned)s->grid[i], "xyz"[i],
                          (unsigned)s -> cluster[i]);
    return check_preferred(c);
}

/* Registers, and the blocks that must be resident together. */
static sw_status
check_residency(const check *c)
{
    const sw_launch_shape *s = c->shape;
    const sw_cc_limits *l = c->limits;
    sw_occ occ = {0};
    sw_occ_kernel kernel = {.threads = (uint32_t)volume(s->block),
                            .regs = s->regs,
                            .static_smem = s->static_smem,
                            .dynamic_smem = s->dynamic_smem};
    sw_status status = sw_occupancy(l, &kernel, &occ);
    SW_ASSERT(status == SW_OK);
    if (s->regs > l->max_regs_thread)
        return refuse(c, SW_E_LAUNCH_OUT_OF_RESOURCES,
                      "it takes %u registers a thread, the device has %u",
                      (unsigned)s->regs, (unsigned)l->max_regs_thread);
    if (s->regs && !occ.room[SW_OCC_REGS])
        return refuse(c, SW_E_LAUNCH_OUT_OF_RESOURCES,
                      "a block takes %u registers (%u threads of %u), the "
                      "device has %u a block",
                      (unsigned)occ.regs_block, (unsigned)kernel.threads,
                      (unsigned)s->regs, (unsigned)l->regs_block_max);
    if (!s->cooperative)
        return SW_OK;
    if (c->device->cc < 60)
        return refuse(c, SW_E_NOT_SUPPORTED,
                      "cooperative launches need compute capability 6.0, it "
                      "has %u.%u",
                      (unsigned)(c->device->cc / 10),
                      (unsigned)(c->device->cc % 10));
    uint64_t resident = (uint64_t)occ.blocks * c->device->sm_count;
    if (volume(s->grid) > resident)
        return refuse(c, SW_E_COOPERATIVE_LAUNCH_TOO_LARGE,
                      "its %llu blocks must be resident together, the device "
                      "holds %llu (%u on each of %u multiprocessors, by %s)",
                      (unsigned long long)volume(s->grid),
                      (unsigned long long)resident, (unsigned)occ.blocks,
                      (unsigned)c->device->sm_count,
                      sw_occ_limit_text(occ.limiter));
    return SW_OK;
}

uint32_t
sw_device_param_bytes(const sw_device_info *device)
{
    /* From 7.0 on the limit is larger since CUDA 12.1. */
    return device->cc >= 70 ? 32764
                            : sw_device_limits((int)device->cc)->param_bytes;
}

sw_status
sw_device_check_cluster(const sw_device_info *device,
                        const sw_launch_shape *shape, sw_diag *diag)
{
    const check c = {device, sw_device_limits((int)device->cc), shape, diag,
                     true};
    return check_cluster(&c);
}

sw_status
sw_device_check_launch(const sw_device_info *device,
                       const sw_launch_shape *shape, sw_diag *diag)
{
    const check c = {device, sw_device_limits((int)device->cc), shape, diag,
                     false};
    uint32_t params = sw_device_param_bytes(device);
    sw_status status = check_dims(&c);
    if (status == SW_OK)
        status = check_cluster(&c);
    if (status == SW_OK)
        status = check_smem(&c);
    if (status == SW_OK && shape->param_bytes > params)
        status = refuse(&c, SW_E_INVAL,
                        "its parameters take %u bytes, the device allows %u",
                        (unsigned)shape->param_bytes, (unsigned)params);
    if (status == SW_OK && shape->local_bytes > c.limits->local_thread_bytes)
        status = refuse(&c, SW_E_LAUNCH_OUT_OF_RESOURCES,
                        "a thread takes %u bytes of local memory, the device "
                        "allows %u",
                        (unsigned)shape->local_bytes,
                        (unsigned)c.limits->local_thread_bytes);
    return status == SW_OK ? check_residency(&c) : status;
}

bool
sw_launch_is_configuration(const sw_device_info *device,
                           const sw_launch_shape *shape)
{
    const check c = {device, sw_device_limits((int)device->cc), shape, NULL,
                     false};
    return check_dims(&c) != SW_OK;
}
