/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/rtc_end.h - what clang says of itself and of the host is unknown to
 * sources that are compiled while a program runs, as with NVRTC: libraries ask
 * by these names whose language it is. The last of cuda_runtime.h.
 */
#ifndef SOFTWARP_RTC_END_H
#define SOFTWARP_RTC_END_H
#undef __clang__
#undef __clang_major__
#undef __clang_minor__
#undef __clang_patchlevel__
#undef __clang_version__
#undef __GNUC__
#undef __GNUC_MINOR__
#undef __GNUC_PATCHLEVEL__
#undef __GNUG__
#undef __VERSION__
#undef __linux
#undef __linux__
#undef __gnu_linux__
#undef linux
#undef __unix
#undef __unix__
#undef unix
#endif
