/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_fetch_functions.h - reading textures in device code, by object and
 * by reference: every function of softwarp_textures.def for every element
 * type, and tex2Dgather().
 *
 * A PTX read gives four words; the element type takes those it has. Integer
 * elements of a reference in cudaReadModeNormalizedFloat are read as floats.
 */
#ifndef SOFTWARP_TEXTURE_FETCH_FUNCTIONS_H
#define SOFTWARP_TEXTURE_FETCH_FUNCTIONS_H
#pragma GCC system_header
#include "cuda_texture_types.h"
#include "vector_functions.h"

#if defined(__cplusplus) && defined(__CUDA__)
#define SW_TEX_FN        static __device__ __forceinline__ __attribute__((nodebug))
#define SW_TEX_LIST(...) __VA_ARGS__

/* ---- element types: what PTX reads for them, how it is taken apart ---- */
template <class T> struct sw_texel;

#define SW_TEXEL(type, words, value)                                           \
    template <> struct sw_texel<type> {                                        \
        typedef words raw;                                                     \
        SW_TEX_FN type from(const words &v)                                    \
        {                                                                      \
            return value;                                                      \
        }                                                                      \
    };
#define SW_TEXELS(scalar, name, words)                                         \
    SW_TEXEL(scalar, words, (scalar)v.x)                                       \
    SW_TEXEL(name##1, words, make_##name##1((scalar)v.x))                      \
    SW_TEXEL(name##2, words, make_##name##2((scalar)v.x, (scalar)v.y))         \
    SW_TEXEL(                                                                  \
        name##4, words,                                                        \
        make_##name##4((scalar)v.x, (scalar)v.y, (scalar)v.z, (scalar)v.w))

SW_TEXEL(char, int4, (char)v.x)
SW_TEXELS(signed char, char, int4)
SW_TEXELS(short, short, int4)
SW_TEXELS(int, int, int4)
SW_TEXELS(unsigned char, uchar, uint4)
SW_TEXELS(unsigned short, ushort, uint4)
SW_TEXELS(unsigned int, uint, uint4)
SW_TEXELS(float, float, float4)
#undef SW_TEXELS
#undef SW_TEXEL

/* What a reference's read gives. */
template <class T, enum cudaTextureReadMode mode>
struct sw_texref {
    typedef T type;
};
#define SW_TEXREF(type_, float_)                                               \
    template <> struct sw_texref<type_, cudaReadModeNormalizedFloat> {         \
        typedef float_ type;                                                   \
    };
#define SW_TEXREFS(scalar, name)                                               \
    SW_TEXREF(scalar, float)                                                   \
    SW_TEXREF(name##1, float1)                                                 \
    SW_TEXREF(name##2, float2) SW_TEXREF(name##4, float4)
SW_TEXREF(char, float)
SW_TEXREFS(signed char, char)
SW_TEXREFS(unsigned char, uchar)
SW_TEXREFS(short, short)
SW_TEXREFS(unsigned short, ushort)
#undef SW_TEXREFS
#undef SW_TEXREF

/* The 64-bit handle of a reference: its address in the texture space. */
template <class T, int dim, enum cudaTextureReadMode mode>
SW_TEX_FN cudaTextureObject_t
sw_texture_handle(texture<T, dim, mode> tex)
{
    cudaTextureObject_t handle;

    asm("mov.b64 %0, %1;" : "=l"(handle) : "l"(tex));
    return handle;
}

/* ---- the reads themselves, by the words they give ---- */
template <class Words> struct sw_tex;

#define TEX_AS(words, type, reg, name, op, ctype, address, params, operands)   \
    SW_TEX_FN words name(cudaTextureObject_t tex, SW_TEX_LIST params)          \
    {                                                                          \
        words v;                                                               \
                                                                               \
        asm volatile(op ".v4." type "." ctype " {%0, %1, %2, %3}, " address    \
                        ";"                                                    \
                     : "=" reg(v.x), "=" reg(v.y), "=" reg(v.z), "=" reg(v.w)  \
                     : "l"(tex), SW_TEX_LIST operands);                        \
        return v;                                                              \
    }
#define SW_GATHER(words, type, reg, c)                                         \
    TEX_AS(words, type, reg, gather_##c, "tld4." #c ".2d", "f32",              \
           "[%4, {%5, %6}]", (float x, float y), ("f"(x), "f"(y)))
#define SW_GATHERS(words, type, reg)                                           \
    SW_GATHER(words, type, reg, r)                                             \
    SW_GATHER(words, type, reg, g)                                             \
    SW_GATHER(words, type, reg, b)                                             \
    SW_GATHER(words, type, reg, a)                                             \
    SW_TEX_FN words gather(cudaTextureObject_t tex, float x, float y, int c)   \
    {                                                                          \
        return c == 3   ? gather_a(tex, x, y)                                  \
               : c == 2 ? gather_b(tex, x, y)                                  \
               : c == 1 ? gather_g(tex, x, y)                                  \
                        : gather_r(tex, x, y);                                 \
    }

#define TEX(name, op, ctype, address, dim, params, args, operands)             \
    TEX_AS(float4, "f32", "f", name, op, ctype, address, params, operands)
template <> struct sw_tex<float4> {
#include "softwarp_textures.def"
    SW_GATHERS(float4, "f32", "f")
};
#undef TEX
#define TEX(name, op, ctype, address, dim, params, args, operands)             \
    TEX_AS(int4, "s32", "r", name, op, ctype, address, params, operands)
template <> struct sw_tex<int4> {
#include "softwarp_textures.def"
    SW_GATHERS(int4, "s32", "r")
};
#undef TEX
#define TEX(name, op, ctype, address, dim, params, args, operands)             \
    TEX_AS(uint4, "u32", "r", name, op, ctype, address, params, operands)
template <> struct sw_tex<uint4> {
#include "softwarp_textures.def"
    SW_GATHERS(uint4, "u32", "r")
};
#undef TEX
#undef SW_GATHERS
#undef SW_GATHER
#undef TEX_AS

/* ---- what programs call ---- */
#define SW_TEX_READ(T, name, tex, args)                                        \
    sw_texel<T>::from(                                                         \
        sw_tex<typename sw_texel<T>::raw>::name(tex, SW_TEX_LIST args))

#define TEX(name, op, ctype, address, dim, params, args, operands)             \
    template <class T>                                                         \
    SW_TEX_FN T name(cudaTextureObject_t tex, SW_TEX_LIST params)              \
    {                                                                          \
        return SW_TEX_READ(T, name, tex, args);                                \
    }                                                                          \
    template <class T>                                                         \
    SW_TEX_FN void name(T *out, cudaTextureObject_t tex, SW_TEX_LIST params)   \
    {                                                                          \
        *out = SW_TEX_READ(T, name, tex, args);                                \
    }                                                                          \
    template <class T, enum cudaTextureReadMode mode>                          \
    SW_TEX_FN typename sw_texref<T, mode>::type name(                          \
        texture<T, dim, mode> tex, SW_TEX_LIST params)                         \
    {                                                                          \
        typedef typename sw_texref<T, mode>::type __R;                         \
        return SW_TEX_READ(__R, name, sw_texture_handle(tex), args);           \
    }
#include "softwarp_textures.def"
#undef TEX
#undef SW_TEX_READ

/* The same component, `c`, of the four texels that a filter would mix. */
template <class T>
SW_TEX_FN T
tex2Dgather(cudaTextureObject_t tex, float x, float y, int c = 0)
{
    return sw_texel<T>::from(
        sw_tex<typename sw_texel<T>::raw>::gather(tex, x, y, c));
}

template <class T>
SW_TEX_FN void
tex2Dgather(T *out, cudaTextureObject_t tex, float x, float y, int c = 0)
{
    *out = tex2Dgather<T>(tex, x, y, c);
}

/* One component of each of four texels, in a vector of four. */
template <class T> struct sw_four;
#define SW_FOUR(scalar, name)                                                  \
    template <> struct sw_four<scalar> {                                       \
        typedef name##4 type;                                                  \
    };                                                                         \
    template <> struct sw_four<name##1> : sw_four<scalar> {                    \
    };                                                                         \
    template <> struct sw_four<name##2> : sw_four<scalar> {                    \
    };                                                                         \
    template <> struct sw_four<name##4> : sw_four<scalar> {                    \
    };
SW_FOUR(signed char, char)
SW_FOUR(unsigned char, uchar)
SW_FOUR(short, short)
SW_FOUR(unsigned short, ushort)
SW_FOUR(int, int)
SW_FOUR(unsigned int, uint)
SW_FOUR(float, float)
#undef SW_FOUR
template <> struct sw_four<char> : sw_four<signed char> {
};

template <class T, enum cudaTextureReadMode mode>
SW_TEX_FN typename sw_four<typename sw_texref<T, mode>::type>::type
tex2Dgather(texture<T, cudaTextureType2D, mode> tex, float x, float y,
            int c = 0)
{
    typedef typename sw_four<typename sw_texref<T, mode>::type>::type __R;

    return tex2Dgather<__R>(sw_texture_handle(tex), x, y, c);
}
#undef SW_TEX_LIST
#undef SW_TEX_FN
#endif
#endif
