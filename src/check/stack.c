/* SPDX-License-Identifier: Apache-2.0 */
/* stack.c - stacks of the host, taken and kept; see stack.h. */
#include <dlfcn.h>
#include <execinfo.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "check/stack.h"

typedef struct {
    const char *python; /* lines of Python's frames; in the arena */
    uint32_t count;
    void *frames[SW_STACK_FRAMES];
} stack;

static struct {
    pthread_mutex_t lock;
    sw_arena *arena;
    sw_map *by_key; /* index + 1 into all */
    sw_vec all;     /* stack */
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- frames of Python ----
 *
 * By functions of Python's stable interface, which the process has if it is
 * Python. Only a thread that holds Python's lock may ask. Packages release it
 * for the length of a call; then it is taken for a moment before the call does
 * anything. */

typedef struct {
    int (*is_initialized)(void), (*holds_lock)(void), (*line)(void *frame);
    void *(*own_state)(void); /* NULL: the thread has never run Python */
    int (*take_lock)(void);
    void (*leave_lock)(int);
    void *(*current)(void); /* borrowed */
    void *(*back)(void *frame), *(*code)(void *frame);
    void *(*attribute)(void *object, const char *name);
    const char *(*text)(void *object);
    void (*drop)(void *object);
    void (*clear_error)(void);
} python;

static bool
find_python(python *p)
{
    const struct {
        void *fn;
        const char *name;
    } wanted[] = {
        {&p->is_initialized, "Py_IsInitialized"},
        {&p->holds_lock, "PyGILState_Check"},
        {&p->own_state, "PyGILState_GetThisThreadState"},
        {&p->take_lock, "PyGILState_Ensure"},
        {&p->leave_lock, "PyGILState_Release"},
        {&p->line, "PyFrame_GetLineNumber"},
        {&p->current, "PyEval_GetFrame"},
        {&p->back, "PyFrame_GetBack"},
        {&p->code, "PyFrame_GetCode"},
        {&p->attribute, "PyObject_GetAttrString"},
        {&p->text, "PyUnicode_AsUTF8"},
        {&p->drop, "Py_DecRef"},
        {&p->clear_error, "PyErr_Clear"},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *symbol = dlsym(RTLD_DEFAULT, wanted[i].name);
        if (!symbol)
            return false;
        memcpy(wanted[i].fn, &symbol, sizeof symbol);
    }
    return true;
}

static void
put_attribute(const python *p, void *object, const char *name, sw_buf *out)
{
    void *value = p->attribute(object, name);
    const char *text = value ? p->text(value) : NULL;
    sw_buf_puts(out, text ? text : "?");
    if (!text)
        p->clear_error();
    if (value)
        p->drop(value);
}

/* NULL: the process runs no Python. */
static const python *
python_of_process(void)
{
    static python p;
    static int state; /* 0: not looked for; 1: is there; -1: is not */
    if (state == 0)
        state = find_python(&p) ? 1 : -1;
    return state > 0 && p.is_initialized() ? &p : NULL;
}

/* The thread holds Python's lock. */
static void
put_frames(const python *p, sw_buf *out)
{
    void *frame = p->current(), *own = NULL;
    for (int n = 0; frame && n < SW_STACK_FRAMES; n++) {
        void *code = p->code(frame);
        put_attribute(p, code, "co_name", out);
        sw_buf_puts(out, " (");
        put_attribute(p, code, "co_filename", out);
        sw_buf_printf(out, ":%d)\n", p->line(frame));
        p->drop(code);
        void *next = p->back(frame);
        if (own)
            p->drop(own);
        frame = own = next;
    }
    if (own)
        p->drop(own);
}

/* Lines of the thread's Python when its call began. */
static _Thread_local sw_buf noted;

void
sw_stack_note_python(void)
{
    const python *p = python_of_process();
    noted.n = 0;
    if (!p || !p->own_state() || p->holds_lock())
        return;
    int state = p->take_lock();
    if (!noted.p)
        sw_buf_init(&noted);
    put_frames(p, &noted);
    p->leave_lock(state);
}

static void
take_python(sw_buf *out)
{
    const python *p = python_of_process();
    if (p && p->holds_lock())
        put_frames(p, out);
    else if (noted.n)
        sw_buf_add(out, noted.p, noted.n);
}

/* ---- frames of the machine ---- */

static bool
begins_with(const char *text, const char *const *with, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(text, with[i], strlen(with[i])) == 0)
            return true;
    return false;
}

/* The file that holds the code; "": the program itself; NULL: none. */
static const char *
file_of(const void *code)
{
#ifdef DLFO_STRUCT_HAS_EH_DBASE /* glibc 2.35; dladdr looks at all symbols */
    struct dl_find_object found;
    if (_dl_find_object((void *)(uintptr_t)code, &found) != 0)
        return NULL;
    return found.dlfo_link_map ? found.dlfo_link_map->l_name : NULL;
#else
    Dl_info info;
    return dladdr(code, &info) ? info.dli_fname : NULL;
#endif
}

/* Of the libraries that hold us, the API and the libraries of mathematics: no
 * news to the user. They lie in one folder. */
