/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cooperative_groups.h - groups of threads as objects: the grid, the cluster,
 * the block, tiles of a warp or a block, and whatever lanes happen to be
 * active.
 *
 * Collective functions on them are in cooperative_groups/reduce.h, scan.h and
 * memcpy_async.h. Device side only.
 */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_
#include "cuda_runtime.h"
#pragma GCC system_header
#ifdef __CUDA__ /* device code only */

#define __SW_CG__ __attribute__((device, always_inline)) inline

namespace cooperative_groups
{

namespace details
{
__SW_DEV__ unsigned
lane_id()
{
    return (unsigned)__nvvm_read_ptx_sreg_laneid();
}
__SW_DEV__ unsigned
lanes_below()
{
    return (unsigned)__nvvm_read_ptx_sreg_lanemask_lt();
}
__SW_DEV__ unsigned
thread_in_block()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__SW_DEV__ unsigned
warp_in_block()
{
    return thread_in_block() / 32;
}
__SW_DEV__ unsigned
block_threads()
{
    return blockDim.x * blockDim.y * blockDim.z;
}
__SW_DEV__ unsigned long long
block_in_grid()
{
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) *
               gridDim.x +
           blockIdx.x;
}
__SW_DEV__ unsigned long long
grid_blocks()
{
    return (unsigned long long)gridDim.z * gridDim.y * gridDim.x;
}

/* A special register that does not change. */
#define __SW_SREG__(name)                                                      \
    ({                                                                         \
        unsigned __sw_v;                                                       \
        asm("mov.u32 %0, %%" name ";" : "=r"(__sw_v));                         \
        __sw_v;                                                                \
    })
__SW_DEV__ dim3
clusters_of_grid()
{
    return dim3(__SW_SREG__("nclusterid.x"), __SW_SREG__("nclusterid.y"),
                __SW_SREG__("nclusterid.z"));
}
__SW_DEV__ dim3
cluster_in_grid()
{
    return dim3(__SW_SREG__("clusterid.x"), __SW_SREG__("clusterid.y"),
                __SW_SREG__("clusterid.z"));
}

/* Any value through one of the 32-bit shuffles, word by word. */
template <typename T, typename __F>
__SW_DEV__ T
shuffle_words(T v, __F one)
{
    constexpr unsigned n = (sizeof(T) + 3) / 4;
    unsigned w[n] = {};
    __builtin_memcpy(w, &v, sizeof(T));
#pragma unroll
    for (unsigned i = 0; i < n; i++)
        w[i] = one(w[i]);
    T r;
    __builtin_memcpy(&r, w, sizeof(T));
    return r;
}

/*
 * The meeting of all blocks. The launch puts a workspace's address into
 * %envreg1 (high) and %envreg2 (low); the word at +4 counts. Block 0 adds
 * what makes the count of all blocks turn the top bit; each waits for it to
 * turn.
 */
__SW_DEV__ char *
grid_workspace()
{
    unsigned hi, lo;
    __asm__ volatile("mov.u32 %0, %%envreg1;" : "=r"(hi));
    __asm__ volatile("mov.u32 %0, %%envreg2;" : "=r"(lo));
    return (char *)((unsigned long long)hi << 32 | lo);
}
__SW_DEV__ unsigned
grid_arrive(unsigned *count)
{
    unsigned old;
    unsigned add =
        block_in_grid() == 0 ? 0x80000001u - (unsigned)grid_blocks() : 1u;
#if __CUDA_ARCH__ >= 700
    __asm__ volatile("atom.add.release.gpu.u32 %0, [%1], %2;"
                     : "=r"(old)
                     : "l"(count), "r"(add)
                     : "memory");
#else
    __threadfence();
    old = atomicAdd(count, add);
#endif
    return old;
}
__SW_DEV__ void
grid_wait(unsigned *count, unsigned old)
{
    unsigned now;
    do {
#if __CUDA_ARCH__ >= 700
        __asm__ volatile("ld.acquire.gpu.u32 %0, [%1];"
                         : "=r"(now)
                         : "l"(count)
                         : "memory");
#else
        now = *(volatile unsigned *)count;
#endif
    } while ((int)(now ^ old) >= 0);
#if __CUDA_ARCH__ < 700
    __threadfence();
#endif
}
} // namespace details

