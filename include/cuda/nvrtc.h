/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvrtc.h - CUDA C++ compiled to PTX while a program runs.
 *
 * A program is a source text and the headers that it may include by name. Any
 * thread may call anything; one program belongs to one thread at a time.
 */
#ifndef __NVRTC_H__
#define __NVRTC_H__
#include <stddef.h>

#include "softwarp_version.h"

#include "softwarp_begin.h"

typedef enum {
    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_OUT_OF_MEMORY = 1,
    NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
    NVRTC_ERROR_INVALID_INPUT = 3,
    NVRTC_ERROR_INVALID_PROGRAM = 4,
    NVRTC_ERROR_INVALID_OPTION = 5,
    NVRTC_ERROR_COMPILATION = 6,
    NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
    NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
    NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
    NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
    NVRTC_ERROR_INTERNAL_ERROR = 11,
    NVRTC_ERROR_TIME_FILE_WRITE_FAILED = 12,
    NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED = 13,
    NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED = 14,
    NVRTC_ERROR_PCH_CREATE = 15,
    NVRTC_ERROR_CANCELLED = 16,
    NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED = 17
} nvrtcResult;

typedef struct _nvrtcProgram *nvrtcProgram;

const char *nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcVersion(int *major, int *minor);
/* Of virtual architectures, 90 for compute_90; ascending. */
nvrtcResult nvrtcGetNumSupportedArchs(int *numArchs);
nvrtcResult nvrtcGetSupportedArchs(int *supportedArchs);

/* name: of the source, in messages; NULL: default_program. Texts are copied. */
nvrtcResult nvrtcCreateProgram(nvrtcProgram *prog, const char *src,
                               const char *name, int numHeaders,
                               const char *const *headers,
                               const char *const *includeNames);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *prog);
nvrtcResult nvrtcCompileProgram(nvrtcProgram prog, int numOptions,
                                const char *const *options);

/* Sizes count the NUL at the end of a text; 0: there is none such. */
nvrtcResult nvrtcGetPTXSize(nvrtcProgram prog, size_t *ptxSizeRet);
nvrtcResult nvrtcGetPTX(nvrtcProgram prog, char *ptx);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram prog, size_t *cubinSizeRet);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram prog, char *cubin);
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram prog, size_t *LTOIRSizeRet);
nvrtcResult nvrtcGetLTOIR(nvrtcProgram prog, char *LTOIR);
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram prog, size_t *optixirSizeRet);
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram prog, char *optixir);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram prog, size_t *logSizeRet);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram prog, char *log);
#if CUDART_VERSION < 13000
nvrtcResult nvrtcGetNVVMSize(nvrtcProgram prog, size_t *nvvmSizeRet);
nvrtcResult nvrtcGetNVVM(nvrtcProgram prog, char *nvvm);
#endif

/* Before compilation; the name in the PTX after it, valid until the program is
 * destroyed. */
nvrtcResult nvrtcAddNameExpression(nvrtcProgram prog,
                                   const char *const name_expression);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram prog,
                                const char *const name_expression,
                                const char **lowered_name);

/* The callback's result other than 0 ends the compilation. */
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram prog,
                                 int (*callback)(void *payload, void *reserved),
                                 void *payload);

/* Precompiled headers: of those that a program names itself. */
nvrtcResult nvrtcGetPCHHeapSize(size_t *ret);
nvrtcResult nvrtcSetPCHHeapSize(size_t size);
nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram prog);
nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram prog, size_t *size);

#include "softwarp_end.h"

#ifdef __cplusplus
/* The name of a type for a name expression, as the compiler says it. */
#if defined(NVRTC_GET_TYPE_NAME) && NVRTC_GET_TYPE_NAME
#include <cxxabi.h>
#include <stdlib.h>
#include <string>
#include <typeinfo>
namespace __nvrtc_impl
{
template <typename T> struct type_of {
};
} // namespace __nvrtc_impl

template <typename T>
static inline nvrtcResult
nvrtcGetTypeName(std::string *result)
{
    /* Inside of a template, so that const and references stay. */
    const char *name = typeid(__nvrtc_impl::type_of<T>).name();
    int status = 0;
    char *text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    if (!text)
        return NVRTC_ERROR_INTERNAL_ERROR;
    std::string whole = text;
    free(text);
    size_t first = whole.find('<') + 1;
    *result = whole.substr(first, whole.rfind('>') - first);
    return NVRTC_SUCCESS;
}

static inline nvrtcResult
nvrtcGetTypeName(const std::type_info &info, std::string *result)
{
    int status = 0;
    char *text = abi::__cxa_demangle(info.name(), nullptr, nullptr, &status);
    if (!text)
        return NVRTC_ERROR_INTERNAL_ERROR;
    *result = text;
    free(text);
    return NVRTC_SUCCESS;
}
#endif
#endif
#endif
