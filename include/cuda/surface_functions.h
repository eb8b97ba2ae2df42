/* SPDX-License-Identifier: Apache-2.0 */
/*
 * surface_functions.h - reading and writing surfaces in device code, by
 * object and by reference, for any type of 1, 2, 4, 8 or 16 bytes.
 *
 * Accesses are of the type's size; a surface does not convert.
 */
#ifndef SOFTWARP_SURFACE_FUNCTIONS_H
#define SOFTWARP_SURFACE_FUNCTIONS_H
#pragma GCC system_header
#include "cuda_surface_types.h"

#if defined(__cplusplus) && defined(__CUDA__)
#define SW_SURF_FN        static __device__ __forceinline__ __attribute__((nodebug))
#define SW_SURF_LIST(...) __VA_ARGS__

/* The 64-bit handle of a reference: its address in the surface space. */
template <class T, int dim>
SW_SURF_FN cudaSurfaceObject_t
sw_surface_handle(surface<T, dim> surf)
{
    cudaSurfaceObject_t handle;

    asm("mov.b64 %0, %1;" : "=l"(handle) : "l"(surf));
    return handle;
}

/* The registers of an access of so many bytes. */
template <int bytes> struct sw_surf {
    unsigned int v[bytes / 4];
};
template <> struct sw_surf<1> {
    unsigned short v[1];
};
template <> struct sw_surf<2> {
    unsigned short v[1];
};

/* The low bytes of the registers are the value's. */
template <class T>
SW_SURF_FN T
sw_surf_take(const sw_surf<sizeof(T)> &regs)
{
    T value;

    __builtin_memcpy(&value, regs.v, sizeof value);
    return value;
}

template <class T>
SW_SURF_FN sw_surf<sizeof(T)>
sw_surf_give(const T &value)
{
    sw_surf<sizeof(T)> regs = {};

    __builtin_memcpy(regs.v, &value, sizeof value);
    return regs;
}

/* Outside the surface: .trap faults, .clamp takes the nearest, .zero reads
 * zero and writes nothing. The mode is part of the operation. */
#define SW_SURF_RW(rd, wr, geometry, address, params, operands, bytes, type,   \
                   names, outs, ins)                                           \
    SW_SURF_FN void sw_##rd(sw_surf<bytes> &r, cudaSurfaceObject_t surf,       \
                            SW_SURF_LIST params,                               \
                            enum cudaSurfaceBoundaryMode mode)                 \
    {                                                                          \
        if (mode == cudaBoundaryModeClamp)                                     \
            asm volatile("suld.b." geometry "." type ".clamp " names           \
                         ", [%[surf], " address "];"                           \
                         : SW_SURF_LIST outs                                   \
                         : [surf] "l"(surf), SW_SURF_LIST operands);           \
        else if (mode == cudaBoundaryModeZero)                                 \
            asm volatile("suld.b." geometry "." type ".zero " names            \
                         ", [%[surf], " address "];"                           \
                         : SW_SURF_LIST outs                                   \
                         : [surf] "l"(surf), SW_SURF_LIST operands);           \
        else                                                                   \
            asm volatile("suld.b." geometry "." type ".trap " names            \
                         ", [%[surf], " address "];"                           \
                         : SW_SURF_LIST outs                                   \
                         : [surf] "l"(surf), SW_SURF_LIST operands);           \
    }                                                                          \
    SW_SURF_FN void sw_##wr(const sw_surf<bytes> &r, cudaSurfaceObject_t surf, \
                            SW_SURF_LIST params,                               \
                            enum cudaSurfaceBoundaryMode mode)                 \
    {                                                                          \
        if (mode == cudaBoundaryModeClamp)                                     \
            asm volatile("sust.b." geometry "." type                           \
                         ".clamp [%[surf], " address "], " names ";"           \
                         :                                                     \
                         : SW_SURF_LIST ins, [surf] "l"(surf),                 \
                           SW_SURF_LIST operands                               \
                         : "memory");                                          \
        else if (mode == cudaBoundaryModeZero)                                 \
            asm volatile("sust.b." geometry "." type                           \
                         ".zero [%[surf], " address "], " names ";"            \
                         :                                                     \
                         : SW_SURF_LIST ins, [surf] "l"(surf),                 \
                           SW_SURF_LIST operands                               \
                         : "memory");                                          \
        else                                                                   \
            asm volatile("sust.b." geometry "." type                           \
                         ".trap [%[surf], " address "], " names ";"            \
                         :                                                     \
                         : SW_SURF_LIST ins, [surf] "l"(surf),                 \
                           SW_SURF_LIST operands                               \
                         : "memory");                                          \
    }

