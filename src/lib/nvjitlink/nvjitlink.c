/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvjitlink.c - nvJitLink on the engine's linker (rt/linker.h): what it makes
 * is a container of the PTX that it was given, found to go together.
 *
 * What our NVRTC gives as LTO-IR is such a container, too; the vendor's is
 * refused.
 */
#define SW_LIB_ENTRIES "lib/nvjitlink/entries.def"
#include "lib/common/entries.h"

#include <pthread.h>
#include <string.h>

#include "cuda/nvJitLink.h"
#include "front/fatbin/fatbin.h"
#include "lib/common/lib.h"
#include "lib/nvjitlink/versions.h"
#include "rt/linker.h"

struct nvJitLink {
    struct nvJitLink *next; /* of all that there are */
    sw_rt_linker core;
    sw_buf cubin;
    uint32_t max_registers; /* 0: no bound */
    bool wants_lto, wants_ptx, is_complete;
};

/* A handle may be wild: those that there are. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static nvJitLinkHandle handles;

static bool
is_handle(nvJitLinkHandle handle)
{
    pthread_mutex_lock(&lock);
    nvJitLinkHandle h = handles;
    while (h && h != handle)
        h = h->next;
    pthread_mutex_unlock(&lock);
    return h != NULL;
}

#define NEEDS(condition, status) REQUIRE(condition, NVJITLINK_ERROR_##status)

/* ---- options ---- */

typedef enum { OPT_ARCH, OPT_LTO, OPT_PTX, OPT_REGISTERS, OPT_IGNORED } kind;

/* clang-format off */
#define OPTION(name, kind) {name, OPT_##kind},
static const struct {
    const char *name;
    kind kind;
} options_known[] = {
#include "lib/nvjitlink/options.def"
};
#undef OPTION
/* clang-format on */

/* "sm_90a": times ten; 0: it is none. */
static int
read_arch(const char *value)
{
    const char *p = strchr(value, '_');
    uint64_t n = 0;
    size_t digits = p ? strspn(p + 1, "0123456789") : 0;
    bool is_kind =
        p && (!strncmp(value, "sm_", 3) || !strncmp(value, "compute_", 8));
    if (!is_kind || !sw_str_to_u64((sw_str){p + 1, digits}, 10, &n) || n > 999)
        return 0;
    return (int)n;
}

static nvJitLinkResult
apply(struct nvJitLink *h, kind what, const char *value)
{
    uint64_t n;
    switch (what) {
    case OPT_ARCH:
        h->core.cc = read_arch(value);
        NEEDS(h->core.cc, UNRECOGNIZED_OPTION);
        return NVJITLINK_SUCCESS;
    case OPT_LTO:
        h->wants_lto = true;
        return NVJITLINK_SUCCESS;
    case OPT_PTX:
        h->wants_ptx = true;
        return NVJITLINK_SUCCESS;
    case OPT_REGISTERS:
        NEEDS(sw_str_to_u64(sw_str_of(value), 10, &n) && n < 1024,
              UNRECOGNIZED_OPTION);
        h->max_registers = (uint32_t)n;
        return NVJITLINK_SUCCESS;
    case OPT_IGNORED:
        return NVJITLINK_SUCCESS;
    }
    return NVJITLINK_ERROR_INTERNAL;
}

static nvJitLinkResult
read_option(struct nvJitLink *h, const char *text)
{
    const char *name = text + (*text == '-');
    name += *name == '-';
    size_t n = strcspn(name, "=");
    for (size_t i = 0; i < sizeof options_known / sizeof *options_known; i++)
        if (strlen(options_known[i].name) == n && *text == '-' &&
            !strncmp(options_known[i].name, name, n))
            return apply(h, options_known[i].kind, name[n] ? name + n + 1 : "");
    return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
}

static nvJitLinkResult
read_options(struct nvJitLink *h, uint32_t count, const char **options)
{
    for (uint32_t i = 0; i < count; i++) {
        NEEDS(options[i], NULL_INPUT);
        nvJitLinkResult result = read_option(h, options[i]);
        if (result != NVJITLINK_SUCCESS) {
            sw_log(SW_LOG_ERROR, "nvJitLink: unknown option '%s'", options[i]);
            return result;
        }
    }
    NEEDS(h->core.cc, MISSING_ARCH);
    NEEDS(!h->wants_ptx || h->wants_lto, INCOMPATIBLE_OPTIONS);
    return NVJITLINK_SUCCESS;
}