static bool
is_our_own(const void *frame)
{
    static const char *const names[] = {"libsoftwarp", "libcu", "libnv",
                                        "libOpenCL"};
    const char *file = file_of(frame);
    const char *own = file_of((const void *)(uintptr_t)&sw_stack_take);
    if (!file || !own)
        return false;
    const char *slash = strrchr(file, '/');
    const char *own_slash = strrchr(own, '/');
    size_t folder = slash ? (size_t)(slash - file) : 0;
    size_t own_folder = own_slash ? (size_t)(own_slash - own) : 0;
    return folder == own_folder && memcmp(file, own, folder) == 0 &&
           begins_with(slash ? slash + 1 : file, names,
                       sizeof names / sizeof *names);
}

/* Of Python itself or of a package of it: below a line of Python no news
 * either. */
static bool
is_of_python(const char *file)
{
    static const char *const names[] = {"python", "libpython", "libffi",
                                        "libc.so", "ld-linux"};
    const char *slash = strrchr(file, '/');
    return strstr(file, "/site-packages/") || strstr(file, "/dist-packages/") ||
           strstr(file, "/lib-dynload/") ||
           begins_with(slash ? slash + 1 : file, names,
                       sizeof names / sizeof *names);
}

/* Of the frames from `first` on. */
static sw_stack_id
keep_stack(void *const *first, int n)
{
    stack s = {.count = (uint32_t)n};
    if (s.count > SW_STACK_FRAMES)
        s.count = SW_STACK_FRAMES;
    memcpy(s.frames, first, s.count * sizeof *s.frames);
    sw_buf key;
    sw_buf_init(&key);
    take_python(&key);
    size_t python_bytes = key.n;
    sw_buf_add(&key, (const char *)s.frames, s.count * sizeof *s.frames);

    pthread_mutex_lock(&kept.lock);
    if (!kept.arena) {
        kept.arena = sw_arena_create();
        kept.by_key = sw_map_create();
        sw_vec_init(&kept.all, sizeof(stack));
    }
    sw_str k = {key.p ? key.p : "", key.n};
    uintptr_t id = (uintptr_t)sw_map_get(kept.by_key, k);
    if (!id) {
        s.python = sw_arena_str(kept.arena, (sw_str){k.p, python_bytes});
        *(stack *)sw_vec_push(&kept.all) = s;
        id = kept.all.count;
        sw_map_set(kept.by_key, k, (void *)id);
    }
    pthread_mutex_unlock(&kept.lock);
    sw_buf_finish(&key);
    return (sw_stack_id)id;
}

sw_stack_id
sw_stack_take(void)
{
    void *all[SW_STACK_FRAMES + 16];
    int n = backtrace(all, SW_STACK_FRAMES + 16), first = 0;
    while (first < n && is_our_own(all[first]))
        first++;
    return keep_stack(all + first, n - first);
}

sw_stack_id
sw_stack_take_at(uint64_t pc)
{
    void *all[SW_STACK_FRAMES + 16];
    int n = backtrace(all, SW_STACK_FRAMES + 16), first = 0;
    while (first < n && (uint64_t)(uintptr_t)all[first] != pc)
        first++;
    if (first == n)
        return sw_stack_take();
    /* No call: what is looked up is the instruction itself. */
    all[first] = (char *)all[first] + 1;
    return keep_stack(all + first, n - first);
}

size_t
sw_stack_frames(sw_stack_id id, void **out, size_t room)
{
    if (!id)
        return 0;
    pthread_mutex_lock(&kept.lock);
    stack s = *(stack *)sw_vec_at(&kept.all, id - 1);
    pthread_mutex_unlock(&kept.lock);
    size_t n = s.count < room ? s.count : room;
    memcpy(out, s.frames, n * sizeof *out);
    return n;
}

bool
sw_stack_has_python(sw_stack_id id)
{
    if (!id)
        return false;
    pthread_mutex_lock(&kept.lock);
    bool has = ((const stack *)sw_vec_at(&kept.all, id - 1))->python[0] != 0;
    pthread_mutex_unlock(&kept.lock);
    return has;
}

void
sw_stack_print(sw_stack_id id, sw_buf *out)
{
    if (!id)
        return;
    pthread_mutex_lock(&kept.lock);
    stack s = *(stack *)sw_vec_at(&kept.all, id - 1);
    pthread_mutex_unlock(&kept.lock);
    sw_buf_puts(out, s.python);
    for (uint32_t i = 0; i < s.count; i++) {
        Dl_info info;
        struct link_map *map;
        /* The call, not what follows it. */
        const char *at = (const char *)s.frames[i] - 1;
        if (!dladdr1(at, &info, (void **)&map, RTLD_DL_LINKMAP) ||
            !info.dli_fname || (*s.python && is_of_python(info.dli_fname)))
            continue;
        sw_buf_printf(out, "@%s+0x%" PRIx64 " %s\n", info.dli_fname,
                      (uint64_t)(uintptr_t)at - (uint64_t)map->l_addr,
                      info.dli_sname ? info.dli_sname : "?");
    }
}
