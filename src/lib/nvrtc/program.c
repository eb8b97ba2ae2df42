/* SPDX-License-Identifier: Apache-2.0 */
/* program.c - NVRTC's programs: creation, compilation, results. */
#include "lib/nvrtc/nvrtc.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "front/fatbin/fatbin.h"
#include "lib/common/beside.h"
#include "lib/common/lib.h"

enum { DEFAULT_HEAP = 256 << 20 };

struct _nvrtcProgram {
    struct _nvrtcProgram *next; /* of all that there are */
    sw_arena *arena;            /* of all text below */
    const char *name;
    sw_str source;
    sw_cc_header *headers;
    size_t header_count;
    sw_vec expressions; /* const char * */
    bool is_compiled;   /* or has failed to be */
    bool has_names;     /* was compiled */
    bool tried_pch;
    sw_cc_result result;
    sw_buf log, cubin, lto;
    int (*callback)(void *payload, void *reserved); /* or NULL */
    void *payload;
};

/* A program's handle may be wild: those that there are. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static nvrtcProgram programs;
static size_t pch_heap = DEFAULT_HEAP;

static bool
is_program(nvrtcProgram program)
{
    pthread_mutex_lock(&lock);
    nvrtcProgram p = programs;
    while (p && p != program)
        p = p->next;
    pthread_mutex_unlock(&lock);
    return p != NULL;
}

#define NEEDS(condition, status) REQUIRE(condition, NVRTC_ERROR_##status)

/* ---- the compiler ---- */

static struct {
    pthread_once_t once;
    nvrtc_compiler functions;
    bool is_loaded;
} compiler = {.once = PTHREAD_ONCE_INIT};

static void
load(void)
{
    void *library = sw_lib_open_beside("libsoftwarp-cc.so.0");
    void *compile = library ? dlsym(library, "sw_cc_compile") : NULL;
    void *finish = library ? dlsym(library, "sw_cc_result_finish") : NULL;
    compiler.is_loaded = compile && finish;
    memcpy(&compiler.functions.compile, &compile, sizeof compile);
    memcpy(&compiler.functions.finish, &finish, sizeof finish);
    if (!compiler.is_loaded)
        sw_log(SW_LOG_ERROR, "%s cannot compile: %s", sw_lib_soname,
               library ? "libsoftwarp-cc.so.0 is of another version"
                       : dlerror());
}

const nvrtc_compiler *
nvrtc_get_compiler(void)
{
    pthread_once(&compiler.once, load);
    return compiler.is_loaded ? &compiler.functions : NULL;
}

/* ---- what the library is ---- */

const char *
nvrtcGetErrorString(nvrtcResult result)
{
    static const char *const names[] = {
        "NVRTC_SUCCESS",
        "NVRTC_ERROR_OUT_OF_MEMORY",
        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
        "NVRTC_ERROR_INVALID_INPUT",
        "NVRTC_ERROR_INVALID_PROGRAM",
        "NVRTC_ERROR_INVALID_OPTION",
        "NVRTC_ERROR_COMPILATION",
        "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
        "NVRTC_ERROR_INTERNAL_ERROR",
        "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
        "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
        "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
        "NVRTC_ERROR_PCH_CREATE",
        "NVRTC_ERROR_CANCELLED",
        "NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED"};
    return (unsigned)result < sizeof names / sizeof *names
               ? names[result]
               : "NVRTC_ERROR unknown";
}

