/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/large_tiles.h - tiles of 64 to 512 threads of a block: several
 * warps that meet at a barrier of their own and pass values through shared
 * memory. Part of cooperative_groups.h.
 */
#ifndef SOFTWARP_LARGE_TILES_H
#define SOFTWARP_LARGE_TILES_H
#pragma GCC system_header

namespace cooperative_groups
{

/* What programs set aside for large tiles; ours take their own memory. */
template <unsigned MaxBlockSize = 1024> struct block_tile_memory {
    char __sw_unused[4];
};
template <unsigned MaxBlockSize>
__SW_DEV__ thread_block
this_thread_block(block_tile_memory<MaxBlockSize> &)
{
    return thread_block();
}

namespace details
{
template <bool, typename T> struct only_if {
};
template <typename T> struct only_if<true, T> {
    typedef T type;
};

/* A value of each warp of the block. */
template <typename T>
__SW_DEV__ T *
tile_slots()
{
    __shared__ __attribute__((aligned(16))) char slots[32 * sizeof(T)];
    return reinterpret_cast<T *>(slots);
}
/*
 * The n threads whose first warp is `warp` meet. Barrier 0 is the block's, so
 * that only 15 are left, one for each pair of warps; the 16th pair counts in
 * shared memory, from 0: who comes last turns the top bit.
 */
__SW_DEV__ unsigned *
last_pair()
{
    __shared__ unsigned count;
    return &count;
}
template <unsigned __N, typename __G>
__SW_DEV__ void
tile_barrier_begin(const __G &parent)
{
    if (__N > 64 || block_threads() <= 960)
        return;
    parent.sync();
    if (thread_in_block() == 960)
        *last_pair() = 0;
    parent.sync();
}
__SW_DEV__ void
tile_barrier(unsigned warp, unsigned n)
{
    if (warp < 30) {
        __nvvm_barrier_sync_cnt(1 + warp / 2, n);
        return;
    }
    __syncwarp();
    if (lane_id() == 0) {
        __threadfence_block();
        unsigned old =
            atomicAdd(last_pair(), warp_in_block() == 30 ? 0x7fffffffu : 1u);
        while ((int)(*(volatile unsigned *)last_pair() ^ old) >= 0)
            ;
        __threadfence_block();
    }
    __syncwarp();
}
} // namespace details

template <unsigned __N> class __sw_large_tile : public __sw_group_base
{
    unsigned groups;

  protected:
    __SW_CG__ explicit __sw_large_tile(unsigned n) : groups(n)
    {
    }

  public:
    struct arrival_token {
    };
    __SW_CG__ void sync() const
    {
        details::tile_barrier(__sw_first_warp(), __N);
    }
    __SW_CG__ arrival_token barrier_arrive() const
    {
        return arrival_token();
    }
    __SW_CG__ void barrier_wait(arrival_token &&) const
    {
        sync();
    }
    static __SW_CG__ constexpr unsigned num_threads()
    {
        return __N;
    }
    static __SW_CG__ constexpr unsigned size()
    {
        return __N;
    }
    static __SW_CG__ unsigned thread_rank()
    {
        return details::thread_in_block() & (__N - 1);
    }
    __SW_CG__ unsigned meta_group_rank() const
    {
        return details::thread_in_block() / __N % groups;
    }
    __SW_CG__ unsigned meta_group_size() const
    {
        return groups;
    }
    /* The tile's first warp, and the number of this one, in the block. */
    static __SW_CG__ unsigned __sw_first_warp()
    {
        return details::thread_in_block() / __N * (__N / 32);
    }
    /*
     * f(values, n) of a value of each of the tile's n warps, which is what its
     * lane `from` has.
     */
    template <typename T, typename __F>
    __SW_CG__ auto __sw_of_warps(T v, unsigned from, __F f) const
        -> decltype(f(&v, 0))
    {
        T *slots = details::tile_slots<T>();
        if (details::lane_id() == from)
            slots[details::warp_in_block()] = v;
        sync();
        auto r = f(slots + __sw_first_warp(), __N / 32);
        sync();
        return r;
    }
    template <typename T> __SW_CG__ T shfl(T v, int rank) const
    {
        unsigned n = (unsigned)rank & (__N - 1);
        return __sw_of_warps(v, n % 32,
                             [n](T *w, unsigned) { return w[n / 32]; });
    }
    __SW_CG__ int any(int p) const
    {
        int some = __any_sync(0xffffffffu, p);
        return __sw_of_warps(some, 0, [](int *w, unsigned n) {
            int r = 0;
            for (unsigned i = 0; i < n; i++)
                r |= w[i];
            return r;
        });
    }
    __SW_CG__ int all(int p) const
    {
        return !any(!p);
    }
};

#define __SW_LARGE_TILE(__N)                                                   \
    template <typename Parent>                                                 \
    class thread_block_tile<__N, Parent> : public __sw_large_tile<__N>         \
    {                                                                          \
      public:                                                                  \
        template <typename __G>                                                \
        __SW_CG__ explicit thread_block_tile(const __G &parent, int)           \
            : __sw_large_tile<__N>((unsigned)(parent.num_threads() / __N))     \
        {                                                                      \
            details::tile_barrier_begin<__N>(parent);                          \
        }                                                                      \
        template <typename Other>                                              \
        __SW_CG__ thread_block_tile(const thread_block_tile<__N, Other> &t)    \
            : __sw_large_tile<__N>(t.meta_group_size())                        \
        {                                                                      \
        }                                                                      \
    };
__SW_LARGE_TILE(64)
__SW_LARGE_TILE(128)
__SW_LARGE_TILE(256)
__SW_LARGE_TILE(512)
#undef __SW_LARGE_TILE

} // namespace cooperative_groups

#endif
