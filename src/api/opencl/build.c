/* SPDX-License-Identifier: Apache-2.0 */
/* build.c - clBuildProgram, clCompileProgram, clLinkProgram: at once, or on a
 * thread of their own where the program wants to be told. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "api/opencl/build_cache.h"
#include "api/opencl/il.h"
#include "api/opencl/program.h"
#include "rt/activity.h"
#include "rt/host.h"

enum { SOURCE_NAME = 256 }; /* bytes */

typedef enum { BUILD, COMPILE, LINK } build_step;

/* One call, for some devices of a program. */
typedef struct {
    build_step step;
    cl_program program; /* held */
    cl_uint count;      /* of devices; indices among the program's */
    cl_uint *indices;
    char *options;       /* or NULL */
    bool is_library;     /* LINK: what it makes is one */
    cl_uint input_count; /* headers, or programs that are linked; held */
    cl_program *inputs;
    sw_cc_header *headers; /* [input_count], of COMPILE */
    char **names;          /* theirs */
    void(CL_CALLBACK *notify)(cl_program, void *);
    void *arg;
} job;

static void
job_free(job *j)
{
    for (cl_uint i = 0; i < j->input_count; i++) {
        sw_ocl_unhold(j->inputs[i]);
        if (j->names)
            sw_free(j->names[i]);
    }
    sw_free(j->inputs);
    sw_free(j->headers);
    sw_free(j->names);
    sw_free(j->indices);
    sw_free(j->options);
    sw_ocl_unhold(j->program);
    sw_free(j);
}

static const char *
options_of(const job *j)
{
    return j->options ? j->options : "";
}

/* What it is built of is not a binary. */
static bool
has_text(const struct _cl_program *p)
{
    return p->source || p->il;
}

static uint32_t
capability(const struct _cl_program *p, cl_uint i)
{
    return p->devices[i]->device->info->cc;
}

/* ---- one device ---- */

/* What a program has of objects may be built anew by another thread. */
static void
copy_object(cl_program p, cl_device_id device, sw_buf *out)
{
    sw_buf_init(out);
    pthread_mutex_lock(&p->lock);
    sw_cl_object object = sw_ocl_binary_object(sw_ocl_program_of(p, device));
    sw_buf_add(out, object.data, object.size);
    pthread_mutex_unlock(&p->lock);
}

/*
 * What the compiler calls the source. A profile has the lines of all programs
 * of a process, so while one is recorded each text has a name of its own, and
 * is written there; one that begins with #line 1 "FILE" has that name.
 */
static const char *
name_of(const struct _cl_program *p, char own[SOURCE_NAME])
{
    static atomic_uint programs;
    if (!sw_rt_activity_on)
        return SW_OCL_SOURCE_NAME;
    int end = 0;
    if (sscanf(p->source, "#line 1 \"%200[^\"\n]\"\n%n", own, &end) == 1 &&
        end) {
        sw_rt_activity_source(own, p->source + end);
        return SW_OCL_SOURCE_NAME;
    }
    unsigned n = atomic_fetch_add(&programs, 1);
    if (n == 0)
        snprintf(own, SOURCE_NAME, "%s", SW_OCL_SOURCE_NAME);
    else
        snprintf(own, SOURCE_NAME, "<kernel %u>", n + 1);
    sw_rt_activity_source(own, p->source);
    return own;
}

static sw_status
run_source(const sw_ocl_compiler *c, const job *j, cl_uint i, sw_buf *out,
           sw_buf *log)
{
    const struct _cl_program *p = j->program;
    char own[SOURCE_NAME];
    const sw_cl_compile_request request = {
        .name = name_of(p, own),
        .source = sw_str_of(p->source),
        .headers = j->headers,
        .header_count = j->input_count,
        .options = options_of(j),
        .capability = capability(p, i),
    };
    return j->step == COMPILE ? c->compile(&request, out, log)
                              : sw_ocl_build_cached(c, &request, out, log);
}

