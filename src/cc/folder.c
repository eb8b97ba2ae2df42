/* SPDX-License-Identifier: Apache-2.0 */
/* folder.c - folders of temporary files that outlive no process; session.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cc/session.h"

#define PREFIX "softwarp-compile-"

enum { TRIES = 100, LEVELS = 8 };

static const char *
root(void)
{
    const char *dir = cc_temporary_variable();
    return *dir ? dir : "/tmp";
}

/* The folder, locked; -1: somebody else has it, or it is gone. */
static int
lock_folder(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (flock(fd, LOCK_EX | LOCK_NB) || fstat(fd, &st) || st.st_nlink == 0 ||
        st.st_uid != geteuid()) {
        close(fd);
        return -1;
    }
    return fd;
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    (void)st;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

void
cc_folder_remove(const char *path, int lock)
{
    nftw(path, remove_one, LEVELS, FTW_DEPTH | FTW_PHYS);
    close(lock);
}

/* Once in a process. */
static void
sweep(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&done))
        return;
    DIR *dir = opendir(root());
    const struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) != 0)
            continue;
        sw_buf path;
        sw_buf_init(&path);
        sw_buf_printf(&path, "%s/%s", root(), entry->d_name);
        int lock = lock_folder(path.p);
        if (lock >= 0)
            cc_folder_remove(path.p, lock);
        sw_buf_finish(&path);
    }
    if (dir)
        closedir(dir);
}

const char *
cc_folder_create(sw_arena *arena, int *lock)
{
    sweep();
    /* Another process may sweep it before it is locked. */
    for (int i = 0; i < TRIES; i++) {
        char *path = sw_arena_printf(arena, "%s/" PREFIX "XXXXXX", root());
        if (!mkdtemp(path)) {
            cc_fail(SW_E_OPERATING_SYSTEM,
                    "softwarp cc: error: '%s' can't be made: %s\n", path,
                    strerror(errno));
            return NULL;
        }
        *lock = lock_folder(path);
        if (*lock >= 0)
            return path;
        rmdir(path);
    }
    cc_fail(SW_E_OPERATING_SYSTEM,
            "softwarp cc: error: folders in '%s' can't be locked\n", root());
    return NULL;
}
