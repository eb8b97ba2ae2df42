/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share_file.c - see share.h: files without names, and handles that say where
 * one is.
 */
#include "rt/share.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* What stands in a handle, and in the last bytes of a file. */
typedef struct {
    char mark[4];
    uint32_t sum; /* of the place */
    sw_rt_share_place place;
} message;

enum { TRAILER_BYTES = 4096 };
_Static_assert(sizeof(message) <= SW_RT_HANDLE_BYTES, "a handle holds it");

static message
write_message(const sw_rt_share_place *place)
{
    message m = {.mark = {'s', 'w', 'r', 'p'}, .place = *place};
    m.sum = (uint32_t)sw_hash_bytes(&m.place, sizeof m.place, 0);
    return m;
}

static bool
read_message(const void *from, sw_rt_share_place *out)
{
    message m;
    memcpy(&m, from, sizeof m);
    message good = write_message(&m.place);
    *out = m.place;
    return memcmp(&m, &good, sizeof m) == 0;
}

sw_status
sw_rt_share_handle(sw_rt_share_kind kind, int file, uint64_t offset,
                   uint64_t bytes, const sw_rt_device *device, void *handle)
{
    struct stat about;
    if (fstat(file, &about) != 0)
        return SW_E_INVAL;
    sw_rt_share_place place;
    memset(&place, 0, sizeof place); /* what is between members, too */
    place.kind = kind;
    place.pid = getpid();
    place.descriptor = file;
    place.device = device ? device->physical : 0;
    place.volume = about.st_dev;
    place.inode = about.st_ino;
    place.offset = offset;
    place.bytes = bytes;
    message m = write_message(&place);
    memset(handle, 0, SW_RT_HANDLE_BYTES);
    memcpy(handle, &m, sizeof m);
    return SW_OK;
}

bool
sw_rt_share_read(const void *handle, sw_rt_share_kind kind,
                 sw_rt_share_place *out)
{
    return read_message(handle, out) && out->kind == kind;
}

bool
sw_rt_share_is_file(const sw_rt_share_place *place, int file)
{
    struct stat about;
    return fstat(file, &about) == 0 && about.st_dev == place->volume &&
           about.st_ino == place->inode;
}

bool
sw_rt_share_has_ended(int pid)
{
    return kill(pid, 0) != 0 && errno == ESRCH;
}

int
sw_rt_share_reach(const sw_rt_share_place *place)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)place->pid,
             (int)place->descriptor);
    int file = open(name, O_RDWR | O_CLOEXEC);
    if (file >= 0 && sw_rt_share_is_file(place, file))
        return file;
    if (file >= 0)
        close(file);
    sw_log(SW_LOG_INFO, "what a handle stands for cannot be reached: %s", name);
    return -1;
}

int
sw_rt_share_file(sw_rt_share_kind kind, const sw_rt_device *device,
                 uint64_t bytes)
{
    int file = memfd_create("softwarp", MFD_CLOEXEC);
    if (file < 0)
        return -1;
    sw_rt_share_place place;
    memset(&place, 0, sizeof place);
    place.kind = kind;
    place.device = device->physical;
    place.bytes = bytes;
    message m = write_message(&place);
    if (sw_file_resize(file, bytes + TRAILER_BYTES) &&
        pwrite(file, &m, sizeof m, (off_t)bytes) == (ssize_t)sizeof m)
        return file;
    close(file);
    return -1;
}

sw_status
sw_rt_share_import(int file, sw_rt_share_kind kind, sw_rt_device **device,
                   uint64_t *bytes, int *out)
{
    struct stat about;
    message m;
    sw_rt_share_place place;
    if (fstat(file, &about) != 0 || about.st_size < TRAILER_BYTES ||
        pread(file, &m, sizeof m, about.st_size - TRAILER_BYTES) !=
            (ssize_t)sizeof m ||
        !read_message(&m, &place) ||
        place.bytes + TRAILER_BYTES != (uint64_t)about.st_size)
        return SW_E_UNKNOWN;
    if (place.kind != kind)
        return SW_E_NOT_SUPPORTED;
    *device = sw_rt_device_find(place.device);
    *bytes = place.bytes;
    if (!*device)
        return SW_E_UNKNOWN;
    *out = fcntl(file, F_DUPFD_CLOEXEC, 0);
    return *out < 0 ? SW_E_NOMEM : SW_OK;
}