static sw_status
run_link(const sw_ocl_compiler *c, const job *j, cl_uint i, sw_buf *out,
         sw_buf *log)
{
    cl_device_id device = j->program->devices[i];
    cl_uint n = j->input_count;
    sw_cl_object *objects = sw_alloc(n * sizeof *objects);
    sw_buf *copies = sw_alloc(n * sizeof *copies);
    for (cl_uint k = 0; k < n; k++) {
        copy_object(j->inputs[k], device, &copies[k]);
        objects[k] = (sw_cl_object){copies[k].p, copies[k].n};
    }
    sw_status status = c->link(objects, n, options_of(j), j->is_library,
                               capability(j->program, i), out, log);
    for (cl_uint k = 0; k < n; k++)
        sw_buf_finish(&copies[k]);
    sw_free(copies);
    sw_free(objects);
    return status;
}

/* Of an object that came as a binary. */
static sw_status
run_object(const sw_ocl_compiler *c, const job *j, cl_uint i, sw_buf *out,
           sw_buf *log)
{
    const struct _cl_program *p = j->program;
    sw_cl_object object = sw_ocl_binary_object(&p->built[i]);
    return c->link(&object, 1, options_of(j), j->step == COMPILE,
                   capability(p, i), out, log);
}

static sw_status
run_il(const sw_ocl_compiler *c, const job *j, cl_uint i, sw_buf *out,
       sw_buf *log)
{
    cl_program p = j->program;
    void *words = sw_ocl_il_copy(p);
    sw_cl_object object = {words, p->il->bytes};
    sw_status status = c->link(&object, 1, options_of(j), j->step == COMPILE,
                               capability(p, i), out, log);
    sw_free(words);
    return status;
}

static sw_status
run(const job *j, cl_uint i, sw_buf *out, sw_buf *log)
{
    const sw_ocl_compiler *c = sw_ocl_get_compiler();
    if (!c) {
        sw_buf_init(out);
        sw_buf_init(log);
        sw_buf_puts(log, "the compiler (libsoftwarp-cc.so.0) is missing\n");
        return SW_E_JIT_COMPILER_NOT_FOUND;
    }
    if (j->step == LINK)
        return run_link(c, j, i, out, log);
    if (j->program->il)
        return run_il(c, j, i, out, log);
    return j->program->source ? run_source(c, j, i, out, log)
                              : run_object(c, j, i, out, log);
}

static cl_int
error_of(const job *j, sw_status status)
{
    static const cl_int failures[] = {CL_BUILD_PROGRAM_FAILURE,
                                      CL_COMPILE_PROGRAM_FAILURE,
                                      CL_LINK_PROGRAM_FAILURE};
    if (status == SW_E_JIT_COMPILER_NOT_FOUND)
        return j->step == LINK ? CL_LINKER_NOT_AVAILABLE
                               : CL_COMPILER_NOT_AVAILABLE;
    return status == SW_OK ? CL_SUCCESS : failures[j->step];
}

/* The result of another device of this job with the same capability; NULL. */
static const sw_ocl_built *
same_before(const job *j, cl_uint k)
{
    const struct _cl_program *p = j->program;
    for (cl_uint i = 0; i < k; i++)
        if (capability(p, j->indices[i]) == capability(p, j->indices[k]) &&
            has_text(p) && p->built[j->indices[i]].binary)
            return &p->built[j->indices[i]];
    return NULL;
}

static bool
has_ptx(const struct _cl_program *p, cl_uint i)
{
    return !has_text(p) &&
           p->built[i].type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
}

