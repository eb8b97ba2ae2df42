/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - the growing file of activity.h: a window of it is mapped. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rt/activity.h"

enum { WINDOW_BYTES = 1 << 20 };

struct sw_rt_lines {
    int file;
    char *window;    /* of the file, from `offset`; NULL: failed */
    uint64_t offset; /* of the window */
    size_t used;     /* of the window */
};

static char *
expand_name(const char *name)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    sw_buf out;
    sw_buf_init(&out);
    for (const char *p = name; *p; p++) {
        if (p[0] == '%' && p[1] == 'p')
            sw_buf_printf(&out, "%d", (int)getpid());
        else if (p[0] == '%' && p[1] == 'h')
            sw_buf_puts(&out, host);
        else if (p[0] == '%' && p[1] == '%')
            sw_buf_puts(&out, "%");
        else {
            sw_buf_add(&out, p, 1);
            continue;
        }
        p++;
    }
    char *text = sw_buf_take(&out);
    sw_buf_finish(&out);
    return text;
}

static void
give_up(sw_rt_lines *l)
{
    sw_log(SW_LOG_ERROR, "cannot write the profile: %s", strerror(errno));
    l->window = NULL;
}

/* The next part of the file, all zeros, is the window. */
static void
map_next(sw_rt_lines *l)
{
    if (l->window) {
        munmap(l->window, WINDOW_BYTES);
        l->offset += WINDOW_BYTES;
    }
    l->used = 0;
    /* Not truncate alone: a full disk is an error here, not a signal later. */
    sw_file_limit limit;
    sw_file_limit_begin(&limit);
    int error = posix_fallocate(l->file, (off_t)l->offset, (off_t)WINDOW_BYTES);
    sw_file_limit_end(&limit);
    errno = error;
    void *p = error ? MAP_FAILED
                    : mmap(NULL, WINDOW_BYTES, PROT_READ | PROT_WRITE,
                           MAP_SHARED, l->file, (off_t)l->offset);
    if (p == MAP_FAILED)
        give_up(l);
    else
        l->window = p;
}

sw_rt_lines *
sw_rt_lines_open(const char *name)
{
    char *path = expand_name(name);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    sw_rt_lines *l = NULL;
    if (file < 0) {
        sw_log(SW_LOG_ERROR, "cannot write the profile %s: %s", path,
               strerror(errno));
    } else {
        l = sw_alloc(sizeof *l);
        l->file = file;
        map_next(l);
    }
    sw_free(path);
    return l;
}

void
sw_rt_lines_add(sw_rt_lines *l, const char *text, size_t bytes)
{
    while (bytes && l->window) {
        size_t room = WINDOW_BYTES - l->used;
        size_t n = bytes < room ? bytes : room;
        memcpy(l->window + l->used, text, n);
        l->used += n;
        text += n;
        bytes -= n;
        if (l->used == WINDOW_BYTES)
            map_next(l);
    }
}

void
sw_rt_lines_close(sw_rt_lines *l)
{
    if (!l)
        return;
    if (l->window) {
        munmap(l->window, WINDOW_BYTES);
        if (!sw_file_resize(l->file, l->offset + l->used))
            give_up(l);
    }
    close(l->file);
    sw_free(l);
}
