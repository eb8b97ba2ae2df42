// SPDX-License-Identifier: Apache-2.0
// Functions of work-groups and sub-groups in a group of 80 (the last sub-group
// has 16), beside sums in a loop. arg0: comparisons, and how many failed.
// options: -cl-std=CL3.0
// run: work_group grid=2 block=20,4
// arg: out u32 2
// expect: EXACT arg0: 2400 0
// run: sub_group block=80
// arg: out u32 2
// expect: EXACT arg0: 1360 0
// run: diverged block=80
// arg: out u32 2
// expect: EXACT arg0: 669 0
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define CHECK(a, b)                                                            \
    do {                                                                       \
        atomic_inc(&out[0]);                                                   \
        if ((a) != (b))                                                        \
            atomic_inc(&out[1]);                                               \
    } while (0)

/* A number for each work-item. */
static int
value(uint i)
{
    return (int)(i * 37 % 101) - 50;
}

kernel void
work_group(global uint *out)
{
    uint i = (uint)get_local_linear_id();
    int x = value(i), sum = 0, least = INT_MAX, most = INT_MIN, before = 0;
    int least_before = INT_MAX, most_up_to = INT_MIN;
    for (uint k = 0; k < 80; k++) {
        sum += value(k);
        least = min(least, value(k));
        most = max(most, value(k));
        before += k < i ? value(k) : 0;
        least_before = k < i ? min(least_before, value(k)) : least_before;
        most_up_to = k <= i ? max(most_up_to, value(k)) : most_up_to;
    }
    CHECK(work_group_reduce_add(x), sum);
    CHECK(work_group_reduce_min((long)x), least);
    CHECK(work_group_reduce_max((float)x), (float)most);
    CHECK(work_group_scan_exclusive_add(x), before);
    CHECK(work_group_scan_inclusive_add((double)x), (double)(before + x));
    CHECK(work_group_scan_exclusive_min(x), least_before);
    CHECK(work_group_scan_inclusive_max(x), most_up_to);
    CHECK(work_group_reduce_add((uint)i), 80 * 79 / 2);
    CHECK(work_group_all(x > -51), 1);
    CHECK(work_group_all(i != 70), 0);
    CHECK(work_group_any(i == 70), 1);
    CHECK(work_group_any(x > 100), 0);
    CHECK(work_group_broadcast(x, 3, 2), value(43));
    CHECK(work_group_broadcast((double)x + 0.5, 19, 3), value(79) + 0.5);
    CHECK(work_group_broadcast((ulong)i << 40, 0, 1), 20ul << 40);
}

kernel void
sub_group(global uint *out)
{
    uint i = (uint)get_local_linear_id(), first = i & ~31u;
    uint n = get_sub_group_size(), lane = get_sub_group_local_id();
    int x = value(i), sum = 0, before = 0, least = INT_MAX;
    CHECK(n, first == 64 ? 16u : 32u);
    for (uint k = first; k < first + n; k++) {
        sum += value(k);
        least = min(least, value(k));
        before += k < i ? value(k) : 0;
    }
    CHECK(get_max_sub_group_size(), 32u);
    CHECK(get_num_sub_groups(), 3u);
    CHECK(get_sub_group_id() * 32 + lane, i);
    CHECK(sub_group_reduce_add(x), sum);
    CHECK(sub_group_reduce_min((short)x), least);
    CHECK(sub_group_scan_exclusive_add((half)x), (half)before);
    CHECK(sub_group_scan_inclusive_add((long)x), before + x);
    CHECK(sub_group_broadcast((double)x, 5), (double)value(first + 5));
    CHECK(sub_group_broadcast((int2)(x, i), 5).y, (int)first + 5);
    CHECK(sub_group_all(lane < n), 1);
    CHECK(sub_group_any(lane == 40), 0);
    CHECK(sub_group_shuffle(x, (lane + 1) & 7), value(first + ((lane + 1) & 7)));
    CHECK(sub_group_shuffle_xor((ulong)i << 33, 1), (ulong)(i ^ 1) << 33);
    int above = sub_group_shuffle_up(x, 2);
    CHECK(lane < 2 ? 0 : above, lane < 2 ? 0 : value(i - 2));
    CHECK(sub_group_rotate(x, 3), value(first + (lane + 3) % n));
    CHECK(sub_group_clustered_reduce_add(i, 4), (i & ~3u) * 4 + 6);
}

kernel void
diverged(global uint *out)
{
    uint i = (uint)get_local_linear_id(), lane = get_sub_group_local_id();
    uint n = get_sub_group_size(), first = i & ~31u;
    if (i % 3 == 0) {
        uint sum = 0, count = 0, before = 0, all = 0;
        for (uint k = first; k < first + n; k++)
            if (k % 3 == 0) {
                sum += k;
                count++;
                before += k < i ? 1 : 0;
                all |= 1u << (k - first);
            }
        CHECK(sub_group_non_uniform_reduce_add(i), sum);
        CHECK(sub_group_non_uniform_reduce_mul(2.0), ldexp(1.0, (int)count));
        CHECK(sub_group_non_uniform_scan_exclusive_add(1), (int)before);
        CHECK(sub_group_non_uniform_scan_inclusive_max(i), i);
        CHECK(sub_group_ballot(1).x, all);
        CHECK(sub_group_ballot_bit_count(sub_group_ballot(1)), count);
        CHECK(sub_group_ballot_exclusive_scan(sub_group_ballot(1)), before);
        CHECK(sub_group_elect(), before == 0);
        CHECK(sub_group_broadcast_first(i), (first + 2) / 3 * 3);
        CHECK(sub_group_non_uniform_all(i % 3 == 0), 1);
    } else {
        CHECK(sub_group_non_uniform_any(i % 3 == 0), 0);
        CHECK(sub_group_non_uniform_reduce_logical_or(lane > 100), 0);
        CHECK(sub_group_non_uniform_all_equal(7), 1);
    }
    CHECK(get_sub_group_lt_mask().x, (1u << lane) - 1);
    CHECK(sub_group_inverse_ballot(sub_group_ballot((int)(i & 1))), i & 1);
    CHECK(sub_group_non_uniform_broadcast(i, 2), first + 2);
}
