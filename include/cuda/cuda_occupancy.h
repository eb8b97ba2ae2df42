/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_occupancy.h - occupancy counted from a device's and a kernel's
 * properties, on the host, without a device or a library: C and C++.
 *
 * The rules are those of src/device/occupancy.c, the numbers those of
 * src/device/capability.def, from 3.0 on; a capability that is not known counts
 * as the nearest lower one of its major version. Partitioned global caching
 * (5.2 to 6.2) is counted as off.
 *
 * All functions return CUDA_OCC_SUCCESS; or, with nothing written,
 * CUDA_OCC_ERROR_INVALID_INPUT (a null pointer, a size or count that is not
 * positive, a carveout beyond 100) or CUDA_OCC_ERROR_UNKNOWN_DEVICE.
 */
#ifndef __cuda_occupancy_h__
#define __cuda_occupancy_h__
#include <limits.h>
#include <stddef.h>

#if defined(__CUDACC__)
#define __OCC_INLINE inline __host__ __device__
#elif defined(__cplusplus) ||                                                  \
    (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
#define __OCC_INLINE inline
#else
#define __OCC_INLINE __inline__
#endif

#define __CUDA_OCC_MAJOR__ 12
#define __CUDA_OCC_MINOR__ 1

typedef enum cudaOccError_enum {
    CUDA_OCC_SUCCESS = 0,
    CUDA_OCC_ERROR_INVALID_INPUT = 1,
    CUDA_OCC_ERROR_UNKNOWN_DEVICE = 2
} cudaOccError;

typedef enum cudaOccPartitionedGCConfig_enum {
    PARTITIONED_GC_OFF,
    PARTITIONED_GC_ON,
    PARTITIONED_GC_ON_STRICT
} cudaOccPartitionedGCConfig;

/* Whether a block may have more than sharedMemPerBlock (7.0 on). */
typedef enum cudaOccFuncShmemConfig_enum {
    FUNC_SHMEM_LIMIT_DEFAULT,
    FUNC_SHMEM_LIMIT_OPTIN
} cudaOccFuncShmemConfig;

/* From 7.0 on only if there is no carveout; from 5.0 to 6.2 never. */
typedef enum cudaOccCacheConfig_enum {
    CACHE_PREFER_NONE = 0,
    CACHE_PREFER_SHARED = 1,
    CACHE_PREFER_L1 = 2,
    CACHE_PREFER_EQUAL = 3
} cudaOccCacheConfig;

/* From 7.0 on; any percentage will do. */
typedef enum cudaOccCarveoutConfig_enum {
    SHAREDMEM_CARVEOUT_DEFAULT = -1,
    SHAREDMEM_CARVEOUT_MAX_SHARED = 100,
    SHAREDMEM_CARVEOUT_MAX_L1 = 0,
    SHAREDMEM_CARVEOUT_HALF = 50
} cudaOccCarveoutConfig;

typedef enum cudaOccLimitingFactor_enum {
    OCC_LIMIT_WARPS = 0x01,
    OCC_LIMIT_REGISTERS = 0x02,
    OCC_LIMIT_SHARED_MEMORY = 0x04,
    OCC_LIMIT_BLOCKS = 0x08,
    OCC_LIMIT_BARRIERS = 0x10,
    OCC_LIMIT_VIRTUAL_RESOURCES = 0x20
} cudaOccLimitingFactor;

typedef struct cudaOccDeviceProp cudaOccDeviceProp;
typedef struct cudaOccFuncAttributes cudaOccFuncAttributes;
typedef struct cudaOccDeviceState cudaOccDeviceState;
typedef struct cudaOccResult cudaOccResult;

/* Sizes of memory are bytes. In C++ made of a cudaDeviceProp, too. */
struct cudaOccDeviceProp {
    int computeMajor, computeMinor;
    int maxThreadsPerBlock, maxThreadsPerMultiprocessor;
    int regsPerBlock, regsPerMultiprocessor;
    int warpSize;
    size_t sharedMemPerBlock, sharedMemPerMultiprocessor;
    int numSms;
    size_t sharedMemPerBlockOptin, reservedSharedMemPerBlock;
#ifdef __cplusplus
    __OCC_INLINE cudaOccDeviceProp()
        : computeMajor(0), computeMinor(0), maxThreadsPerBlock(0),
          maxThreadsPerMultiprocessor(0), regsPerBlock(0),
          regsPerMultiprocessor(0), warpSize(0), sharedMemPerBlock(0),
          sharedMemPerMultiprocessor(0), numSms(0), sharedMemPerBlockOptin(0),
          reservedSharedMemPerBlock(0)
    {
    }
    template <typename Properties>
    __OCC_INLINE cudaOccDeviceProp(const Properties &p)
        : computeMajor(p.major), computeMinor(p.minor),
          maxThreadsPerBlock(p.maxThreadsPerBlock),
          maxThreadsPerMultiprocessor(p.maxThreadsPerMultiProcessor),
          regsPerBlock(p.regsPerBlock),
          regsPerMultiprocessor(p.regsPerMultiprocessor), warpSize(p.warpSize),
          sharedMemPerBlock(p.sharedMemPerBlock),
          sharedMemPerMultiprocessor(p.sharedMemPerMultiprocessor),
          numSms(p.multiProcessorCount),
          sharedMemPerBlockOptin(p.sharedMemPerBlockOptin),
          reservedSharedMemPerBlock(p.reservedSharedMemPerBlock)
    {
    }
#endif
};

/* In C++ made of a cudaFuncAttributes, too. */
struct cudaOccFuncAttributes {
    int maxThreadsPerBlock;
    int numRegs;            /* per thread; 0: not counted */
    size_t sharedSizeBytes; /* static, per block */
    cudaOccPartitionedGCConfig partitionedGCConfig;
    cudaOccFuncShmemConfig shmemLimitConfig;
    size_t maxDynamicSharedSizeBytes; /* counts with the opt-in only */
    int numBlockBarriers;             /* counts from 9.0 on */
    int virtualResourceCount;         /* counts for nothing */
#ifdef __cplusplus
    __OCC_INLINE cudaOccFuncAttributes()
        : maxThreadsPerBlock(0), numRegs(0), sharedSizeBytes(0),
          partitionedGCConfig(PARTITIONED_GC_OFF),
          shmemLimitConfig(FUNC_SHMEM_LIMIT_DEFAULT),
          maxDynamicSharedSizeBytes(0), numBlockBarriers(0),
          virtualResourceCount(0)
    {
    }
    template <typename Attributes>
    __OCC_INLINE cudaOccFuncAttributes(const Attributes &a)
        : maxThreadsPerBlock(a.maxThreadsPerBlock), numRegs(a.numRegs),
          sharedSizeBytes(a.sharedSizeBytes),
          partitionedGCConfig(PARTITIONED_GC_OFF),
          shmemLimitConfig(FUNC_SHMEM_LIMIT_OPTIN),
          maxDynamicSharedSizeBytes(a.maxDynamicSharedSizeBytes),
          numBlockBarriers(1), virtualResourceCount(0)
    {
    }
#endif
};

struct cudaOccDeviceState {
    cudaOccCacheConfig cacheConfig;
    int carveoutConfig; /* percent of all shared memory, or -1 */
#ifdef __cplusplus
    __OCC_INLINE cudaOccDeviceState()
        : cacheConfig(CACHE_PREFER_NONE),
          carveoutConfig(SHAREDMEM_CARVEOUT_DEFAULT)
    {
    }
#endif
};

struct cudaOccResult {
    int activeBlocksPerMultiprocessor;
    unsigned int limitingFactors; /* cudaOccLimitingFactor, all that apply */
    /* Blocks that each has room for; INT_MAX: it is not used. */
    int blockLimitRegs, blockLimitSharedMem, blockLimitWarps, blockLimitBlocks,
        blockLimitBarriers, blockLimitVirtual;
    int allocatedRegistersPerBlock;
    size_t allocatedSharedMemPerBlock;
    cudaOccPartitionedGCConfig partitionedGCConfig;
};

/* What a capability fixes beside what cudaOccDeviceProp says. */
typedef struct {
    int cc; /* times ten */
    int blocks, barriers, sub_partitions, smem_unit;
    int smem_kb[11]; /* configurations, ascending, up to a negative one */
} sw_occ_capability;

#ifdef __cplusplus
#define SW_OCC_SAME(from, to) static_cast<to>(from)
#else
#define SW_OCC_SAME(from, to) ((to)(from))
#endif

/* False: not known. */
static __OCC_INLINE int sw_occ_find(const cudaOccDeviceProp *p,
                                    sw_occ_capability *out)
{
    const sw_occ_capability rows[] = {
        {30, 16, 0, 4, 256, {16, 32, 48, -1}},
        {32, 16, 0, 4, 256, {16, 32, 48, -1}},
        {35, 16, 0, 4, 256, {16, 32, 48, -1}},
        {37, 16, 0, 4, 256, {80, 96, 112, -1}},
        {50, 32, 64, 4, 256, {-1}},
        {60, 32, 64, 2, 256, {-1}},
        {61, 32, 64, 4, 256, {-1}},
        {70, 32, 64, 4, 256, {0, 8, 16, 32, 64, 96, -1}},
        {75, 16, 32, 4, 256, {32, 64, -1}},
        {80, 32, 64, 4, 128, {0, 8, 16, 32, 64, 100, 132, 164, -1}},
        {86, 16, 16, 4, 128, {0, 8, 16, 32, 64, 100, -1}},
        {87, 16, 16, 4, 128, {0, 8, 16, 32, 64, 100, 132, 164, -1}},
        {89, 24, 24, 4, 128, {0, 8, 16, 32, 64, 100, -1}},
        {90, 32, 64, 4, 128, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228,
                                   -1}},
        {100, 32, 64, 4, 128, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228,
                                    -1}},
        {120, 24, 24, 4, 128, {0, 8, 16, 32, 64, 100, -1}},
    };
    int found = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].cc / 10 == p->computeMajor &&
            rows[i].cc % 10 <= p->computeMinor) {
            *out = rows[i];
            found = 1;
        }
    return found;
}