nvrtcResult
nvrtcVersion(int *major, int *minor)
{
    static const int minors[] = {8, 9, 0};
    NEEDS(major && minor, INVALID_INPUT);
    *major = sw_lib_cuda;
    *minor = minors[sw_lib_cuda - 11];
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetNumSupportedArchs(int *numArchs)
{
    const int *list;
    NEEDS(numArchs, INVALID_INPUT);
    *numArchs = (int)nvrtc_archs(sw_lib_cuda, &list);
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetSupportedArchs(int *supportedArchs)
{
    const int *list;
    NEEDS(supportedArchs, INVALID_INPUT);
    size_t n = nvrtc_archs(sw_lib_cuda, &list);
    memcpy(supportedArchs, list, n * sizeof *list);
    return NVRTC_SUCCESS;
}

/* ---- programs ---- */

static sw_str
keep_text(sw_arena *arena, const char *text)
{
    sw_str s = sw_str_of(text);
    return (sw_str){sw_arena_str(arena, s), s.n};
}

nvrtcResult
nvrtcCreateProgram(nvrtcProgram *prog, const char *src, const char *name,
                   int numHeaders, const char *const *headers,
                   const char *const *includeNames)
{
    NEEDS(prog, INVALID_PROGRAM);
    NEEDS(src && numHeaders >= 0, INVALID_INPUT);
    NEEDS(!numHeaders || (headers && includeNames), INVALID_INPUT);
    for (int i = 0; i < numHeaders; i++)
        NEEDS(headers[i] && includeNames[i], INVALID_INPUT);
    nvrtcProgram p = sw_alloc(sizeof *p);
    p->arena = sw_arena_create();
    p->name = keep_text(p->arena, name && *name ? name : "default_program").p;
    p->source = keep_text(p->arena, src);
    p->header_count = (size_t)numHeaders;
    p->headers = sw_arena_alloc(p->arena, p->header_count * sizeof *p->headers);
    for (size_t i = 0; i < p->header_count; i++)
        p->headers[i] = (sw_cc_header){keep_text(p->arena, includeNames[i]).p,
                                       keep_text(p->arena, headers[i])};
    sw_vec_init(&p->expressions, sizeof(const char *));
    sw_buf_init(&p->log);
    sw_buf_init(&p->cubin);
    sw_buf_init(&p->lto);
    pthread_mutex_lock(&lock);
    p->next = programs;
    programs = p;
    pthread_mutex_unlock(&lock);
    *prog = p;
    return NVRTC_SUCCESS;
}

static void
drop_results(nvrtcProgram p)
{
    if (p->is_compiled)
        compiler.functions.finish(&p->result);
    memset(&p->result, 0, sizeof p->result);
    sw_buf_finish(&p->log);
    sw_buf_finish(&p->cubin);
    sw_buf_finish(&p->lto);
    p->is_compiled = p->has_names = false;
}

nvrtcResult
nvrtcDestroyProgram(nvrtcProgram *prog)
{
    NEEDS(prog, INVALID_PROGRAM);
    pthread_mutex_lock(&lock);
    nvrtcProgram *at = &programs, p = *prog;
    while (*at && *at != p)
        at = &(*at)->next;
    bool found = *at != NULL;
    if (found)
        *at = p->next;
    pthread_mutex_unlock(&lock);
    NEEDS(found, INVALID_PROGRAM);
    drop_results(p);
    sw_vec_finish(&p->expressions);
    sw_arena_destroy(p->arena);
    sw_free(p);
    *prog = NULL;
    return NVRTC_SUCCESS;
}

/* ---- compilation ---- */

/* The PTX in a container, which travels as machine code or as LTO-IR. */
static nvrtcResult
pack(nvrtcProgram p, const nvrtc_options *o, sw_buf *out)
{
    sw_diag diag;
    sw_diag_init(&diag);
    sw_fatbin_input input = {
        .ptx = {p->result.ptx.p, p->result.ptx.n},
        .arch = o->arch,
        .ident = sw_str_of(p->name),
        .debug = o->is_debug,
        .is_unit = o->wants_lto,
    };
    if (o->max_registers)
        input.options = sw_str_of(
            sw_arena_printf(o->arena, "-maxrregcount=%s", o->max_registers));
    sw_status status = sw_fatbin_write(&input, 1, out, &diag);
    sw_diag_print(&diag, &p->log);
    sw_diag_finish(&diag);
    return status == SW_OK ? NVRTC_SUCCESS : NVRTC_ERROR_INTERNAL_ERROR;
}

static bool
is_cancelled(nvrtcProgram p)
{
    return p->callback && p->callback(p->payload, NULL) != 0;
}

static nvrtcResult
result_of(sw_status status)
{
    switch (status) {
    case SW_OK:
        return NVRTC_SUCCESS;
    case SW_E_INVAL: /* a header's name */
        return NVRTC_ERROR_INVALID_INPUT;
    case SW_E_INVALID_SOURCE:
        return NVRTC_ERROR_COMPILATION;
    default:
        return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
}

/* Where "name" of an #include is looked for first, as an option. */
static const char *
folder_option(nvrtcProgram p, sw_arena *arena)
{
    const char *slash = strrchr(p->name, '/');
    int n = slash ? (int)(slash - p->name) : 1;
    return sw_arena_printf(arena, "-I%.*s", n ? n : 1, slash ? p->name : ".");
}

static nvrtcResult
compile(nvrtcProgram p, nvrtc_options *o)
{
    const nvrtc_compiler *c = nvrtc_get_compiler();
    NEEDS(c, BUILTIN_OPERATION_FAILURE);
    NEEDS(!is_cancelled(p), CANCELLED);
    if (!o->leaves_folder)
        *(const char **)sw_vec_push(&o->args) = folder_option(p, o->arena);
    sw_cc_request request = {
        .name = p->name,
        .source = p->source,
        .headers = p->headers,
        .header_count = p->header_count,
        .options = o->args.data,
        .option_count = o->args.count,
        .expressions = p->expressions.data,
        .expression_count = p->expressions.count,
    };
    nvrtcResult result = result_of(c->compile(&request, &p->result));
    nvrtc_log_add((sw_str){p->result.log.p, p->result.log.n}, p->name, &p->log);
    if (result == NVRTC_SUCCESS && is_cancelled(p))
        result = NVRTC_ERROR_CANCELLED;
    p->tried_pch = o->creates_pch;
    p->has_names = result == NVRTC_SUCCESS;
    if (result == NVRTC_SUCCESS && o->wants_lto) {
        result = pack(p, o, &p->lto);
        sw_buf_finish(&p->result.ptx); /* it is one or the other */
        sw_buf_init(&p->result.ptx);
    } else if (result == NVRTC_SUCCESS && o->is_real) {
        result = pack(p, o, &p->cubin);
    }
    return result;
}

nvrtcResult
nvrtcCompileProgram(nvrtcProgram prog, int numOptions,
                    const char *const *options)
{
    NEEDS(is_program(prog), INVALID_PROGRAM);
    NEEDS(numOptions >= 0 && (!numOptions || options), INVALID_INPUT);
    drop_results(prog);
    nvrtc_options o = {.arena = sw_arena_create()};
    sw_vec_init(&o.args, sizeof(const char *));
    nvrtcResult result =
        nvrtc_options_read(&o, numOptions, options, sw_lib_cuda, &prog->log);
    if (result == NVRTC_SUCCESS) {
        result = compile(prog, &o);
        prog->is_compiled = true;
    }
    sw_vec_finish(&o.args);
    sw_arena_destroy(o.arena);
    return result;
}

nvrtcResult
nvrtcSetFlowCallback(nvrtcProgram prog,
                     int (*callback)(void *payload, void *reserved),
                     void *payload)
{
    NEEDS(is_program(prog), INVALID_PROGRAM);
    NEEDS(callback, INVALID_INPUT);
    prog->callback = callback;
    prog->payload = payload;
    return NVRTC_SUCCESS;
}

/* ---- results ---- */

/* Texts have a NUL at the end, which counts. */
static nvrtcResult
get_size(const sw_buf *what, bool is_text, size_t *out)
{
    *out = what->n + is_text;
    return NVRTC_SUCCESS;
}

static void
copy(const sw_buf *what, bool is_text, char *out)
{
    if (what->n)
        memcpy(out, what->p, what->n);
    if (is_text)
        out[what->n] = 0;
}

nvrtcResult
nvrtcGetPTXSize(nvrtcProgram prog, size_t *ptxSizeRet)
{
    NEEDS(is_program(prog), INVALID_PROGRAM);
    NEEDS(ptxSizeRet, INVALID_INPUT);
    return get_size(&prog->result.ptx, true, ptxSizeRet);
}

nvrtcResult
nvrtcGetPTX(nvrtcProgram prog, char *ptx)
{
    NEEDS(is_program(prog), INVALID_PROGRAM);
    NEEDS(ptx, INVALID_INPUT);
    copy(&prog->result.ptx, true, ptx);
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetCUBINSize(nvrtcProgram prog, size_t *cubinSizeRet)
{
    NEEDS(is_program(prog), INVALID_PROGRAM);
    NEEDS(cubinSizeRet, INVALID_INPUT);
    return get_size(&prog->cubin, false, cubinSizeRet);
}

nvrtcResult
nvrtcGetCUBIN(nvrtcProgram prog, char *cubin)
{
    NEEDS(is_program(prog), INVALID_PROGRAM);
    NEEDS(cubin, INVALID_INPUT);
    copy(&prog->cubin, false, cubin);
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetLTOIRSize(nvrtcProgram prog, size_t *LTOIRSizeRet)
{
    NEEDS(is_program(prog), INVALID_PROGRAM);
    NEEDS(LTOIRSizeRet, INVALID_INPUT);
    return get_size(&prog->lto, false, LTOIRSizeRet);
}

nvrtcResult
nvrtcGetLTOIR(nvrtcProgram prog, char *LTOIR)
{
    NEEDS(is_program(prog), INVALID_PROGRAM);
    NEEDS(LTOIR, INVALID_INPUT);
    copy(&prog->lto, false, LTOIR);
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetProgramLogSize(nvrtcProgram prog, size_t *logSizeRet)
{
    NEEDS(is_program(prog), INVALID_PROGRAM);
    NEEDS(logSizeRet, INVALID_INPUT);
    return get_size(&prog->log, true, logSizeRet);
}

nvrtcResult
nvrtcGetProgramLog(nvrtcProgram prog, char *log)
{
    NEEDS(is_program(prog), INVALID_PROGRAM);
    NEEDS(log, INVALID_INPUT);
    copy(&prog->log, true, log);
    return NVRTC_SUCCESS;
}

/* ---- names ---- */

nvrtcResult
nvrtcAddNameExpression(nvrtcProgram prog, const char *const name_expression)
{
    NEEDS(is_program(prog), INVALID_PROGRAM);
    NEEDS(name_expression, INVALID_INPUT);
    NEEDS(!prog->is_compiled, NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    *(const char **)sw_vec_push(&prog->expressions) =
        keep_text(prog->arena, name_expression).p;
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetLoweredName(nvrtcProgram prog, const char *const name_expression,
                    const char **lowered_name)
{
    NEEDS(is_program(prog), INVALID_PROGRAM);
    NEEDS(name_expression && lowered_name, INVALID_INPUT);
    NEEDS(prog->has_names, NO_LOWERED_NAMES_BEFORE_COMPILATION);
    for (size_t i = 0; i < prog->result.lowered_count; i++)
        if (!strcmp(*(const char **)sw_vec_at(&prog->expressions, i),
                    name_expression)) {
            *lowered_name = prog->result.lowered[i];
            return NVRTC_SUCCESS;
        }
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/* ---- precompiled headers ---- */

/* Ours are always compiled before, and those of a program are read each time,
 * so that there is no heap which could be too small. */
nvrtcResult
nvrtcGetPCHHeapSize(size_t *ret)
{
    NEEDS(ret, INVALID_INPUT);
    pthread_mutex_lock(&lock);
    *ret = pch_heap;
    pthread_mutex_unlock(&lock);
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcSetPCHHeapSize(size_t size)
{
    pthread_mutex_lock(&lock);
    pch_heap = size;
    pthread_mutex_unlock(&lock);
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetPCHCreateStatus(nvrtcProgram prog)
{
    NEEDS(is_program(prog), INVALID_PROGRAM);
    NEEDS(prog->tried_pch, NO_PCH_CREATE_ATTEMPTED);
    return NVRTC_ERROR_PCH_CREATE;
}

nvrtcResult
nvrtcGetPCHHeapSizeRequired(nvrtcProgram prog, size_t *size)
{
    NEEDS(is_program(prog), INVALID_PROGRAM);
    NEEDS(size, INVALID_INPUT);
    NEEDS(prog->tried_pch, NO_PCH_CREATE_ATTEMPTED);
    *size = 0;
    return NVRTC_SUCCESS;
}
