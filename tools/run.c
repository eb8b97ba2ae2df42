/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - `softwarp run PROGRAM`: sets what the program needs to meet our
 * libraries instead of a vendor's, and becomes it.
 *
 * Anything can be run: a CUDA program, a script or an interpreter that loads
 * one. Does NOT read device code; the libraries do.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/settings.h"
#include "device/device.h"
#include "opt/numerics.h"
#include "run_look.h"
#include "tools.h"
#include "watch/watch.h"

static const char help[] =
    "usage: softwarp run [option...] PROGRAM [argument...]\n"
    "  --device NAME    pretend to be this one (`softwarp devices` lists "
    "them);\n"
    "                   given more than once: several devices\n"
    "  --device-file FILE\n"
    "                   devices described in a text file, docs/devices.md\n"
    "  --devices N      N of them; of several names in turn\n"
    "  --threads N      worker threads; default: all cores\n"
    "  --exact-bounds   a byte past an allocation is a fault\n"
    "  --error-exitcode N\n"
    "                   the exit status, 1 to 255, of a program in which a "
    "kernel\n"
    "                   failed, whatever the program itself says\n"
    "  --faults FILE    a line of JSON for each kernel that fails, at the "
    "file's end\n"
    "  --observe NAME[:OPTIONS]\n"
    "                   an observer of all kernels, docs/observers.md; may be\n"
    "                   given more than once\n"
    "  --clock device|host\n"
    "                   device: events and profiles tell what the work would "
    "take on\n"
    "                   the device, by the model of time; host (default): what "
    "it took\n"
    "                   here\n"
    "  --numerics NAME  floating point as on devices of a generation (g80, "
    "gt200)\n"
    "                   or capability (1.3), docs/numerics.md; off: as "
    "today's; "
    "default:\n"
    "                   the device's\n";

enum { USAGE = 2, NOT_EXECUTABLE = 126, NOT_FOUND = 127, MAX_DEVICES = 64 };

const char *
sw_tool_base(void)
{
    static char self[PATH_MAX / 2];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = 0;
    }
    return self;
}

/* The folder of our libraries: installed beside bin/, or the build tree's.
 * In `out`, of PATH_MAX bytes; false after saying why. */
static bool
find_libraries(char *out)
{
    static const char *const places[] = {"lib/softwarp", "lib"};
    char probe[PATH_MAX + 16];
    const char *self = sw_tool_base();
    if (!*self) {
        fprintf(stderr, "softwarp run: error: /proc is not mounted\n");
        return false;
    }
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(out, PATH_MAX, "%s/%s", self, places[i]);
        snprintf(probe, sizeof probe, "%s/libcuda.so.1", out);
        if (access(probe, R_OK) == 0)
            return true;
    }
    fprintf(stderr,
            "softwarp run: error: libcuda.so.1 is neither in %s/%s nor in "
            "%s/%s\n",
            self, places[0], self, places[1]);
    return false;
}

/* Before or after what the variable has, if that is not in it already. */
static void
add_to_env(const char *name, const char *value, const char *between, bool after)
{
    const char *old = getenv(name);
    if (!old || !*old) {
        setenv(name, value, 1);
        return;
    }
    if (strstr(old, value))
        return;
    sw_buf buf;
    sw_buf_init(&buf);
    sw_buf_printf(&buf, "%s%s%s", after ? old : value, between,
                  after ? value : old);
    setenv(name, buf.p, 1);
    sw_buf_finish(&buf);
}

/* What the program and those it starts need to meet our libraries: by name, in
 * place of a runtime inside them (src/start), and when nvcc links. */
static void
set_environment(const char *libraries)
{
    char start[PATH_MAX + 32], tools[PATH_MAX + 32], ptxas[PATH_MAX + 64];
    char vendors[PATH_MAX + 32];
    add_to_env("LD_LIBRARY_PATH", libraries, ":", false);
    snprintf(start, sizeof start, "%s/libsoftwarp-start.so", libraries);
    if (access(start, R_OK) == 0)
        add_to_env("LD_AUDIT", start, ":", false);
    /* A loader of OpenCL that the program brings finds our platform here; who
     * asks for libOpenCL.so.1 finds ours among the libraries. */
    snprintf(vendors, sizeof vendors, "%s/opencl/vendors", libraries);
    if (access(vendors, R_OK) == 0)
        setenv("OCL_ICD_VENDORS", vendors, 1);
    add_to_env("NVCC_APPEND_FLAGS", "-cudart shared", " ", true);
    /* CuPy asks NVRTC for machine code unless it is told so. */
    setenv("CUPY_COMPILE_WITH_PTX", "1", 0);
    /* An nvcc for those who have none. Triton has an assembler of its own, and
     * another from 9.0 on. */
    snprintf(tools, sizeof tools, "%s/toolkit/bin", libraries);
    snprintf(ptxas, sizeof ptxas, "%s/ptxas", tools);
    if (access(ptxas, X_OK) == 0) {
        if (getenv("PATH"))
            add_to_env("PATH", tools, ":", true);
        setenv("TRITON_PTXAS_PATH", ptxas, 0);
        setenv("TRITON_PTXAS_BLACKWELL_PATH", ptxas, 0);
    }
}