/* ---- handles ---- */

static void
destroy(struct nvJitLink *h)
{
    sw_rt_linker_finish(&h->core);
    sw_buf_finish(&h->cubin);
    sw_free(h);
}

nvJitLinkResult
nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t numOptions,
                const char **options)
{
    NEEDS(handle && (!numOptions || options), NULL_INPUT);
    struct nvJitLink *h = sw_alloc(sizeof *h);
    sw_rt_linker_init(&h->core, 0);
    sw_buf_init(&h->cubin);
    nvJitLinkResult result = read_options(h, numOptions, options);
    if (result != NVJITLINK_SUCCESS) {
        destroy(h);
        return result;
    }
    pthread_mutex_lock(&lock);
    h->next = handles;
    handles = h;
    pthread_mutex_unlock(&lock);
    *handle = h;
    return NVJITLINK_SUCCESS;
}

nvJitLinkResult
nvJitLinkDestroy(nvJitLinkHandle *handle)
{
    NEEDS(handle, NULL_INPUT);
    pthread_mutex_lock(&lock);
    nvJitLinkHandle *at = &handles, h = *handle;
    while (*at && *at != h)
        at = &(*at)->next;
    bool found = *at != NULL;
    if (found)
        *at = h->next;
    pthread_mutex_unlock(&lock);
    NEEDS(found, INVALID_INPUT);
    destroy(h);
    *handle = NULL;
    return NVJITLINK_SUCCESS;
}

/* ---- linking ---- */

static nvJitLinkResult
result_of_input(sw_status status)
{
    switch (status) {
    case SW_OK:
        return NVJITLINK_SUCCESS;
    case SW_E_INVALID_IMAGE:
    case SW_E_NO_BINARY_FOR_GPU:
        return NVJITLINK_ERROR_UNRECOGNIZED_INPUT;
    default: /* PTX that cannot be read, and symbols that are there twice */
        return NVJITLINK_ERROR_PTX_COMPILE;
    }
}

nvJitLinkResult
nvJitLinkAddData(nvJitLinkHandle handle, nvJitLinkInputType inputType,
                 const void *data, size_t size, const char *name)
{
    NEEDS(is_handle(handle), INVALID_INPUT);
    NEEDS(data && size, NULL_INPUT);
    NEEDS((inputType >= NVJITLINK_INPUT_CUBIN &&
           inputType <= NVJITLINK_INPUT_LIBRARY) ||
              inputType == NVJITLINK_INPUT_ANY,
          INVALID_INPUT);
    NEEDS(!handle->is_complete, INVALID_INPUT);
    NEEDS(inputType != NVJITLINK_INPUT_LTOIR || handle->wants_lto,
          LTO_NOT_ENABLED);
    sw_status status =
        sw_rt_linker_add(&handle->core, data, size, name ? name : "");
    if (status != SW_OK && handle->core.failed != SW_OK)
        return NVJITLINK_ERROR_FINALIZE; /* said by the linker, at the end */
    return result_of_input(status);
}

nvJitLinkResult
nvJitLinkAddFile(nvJitLinkHandle handle, nvJitLinkInputType inputType,
                 const char *fileName)
{
    NEEDS(is_handle(handle), INVALID_INPUT);
    NEEDS(fileName, NULL_INPUT);
    char *data;
    size_t bytes;
    if (sw_file_read(fileName, &data, &bytes)) {
        sw_buf_printf(&handle->core.errors, "error   : '%s' can't be read\n",
                      fileName);
        return NVJITLINK_ERROR_INVALID_INPUT;
    }
    nvJitLinkResult result =
        nvJitLinkAddData(handle, inputType, data, bytes, fileName);
    sw_free(data);
    return result;
}

