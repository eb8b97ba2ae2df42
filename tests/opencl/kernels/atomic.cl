// SPDX-License-Identifier: Apache-2.0
// Atomic functions old and new, of global and local memory, by 8 groups of 64.
// options: -cl-std=CL3.0
// run: old grid=8 block=64 shared=64
// arg: out s32 12
// arg: u64 0
// expect: EXACT arg0: 512 -512 511 0 -1 512 1 130816 77 -1 65 36
// run: longs grid=8 block=64
// arg: out s64 4
// expect: EXACT arg0: 130816 511 -511 512
// run: new grid=8 block=64
// arg: out s32 8
// arg: out f32 2
// arg: out s64 2
// expect: EXACT arg0: 512 -512 511 0 255 1 512 0
// expect: EXACT arg1: 512 0.5
// expect: EXACT arg2: 512 3
// run: message grid=2 block=1
// arg: out u32 3
// expect: EXACT arg0: 1 42 42
// run: lock grid=8 block=1
// arg: out u32 2
// expect: EXACT arg0: 8 0
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void
old(volatile global int *out, volatile local int *l)
{
    int i = (int)get_global_id(0);
    atomic_inc(out);
    atomic_dec(out + 1);
    atomic_max(out + 2, i);
    atomic_min(out + 3, i);
    atomic_or(out + 4, 1 << (i & 31));
    atomic_add(out + 5, 2);
    atomic_sub(out + 5, 1);
    atomic_cmpxchg(out + 6, 0, 1);
    atomic_add(out + 7, i);
    atomic_xchg(out + 8, 77);
    atom_and(out + 9, i);
    atom_xor(out + 9, -1);
    atom_and(out + 9, 0);
    atom_or(out + 9, -1);
    if (get_local_id(0) < 2)
        l[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(l);
    atomic_add((volatile local uint *)l + 1, get_local_id(0) < 8 ? 1u : 0u);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 511) {
        out[10] = l[0] + 1;
        out[11] = l[1] + 28;
    }
}

kernel void
longs(volatile global long *out)
{
    long i = (long)get_global_id(0);
    atom_add(out, i);
    atom_max(out + 1, i);
    atom_min(out + 2, -i);
    atom_inc((volatile global ulong *)out + 3);
}

kernel void
new(global atomic_int *out, global atomic_float *f, global atomic_long *l)
{
    int i = (int)get_global_id(0), old;
    atomic_fetch_add(out, 1);
    atomic_fetch_sub_explicit(out + 1, 1, memory_order_relaxed);
    atomic_fetch_max_explicit(out + 2, i, memory_order_acq_rel,
                              memory_scope_device);
    atomic_fetch_min((global atomic_uint *)out + 3, (uint)i);
    atomic_fetch_or(out + 4, i & 255);
    atomic_exchange_explicit(out + 5, 1, memory_order_release);
    old = atomic_load_explicit(out + 6, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(
        out + 6, &old, old + 1, memory_order_acq_rel, memory_order_acquire))
        ;
    float was = atomic_load(f);
    while (!atomic_compare_exchange_strong(f, &was, was + 1.0f))
        ;
    if (i == 0)
        atomic_store(f + 1, 0.5f);
    atomic_fetch_add(l, 1L);
    if (i == 3)
        atomic_init(l + 1, (long)i);
}

/* One group tells another, by what is released and acquired. */
kernel void
message(global uint *out)
{
    global atomic_uint *flag = (global atomic_uint *)out;
    if (get_group_id(0) == 0) {
        out[1] = 42;
        atomic_store_explicit(flag, 1u, memory_order_release,
                              memory_scope_device);
    } else {
        while (!atomic_load_explicit(flag, memory_order_acquire,
                                     memory_scope_device))
            ;
        out[2] = out[1];
    }
}

kernel void
lock(global uint *out)
{
    global atomic_flag *flag = (global atomic_flag *)(out + 1);
    while (atomic_flag_test_and_set_explicit(flag, memory_order_acquire))
        ;
    out[0]++;
    atomic_flag_clear_explicit(flag, memory_order_release);
}
