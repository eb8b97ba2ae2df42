/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel_descriptor.h - cudaCreateChannelDesc<T>(): how an array or texture
 * element of type T is laid out.
 */
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__
#pragma GCC system_header
#include "cuda_runtime_api.h"

#ifdef __cplusplus
/* A type without specialisation has no channels. */
template <class T>
__inline__ __host__ cudaChannelFormatDesc
cudaCreateChannelDesc(void)
{
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define SW_CHANNELS(type, x, y, z, w, kind)                                    \
    template <>                                                                \
    __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc<type>(     \
        void)                                                                  \
    {                                                                          \
        return cudaCreateChannelDesc(x, y, z, w, cudaChannelFormatKind##kind); \
    }
#define SW_CHANNELS_OF(scalar, name, bits, kind)                               \
    SW_CHANNELS(scalar, bits, 0, 0, 0, kind)                                   \
    SW_CHANNELS(name##1, bits, 0, 0, 0, kind)                                  \
    SW_CHANNELS(name##2, bits, bits, 0, 0, kind)                               \
    SW_CHANNELS(name##3, bits, bits, bits, 0, kind)                            \
    SW_CHANNELS(name##4, bits, bits, bits, bits, kind)

SW_CHANNELS(char, 8, 0, 0, 0, Signed)
SW_CHANNELS_OF(signed char, char, 8, Signed)
SW_CHANNELS_OF(unsigned char, uchar, 8, Unsigned)
SW_CHANNELS_OF(short, short, 16, Signed)
SW_CHANNELS_OF(unsigned short, ushort, 16, Unsigned)
SW_CHANNELS_OF(int, int, 32, Signed)
SW_CHANNELS_OF(unsigned int, uint, 32, Unsigned)
SW_CHANNELS_OF(float, float, 32, Float)
#undef SW_CHANNELS_OF
#undef SW_CHANNELS

/* Fractions, by the name of their format. */
template <cudaChannelFormatKind kind>
__inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc(void)
{
    const int i = (int)kind - (int)cudaChannelFormatKindUnsignedNormalized8X1;
#if __cplusplus >= 201103L
    static_assert(i >= 0 && i < 12, "a format of fractions");
#endif
    const int n = i % 3 == 2 ? 4 : i % 3 + 1;
    const int bits = i / 3 % 2 ? 16 : 8;
    return cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0,
                                 n > 3 ? bits : 0, kind);
}

static __inline__ __host__ cudaChannelFormatDesc
cudaCreateChannelDescHalf(void)
{
    return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}

static __inline__ __host__ cudaChannelFormatDesc
cudaCreateChannelDescHalf1(void)
{
    return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}

static __inline__ __host__ cudaChannelFormatDesc
cudaCreateChannelDescHalf2(void)
{
    return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}

static __inline__ __host__ cudaChannelFormatDesc
cudaCreateChannelDescHalf4(void)
{
    return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}
#endif
#endif