static __OCC_INLINE int sw_occ_min(int a, int b)
{
    return a < b ? a : b;
}

static __OCC_INLINE size_t sw_occ_round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static __OCC_INLINE int sw_occ_is_valid(const cudaOccDeviceProp *p,
                                        const cudaOccFuncAttributes *a,
                                        const cudaOccDeviceState *s)
{
    return p && a && s && p->maxThreadsPerBlock > 0 &&
           p->maxThreadsPerMultiprocessor > 0 && p->regsPerBlock > 0 &&
           p->regsPerMultiprocessor > 0 && p->warpSize > 0 &&
           p->sharedMemPerBlock > 0 && p->sharedMemPerMultiprocessor > 0 &&
           p->numSms > 0 && a->maxThreadsPerBlock > 0 && a->numRegs >= 0 &&
           (p->computeMajor < 7 ||
            (s->carveoutConfig >= -1 && s->carveoutConfig <= 100));
}

/* Blocks that the register file has room for: each part of it holds whole
 * warps. Whether a block may be launched is asked of warps for all parts, of
 * which 6.0 counts as having four. */
static __OCC_INLINE int sw_occ_regs(const sw_occ_capability *c,
                                    const cudaOccDeviceProp *p, int regs,
                                    int warps, int *allocated)
{
    int parts = c->sub_partitions;
    int warp = SW_OCC_SAME(
        sw_occ_round_up(SW_OCC_SAME(regs * p->warpSize, size_t), 256), int);
    int checked = SW_OCC_SAME(
        sw_occ_round_up(SW_OCC_SAME(warps, size_t),
                        c->cc == 60 ? 4 : SW_OCC_SAME(parts, size_t)),
        int);

    *allocated = warp * warps;
    if (regs > (c->cc < 70 ? 255 : 256) || warp * checked > p->regsPerBlock)
        return 0;
    if (regs == 0)
        return INT_MAX;
    return p->regsPerMultiprocessor / parts / warp * parts / warps;
}

