// SPDX-License-Identifier: Apache-2.0
// Work-item functions of a launch whose groups are of one size, in 2 dimensions
// of 3; ptx_engine sets no environment. The host's tests have the others.
// options: -cl-std=CL3.0
// run: where grid=3,2,1 block=4,2,1
// arg: out u32 48
// arg: out u32 24
// expect: EXACT arg0: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47
// expect: EXACT arg1: 3 0 0 0 12 4 1 4 2 1 4 3 2 1 1 4 2 47 7 1 2 1 1 1
kernel void
where(global uint *linear, global uint *facts)
{
    linear[get_global_linear_id()] = (uint)get_global_linear_id();
    if (get_global_linear_id() != 47)
        return;
    uint values[24] = {
        get_work_dim(), get_global_offset(0), get_global_offset(1),
        get_global_offset(3), get_global_size(0), get_global_size(1),
        get_global_size(3), get_local_size(0), get_local_size(1),
        get_local_size(3), get_enqueued_local_size(0), get_num_groups(0),
        get_num_groups(1), get_num_groups(3), get_group_id(1) + get_group_id(3),
        get_local_id(0) + get_group_id(1), get_group_id(0),
        get_global_id(1) * 12 + get_global_id(0), get_local_linear_id(),
        get_num_sub_groups(), get_sub_group_id() + 2, get_local_id(1),
        get_enqueued_num_sub_groups(), get_sub_group_local_id() / 7};
    for (int i = 0; i < 24; i++)
        facts[i] = values[i];
}
