/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/rtc_new.h - operator new and delete in sources that are compiled
 * while a program runs: on the device's heap, and in place.
 */
#ifndef SOFTWARP_RTC_NEW_H
#define SOFTWARP_RTC_NEW_H
#pragma GCC system_header

#define __SW_NEW__ __attribute__((device)) inline

__SW_NEW__ void *
operator new(size_t bytes)
{
    return malloc(bytes ? bytes : 1);
}
__SW_NEW__ void *
operator new[](size_t bytes)
{
    return malloc(bytes ? bytes : 1);
}
__SW_NEW__ void
operator delete(void *p) noexcept
{
    free(p);
}
__SW_NEW__ void
operator delete[](void *p) noexcept
{
    free(p);
}
__SW_NEW__ void
operator delete(void *p, size_t) noexcept
{
    free(p);
}
__SW_NEW__ void
operator delete[](void *p, size_t) noexcept
{
    free(p);
}
__attribute__((host)) __SW_NEW__ void *
operator new(size_t, void *at) noexcept
{
    return at;
}
__attribute__((host)) __SW_NEW__ void *
operator new[](size_t, void *at) noexcept
{
    return at;
}
__attribute__((host)) __SW_NEW__ void
operator delete(void *, void *) noexcept
{
}
__attribute__((host)) __SW_NEW__ void
operator delete[](void *, void *) noexcept
{
}
#undef __SW_NEW__

#endif