struct __sw_group_base {
};

/* ---- the grid ---- */
class grid_group : public __sw_group_base
{
  public:
    unsigned *count; /* the launch's arrival count */

    struct arrival_token {
        unsigned old;
    };
    __SW_CG__ bool is_valid() const
    {
        return count != (unsigned *)4;
    }
    __SW_CG__ arrival_token barrier_arrive() const
    {
        arrival_token t = {0};
        if (!is_valid())
            __trap();
        __syncthreads();
        if (details::thread_in_block() == 0)
            t.old = details::grid_arrive(count);
        return t;
    }
    __SW_CG__ void barrier_wait(arrival_token &&t) const
    {
        if (details::thread_in_block() == 0)
            details::grid_wait(count, t.old);
        __syncthreads();
    }
    __SW_CG__ void sync() const
    {
        barrier_wait(barrier_arrive());
    }
    __SW_CG__ unsigned long long num_threads() const
    {
        return details::grid_blocks() * details::block_threads();
    }
    __SW_CG__ unsigned long long size() const
    {
        return num_threads();
    }
    __SW_CG__ unsigned long long thread_rank() const
    {
        return details::block_in_grid() * details::block_threads() +
               details::thread_in_block();
    }
    __SW_CG__ unsigned long long num_blocks() const
    {
        return details::grid_blocks();
    }
    __SW_CG__ unsigned long long block_rank() const
    {
        return details::block_in_grid();
    }
    __SW_CG__ dim3 group_dim() const
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
    __SW_CG__ dim3 dim_blocks() const
    {
        return group_dim();
    }
    __SW_CG__ dim3 block_index() const
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    __SW_CG__ dim3 dim_clusters() const
    {
        return details::clusters_of_grid();
    }
    __SW_CG__ unsigned long long num_clusters() const
    {
        dim3 n = details::clusters_of_grid();
        return (unsigned long long)n.x * n.y * n.z;
    }
    __SW_CG__ dim3 cluster_index() const
    {
        return details::cluster_in_grid();
    }
    __SW_CG__ unsigned long long cluster_rank() const
    {
        dim3 n = details::clusters_of_grid(), at = details::cluster_in_grid();
        return ((unsigned long long)at.z * n.y + at.y) * n.x + at.x;
    }
};
__SW_DEV__ grid_group
this_grid()
{
    grid_group g;
    g.count = (unsigned *)(details::grid_workspace() + 4);
    return g;
}

