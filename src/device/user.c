/* SPDX-License-Identifier: Apache-2.0 */
/*
 * user.c - the device files of this user, read once at the first question and
 * kept until the process ends; see device.h.
 */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/settings.h"
#include "device/device.h"

typedef struct {
    sw_arena *arena;
    sw_vec devices; /* const sw_device_info * */
    sw_buf errors;
} user_devices;

static user_devices *
self(void)
{
    static user_devices user;
    return &user;
}

static void
load(const char *path)
{
    user_devices *u = self();
    sw_diag diag;
    sw_diag_init(&diag);
    if (sw_device_load_file(path, u->arena, &u->devices, &diag))
        sw_diag_print(&diag, &u->errors);
    sw_diag_finish(&diag);
}

/* All files of a list separated by colons. */
static void
load_list(const char *list)
{
    while (*list) {
        size_t n = strcspn(list, ":");
        char *path = n ? sw_arena_str(self()->arena, (sw_str){list, n}) : NULL;
        if (path)
            load(path);
        list += n + (list[n] == ':');
    }
}

/* The file that need not be there. */
static void
load_default(void)
{
    const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char path[PATH_MAX];
    int n = -1;
    if (folder && *folder == '/')
        n = snprintf(path, sizeof path, "%s/softwarp/devices", folder);
    else if (home && *home)
        n = snprintf(path, sizeof path, "%s/.config/softwarp/devices", home);
    if (n > 0 && (size_t)n < sizeof path && access(path, F_OK) == 0)
        load(path);
}

static void
load_all(void)
{
    user_devices *u = self();
    u->arena = sw_arena_create();
    sw_vec_init(&u->devices, sizeof(const sw_device_info *));
    sw_buf_init(&u->errors);
    const char *list = sw_setting(SW_SETTING_DEVICE_FILE);
    if (sw_setting_is_there(SW_SETTING_DEVICE_FILE)) /* empty: no file */
        load_list(list ? list : "");
    else
        load_default();
}

const sw_vec *
sw_device_user(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_all);
    return &self()->devices;
}

const char *
sw_device_user_errors(void)
{
    (void)sw_device_user();
    return self()->errors.n ? self()->errors.p : "";
}
