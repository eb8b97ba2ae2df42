/* SPDX-License-Identifier: Apache-2.0 */
/* handle.cl - images and samplers as what they are; see image.clh. */
#include "image.clh"

#define HANDLE(type, access)                                                   \
    image __sw_##type##_##access(image x);                                     \
    image __sw_##type##_##access(image x)                                      \
    {                                                                          \
        return x;                                                              \
    }
IMAGES(HANDLE)

uint __sw_sampler(constant void *x);
uint
__sw_sampler(constant void *x)
{
    return (uint)(ulong)x;
}

/* clang calls it for samplers that are constants of the source. */
constant void *__translate_sampler_initializer(uint bits);
constant void *
__translate_sampler_initializer(uint bits)
{
    return (constant void *)(ulong)bits;
}
