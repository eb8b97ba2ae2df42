/* SPDX-License-Identifier: Apache-2.0 */
/* cc_library_test.c - compiling for a program that goes on running: by many
 * threads at once, until a deadline, and killed in the midst. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cc/cc.h"

#include "check.h"

enum { THREADS = 8, TRIES = 3000 };

static void
nap(void)
{
    const struct timespec t = {0, 10000000};
    nanosleep(&t, NULL);
}

static bool
has(const sw_buf *text, const char *what)
{
    return text->n && memmem(text->p, text->n, what, strlen(what));
}

static sw_status
compile(const char *name, const char *source, sw_cc_result *result)
{
    sw_cc_request request = {.name = name, .source = sw_str_of(source)};
    return sw_cc_compile(&request, result);
}

static void *
compile_one(void *arg)
{
    unsigned i = (unsigned)(uintptr_t)arg;
    char name[32], source[256], entry[32];
    bool is_wrong = i % 4 == 3;
    sw_cc_result r;
    snprintf(name, sizeof name, "unit%u.cu", i);
    snprintf(entry, sizeof entry, ".entry unit%u(", i);
    snprintf(source, sizeof source,
             "extern \"C\" __global__ void unit%u(int *p)\n{ *p = %u%s }\n", i,
             i, is_wrong ? "" : ";");
    sw_status status = compile(name, source, &r);
    char place[48];
    snprintf(place, sizeof place, "%s:2:", name);
    bool ok = is_wrong ? status == SW_E_INVALID_SOURCE && !r.ptx.n &&
                             has(&r.log, place) && has(&r.log, "error: ")
                       : status == SW_OK && has(&r.ptx, entry) && !r.log.n;
    if (!ok)
        printf("%s: status %d: %.*s\n", name, (int)status, (int)r.log.n,
               r.log.n ? r.log.p : "");
    sw_cc_result_finish(&r);
    return (void *)(uintptr_t)ok;
}

/* While the program's environment changes and it starts children itself. */
CASE(threads_compile_at_once)
{
    pthread_t threads[THREADS];
    unsigned right = 0;
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, compile_one, (void *)i), 0);
    for (int i = 0; i < 20; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", i);
        setenv("CC_LIBRARY_TEST", text, 1);
        nap();
    }
    for (int i = 0; i < THREADS; i++) {
        void *ok = NULL;
        CHECK_EQ(pthread_join(threads[i], &ok), 0);
        right += ok != NULL;
    }
    CHECK_EQ(right, THREADS);
}

CASE(headers_come_from_the_request)
{
    static const char source[] = "#include \"deep/values.h\"\n"
                                 "extern \"C\" __global__ void k(int *p)\n"
                                 "{ *p = VALUE; }\n";
    sw_cc_header header = {"deep/values.h", sw_str_of("#define VALUE 4711")};
    static const char *const options[] = {"-arch=compute_80"};
    sw_cc_request request = {.name = "main.cu",
                             .source = sw_str_of(source),
                             .headers = &header,
                             .header_count = 1,
                             .options = options,
                             .option_count = 1};
    sw_cc_result r;
    CHECK_EQ(sw_cc_compile(&request, &r), SW_OK);
    CHECK(has(&r.ptx, "4711"));
    CHECK(has(&r.ptx, ".target sm_80"));
    sw_cc_result_finish(&r);
    header.name = "../values.h";
    CHECK_EQ(sw_cc_compile(&request, &r), SW_E_INVAL);
    CHECK(has(&r.log, "'../values.h'"));
    sw_cc_result_finish(&r);
}

CASE(expressions_have_names_in_the_ptx)
{
    static const char source[] =
        "namespace n { template <class T> __global__ void f(T *p) { *p = 1; }\n"
        "__constant__ int c[3];\n"
        "template <int N> __device__ int v = N; }\n";
    static const char *const expressions[] = {"n::f<float>", "&n::c",
                                              " & n::v<3>"};
    static const char *const options[] = {"--rtc", "-arch=compute_80"};
    static const char *const lowered[] = {"_ZN1n1fIfEEvPT_", "_ZN1n1cE",
                                          "_ZN1n1vILi3EEE"};
    sw_cc_request request = {.name = "names.cu",
                             .source = sw_str_of(source),
                             .options = options,
                             .option_count = 2,
                             .expressions = expressions,
                             .expression_count = 3};
    sw_cc_result r;
    CHECK_EQ(sw_cc_compile(&request, &r), SW_OK);
    CHECK_EQ(r.lowered_count, 3);
    for (size_t i = 0; i < r.lowered_count; i++) {
        CHECK_STR(r.lowered[i], lowered[i]);
        CHECK(has(&r.ptx, lowered[i]));
    }
    CHECK(!has(&r.ptx, "__softwarp_name"));
    sw_cc_result_finish(&r);
    static const char *const wrong[] = {"n::g<float>"};
    request.expressions = wrong;
    request.expression_count = 1;
    CHECK_EQ(sw_cc_compile(&request, &r), SW_E_INVALID_SOURCE);
    CHECK_EQ(r.lowered_count, 0);
    CHECK(has(&r.log, "name expression: n::g<float>:1:"));
    sw_cc_result_finish(&r);
}

