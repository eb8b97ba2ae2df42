/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvtx3/nvtx3.hpp - nvToolsExt.h for C++: ranges that end with their scope.
 * Nobody listens here. A domain is any type; what events are told of (messages,
 * colours, categories, payloads) is taken and left.
 */
#ifndef SOFTWARP_NVTX3_HPP
#define SOFTWARP_NVTX3_HPP
#include "nvtx3/nvToolsExt.h"
#include <cstddef>
#include <cstdint>
#include <string>
#pragma GCC system_header

/* By which libraries (CUB) tell that namespace v1 is there. */
#define NVTX3_CPP_DEFINITIONS_V1_0

namespace nvtx3
{
inline namespace v1
{
struct domain {
    struct global {
    };
    template <typename D = global> static const domain &get() noexcept
    {
        static const domain d{};
        return d;
    }
    operator nvtxDomainHandle_t() const noexcept
    {
        return nullptr;
    }
};

class rgb
{
  public:
    typedef uint8_t component_type;
    component_type red, green, blue;
    constexpr rgb(component_type r, component_type g, component_type b) noexcept
        : red(r), green(g), blue(b)
    {
    }
};
class argb : public rgb
{
  public:
    component_type alpha;
    constexpr argb(component_type a, component_type r, component_type g,
                   component_type b) noexcept
        : rgb(r, g, b), alpha(a)
    {
    }
};
class color
{
  public:
    typedef uint32_t value_type;
    constexpr explicit color(value_type v) noexcept : value(v)
    {
    }
    constexpr color(argb c) noexcept
        : value((value_type)c.alpha << 24 | (value_type)c.red << 16 |
                (value_type)c.green << 8 | c.blue)
    {
    }
    constexpr color(rgb c) noexcept : color(argb(0xff, c.red, c.green, c.blue))
    {
    }
    constexpr value_type get_value() const noexcept
    {
        return value;
    }
    constexpr nvtxColorType_t get_type() const noexcept
    {
        return NVTX_COLOR_ARGB;
    }

  private:
    value_type value;
};

class category
{
  public:
    typedef uint32_t id_type;
    constexpr explicit category(id_type n) noexcept : id(n)
    {
    }
    constexpr id_type get_id() const noexcept
    {
        return id;
    }

  private:
    id_type id;
};
template <typename D = domain::global> class named_category_in : public category
{
  public:
    template <typename T>
    named_category_in(id_type n, const T &) noexcept : category(n)
    {
    }
    template <typename C> static const named_category_in &get() noexcept
    {
        static const named_category_in c(C::id, C::name);
        return c;
    }
};
typedef named_category_in<> named_category;

template <typename D = domain::global> class registered_string_in
{
  public:
    template <typename T> explicit registered_string_in(const T &) noexcept
    {
    }
    template <typename M> static const registered_string_in &get() noexcept
    {
        static const registered_string_in s(M::message);
        return s;
    }
    nvtxStringHandle_t get_handle() const noexcept
    {
        return nullptr;
    }
};
typedef registered_string_in<> registered_string;

class message
{
  public:
    message(const char *) noexcept
    {
    }
    message(const wchar_t *) noexcept
    {
    }
    message(const ::std::string &) noexcept
    {
    }
    message(const ::std::wstring &) noexcept
    {
    }
    template <typename D> message(const registered_string_in<D> &) noexcept
    {
    }
};

class payload
{
  public:
    template <typename T> explicit payload(T) noexcept
    {
    }
};

class event_attributes
{
  public:
    event_attributes() noexcept : all()
    {
        all.version = NVTX_VERSION;
        all.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    }
    template <typename First, typename... Rest>
    explicit event_attributes(const First &, const Rest &...) noexcept
        : event_attributes()
    {
    }
    const nvtxEventAttributes_t *get() const noexcept
    {
        return &all;
    }

  private:
    nvtxEventAttributes_t all;
};

template <typename D = domain::global> class scoped_range_in
{
  public:
    scoped_range_in() noexcept
    {
    }
    template <typename... A> explicit scoped_range_in(const A &...) noexcept
    {
    }
    scoped_range_in(const scoped_range_in &) = delete;
    scoped_range_in &operator=(const scoped_range_in &) = delete;
    ~scoped_range_in() noexcept
    {
    }
};
typedef scoped_range_in<> scoped_range;

/* One that may be moved and ends anywhere. */
template <typename D = domain::global> class unique_range_in
{
  public:
    unique_range_in() noexcept
    {
    }
    template <typename First, typename... Rest>
    explicit unique_range_in(const First &, const Rest &...) noexcept
    {
    }
    unique_range_in(unique_range_in &&) noexcept
    {
    }
    unique_range_in &operator=(unique_range_in &&) noexcept
    {
        return *this;
    }
    ~unique_range_in() noexcept
    {
    }
};
typedef unique_range_in<> unique_range;

class range_handle
{
  public:
    typedef nvtxRangeId_t value_type;
    constexpr explicit range_handle(value_type v = 0) noexcept : id(v)
    {
    }
    constexpr explicit operator bool() const noexcept
    {
        return id != 0;
    }
    constexpr value_type get_value() const noexcept
    {
        return id;
    }

  private:
    value_type id;
};

template <typename D = domain::global, typename... A>
range_handle
start_range_in(const A &...) noexcept
{
    return range_handle();
}
template <typename... A>
range_handle
start_range(const A &...) noexcept
{
    return range_handle();
}
template <typename D = domain::global>
void
end_range_in(range_handle) noexcept
{
}
inline void
end_range(range_handle) noexcept
{
}
template <typename D = domain::global, typename... A>
void
mark_in(const A &...) noexcept
{
}
template <typename... A>
void
mark(const A &...) noexcept
{
}
} // namespace v1
} // namespace nvtx3

#define NVTX3_FUNC_RANGE()                                                     \
    const ::nvtx3::scoped_range nvtx3_range__ { __func__ }
#define NVTX3_FUNC_RANGE_IN(D)                                                 \
    const ::nvtx3::scoped_range_in<D> nvtx3_range__ { __func__ }
#define NVTX3_FUNC_RANGE_IF(C)       NVTX3_FUNC_RANGE()
#define NVTX3_FUNC_RANGE_IF_IN(D, C) NVTX3_FUNC_RANGE_IN(D)
#define NVTX3_V1_FUNC_RANGE()        NVTX3_FUNC_RANGE()
#define NVTX3_V1_FUNC_RANGE_IN(D)    NVTX3_FUNC_RANGE_IN(D)

#endif