/* ---- the cluster ---- */
class cluster_group : public __sw_group_base
{
  public:
    struct arrival_token {
    };
    static __SW_CG__ arrival_token barrier_arrive()
    {
        asm volatile("barrier.cluster.arrive;" ::: "memory");
        return arrival_token();
    }
    static __SW_CG__ void barrier_wait()
    {
        asm volatile("barrier.cluster.wait;" ::: "memory");
    }
    static __SW_CG__ void barrier_wait(arrival_token &&)
    {
        barrier_wait();
    }
    static __SW_CG__ void sync()
    {
        barrier_arrive();
        barrier_wait();
    }
    /* The rank of the block in whose shared memory the address lies. */
    static __SW_CG__ unsigned query_shared_rank(const void *addr)
    {
        unsigned rank;
        asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(addr));
        return rank;
    }
    /* Where block `rank` has what this one has at addr. */
    template <typename T> static __SW_CG__ T *map_shared_rank(T *addr, int rank)
    {
        T *mapped;
        asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(addr), "r"(rank));
        return mapped;
    }
    static __SW_CG__ dim3 block_index()
    {
        return dim3(__SW_SREG__("cluster_ctaid.x"),
                    __SW_SREG__("cluster_ctaid.y"),
                    __SW_SREG__("cluster_ctaid.z"));
    }
    static __SW_CG__ unsigned block_rank()
    {
        return __SW_SREG__("cluster_ctarank");
    }
    static __SW_CG__ dim3 dim_blocks()
    {
        return dim3(__SW_SREG__("cluster_nctaid.x"),
                    __SW_SREG__("cluster_nctaid.y"),
                    __SW_SREG__("cluster_nctaid.z"));
    }
    static __SW_CG__ unsigned num_blocks()
    {
        return __SW_SREG__("cluster_nctarank");
    }
    static __SW_CG__ dim3 thread_index()
    {
        dim3 at = block_index();
        return dim3(at.x * blockDim.x + threadIdx.x,
                    at.y * blockDim.y + threadIdx.y,
                    at.z * blockDim.z + threadIdx.z);
    }
    static __SW_CG__ unsigned thread_rank()
    {
        return block_rank() * details::block_threads() +
               details::thread_in_block();
    }
    static __SW_CG__ dim3 dim_threads()
    {
        dim3 n = dim_blocks();
        return dim3(n.x * blockDim.x, n.y * blockDim.y, n.z * blockDim.z);
    }
    static __SW_CG__ unsigned num_threads()
    {
        return num_blocks() * details::block_threads();
    }
    static __SW_CG__ unsigned size()
    {
        return num_threads();
    }
};
__SW_DEV__ cluster_group
this_cluster()
{
    return cluster_group();
}

/* ---- the block ---- */
class thread_block : public __sw_group_base
{
  public:
    struct arrival_token {
    };
    static __SW_CG__ void sync()
    {
        __syncthreads();
    }
    __SW_CG__ arrival_token barrier_arrive() const
    {
        return arrival_token();
    }
    __SW_CG__ void barrier_wait(arrival_token &&) const
    {
        __syncthreads();
    }
    static __SW_CG__ unsigned num_threads()
    {
        return details::block_threads();
    }
    static __SW_CG__ unsigned size()
    {
        return num_threads();
    }
    static __SW_CG__ unsigned thread_rank()
    {
        return details::thread_in_block();
    }
    static __SW_CG__ dim3 group_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    static __SW_CG__ dim3 thread_index()
    {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    static __SW_CG__ dim3 group_dim()
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    static __SW_CG__ dim3 dim_threads()
    {
        return group_dim();
    }
};
__SW_DEV__ thread_block
this_thread_block()
{
    return thread_block();
}

/* ---- lanes of one warp ---- */

/* What coalesced groups and tiles up to a warp have in common: a mask of
 * lanes; a rank is the number of members below. */
class coalesced_group : public __sw_group_base
{
  protected:
    unsigned mask;
    unsigned meta_rank, meta_size;