/* The most that a block with these attributes may have, the system's part
 * included, if it asks for up to `most`. */
static __OCC_INLINE size_t sw_occ_smem_block(const cudaOccDeviceProp *p,
                                             const cudaOccFuncAttributes *a,
                                             size_t most)
{
    size_t bytes = p->sharedMemPerBlock;

    if (p->computeMajor >= 7 && a->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN &&
        most > p->sharedMemPerBlock)
        bytes = p->sharedMemPerBlockOptin;
    return bytes + (p->computeMajor >= 8 ? p->reservedSharedMemPerBlock : 0);
}

/* Shared memory of a multiprocessor as preferred, enough for one block. */
static __OCC_INLINE size_t sw_occ_smem_sm(const sw_occ_capability *c,
                                          const cudaOccDeviceProp *p,
                                          const cudaOccDeviceState *s,
                                          size_t block)
{
    size_t all = p->sharedMemPerMultiprocessor, wanted = all;

    if (p->computeMajor == 3 && s->cacheConfig == CACHE_PREFER_L1)
        wanted = all - 32768;
    else if (p->computeMajor == 3 && s->cacheConfig == CACHE_PREFER_EQUAL)
        wanted = all - 16384;
    if (p->computeMajor < 7)
        return wanted >= block ? wanted : all;
    int percent = s->carveoutConfig >= 0                    ? s->carveoutConfig
                  : s->cacheConfig == CACHE_PREFER_L1     ? 0
                  : s->cacheConfig == CACHE_PREFER_EQUAL  ? 50
                                                          : 100;
    wanted = all * SW_OCC_SAME(percent, size_t) / 100;
    if (wanted < block)
        wanted = block;
    for (int i = 0; c->smem_kb[i] >= 0; i++)
        if (SW_OCC_SAME(c->smem_kb[i], size_t) * 1024 >= wanted)
            return SW_OCC_SAME(c->smem_kb[i], size_t) * 1024;
    return all;
}

