/* SPDX-License-Identifier: Apache-2.0 */
/* library.c - sw_cc_compile: the command's work for a program that goes on. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cc/cc.h"
#include "cc/cc_private.h"
#include "cc/session.h"

bool
cc_write_named(const char *path, const char *name, sw_str text)
{
    sw_buf out;
    sw_buf_init(&out);
    sw_buf_puts(&out, "#line 1 \"");
    for (const char *p = name; *p; p++) {
        if (*p == '"' || *p == '\\')
            sw_buf_add(&out, "\\", 1);
        sw_buf_add(&out, *p == '\n' ? " " : p, 1);
    }
    sw_buf_puts(&out, "\"\n");
    sw_buf_add(&out, text.p, text.n);
    sw_buf_puts(&out, "\n");
    bool ok = cc_write_file(path, out.p, out.n);
    if (!ok)
        cc_session_get()->status = SW_E_OPERATING_SYSTEM;
    sw_buf_finish(&out);
    return ok;
}

static bool
is_proper_name(const char *name)
{
    return *name && *name != '/' && !strstr(name, "..");
}

bool
cc_write_header(sw_arena *arena, const char *folder, const sw_cc_header *header)
{
    if (!is_proper_name(header->name)) {
        cc_fail(SW_E_INVAL, "softwarp cc: error: no header can be named '%s'\n",
                header->name);
        return false;
    }
    char *path = sw_arena_printf(arena, "%s/headers/%s", folder, header->name);
    for (char *p = path + strlen(folder) + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        bool ok = !mkdir(path, 0700) || errno == EEXIST;
        if (!ok)
            cc_fail(SW_E_OPERATING_SYSTEM,
                    "softwarp cc: error: '%s' can't be made: %s\n", path,
                    strerror(errno));
        *p = '/';
        if (!ok)
            return false;
    }
    return cc_write_named(path, header->name, header->text);
}

/* The command line of `softwarp cc` that does it, NULL at the end. */
static void
command_line(const sw_cc_request *r, sw_arena *arena, const char *folder,
             const char *input, const char *output, sw_vec *argv)
{
    *(const char **)sw_vec_push(argv) = "cc";
    for (size_t i = 0; i < r->option_count; i++)
        *(const char **)sw_vec_push(argv) = r->options[i];
    if (r->header_count)
        *(const char **)sw_vec_push(argv) =
            sw_arena_printf(arena, "-I%s/headers", folder);
    *(const char **)sw_vec_push(argv) = "-ptx";
    *(const char **)sw_vec_push(argv) = "-o";
    *(const char **)sw_vec_push(argv) = output;
    *(const char **)sw_vec_push(argv) = input;
    *(const char **)sw_vec_push(argv) = NULL;
}

/* The source, and what asks for names, in the file `input`. */
static bool
write_source(const sw_cc_request *r, const char *input)
{
    sw_buf source;
    sw_buf_init(&source);
    sw_buf_add(&source, r->source.p, r->source.n);
    cc_add_expressions(r, &source);
    bool ok = cc_write_named(input, r->name, (sw_str){source.p, source.n});
    sw_buf_finish(&source);
    return ok;
}

static bool
compile(const sw_cc_request *r, sw_arena *arena, const char *folder,
        sw_cc_result *result)
{
    static const sw_cc_host host = {0};
    const char *input = sw_arena_printf(arena, "%s/source.cu", folder);
    const char *output = sw_arena_printf(arena, "%s/device.ptx", folder);
    char *text;
    size_t bytes;
    for (size_t i = 0; i < r->header_count; i++)
        if (!cc_write_header(arena, folder, &r->headers[i]))
            return false;
    if (!write_source(r, input))
        return false;
    sw_vec argv;
    sw_vec_init(&argv, sizeof(char *));
    command_line(r, arena, folder, input, output, &argv);
    bool ok = sw_cc_main((int)argv.count - 1, argv.data, &host) == 0 &&
              cc_read_file(output, &text, &bytes);
    sw_vec_finish(&argv);
    if (ok) {
        sw_buf_add(&result->ptx, text, bytes);
        sw_free(text);
        ok = cc_take_lowered(r, &result->ptx, result);
    }
    return ok;
}

sw_status
sw_cc_compile(const sw_cc_request *request, sw_cc_result *result)
{
    sw_buf_init(&result->ptx);
    sw_buf_init(&result->log);
    result->lowered = NULL;
    result->lowered_count = 0;
    cc_session session = {.said = &result->log, .status = SW_OK};
    if (request->timeout_ms)
        session.deadline_ns =
            sw_time_ns() + (uint64_t)request->timeout_ms * 1000000;
    cc_session_set(&session);
    sw_arena *arena = sw_arena_create();
    int lock;
    const char *folder = cc_folder_create(arena, &lock);
    bool ok = folder && compile(request, arena, folder, result);
    if (folder)
        cc_folder_remove(folder, lock);
    sw_arena_destroy(arena);
    cc_session_set(NULL);
    if (ok)
        return SW_OK;
    return session.status != SW_OK ? session.status : SW_E_INVALID_SOURCE;
}

void
sw_cc_result_finish(sw_cc_result *result)
{
    sw_buf_finish(&result->ptx);
    sw_buf_finish(&result->log);
    for (size_t i = 0; i < result->lowered_count; i++)
        sw_free(result->lowered[i]);
    sw_free(result->lowered);
}