  public:
    __SW_CG__
    coalesced_group(unsigned lanes, unsigned rank = 0, unsigned groups = 1)
        : mask(lanes), meta_rank(rank), meta_size(groups)
    {
    }
    __SW_CG__ unsigned __sw_mask() const
    {
        return mask;
    }
    /* The lane that is the group's n-th; its own lane if there is none. */
    __SW_CG__ unsigned __sw_lane(unsigned n) const
    {
        unsigned size = num_threads();
        if (size == 32)
            return n & 31;
        if (n >= size)
            return details::lane_id();
        unsigned left = mask;
        for (unsigned i = 0; i < n; i++)
            left &= left - 1;
        return (unsigned)__ffs((int)left) - 1;
    }
    __SW_CG__ void sync() const
    {
        __syncwarp(mask);
    }
    __SW_CG__ unsigned num_threads() const
    {
        return (unsigned)__popc(mask);
    }
    __SW_CG__ unsigned size() const
    {
        return num_threads();
    }
    __SW_CG__ unsigned thread_rank() const
    {
        return (unsigned)__popc(mask & details::lanes_below());
    }
    __SW_CG__ unsigned meta_group_rank() const
    {
        return meta_rank;
    }
    __SW_CG__ unsigned meta_group_size() const
    {
        return meta_size;
    }
    template <typename T> __SW_CG__ T shfl(T v, unsigned rank) const
    {
        unsigned m = mask, lane = __sw_lane(rank);
        return details::shuffle_words(
            v, [m, lane](unsigned w) { return __shfl_sync(m, w, lane); });
    }
    template <typename T> __SW_CG__ T shfl_down(T v, unsigned delta) const
    {
        unsigned n = thread_rank() + delta;
        return shfl(v, n < num_threads() ? n : thread_rank());
    }
    template <typename T> __SW_CG__ T shfl_up(T v, unsigned delta) const
    {
        unsigned n = thread_rank();
        return shfl(v, n >= delta ? n - delta : n);
    }
    __SW_CG__ int any(int p) const
    {
        return __ballot_sync(mask, p) != 0;
    }
    __SW_CG__ int all(int p) const
    {
        return __ballot_sync(mask, p) == mask;
    }
    /* Bit n of the result is the n-th member's. */
    __SW_CG__ unsigned __sw_pack(unsigned lanes) const
    {
        if (mask == 0xffffffffu)
            return lanes;
        unsigned r = 0, n = 0;
        for (unsigned left = mask; left != 0; left &= left - 1, n++)
            if (lanes & left & (0u - left))
                r |= 1u << n;
        return r;
    }
    __SW_CG__ unsigned ballot(int p) const
    {
        return __sw_pack(__ballot_sync(mask, p));
    }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
    template <typename T> __SW_CG__ unsigned match_any(T v) const
    {
        return __sw_pack(__match_any_sync(mask, v));
    }
    template <typename T> __SW_CG__ unsigned match_all(T v, int &pred) const
    {
        return __sw_pack(__match_all_sync(mask, v, &pred));
    }
#endif
};
__SW_DEV__ coalesced_group
coalesced_threads()
{
    return coalesced_group(__activemask());
}

/* ---- tiles of a fixed size: up to 32, of a warp ---- */
template <unsigned __N, typename Parent = void>
class thread_block_tile : public __sw_group_base
{
    static_assert(__N >= 1 && __N <= 32 && (__N & (__N - 1)) == 0,
                  "a tile is a power of two up to 512 threads");

    unsigned meta_size;

  public:
    template <typename __G>
    __SW_CG__ explicit thread_block_tile(const __G &parent, int)
        : meta_size((unsigned)((parent.num_threads() + __N - 1) / __N))
    {
    }
    template <typename Other>
    __SW_CG__ thread_block_tile(const thread_block_tile<__N, Other> &t)
        : meta_size(t.meta_group_size())
    {
    }
    __SW_CG__ unsigned __sw_mask() const
    {
        if (__N == 32)
            return 0xffffffffu;
        return ((1u << (__N & 31)) - 1) << (details::lane_id() & ~(__N - 1));
    }
    __SW_CG__ unsigned __sw_lane(unsigned n) const
    {
        return (details::lane_id() & ~(__N - 1)) | (n & (__N - 1));
    }
    __SW_CG__ void sync() const
    {
        __syncwarp(__sw_mask());
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
        return details::thread_in_block() / __N % meta_size;
    }
    __SW_CG__ unsigned meta_group_size() const
    {
        return meta_size;
    }
    __SW_CG__ operator coalesced_group() const
    {
        return coalesced_group(__sw_mask(), meta_group_rank(), meta_size);
    }
#define __SW_CG_SHUFFLE(name, __L, builtin)                                    \
    template <typename T> __SW_CG__ T name(T v, __L n) const                   \
    {                                                                          \
        unsigned m = __sw_mask();                                              \
        return details::shuffle_words(v, [m, n](unsigned w) {                  \
            return builtin(m, w, (unsigned)n, (int)__N);                       \
        });                                                                    \
    }
    __SW_CG_SHUFFLE(shfl, int, __shfl_sync)
    __SW_CG_SHUFFLE(shfl_down, unsigned, __shfl_down_sync)
    __SW_CG_SHUFFLE(shfl_up, unsigned, __shfl_up_sync)
    __SW_CG_SHUFFLE(shfl_xor, unsigned, __shfl_xor_sync)
#undef __SW_CG_SHUFFLE
    __SW_CG__ unsigned __sw_pack(unsigned lanes) const
    {
        unsigned ones = __N == 32 ? 0xffffffffu : (1u << (__N & 31)) - 1;
        return (lanes >> (details::lane_id() & ~(__N - 1) & 31)) & ones;
    }
    __SW_CG__ int any(int p) const
    {
        return (__ballot_sync(__sw_mask(), p) & __sw_mask()) != 0;
    }
    __SW_CG__ int all(int p) const
    {
        return (__ballot_sync(__sw_mask(), p) & __sw_mask()) == __sw_mask();
    }
    __SW_CG__ unsigned ballot(int p) const
    {
        return __sw_pack(__ballot_sync(__sw_mask(), p));
    }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
    template <typename T> __SW_CG__ unsigned match_any(T v) const
    {
        return __sw_pack(__match_any_sync(__sw_mask(), v));
    }
    template <typename T> __SW_CG__ unsigned match_all(T v, int &pred) const
    {
        return __sw_pack(__match_all_sync(__sw_mask(), v, &pred));
    }
#endif
};

} // namespace cooperative_groups