nvJitLinkResult
nvJitLinkComplete(nvJitLinkHandle handle)
{
    NEEDS(is_handle(handle), INVALID_INPUT);
    NEEDS(!handle->is_complete, INVALID_INPUT);
    NEEDS(handle->core.inputs.count, INVALID_INPUT);
    sw_status status = handle->core.failed;
    if (status == SW_OK)
        status = sw_rt_linker_link(&handle->core, handle->max_registers,
                                   &handle->cubin);
    handle->is_complete = status == SW_OK;
    return status == SW_OK ? NVJITLINK_SUCCESS : NVJITLINK_ERROR_FINALIZE;
}

/* ---- results ---- */

nvJitLinkResult
nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, size_t *size)
{
    NEEDS(is_handle(handle), INVALID_INPUT);
    NEEDS(size, NULL_INPUT);
    NEEDS(handle->is_complete, FINALIZE);
    *size = handle->wants_ptx ? 0 : handle->cubin.n;
    return NVJITLINK_SUCCESS;
}

nvJitLinkResult
nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void *cubin)
{
    NEEDS(is_handle(handle), INVALID_INPUT);
    NEEDS(cubin, NULL_INPUT);
    NEEDS(handle->is_complete && !handle->wants_ptx, FINALIZE);
    memcpy(cubin, handle->cubin.p, handle->cubin.n);
    return NVJITLINK_SUCCESS;
}

/* The PTX of the only input, or NULL: several are not made one text. */
static const sw_str *
linked_ptx(nvJitLinkHandle handle)
{
    if (!handle->is_complete || !handle->wants_ptx ||
        handle->core.inputs.count != 1)
        return NULL;
    const sw_fatbin_entry *e = sw_vec_at(&handle->core.inputs, 0);
    return &e->data;
}

nvJitLinkResult
nvJitLinkGetLinkedPtxSize(nvJitLinkHandle handle, size_t *size)
{
    NEEDS(is_handle(handle), INVALID_INPUT);
    NEEDS(size, NULL_INPUT);
    const sw_str *ptx = linked_ptx(handle);
    NEEDS(ptx, FINALIZE);
    *size = ptx->n + 1;
    return NVJITLINK_SUCCESS;
}

nvJitLinkResult
nvJitLinkGetLinkedPtx(nvJitLinkHandle handle, char *ptx)
{
    NEEDS(is_handle(handle), INVALID_INPUT);
    NEEDS(ptx, NULL_INPUT);
    const sw_str *text = linked_ptx(handle);
    NEEDS(text, FINALIZE);
    memcpy(ptx, text->p, text->n);
    ptx[text->n] = 0;
    return NVJITLINK_SUCCESS;
}

static nvJitLinkResult
get_size(const sw_buf *log, size_t *size)
{
    NEEDS(size, NULL_INPUT);
    *size = log->n + 1;
    return NVJITLINK_SUCCESS;
}

static nvJitLinkResult
get_text(const sw_buf *log, char *out)
{
    NEEDS(out, NULL_INPUT);
    if (log->n)
        memcpy(out, log->p, log->n);
    out[log->n] = 0;
    return NVJITLINK_SUCCESS;
}

nvJitLinkResult
nvJitLinkGetErrorLogSize(nvJitLinkHandle handle, size_t *size)
{
    NEEDS(is_handle(handle), INVALID_INPUT);
    return get_size(&handle->core.errors, size);
}

nvJitLinkResult
nvJitLinkGetErrorLog(nvJitLinkHandle handle, char *log)
{
    NEEDS(is_handle(handle), INVALID_INPUT);
    return get_text(&handle->core.errors, log);
}

nvJitLinkResult
nvJitLinkGetInfoLogSize(nvJitLinkHandle handle, size_t *size)
{
    NEEDS(is_handle(handle), INVALID_INPUT);
    return get_size(&handle->core.infos, size);
}

nvJitLinkResult
nvJitLinkGetInfoLog(nvJitLinkHandle handle, char *log)
{
    NEEDS(is_handle(handle), INVALID_INPUT);
    return get_text(&handle->core.infos, log);
}

nvJitLinkResult
nvJitLinkVersion(unsigned int *major, unsigned int *minor)
{
    NEEDS(major && minor, NULL_INPUT);
    *major = (unsigned)sw_lib_cuda;
    *minor = sw_lib_cuda == 12 ? 9 : 0;
    return NVJITLINK_SUCCESS;
}

NVJITLINK_VERSIONS
