/* SPDX-License-Identifier: Apache-2.0 */
/* physical.c - see physical.h. */
#include "rt/physical.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/settings.h"
#include "device/properties.h"
#include "rt/rt.h"

static struct {
    const sw_device_info *devices[SW_RT_MAX_DEVICES];
    size_t count;
    sw_status status;
} list;

static void
add(const sw_device_info *info)
{
    if (list.count < SW_RT_MAX_DEVICES)
        list.devices[list.count++] = info;
}

static sw_status
add_by_name(sw_str name)
{
    char *text = sw_alloc(name.n + 1);
    memcpy(text, name.p, name.n);
    const sw_device_info *info = sw_device_find(text);
    if (info) {
        add(info);
        if (!sw_device_is_named(info, text))
            sw_log(SW_LOG_INFO, "the device \"%s\" is the usual model, %s",
                   text, info->name);
    } else {
        sw_buf near;
        sw_buf_init(&near);
        sw_device_near(text, &near);
        sw_log(SW_LOG_ERROR, "there is no device \"%s\"%s", text, near.p);
        sw_buf_finish(&near);
    }
    sw_free(text);
    return info ? SW_OK : SW_E_INVALID_DEVICE;
}

static void
read_names(void)
{
    const char *names = sw_setting(SW_SETTING_DEVICES);
    if (!names)
        names = sw_setting(SW_SETTING_DEVICE);
    if (!names)
        add(sw_device_default());
    sw_str part;
    while (list.status == SW_OK && sw_str_next_part(&names, &part))
        if (part.n)
            list.status = add_by_name(part);
}

sw_status
sw_rt_physical_list(size_t *count)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_names);
    *count = list.count;
    return list.status;
}

const sw_device_info *
sw_rt_physical_at(size_t i)
{
    return list.devices[i];
}

void
sw_rt_physical_uuid(const sw_device_info *info, int physical, char text[41])
{
    uint8_t uuid[16];
    char *end = text + sprintf(text, "GPU-");
    sw_device_uuid(info, physical, uuid);
    for (int i = 0; i < 16; i++) {
        bool is_group = i == 4 || i == 6 || i == 8 || i == 10;
        end += sprintf(end, is_group ? "-%02x" : "%02x", uuid[i]);
    }
}