/* ---- tiles of more than a warp ---- */
#include "softwarp/large_tiles.h"

namespace cooperative_groups
{

/* ---- a group of any kind ---- */
class thread_group : public __sw_group_base
{
    enum { GRID, BLOCK, LANES } kind;
    unsigned mask, meta_rank, meta_size;
    grid_group grid;

  public:
    __SW_CG__
    thread_group(const thread_block &)
        : kind(BLOCK), mask(0), meta_rank(0), meta_size(1), grid(this_grid())
    {
    }
    __SW_CG__
    thread_group(const grid_group &g)
        : kind(GRID), mask(0), meta_rank(0), meta_size(1), grid(g)
    {
    }
    __SW_CG__
    thread_group(const coalesced_group &c)
        : kind(LANES), mask(c.__sw_mask()), meta_rank(c.meta_group_rank()),
          meta_size(c.meta_group_size()), grid(this_grid())
    {
    }
    template <unsigned __N, typename __P>
    __SW_CG__ thread_group(const thread_block_tile<__N, __P> &t)
        : kind(LANES), mask(t.__sw_mask()), meta_rank(t.meta_group_rank()),
          meta_size(t.meta_group_size()), grid(this_grid())
    {
    }
    __SW_CG__ bool __sw_is_block() const
    {
        return kind == BLOCK;
    }
    __SW_CG__ coalesced_group __sw_lanes() const
    {
        return coalesced_group(mask, meta_rank, meta_size);
    }
    __SW_CG__ void sync() const
    {
        if (kind == GRID)
            grid.sync();
        else if (kind == BLOCK)
            __syncthreads();
        else
            __syncwarp(mask);
    }
    __SW_CG__ unsigned long long num_threads() const
    {
        return kind == GRID    ? grid.num_threads()
               : kind == BLOCK ? details::block_threads()
                               : (unsigned long long)__popc(mask);
    }
    __SW_CG__ unsigned long long size() const
    {
        return num_threads();
    }
    __SW_CG__ unsigned long long thread_rank() const
    {
        return kind == GRID ? grid.thread_rank()
               : kind == BLOCK
                   ? details::thread_in_block()
                   : (unsigned long long)__popc(mask & details::lanes_below());
    }
};

/* ---- dividing groups ---- */
template <unsigned __N, typename __G>
__SW_DEV__ thread_block_tile<__N, __G>
tiled_partition(const __G &parent)
{
    return thread_block_tile<__N, __G>(parent, 0);
}
__SW_DEV__ coalesced_group
tiled_partition(const coalesced_group &parent, unsigned n)
{
    unsigned rank = parent.thread_rank(), which = rank / n;
    unsigned lanes = 0, i = 0;
    for (unsigned left = parent.__sw_mask(); left != 0; left &= left - 1, i++)
        if (i / n == which)
            lanes |= left & (0u - left);
    return coalesced_group(lanes, which, (parent.num_threads() + n - 1) / n);
}
template <unsigned __N, typename __P>
__SW_DEV__ coalesced_group
tiled_partition(const thread_block_tile<__N, __P> &parent, unsigned n)
{
    return tiled_partition(coalesced_group(parent.__sw_mask()), n);
}
__SW_DEV__ thread_group
tiled_partition(const thread_block &, unsigned n)
{
    unsigned first = details::lane_id() & ~(n - 1);
    unsigned ones = n >= 32 ? 0xffffffffu : (1u << n) - 1;
    return thread_group(
        coalesced_group(ones << first, details::thread_in_block() / n,
                        (details::block_threads() + n - 1) / n));
}
__SW_DEV__ thread_group
tiled_partition(const thread_group &parent, unsigned n)
{
    if (parent.__sw_is_block())
        return tiled_partition(this_thread_block(), n);
    return thread_group(tiled_partition(parent.__sw_lanes(), n));
}

template <typename __G>
__SW_DEV__ coalesced_group
binary_partition(const __G &g, bool p)
{
    unsigned yes = __ballot_sync(g.__sw_mask(), p) & g.__sw_mask();
    return coalesced_group(p ? yes : g.__sw_mask() & ~yes, p ? 1 : 0, 2);
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
template <typename __G, typename __L>
__SW_DEV__ coalesced_group
labeled_partition(const __G &g, __L label)
{
    unsigned mine = __match_any_sync(g.__sw_mask(), label);
    /* groups count by their lowest lane */
    bool first = (mine & details::lanes_below()) == 0;
    unsigned firsts = __ballot_sync(g.__sw_mask(), first) & g.__sw_mask();
    unsigned below = (mine & (0u - mine)) - 1;
    return coalesced_group(mine, (unsigned)__popc(firsts & below),
                           (unsigned)__popc(firsts));
}
#endif

/* ---- functions for every group ---- */
template <typename __G>
__SW_DEV__ void
sync(const __G &g)
{
    g.sync();
}
template <typename __G>
__SW_DEV__ auto
thread_rank(const __G &g) -> decltype(g.thread_rank())
{
    return g.thread_rank();
}
template <typename __G>
__SW_DEV__ auto
group_size(const __G &g) -> decltype(g.num_threads())
{
    return g.num_threads();
}
/* One thread of the group runs f. */
template <typename __G, typename __F>
__SW_DEV__ void
invoke_one(const __G &g, __F &&f)
{
    if (g.thread_rank() == 0)
        f();
}
template <typename __G, typename __F>
__SW_DEV__ auto
invoke_one_broadcast(const __G &g, __F &&f) -> decltype(f())
{
    decltype(f()) v{};
    if (g.thread_rank() == 0)
        v = f();
    return g.shfl(v, 0);
}

/* ---- operations for reduce and scan ---- */
#define __SW_CG_OP(name, expr)                                                 \
    template <typename T = void> struct name {                                 \
        __SW_CG__ T operator()(T a, T b) const                                 \
        {                                                                      \
            return expr;                                                       \
        }                                                                      \
    };                                                                         \
    template <> struct name<void> {                                            \
        template <typename T> __SW_CG__ T operator()(T a, T b) const           \
        {                                                                      \
            return expr;                                                       \
        }                                                                      \
    };
__SW_CG_OP(plus, a + b)
__SW_CG_OP(less, b < a ? b : a)
__SW_CG_OP(greater, a < b ? b : a)
__SW_CG_OP(bit_and, a &b)
__SW_CG_OP(bit_or, a | b)
__SW_CG_OP(bit_xor, a ^ b)
#undef __SW_CG_OP

/* The atomic object becomes op(itself, v); gives what it was before. */
template <typename __A, typename T, typename Op>
__SW_DEV__ T
__sw_update(__A &a, T v, Op op)
{
    T old = a.load();
    while (!a.compare_exchange_weak(old, op(old, v)))
        ;
    return old;
}

} // namespace cooperative_groups

#endif
#endif