static void
add_device(sw_buf *list, const char *name)
{
    sw_buf_printf(list, "%s%s", list->n ? "," : "", name);
}

/* The device of each name of the list, as its own full name, so that all see
 * the same one. False after saying what each could mean. */
static bool
check_devices(sw_buf *list)
{
    bool good = sw_tool_device_check();
    char *names = sw_buf_take(list);
    for (const char *p = names; good && p && *p;) {
        size_t n = strcspn(p, ",");
        sw_buf name;
        sw_buf_init(&name);
        sw_buf_add(&name, p + strspn(p, " "), n - strspn(p, " "));
        const sw_device_info *d = sw_tool_device_find(name.p);
        good = d != NULL;
        if (d)
            add_device(list, d->name);
        sw_buf_finish(&name);
        p += n + (p[n] == ',');
    }
    sw_free(names);
    return good;
}

/* False after saying which numerics there are. */
static bool
set_numerics(const char *name)
{
    unsigned rules;
    sw_buf names;
    if (sw_numerics_find(name, &rules))
        return setenv("SOFTWARP_NUMERICS", name, 1) == 0;
    sw_buf_init(&names);
    sw_numerics_names(&names);
    fprintf(stderr,
            "softwarp run: error: --numerics takes a compute capability or one "
            "of %s, not '%s'\n",
            names.p, name);
    sw_buf_finish(&names);
    return false;
}

/* N devices out of those named, or of the default one. */
static bool
set_count(const char *text, sw_buf *list)
{
    uint64_t n;
    if (!sw_str_to_u64(sw_str_of(text), 10, &n) || n < 1 || n > MAX_DEVICES) {
        fprintf(stderr,
                "softwarp run: error: --devices takes a number from 1 to %d, "
                "not '%s'\n",
                MAX_DEVICES, text);
        return false;
    }
    char *names = sw_buf_take(list);
    const char *first = names && *names ? names : sw_device_default()->name;
    const char *p = first;
    for (uint64_t i = 0; i < n; i++) {
        size_t length = strcspn(p, ",");
        sw_buf_printf(list, "%s%.*s", i ? "," : "", (int)length, p);
        p = p[length] ? p + length + 1 : first;
    }
    sw_free(names);
    return true;
}

/* A number of the environment, by its setting. False after saying what it
 * takes. */
static bool
set_number(const char *option, sw_setting_id id, const char *text)
{
    sw_buf allowed;
    if (sw_setting_allows(id, text))
        return setenv(sw_setting_row_of(id)->name, text, 1) == 0;
    sw_buf_init(&allowed);
    sw_setting_add_allowed(id, &allowed);
    fprintf(stderr, "softwarp run: error: %s takes %s, not '%s'\n", option,
            allowed.p, text);
    sw_buf_finish(&allowed);
    return false;
}

/* One more of those that are to observe the program. False after saying which
 * there are. */
static bool
add_observer(const char *text)
{
    size_t n = strcspn(text, ":");
    if (sw_watch_find(text, n)) {
        add_to_env("SOFTWARP_OBSERVE", text, ";", true);
        return true;
    }
    fprintf(stderr,
            "softwarp run: error: there is no observer '%.*s'; these "
            "are:\n",
            (int)n, text);
    for (size_t i = 0; sw_watch_at(i); i++)
        fprintf(stderr, "  %-10s %s\n", sw_watch_at(i)->name,
                sw_watch_at(i)->text);
    return false;
}

/* ---- options ---- */

typedef struct {
    sw_buf devices;
    const char *count, *numerics, *threads, *exitcode;
    bool is_wrong; /* what is wrong has been said */
} asked;

static void
set_observer(asked *a, const char *value)
{
    a->is_wrong |= !add_observer(value);
}

static void
set_clock(asked *a, const char *value)
{
    bool is_device = !strcmp(value, "device");
    if (!is_device && strcmp(value, "host") != 0) {
        fprintf(stderr,
                "softwarp run: error: --clock takes device or host, not "
                "'%s'\n",
                value);
        a->is_wrong = true;
    }
    if (is_device)
        set_observer(a, "clock");
}

static void
set_device(asked *a, const char *value)
{
    add_device(&a->devices, value);
}

static void
set_faults(asked *a, const char *value)
{
    (void)a;
    setenv("SOFTWARP_FAULTS", value, 1);
}

static void
set_device_file(asked *a, const char *value)
{
    (void)a;
    sw_tool_device_file(value);
}

/* Either what keeps the value, or a function that takes it. */
static const struct {
    const char *name;
    size_t field;
    void (*take)(asked *a, const char *value);
} valued[] = {
    {"--device", 0, set_device},
    {"--device-file", 0, set_device_file},
    {"--devices", offsetof(asked, count), NULL},
    {"--numerics", offsetof(asked, numerics), NULL},
    {"--threads", offsetof(asked, threads), NULL},
    {"--observe", 0, set_observer},
    {"--clock", 0, set_clock},
    {"--faults", 0, set_faults},
    {"--error-exitcode", offsetof(asked, exitcode), NULL},
};

