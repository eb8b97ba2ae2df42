/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/rtc.h - for sources that are compiled while a program runs
 * (__CUDACC_RTC__): what NVRTC knows without a header of the host's. The host's
 * library is not there, and nothing of it is declared.
 */
#ifndef SOFTWARP_RTC_H
#define SOFTWARP_RTC_H
#pragma GCC system_header

typedef decltype(sizeof(0)) size_t;
typedef decltype((char *)0 - (char *)0) ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
typedef long clock_t;
typedef __builtin_va_list va_list;
namespace std
{
using ::nullptr_t;
using ::ptrdiff_t;
using ::size_t;

/* Programs that have their own of these say so. */
#ifndef __SOFTWARP_NO_MOVE_FORWARD__
template <class T> struct __sw_no_reference {
    typedef T type;
};
template <class T> struct __sw_no_reference<T &> {
    typedef T type;
};
template <class T> struct __sw_no_reference<T &&> {
    typedef T type;
};
template <class T>
__attribute__((host, device, always_inline)) constexpr
    typename __sw_no_reference<T>::type &&
    move(T &&t) noexcept
{
    return static_cast<typename __sw_no_reference<T>::type &&>(t);
}
template <class T>
__attribute__((host, device, always_inline)) constexpr T &&
forward(typename __sw_no_reference<T>::type &t) noexcept
{
    return static_cast<T &&>(t);
}
template <class T>
__attribute__((host, device, always_inline)) constexpr T &&
forward(typename __sw_no_reference<T>::type &&t) noexcept
{
    return static_cast<T &&>(t);
}
#endif
#ifndef __SOFTWARP_NO_INITIALIZER_LIST__
/* The compiler makes them: an address and a number. */
template <class T> class initializer_list
{
    const T *first;
    size_t count;

  public:
    typedef T value_type;
    typedef const T &reference;
    typedef const T &const_reference;
    typedef size_t size_type;
    typedef const T *iterator;
    typedef const T *const_iterator;
    __attribute__((host, device)) constexpr initializer_list() noexcept
        : first(nullptr), count(0)
    {
    }
    __attribute__((host, device)) constexpr size_t size() const noexcept
    {
        return count;
    }
    __attribute__((host, device)) constexpr const T *begin() const noexcept
    {
        return first;
    }
    __attribute__((host, device)) constexpr const T *end() const noexcept
    {
        return first + count;
    }
};
#endif
} // namespace std

/* What <math.h> has beside functions of numbers: floating point's classes. */
#define __SW_CLASS(name)                                                       \
    __SW_HD__ bool name(float x)                                               \
    {                                                                          \
        return __builtin_##name(x) != 0;                                       \
    }                                                                          \
    __SW_HD__ bool name(double x)                                              \
    {                                                                          \
        return __builtin_##name(x) != 0;                                       \
    }                                                                          \
    namespace std                                                              \
    {                                                                          \
    using ::name;                                                              \
    }
__SW_CLASS(isnan)
__SW_CLASS(isinf)
__SW_CLASS(isfinite)
__SW_CLASS(signbit)
#undef __SW_CLASS

#define NULL                    __null
#define offsetof(type, member)  __builtin_offsetof(type, member)
#define va_start(list, last)    __builtin_va_start(list, last)
#define va_end(list)            __builtin_va_end(list)
#define va_arg(list, type)      __builtin_va_arg(list, type)
#define va_copy(to, from)       __builtin_va_copy(to, from)

#ifdef NDEBUG
#define assert(e) ((void)0)
#else
#define assert(e)                                                              \
    ((e) ? (void)0                                                             \
         : __assert_fail(#e, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif

#endif
