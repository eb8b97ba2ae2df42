/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvtx3/nvToolsExt.h - marks and ranges in a program's time, for profilers.
 * Nobody listens here: functions do nothing and return what they do without a
 * profiler.
 */
#ifndef NVTX_VERSION
#define NVTX_VERSION 3
#pragma GCC system_header
#include <stddef.h>
#include <stdint.h>

#define NVTX_SUCCESS              0
#define NVTX_FAIL                 1
#define NVTX_NO_PUSH_POP_TRACKING (-2)
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE                                          \
    ((uint16_t)sizeof(nvtxEventAttributes_t))

typedef enum nvtxColorType_t {
    NVTX_COLOR_UNKNOWN = 0,
    NVTX_COLOR_ARGB = 1
} nvtxColorType_t;

typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;

typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
    NVTX_PAYLOAD_TYPE_INT32 = 5,
    NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;

typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;

/* What an event is called, its colour as 0xAARRGGBB, a number with it. */
typedef struct nvtxEventAttributes_v2 {
    uint16_t version;
    uint16_t size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType;
    int32_t reserved0;
    union payload_t {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;

#define __SW_NVTX_ANY __attribute__((unused))

/* One function: its result, name, parameters and what it returns. */
#define __SW_NVTX(type, name, parameters, value)                               \
    static inline __attribute__((unused)) type name parameters                 \
    {                                                                          \
        return (type)value;                                                    \
    }
#define __SW_NVTX_TEXTS(type, name, value)                                     \
    __SW_NVTX(type, name##A, (__SW_NVTX_ANY const char *text), value) \
    __SW_NVTX(type, name##W, (__SW_NVTX_ANY const wchar_t *text),    \
              value)
#define __SW_NVTX_NAMES(name, key)                                             \
    __SW_NVTX(void, name##A,                                                   \
              (__SW_NVTX_ANY key,                                    \
               __SW_NVTX_ANY const char *text), 0)                   \
    __SW_NVTX(void, name##W,                                                   \
              (__SW_NVTX_ANY key,                                    \
               __SW_NVTX_ANY const wchar_t *text), 0)

__SW_NVTX(void, nvtxInitialize, (__SW_NVTX_ANY const void *r), 0)
__SW_NVTX_TEXTS(void, nvtxMark, 0)
__SW_NVTX(void, nvtxMarkEx,
          (__SW_NVTX_ANY const nvtxEventAttributes_t *event), 0)
__SW_NVTX_TEXTS(nvtxRangeId_t, nvtxRangeStart, 0)
__SW_NVTX(nvtxRangeId_t, nvtxRangeStartEx,
          (__SW_NVTX_ANY const nvtxEventAttributes_t *event), 0)
__SW_NVTX(void, nvtxRangeEnd, (__SW_NVTX_ANY nvtxRangeId_t id), 0)
__SW_NVTX_TEXTS(int, nvtxRangePush, NVTX_NO_PUSH_POP_TRACKING)
__SW_NVTX(int, nvtxRangePushEx,
          (__SW_NVTX_ANY const nvtxEventAttributes_t *event),
          NVTX_NO_PUSH_POP_TRACKING)
__SW_NVTX(int, nvtxRangePop, (void), NVTX_NO_PUSH_POP_TRACKING)
__SW_NVTX_NAMES(nvtxNameCategory, uint32_t category)
__SW_NVTX_NAMES(nvtxNameOsThread, uint32_t thread)

__SW_NVTX_TEXTS(nvtxDomainHandle_t, nvtxDomainCreate, 0)
__SW_NVTX(void, nvtxDomainDestroy,
          (__SW_NVTX_ANY nvtxDomainHandle_t domain), 0)
__SW_NVTX(void, nvtxDomainMarkEx,
          (__SW_NVTX_ANY nvtxDomainHandle_t domain,
           __SW_NVTX_ANY const nvtxEventAttributes_t *event), 0)
__SW_NVTX(nvtxRangeId_t, nvtxDomainRangeStartEx,
          (__SW_NVTX_ANY nvtxDomainHandle_t domain,
           __SW_NVTX_ANY const nvtxEventAttributes_t *event), 0)
__SW_NVTX(void, nvtxDomainRangeEnd,
          (__SW_NVTX_ANY nvtxDomainHandle_t domain,
           __SW_NVTX_ANY nvtxRangeId_t id), 0)
__SW_NVTX(int, nvtxDomainRangePushEx,
          (__SW_NVTX_ANY nvtxDomainHandle_t domain,
           __SW_NVTX_ANY const nvtxEventAttributes_t *event),
          NVTX_NO_PUSH_POP_TRACKING)
__SW_NVTX(int, nvtxDomainRangePop,
          (__SW_NVTX_ANY nvtxDomainHandle_t domain),
          NVTX_NO_PUSH_POP_TRACKING)
__SW_NVTX(nvtxStringHandle_t, nvtxDomainRegisterStringA,
          (__SW_NVTX_ANY nvtxDomainHandle_t domain,
           __SW_NVTX_ANY const char *text), 0)
__SW_NVTX(nvtxStringHandle_t, nvtxDomainRegisterStringW,
          (__SW_NVTX_ANY nvtxDomainHandle_t domain,
           __SW_NVTX_ANY const wchar_t *text), 0)

#ifdef UNICODE
#define nvtxMark       nvtxMarkW
#define nvtxRangeStart nvtxRangeStartW
#define nvtxRangePush  nvtxRangePushW
#else
#define nvtxMark       nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxRangePush  nvtxRangePushA
#endif
#define nvtxNameCategory         nvtxNameCategoryA
#define nvtxNameOsThread         nvtxNameOsThreadA
#define nvtxDomainCreate         nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA

#undef __SW_NVTX
#undef __SW_NVTX_ANY
#undef __SW_NVTX_TEXTS
#undef __SW_NVTX_NAMES

#endif