#define SURF(rd, wr, geometry, address, dim, params, args, operands)           \
    SW_SURF_RW(rd, wr, geometry, address, params, operands, 1, "b8", "{%[a]}", \
               ([a] "=h"(r.v[0])), ([a] "h"(r.v[0])))                          \
    SW_SURF_RW(rd, wr, geometry, address, params, operands, 2, "b16",          \
               "{%[a]}", ([a] "=h"(r.v[0])), ([a] "h"(r.v[0])))                \
    SW_SURF_RW(rd, wr, geometry, address, params, operands, 4, "b32",          \
               "{%[a]}", ([a] "=r"(r.v[0])), ([a] "r"(r.v[0])))                \
    SW_SURF_RW(rd, wr, geometry, address, params, operands, 8, "v2.b32",       \
               "{%[a], %[b]}", ([a] "=r"(r.v[0]), [b] "=r"(r.v[1])),           \
               ([a] "r"(r.v[0]), [b] "r"(r.v[1])))                             \
    SW_SURF_RW(                                                                \
        rd, wr, geometry, address, params, operands, 16, "v4.b32",             \
        "{%[a], %[b], %[c], %[d]}",                                            \
        ([a] "=r"(r.v[0]), [b] "=r"(r.v[1]), [c] "=r"(r.v[2]),                 \
         [d] "=r"(r.v[3])),                                                    \
        ([a] "r"(r.v[0]), [b] "r"(r.v[1]), [c] "r"(r.v[2]), [d] "r"(r.v[3])))  \
    template <class T>                                                         \
    SW_SURF_FN T rd(cudaSurfaceObject_t surf, SW_SURF_LIST params,             \
                    enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)  \
    {                                                                          \
        sw_surf<sizeof(T)> regs;                                               \
                                                                               \
        sw_##rd(regs, surf, SW_SURF_LIST args, mode);                          \
        return sw_surf_take<T>(regs);                                          \
    }                                                                          \
    template <class T>                                                         \
    SW_SURF_FN void rd(T *out, cudaSurfaceObject_t surf, SW_SURF_LIST params,  \
                       enum cudaSurfaceBoundaryMode mode =                     \
                           cudaBoundaryModeTrap)                               \
    {                                                                          \
        *out = rd<T>(surf, SW_SURF_LIST args, mode);                           \
    }                                                                          \
    template <class T, class __S>                                              \
    SW_SURF_FN T rd(surface<__S, dim> surf, SW_SURF_LIST params,               \
                    enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)  \
    {                                                                          \
        return rd<T>(sw_surface_handle(surf), SW_SURF_LIST args, mode);        \
    }                                                                          \
    template <class T, class __S>                                              \
    SW_SURF_FN void rd(T *out, surface<__S, dim> surf, SW_SURF_LIST params,    \
                       enum cudaSurfaceBoundaryMode mode =                     \
                           cudaBoundaryModeTrap)                               \
    {                                                                          \
        *out = rd<T>(sw_surface_handle(surf), SW_SURF_LIST args, mode);        \
    }                                                                          \
    template <class T>                                                         \
    SW_SURF_FN void wr(T value, cudaSurfaceObject_t surf, SW_SURF_LIST params, \
                       enum cudaSurfaceBoundaryMode mode =                     \
                           cudaBoundaryModeTrap)                               \
    {                                                                          \
        sw_##wr(sw_surf_give(value), surf, SW_SURF_LIST args, mode);           \
    }                                                                          \
    template <class T, class __S>                                              \
    SW_SURF_FN void wr(T value, surface<__S, dim> surf, SW_SURF_LIST params,   \
                       enum cudaSurfaceBoundaryMode mode =                     \
                           cudaBoundaryModeTrap)                               \
    {                                                                          \
        sw_##wr(sw_surf_give(value), sw_surface_handle(surf),                  \
                SW_SURF_LIST args, mode);                                      \
    }
#include "softwarp_surfaces.def"
#undef SURF
#undef SW_SURF_RW
#undef SW_SURF_LIST
#undef SW_SURF_FN
#endif
#endif