/* Into *made, which has the program's binary if that is all there is of it. */
static cl_int
make_device(const job *j, cl_uint k, sw_ocl_built *made, sw_buf *log)
{
    cl_uint i = j->indices[k];
    const sw_ocl_built *same = same_before(j, k);
    sw_buf out;
    if (has_ptx(j->program, i))
        return sw_ocl_program_load(j->program, i, made, log);
    cl_program_binary_type type =
        j->step == COMPILE ? CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
        : j->is_library    ? CL_PROGRAM_BINARY_TYPE_LIBRARY
                           : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    if (same) {
        sw_buf_puts(log, same->log ? same->log : "");
        sw_cl_object object = sw_ocl_binary_object(same);
        sw_buf_init(&out);
        sw_buf_add(&out, object.data, object.size);
    } else {
        sw_buf said;
        sw_status status = run(j, i, &out, &said);
        sw_buf_add(log, said.p ? said.p : "", said.n);
        sw_buf_finish(&said);
        if (status != SW_OK) {
            sw_buf_finish(&out);
            return error_of(j, status);
        }
    }
    sw_ocl_binary_set(made, type, &out);
    sw_buf_finish(&out);
    if (type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
        return CL_SUCCESS;
    cl_int result = sw_ocl_program_load(j->program, i, made, log);
    return result == CL_SUCCESS ? result : error_of(j, SW_E_INVALID_SOURCE);
}

/* What the new one begins with: a program that was made of a binary keeps it.
 */
static void
begin_built(const job *j, cl_uint i, sw_ocl_built *made)
{
    const struct _cl_program *p = j->program;
    const sw_ocl_built *old = &p->built[i];
    *made = (sw_ocl_built){.status = CL_BUILD_IN_PROGRESS,
                           .options = sw_strdup(options_of(j))};
    if (has_text(p) || !old->binary)
        return;
    made->type = old->type;
    made->binary = sw_alloc(old->binary_bytes + 1);
    made->binary_bytes = old->binary_bytes;
    memcpy(made->binary, old->binary, old->binary_bytes);
}

/* ---- the whole ---- */

/* What a build takes the place of; kernels of it may still be running. */
typedef struct {
    cl_context context; /* held */
    sw_ocl_built built;
} replaced;

static void
finish_replaced(void *arg)
{
    replaced *r = arg;
    sw_ocl_built_clear(&r->built);
    sw_ocl_unhold(r->context);
}

/* The old one goes once nothing can use it. */
static void
publish(cl_program p, cl_uint i, const sw_ocl_built *made)
{
    replaced *r = sw_alloc(sizeof *r);
    *r = (replaced){.context = p->context};
    sw_ocl_hold(p->context);
    pthread_mutex_lock(&p->lock);
    r->built = p->built[i];
    p->built[i] = *made;
    pthread_mutex_unlock(&p->lock);
    if (sw_ocl_when_idle(r->context, r, finish_replaced, sw_free))
        sw_free(r);
}

static cl_int
perform(const job *j)
{
    cl_program p = j->program;
    cl_int result = CL_SUCCESS;
    for (cl_uint k = 0; k < j->count; k++) {
        sw_ocl_built made;
        sw_buf log;
        sw_buf_init(&log);
        begin_built(j, j->indices[k], &made);
        cl_int one = make_device(j, k, &made, &log);
        made.log = sw_buf_take(&log);
        made.status = one == CL_SUCCESS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
        if (one != CL_SUCCESS && made.log && *made.log)
            sw_ocl_notify(p->context, made.log);
        publish(p, j->indices[k], &made);
        if (result == CL_SUCCESS)
            result = one;
    }
    return result;
}

static void
perform_later(void *arg)
{
    job *j = arg;
    sw_ocl_is_callback = true;
    perform(j);
    j->notify(j->program, j->arg);
    job_free(j);
    sw_ocl_is_callback = false;
}

/* From now on the program is being built. */
static cl_int
start(job *j)
{
    cl_program p = j->program;
    pthread_mutex_lock(&p->lock);
    bool busy = p->kernels > 0;
    for (cl_uint i = 0; i < p->device_count; i++)
        busy |= p->built[i].status == CL_BUILD_IN_PROGRESS;
    for (cl_uint k = 0; k < j->count && !busy; k++) {
        sw_ocl_built *b = &p->built[j->indices[k]];
        b->status = CL_BUILD_IN_PROGRESS;
        sw_free(b->log);
        sw_free(b->options);
        b->log = NULL;
        b->options = sw_strdup(options_of(j));
    }
    pthread_mutex_unlock(&p->lock);
    cl_int result = busy ? CL_INVALID_OPERATION : CL_SUCCESS;
    if (!busy && j->notify) {
        sw_rt_host_post_blocking(perform_later, j);
        return CL_SUCCESS;
    }
    if (!busy)
        result = perform(j);
    job_free(j);
    return result;
}

static cl_int
check_options(const char *options, int steps, cl_int error)
{
    const sw_ocl_compiler *c = sw_ocl_get_compiler();
    if (!c || !options || !*options)
        return CL_SUCCESS;
    sw_buf log;
    sw_buf_init(&log);
    sw_status status = c->check_options(options, steps, &log);
    sw_buf_finish(&log);
    return status == SW_OK ? CL_SUCCESS : error;
}

static cl_int
check_device_list(const struct _cl_program *p, cl_uint count,
                  const cl_device_id *list)
{
    REQUIRE((count != 0) == (list != NULL), CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; i++) {
        bool found = false;
        for (cl_uint k = 0; k < p->device_count; k++)
            found |= p->devices[k] == list[i];
        REQUIRE(found, CL_INVALID_DEVICE);
    }
    return CL_SUCCESS;
}

static bool
is_listed(cl_device_id device, cl_uint count, const cl_device_id *list)
{
    for (cl_uint i = 0; i < count; i++)
        if (list[i] == device)
            return true;
    return count == 0;
}

static job *
job_create(build_step step, cl_program p, cl_uint count,
           const cl_device_id *list, const char *options)
{
    job *j = sw_alloc(sizeof *j);
    j->step = step;
    j->program = p;
    j->options = options ? sw_strdup(options) : NULL;
    j->indices = sw_alloc(p->device_count * sizeof *j->indices);
    for (cl_uint i = 0; i < p->device_count; i++)
        if (is_listed(p->devices[i], count, list))
            j->indices[j->count++] = i;
    sw_ocl_hold(p);
    return j;
}

static bool
has_something(const struct _cl_program *p)
{
    return has_text(p) || p->built[0].binary;
}

cl_int
clBuildProgram(cl_program program, cl_uint num_devices,
               const cl_device_id *device_list, const char *options,
               void(CL_CALLBACK *pfn_notify)(cl_program, void *),
               void *user_data)
{
    GET(cl_program, p, program, SW_OCL_PROGRAM, CL_INVALID_PROGRAM);
    REQUIRE(pfn_notify || !user_data, CL_INVALID_VALUE);
    TRY(check_device_list(p, num_devices, device_list));
    TRY(check_options(options, SW_CL_STEP_BUILD, CL_INVALID_BUILD_OPTIONS));
    REQUIRE(has_something(p), CL_INVALID_OPERATION);
    job *j = job_create(BUILD, p, num_devices, device_list, options);
    j->notify = pfn_notify;
    j->arg = user_data;
    return start(j);
}

static cl_int
check_headers(cl_uint count, const cl_program *headers, const char **names)
{
    REQUIRE((count != 0) == (headers != NULL) &&
                (count != 0) == (names != NULL),
            CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; i++) {
        GET(cl_program, h, headers[i], SW_OCL_PROGRAM, CL_INVALID_PROGRAM);
        REQUIRE(h->source, CL_INVALID_OPERATION);
        REQUIRE(names[i], CL_INVALID_VALUE);
    }
    return CL_SUCCESS;
}

static void
take_headers(job *j, cl_uint count, const cl_program *headers,
             const char **names)
{
    j->inputs = sw_alloc(count * sizeof *j->inputs);
    j->headers = sw_alloc(count * sizeof *j->headers);
    j->names = sw_alloc(count * sizeof *j->names);
    for (cl_uint i = 0; i < count; i++) {
        sw_ocl_hold(headers[i]);
        j->inputs[i] = headers[i];
        j->names[i] = sw_strdup(names[i]);
        j->headers[i] =
            (sw_cc_header){j->names[i], sw_str_of(headers[i]->source)};
    }
    j->input_count = count;
}

cl_int
clCompileProgram(cl_program program, cl_uint num_devices,
                 const cl_device_id *device_list, const char *options,
                 cl_uint num_input_headers, const cl_program *input_headers,
                 const char **header_include_names,
                 void(CL_CALLBACK *pfn_notify)(cl_program, void *),
                 void *user_data)
{
    GET(cl_program, p, program, SW_OCL_PROGRAM, CL_INVALID_PROGRAM);
    REQUIRE(pfn_notify || !user_data, CL_INVALID_VALUE);
    TRY(check_device_list(p, num_devices, device_list));
    TRY(check_headers(num_input_headers, input_headers, header_include_names));
    TRY(check_options(options, SW_CL_STEP_COMPILE,
                      CL_INVALID_COMPILER_OPTIONS));
    REQUIRE(has_text(p), CL_INVALID_OPERATION);
    job *j = job_create(COMPILE, p, num_devices, device_list, options);
    take_headers(j, num_input_headers, input_headers, header_include_names);
    j->notify = pfn_notify;
    j->arg = user_data;
    return start(j);
}

static bool
is_object(const sw_ocl_built *b)
{
    return b && b->binary &&
           (b->type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
            b->type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
}

/* Each input has an object for each device of the program. */
static cl_int
check_inputs(const struct _cl_program *out, cl_uint count,
             const cl_program *inputs)
{
    for (cl_uint i = 0; i < count; i++) {
        GET(cl_program, p, inputs[i], SW_OCL_PROGRAM, CL_INVALID_PROGRAM);
        REQUIRE(p->context == out->context, CL_INVALID_CONTEXT);
        bool are_objects = true;
        pthread_mutex_lock(&p->lock);
        for (cl_uint k = 0; k < out->device_count; k++)
            are_objects &= is_object(sw_ocl_program_of(p, out->devices[k]));
        pthread_mutex_unlock(&p->lock);
        REQUIRE(are_objects, CL_INVALID_OPERATION);
    }
    return CL_SUCCESS;
}

static cl_int
check_link(cl_context c, cl_uint num_devices, const cl_device_id *list,
           const char *options, cl_uint count, const cl_program *inputs)
{
    REQUIRE((num_devices != 0) == (list != NULL), CL_INVALID_VALUE);
    for (cl_uint i = 0; i < num_devices; i++)
        REQUIRE(sw_ocl_get(list[i], SW_OCL_DEVICE) &&
                    sw_ocl_device_index(c, list[i]) >= 0,
                CL_INVALID_DEVICE);
    REQUIRE(count && inputs, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; i++)
        REQUIRE(sw_ocl_get(inputs[i], SW_OCL_PROGRAM), CL_INVALID_PROGRAM);
    return check_options(options, SW_CL_STEP_LINK, CL_INVALID_LINKER_OPTIONS);
}

cl_program
clLinkProgram(cl_context context, cl_uint num_devices,
              const cl_device_id *device_list, const char *options,
              cl_uint num_input_programs, const cl_program *input_programs,
              void(CL_CALLBACK *pfn_notify)(cl_program, void *),
              void *user_data, cl_int *errcode_ret)
{
    cl_context c = sw_ocl_get(context, SW_OCL_CONTEXT);
    cl_int result = !c ? CL_INVALID_CONTEXT
                    : !pfn_notify && user_data
                        ? CL_INVALID_VALUE
                        : check_link(c, num_devices, device_list, options,
                                     num_input_programs, input_programs);
    cl_program p = NULL;
    if (result == CL_SUCCESS) {
        p = sw_ocl_program_create(c, num_devices, device_list);
        result = p ? check_inputs(p, num_input_programs, input_programs)
                   : CL_OUT_OF_HOST_MEMORY;
    }
    if (result != CL_SUCCESS) {
        sw_ocl_set_error(errcode_ret, result);
        if (p)
            sw_ocl_release(p);
        return NULL;
    }
    job *j = job_create(LINK, p, 0, NULL, options);
    const sw_ocl_compiler *compiler = sw_ocl_get_compiler();
    j->is_library = compiler && compiler->makes_library(options_of(j));
    j->input_count = num_input_programs;
    j->inputs = sw_alloc(num_input_programs * sizeof *j->inputs);
    for (cl_uint i = 0; i < num_input_programs; i++) {
        j->inputs[i] = input_programs[i];
        sw_ocl_hold(j->inputs[i]);
    }
    j->notify = pfn_notify;
    j->arg = user_data;
    sw_ocl_set_error(errcode_ret, start(j)); /* with a log if it failed */
    return p;
}