CASE(an_unknown_option_is_named)
{
    static const char *const options[] = {"--no-such-option"};
    sw_cc_request request = {.name = "a.cu",
                             .source = sw_str_of(""),
                             .options = options,
                             .option_count = 1};
    sw_cc_result r;
    CHECK_EQ(sw_cc_compile(&request, &r), SW_E_INVALID_SOURCE);
    CHECK(has(&r.log, "--no-such-option"));
    sw_cc_result_finish(&r);
}

/* Includes a pipe that nobody writes to, so the compiler waits for ever. */
static sw_status
compile_for_ever(const char *folder, uint32_t timeout_ms, sw_cc_result *r)
{
    char include[64];
    snprintf(include, sizeof include, "-I%s", folder);
    const char *const options[] = {include};
    sw_cc_request request = {.name = "ever.cu",
                             .source = sw_str_of("#include <pipe.h>\n"),
                             .options = options,
                             .option_count = 1,
                             .timeout_ms = timeout_ms};
    return sw_cc_compile(&request, r);
}

static void
make_pipe(char folder[32])
{
    char path[64];
    strcpy(folder, "/tmp/cc_library_XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/pipe.h", folder);
    CHECK_EQ(mkfifo(path, 0600), 0);
}

/* Folders of compilations in there; of those that nobody removed. */
static unsigned
count_folders(const char *folder)
{
    unsigned n = 0;
    DIR *dir = opendir(folder);
    const struct dirent *e;
    while (dir && (e = readdir(dir)))
        n += strncmp(e->d_name, "softwarp-compile-", 17) == 0;
    if (dir)
        closedir(dir);
    return n;
}

static void
remove_pipe(const char *folder)
{
    char path[64];
    snprintf(path, sizeof path, "%s/pipe.h", folder);
    CHECK_EQ(unlink(path), 0);
    CHECK_EQ(rmdir(folder), 0);
}

CASE(a_deadline_ends_the_compiler)
{
    char folder[32];
    sw_cc_result r;
    make_pipe(folder);
    uint64_t before = sw_time_ns();
    CHECK_EQ(compile_for_ever(folder, 400, &r), SW_E_TIMEOUT);
    CHECK(sw_time_ns() - before < UINT64_C(20000000000));
    CHECK(has(&r.log, "took too long"));
    sw_cc_result_finish(&r);
    remove_pipe(folder);
}

/* Not one of its own: what the next case starts. */
CASE(compile_where_told)
{
    const char *folder = getenv("CC_LIBRARY_PIPE");
    sw_cc_result r;
    sw_status status = folder ? compile_for_ever(folder, 0, &r)
                              : compile("b.cu", "__global__ void k() {}", &r);
    CHECK_EQ(status, SW_OK);
    sw_cc_result_finish(&r);
}

static pid_t
start(const char *tmpdir, const char *pipe_folder)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setenv("TMPDIR", tmpdir, 1);
        if (pipe_folder)
            setenv("CC_LIBRARY_PIPE", pipe_folder, 1);
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        execl("/proc/self/exe", "cc_library_test", "compile_where_told",
              (char *)NULL);
        _exit(127);
    }
    return child;
}

/* A writer can open the pipe at once only while a reader waits. */
static bool
has_reader(const char *folder)
{
    char path[64];
    snprintf(path, sizeof path, "%s/pipe.h", folder);
    int fd = open(path, O_WRONLY | O_NONBLOCK);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

CASE(who_is_killed_leaves_nothing_for_long)
{
    char folder[32];
    int status = 0;
    make_pipe(folder);
    pid_t child = start(folder, folder);
    for (int i = 0; i < TRIES && !count_folders(folder); i++)
        nap();
    for (int i = 0; i < 100; i++) /* into the compiler */
        nap();
    CHECK_EQ(kill(child, SIGKILL), 0);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status));
    CHECK(count_folders(folder) > 0);
    nap();
    nap();
    CHECK(!has_reader(folder)); /* the compiler is gone, too */
    child = start(folder, NULL);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    CHECK_EQ(count_folders(folder), 0);
    remove_pipe(folder);
}