/* An option with a value, in argv[*i] or after it; false: there is none such,
 * or its value is missing. */
static bool
read_valued(asked *a, int argc, char **argv, int *i)
{
    const char *o = argv[*i], *equals = strchr(o, '=');
    size_t n = equals ? (size_t)(equals - o) : strlen(o);
    for (size_t k = 0; k < sizeof valued / sizeof *valued; k++) {
        if (strlen(valued[k].name) != n || strncmp(valued[k].name, o, n) != 0)
            continue;
        if (!equals && *i + 1 >= argc)
            return false;
        const char *value = equals ? equals + 1 : argv[++*i];
        if (valued[k].take)
            valued[k].take(a, value);
        else
            memcpy((char *)a + valued[k].field, &value, sizeof value);
        return true;
    }
    return false;
}

/* Whether what was asked for can be had, after saying why not; sets it. */
static bool
apply(asked *a)
{
    if (!a->devices.n) {
        const char *names = sw_setting(SW_SETTING_DEVICES);
        names = names ? names : sw_setting(SW_SETTING_DEVICE);
        if (names)
            add_device(&a->devices, names);
    }
    return !a->is_wrong && check_devices(&a->devices) &&
           (!a->count || set_count(a->count, &a->devices)) &&
           (!a->numerics || set_numerics(a->numerics)) &&
           (!a->threads ||
            set_number("--threads", SW_SETTING_THREADS, a->threads)) &&
           (!a->exitcode || set_number("--error-exitcode",
                                       SW_SETTING_ERROR_EXITCODE, a->exitcode));
}

/* Options up to the program's name; its index, 0 after saying what is wrong,
 * -1 if help was asked for. */
static int
read_options(int argc, char **argv, asked *a)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        const char *o = argv[i];
        if (strcmp(o, "--") == 0) {
            i++;
            break;
        }
        if (strcmp(o, "--help") == 0 || strcmp(o, "-h") == 0)
            return -1;
        if (strcmp(o, "--exact-bounds") == 0) {
            setenv("SOFTWARP_BOUNDS", "exact", 1);
        } else if (!read_valued(a, argc, argv, &i)) {
            fprintf(stderr,
                    "softwarp run: error: '%s' is no option, or lacks "
                    "its value\n%s",
                    o, help);
            return 0;
        }
    }
    if (!apply(a))
        return 0;
    if (i < argc)
        return i;
    fprintf(stderr, "softwarp run: error: no program\n%s", help);
    return 0;
}

/* False after saying which of the environment's settings are wrong. */
static bool
check_settings(void)
{
    sw_buf wrong, unknown;
    sw_buf_init(&wrong);
    sw_buf_init(&unknown);
    bool good = sw_settings_check(&wrong);
    sw_settings_unknown(&unknown);
    if (!good)
        fprintf(stderr, "softwarp run: error: %s", wrong.p);
    if (unknown.n)
        fprintf(stderr, "softwarp run: warning: %s", unknown.p);
    sw_buf_finish(&wrong);
    sw_buf_finish(&unknown);
    return good;
}

int
sw_tool_run_prepare(int argc, char **argv, int *program)
{
    char libraries[PATH_MAX];
    asked a = {.count = NULL};
    sw_buf_init(&a.devices);
    int at = read_options(argc, argv, &a), result = USAGE;
    *program = 0;
    if (at < 0) {
        fputs(help, stdout);
        result = 0;
    } else if (at > 0 && check_settings() && find_libraries(libraries)) {
        if (a.devices.n) {
            unsetenv("SOFTWARP_DEVICE");
            setenv("SOFTWARP_DEVICES", a.devices.p, 1);
        }
        set_environment(libraries);
        result = sw_run_look(argv[at]);
        *program = result ? 0 : at;
    }
    sw_buf_finish(&a.devices);
    return result;
}

int
sw_tool_run_become(char **argv)
{
    execvp(argv[0], argv);
    int result = errno == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
    fprintf(stderr, "softwarp run: error: %s: %s\n", argv[0], strerror(errno));
    return result;
}

int
sw_tool_run_child(const char *tool, char **argv)
{
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        fprintf(stderr, "softwarp %s: error: %s: %s\n", tool, argv[0],
                strerror(errno));
        return NOT_EXECUTABLE;
    }
    if (child == 0) {
        int status = sw_tool_run_become(argv);
        fflush(NULL);
        _exit(status);
    }
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    fprintf(stderr, "softwarp %s: the program was ended by signal %d\n", tool,
            WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

int
sw_tool_run(int argc, char **argv)
{
    int at;
    int result = sw_tool_run_prepare(argc, argv, &at);
    return at ? sw_tool_run_become(argv + at) : result;
}
