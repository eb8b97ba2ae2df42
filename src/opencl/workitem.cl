/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workitem.cl - where a work-item is (OpenCL C 3.0, 6.15.1). A launch is one
 * part of an NDRange, whose groups are all of one size; src/cc/opencl.h says
 * what the host puts into the %envreg registers that are read here.
 */
#include "library.clh"

#define SREG(name)   __nvvm_read_ptx_sreg_##name()
#define ENV(n)       environment_##n()

/* An environment register, as a function: each is an instruction of its own. */
#define ENVIRONMENT(n)                                                         \
    static INLINE uint environment_##n(void)                                   \
    {                                                                          \
        uint x;                                                                \
        __asm__("mov.u32 %0, %%envreg" #n ";" : "=r"(x));                      \
        return x;                                                              \
    }
ENVIRONMENT(3)
ENVIRONMENT(4)
ENVIRONMENT(5)
ENVIRONMENT(6)
ENVIRONMENT(7)
ENVIRONMENT(8)
ENVIRONMENT(9)
ENVIRONMENT(10)
ENVIRONMENT(11)
ENVIRONMENT(12)
ENVIRONMENT(13)
ENVIRONMENT(14)
ENVIRONMENT(15)
ENVIRONMENT(16)
ENVIRONMENT(17)
ENVIRONMENT(18)
ENVIRONMENT(19)
ENVIRONMENT(20)
ENVIRONMENT(21)
ENVIRONMENT(22)
ENVIRONMENT(23)
ENVIRONMENT(24)

/* Of dimension d; `other` of those that there are not. */
#define CHOOSE(d, x, y, z, other)                                              \
    ((d) == 0 ? (x) : (d) == 1 ? (y) : (d) == 2 ? (z) : (other))

PURE uint
get_work_dim(void)
{
    uint n = ENV(9);
    return n ? n : 3;
}

PURE size_t
get_local_id(uint d)
{
    return CHOOSE(d, SREG(tid_x), SREG(tid_y), SREG(tid_z), 0);
}

PURE size_t
get_local_size(uint d)
{
    return CHOOSE(d, SREG(ntid_x), SREG(ntid_y), SREG(ntid_z), 1);
}

PURE size_t
get_enqueued_local_size(uint d)
{
    uint n = CHOOSE(d, ENV(16), ENV(17), ENV(18), 0);
    return n ? n : get_local_size(d);
}

PURE size_t
get_group_id(uint d)
{
    return CHOOSE(d, SREG(ctaid_x) + ENV(10), SREG(ctaid_y) + ENV(11),
                  SREG(ctaid_z) + ENV(12), 0);
}

PURE size_t
get_num_groups(uint d)
{
    uint n = CHOOSE(d, ENV(13), ENV(14), ENV(15), 0);
    return n ? n
             : CHOOSE(d, SREG(nctaid_x), SREG(nctaid_y), SREG(nctaid_z), 1);
}

/* The global number of the launch's first work-item. */
static INLINE size_t
first(uint d)
{
    uint low = CHOOSE(d, ENV(3), ENV(4), ENV(5), 0);
    uint high = CHOOSE(d, ENV(6), ENV(7), ENV(8), 0);
    return (size_t)high << 32 | low;
}

PURE size_t
get_global_id(uint d)
{
    ulong group = CHOOSE(d, SREG(ctaid_x), SREG(ctaid_y), SREG(ctaid_z), 0);
    return first(d) + group * get_local_size(d) + get_local_id(d);
}

PURE size_t
get_global_size(uint d)
{
    uint low = CHOOSE(d, ENV(19), ENV(20), ENV(21), 0);
    uint high = CHOOSE(d, ENV(22), ENV(23), ENV(24), 0);
    ulong known = (size_t)high << 32 | low;
    ulong groups = CHOOSE(d, SREG(nctaid_x), SREG(nctaid_y), SREG(nctaid_z), 1);
    return known ? known : groups * get_local_size(d);
}

PURE size_t
get_global_offset(uint d)
{
    ulong group = CHOOSE(d, ENV(10), ENV(11), ENV(12), 0);
    return first(d) - group * get_enqueued_local_size(d);
}

PURE size_t
get_global_linear_id(void)
{
    size_t x = get_global_id(0) - get_global_offset(0);
    size_t y = get_global_id(1) - get_global_offset(1);
    size_t z = get_global_id(2) - get_global_offset(2);
    return (z * get_global_size(1) + y) * get_global_size(0) + x;
}

PURE size_t
get_local_linear_id(void)
{
    return (get_local_id(2) * get_local_size(1) + get_local_id(1)) *
               get_local_size(0) +
           get_local_id(0);
}
