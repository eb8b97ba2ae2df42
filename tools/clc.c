/* SPDX-License-Identifier: Apache-2.0 */
/* clc.c - `softwarp clc`: what an OpenCL program's build does, to look at. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cc/opencl.h"
#include "tools.h"

static const char help[] =
    "usage: softwarp clc [option...] FILE.cl\n"
    "compiles OpenCL C to PTX, as programs do by clBuildProgram\n"
    "  -o FILE        where it goes (standard output)\n"
    "  -arch sm_NN    the device (sm_90)\n"
    "  -c             makes an object, as clCompileProgram does\n"
    "  -l             links objects, as clLinkProgram does\n"
    "  -h, --help\n"
    "All other options are those of clBuildProgram.\n";

enum { BUILD, COMPILE, LINK };

typedef struct {
    const char *output;
    uint32_t capability;
    int step;
    sw_vec files;   /* const char * */
    sw_buf options; /* as clBuildProgram takes them */
} order;

static void
add_option(sw_buf *options, const char *text)
{
    sw_buf_puts(options, " \"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            sw_buf_put(options, '\\');
        sw_buf_put(options, *text);
    }
    sw_buf_put(options, '"');
}

/* False after saying what is wrong. */
static bool
read_order(int argc, char **argv, order *o)
{
    static const char *const with_value[] = {"-D", "-I", "-x"};
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(arg, "-o") && next) {
            o->output = argv[++i];
        } else if (!strcmp(arg, "-arch") && next) {
            const char *digits = next + strcspn(next, "0123456789");
            o->capability = (uint32_t)atoi(digits);
            i++;
        } else if (!strcmp(arg, "-c") || !strcmp(arg, "-l")) {
            o->step = arg[1] == 'c' ? COMPILE : LINK;
        } else if (*arg == '-') {
            add_option(&o->options, arg);
            for (size_t k = 0; next && k < 3; k++)
                if (!strcmp(arg, with_value[k]))
                    add_option(&o->options, argv[++i]);
        } else {
            *(const char **)sw_vec_push(&o->files) = arg;
        }
    }
    if (!o->files.count || (o->step != LINK && o->files.count > 1)) {
        fprintf(stderr, "softwarp clc: error: %s\n",
                o->files.count ? "more than one source" : "no source");
        return false;
    }
    return true;
}

static bool
read_files(const order *o, sw_cl_object *objects)
{
    for (size_t i = 0; i < o->files.count; i++) {
        const char *path = *(char **)sw_vec_at(&o->files, i);
        char *text;
        if (sw_file_read(path, &text, &objects[i].size) != SW_OK) {
            fprintf(stderr, "softwarp clc: error: '%s' can't be read\n", path);
            return false;
        }
        objects[i].data = text;
    }
    return true;
}

static sw_status
work(const order *o, const sw_cl_object *objects, sw_buf *out, sw_buf *log)
{
    const char *name = *(char **)sw_vec_at(&o->files, 0);
    sw_cl_compile_request request = {
        .name = name,
        .source = {objects[0].data, objects[0].size},
        .options = o->options.p,
        .capability = o->capability};
    if (o->step == LINK)
        return sw_cl_link(objects, o->files.count, o->options.p, false,
                          o->capability, out, log);
    return o->step == COMPILE ? sw_cl_compile(&request, out, log)
                              : sw_cl_build(&request, out, log);
}

static bool
write_output(const char *path, const sw_buf *out)
{
    FILE *f = path ? fopen(path, "w") : stdout;
    bool ok = f && fwrite(out->p, 1, out->n, f) == out->n;
    if (f && path)
        ok &= !fclose(f);
    if (!ok)
        fprintf(stderr, "softwarp clc: error: '%s' can't be written\n",
                path ? path : "standard output");
    return ok;
}

int
sw_tool_clc(int argc, char **argv)
{
    if (argc < 2 || !strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")) {
        fputs(help, argc < 2 ? stderr : stdout);
        return argc < 2;
    }
    order o = {.capability = 90};
    sw_vec_init(&o.files, sizeof(char *));
    sw_buf_init(&o.options);
    sw_buf_puts(&o.options, "");
    bool ok = read_order(argc, argv, &o);
    sw_cl_object *objects = sw_alloc((o.files.count + 1) * sizeof *objects);
    if (ok && (ok = read_files(&o, objects))) {
        sw_buf out, log;
        sw_status status = work(&o, objects, &out, &log);
        fwrite(log.n ? log.p : "", 1, log.n, stderr);
        ok = status == SW_OK && write_output(o.output, &out);
        sw_buf_finish(&out);
        sw_buf_finish(&log);
    }
    for (size_t i = 0; i < o.files.count; i++)
        sw_free((void *)(uintptr_t)objects[i].data);
    sw_free(objects);
    sw_buf_finish(&o.options);
    sw_vec_finish(&o.files);
    return !ok;
}