/* Blocks of `blockSize` threads and so much dynamic shared memory (bytes) that
 * are resident on a multiprocessor; 0 blocks is an answer, not an error. */
static __OCC_INLINE cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(
    cudaOccResult *result, const cudaOccDeviceProp *properties,
    const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state,
    int blockSize, size_t dynamicSmemSize)
{
    const cudaOccDeviceProp *p = properties;
    const cudaOccFuncAttributes *a = attributes;
    sw_occ_capability c;
    cudaOccResult r;

    if (!result || !sw_occ_is_valid(p, a, state) || blockSize <= 0)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    if (!sw_occ_find(p, &c))
        return CUDA_OCC_ERROR_UNKNOWN_DEVICE;

    int warps = (blockSize - 1) / p->warpSize + 1;
    r.blockLimitWarps =
        blockSize > p->maxThreadsPerBlock
            ? 0
            : p->maxThreadsPerMultiprocessor / p->warpSize / warps;
    r.blockLimitBlocks = c.blocks;
    r.blockLimitVirtual = INT_MAX;
    r.blockLimitBarriers = p->computeMajor >= 9 && a->numBlockBarriers > 0
                               ? c.barriers / a->numBlockBarriers
                               : INT_MAX;
    r.blockLimitRegs =
        sw_occ_regs(&c, p, a->numRegs, warps, &r.allocatedRegistersPerBlock);

    size_t fixed = a->sharedSizeBytes + p->reservedSharedMemPerBlock;
    size_t block = sw_occ_round_up(fixed + dynamicSmemSize,
                                   SW_OCC_SAME(c.smem_unit, size_t));
    r.allocatedSharedMemPerBlock = block;
    if ((a->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN &&
         dynamicSmemSize > a->maxDynamicSharedSizeBytes) ||
        block > sw_occ_smem_block(p, a, fixed + a->maxDynamicSharedSizeBytes))
        r.blockLimitSharedMem = 0;
    else
        r.blockLimitSharedMem =
            block ? SW_OCC_SAME(sw_occ_smem_sm(&c, p, state, block) / block,
                                int)
                  : INT_MAX;

    int least = sw_occ_min(sw_occ_min(r.blockLimitWarps, r.blockLimitBlocks),
                           sw_occ_min(r.blockLimitRegs, r.blockLimitSharedMem));
    r.limitingFactors =
        (r.blockLimitWarps == least ? (unsigned)OCC_LIMIT_WARPS : 0u) |
        (r.blockLimitRegs == least ? (unsigned)OCC_LIMIT_REGISTERS : 0u) |
        (r.blockLimitSharedMem == least ? (unsigned)OCC_LIMIT_SHARED_MEMORY : 0u) |
        (r.blockLimitBlocks == least ? (unsigned)OCC_LIMIT_BLOCKS : 0u);
    if (r.blockLimitBarriers <= least) { /* named beside what was least */
        least = r.blockLimitBarriers;
        r.limitingFactors |= OCC_LIMIT_BARRIERS;
    }
    r.activeBlocksPerMultiprocessor = least;
    r.partitionedGCConfig = PARTITIONED_GC_OFF;
    *result = r;
    return CUDA_OCC_SUCCESS;
}

/* The most dynamic shared memory, bytes, with which `numBlocks` blocks are
 * resident, as the API answers: not counting what the system keeps of each. */
static __OCC_INLINE cudaOccError cudaOccAvailableDynamicSMemPerBlock(
    size_t *dynamicSmemSize, const cudaOccDeviceProp *properties,
    const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state,
    int numBlocks, int blockSize)
{
    cudaOccResult r;
    sw_occ_capability c;
    cudaOccError error;

    if (!dynamicSmemSize || numBlocks <= 0)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    error = cudaOccMaxActiveBlocksPerMultiprocessor(&r, properties, attributes,
                                                    state, blockSize, 0);
    if (error != CUDA_OCC_SUCCESS)
        return error;
    if (r.activeBlocksPerMultiprocessor < numBlocks)
        return CUDA_OCC_ERROR_INVALID_INPUT;

    sw_occ_find(properties, &c);
    size_t unit = SW_OCC_SAME(c.smem_unit, size_t);
    size_t most =
        sw_occ_smem_block(properties, attributes,
                          properties->sharedMemPerMultiprocessor);
    size_t share = numBlocks == 1
                       ? most
                       : sw_occ_smem_sm(&c, properties, state, 1) /
                             SW_OCC_SAME(numBlocks, size_t);
    share = share / unit * unit;
    if (share > most)
        share = most;
    share = share > attributes->sharedSizeBytes
                ? share - attributes->sharedSizeBytes
                : 0;
    *dynamicSmemSize = share < attributes->maxDynamicSharedSizeBytes
                           ? share
                           : attributes->maxDynamicSharedSizeBytes;
    return CUDA_OCC_SUCCESS;
}

#ifdef __cplusplus
/* The template that all forms are: smem_of(block size) in bytes. */
template <typename Function>
static __OCC_INLINE cudaOccError
sw_occ_block_size(int *grid, int *block, const cudaOccDeviceProp *p,
                  const cudaOccFuncAttributes *a, const cudaOccDeviceState *s,
                  Function smem_of)
#else
static __OCC_INLINE cudaOccError
sw_occ_block_size(int *grid, int *block, const cudaOccDeviceProp *p,
                  const cudaOccFuncAttributes *a, const cudaOccDeviceState *s,
                  size_t (*smem_of)(int), size_t smem)
#endif
{
    int best = 0, best_size = 0, best_blocks = 0;

    if (!grid || !block || !sw_occ_is_valid(p, a, s))
        return CUDA_OCC_ERROR_INVALID_INPUT;
    int most = sw_occ_min(p->maxThreadsPerBlock, a->maxThreadsPerBlock);
    for (int warps = (most - 1) / p->warpSize + 1;
         warps > 0 && best < p->maxThreadsPerMultiprocessor; warps--) {
        int size = sw_occ_min(most, warps * p->warpSize);
        cudaOccResult r;
#ifdef __cplusplus
        size_t smem = smem_of(size);
#else
        if (smem_of)
            smem = smem_of(size);
#endif
        cudaOccError error =
            cudaOccMaxActiveBlocksPerMultiprocessor(&r, p, a, s, size, smem);
        if (error != CUDA_OCC_SUCCESS)
            return error;
        if (r.activeBlocksPerMultiprocessor * size > best) {
            best_blocks = r.activeBlocksPerMultiprocessor;
            best_size = size;
            best = best_blocks * size;
        }
    }
    *grid = best_blocks * p->numSms;
    *block = best_size;
    return CUDA_OCC_SUCCESS;
}

#ifdef __cplusplus
struct sw_occ_smem {
    size_t (*of)(int);
    size_t bytes;
    __OCC_INLINE size_t operator()(int size) const
    {
        return of ? of(size) : bytes;
    }
};
#endif

/* The largest block size with the most resident threads, and the fewest blocks
 * with which all multiprocessors have them. The function, if not NULL, says
 * the dynamic shared memory of a block size; else it is the last argument. */
static __OCC_INLINE cudaOccError cudaOccMaxPotentialOccupancyBlockSize(
    int *minGridSize, int *blockSize, const cudaOccDeviceProp *properties,
    const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state,
    size_t (*blockSizeToDynamicSMemSize)(int), size_t dynamicSMemSize)
{
#ifdef __cplusplus
    sw_occ_smem smem_of = {blockSizeToDynamicSMemSize, dynamicSMemSize};
    return sw_occ_block_size(minGridSize, blockSize, properties, attributes,
                             state, smem_of);
#else
    return sw_occ_block_size(minGridSize, blockSize, properties, attributes,
                             state, blockSizeToDynamicSMemSize,
                             dynamicSMemSize);
#endif
}

#ifdef __cplusplus
static __OCC_INLINE cudaOccError cudaOccMaxPotentialOccupancyBlockSize(
    int *minGridSize, int *blockSize, const cudaOccDeviceProp *properties,
    const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state,
    size_t dynamicSMemSize = 0)
{
    sw_occ_smem smem_of = {0, dynamicSMemSize};
    return sw_occ_block_size(minGridSize, blockSize, properties, attributes,
                             state, smem_of);
}

template <typename UnaryFunction>
static __OCC_INLINE cudaOccError
cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(
    int *minGridSize, int *blockSize, const cudaOccDeviceProp *properties,
    const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state,
    UnaryFunction blockSizeToDynamicSMemSize)
{
    return sw_occ_block_size(minGridSize, blockSize, properties, attributes,
                             state, blockSizeToDynamicSMemSize);
}
#endif

#undef SW_OCC_SAME
#endif
