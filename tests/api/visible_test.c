/* SPDX-License-Identifier: Apache-2.0 */
/* visible_test.c - devices that CUDA_VISIBLE_DEVICES leaves and orders are
 * still known by what they were known by before. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api_help.h"

enum { DEVICES = 3 };

__attribute__((constructor)) static void
choose_devices(void)
{
    setenv("SOFTWARP_DEVICES", "NVIDIA H200,NVIDIA H200,NVIDIA H200", 1);
}

typedef struct {
    CUuuid uuid;
    int bus;
    char pci[32];
} identity;

static void
identify(int device, identity *out)
{
    CHECK_EQ(cuDeviceGetUuid(&out->uuid, device), CUDA_SUCCESS);
    CHECK_EQ(
        cuDeviceGetAttribute(&out->bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device),
        CUDA_SUCCESS);
    CHECK_EQ(cuDeviceGetPCIBusId(out->pci, sizeof out->pci, device),
             CUDA_SUCCESS);
}

static bool
is_same(const identity *a, const identity *b)
{
    return !memcmp(&a->uuid, &b->uuid, sizeof a->uuid) && a->bus == b->bus &&
           strcmp(a->pci, b->pci) == 0;
}

/* The devices of a process of its own, with `visible` in the environment;
 * `hidden`, if any, is not among them. */
static int
identify_all(const char *visible, const char *hidden, identity *out)
{
    int pipes[2], count = 0, status = -1;
    CHECK_EQ(pipe(pipes), 0);
    pid_t child = fork();
    if (!child) {
        setenv("CUDA_VISIBLE_DEVICES", visible, 1);
        identity d;
        CUdevice found = -1;
        if (cuInit(0) != CUDA_SUCCESS ||
            cuDeviceGetCount(&count) != CUDA_SUCCESS)
            _exit(1);
        for (int i = 0; i < count; i++) {
            identify(i, &d);
            if (cuDeviceGetByPCIBusId(&found, d.pci) != CUDA_SUCCESS ||
                found != i)
                _exit(1);
            if (write(pipes[1], &d, sizeof d) != (ssize_t)sizeof d)
                _exit(1);
        }
        _exit(hidden && cuDeviceGetByPCIBusId(&found, hidden) !=
                            CUDA_ERROR_INVALID_DEVICE);
    }
    close(pipes[1]);
    for (count = 0; count < DEVICES &&
                    read(pipes[0], &out[count], sizeof *out) == sizeof *out;)
        count++;
    close(pipes[0]);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    return count;
}

CASE(a_device_keeps_its_identity)
{
    identity all[DEVICES], some[DEVICES];
    CHECK_EQ(identify_all("0,1,2", NULL, all), 3);
    CHECK(!is_same(&all[0], &all[1]) && !is_same(&all[1], &all[2]));
    CHECK_EQ(identify_all("2,0", all[1].pci, some), 2);
    CHECK(is_same(&some[0], &all[2]));
    CHECK(is_same(&some[1], &all[0]));
    CHECK_EQ(identify_all("1", all[2].pci, some), 1);
    CHECK(is_same(&some[0], &all[1]));
}

CASE(a_device_is_chosen_by_its_uuid)
{
    enum { WHOLE = 36, SHORT = 8 };
    identity all[DEVICES], some[DEVICES];
    char text[2][8 + WHOLE], list[3 * (8 + WHOLE)];
    CHECK_EQ(identify_all("0,1,2", NULL, all), 3);
    for (int k = 0; k < 2; k++) {
        const unsigned char *u = (const unsigned char *)all[2 - k].uuid.bytes;
        snprintf(text[k], sizeof text[k],
                 "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
                 "%02x%02x%02x%02x%02x%02x",
                 u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9],
                 u[10], u[11], u[12], u[13], u[14], u[15]);
    }
    text[1][4 + SHORT] = 0;
    snprintf(list, sizeof list, "%s,%s,GPU-0nowhere,0", text[0], text[1]);
    CHECK_EQ(identify_all(list, all[0].pci, some), 2);
    CHECK(is_same(&some[0], &all[2]));
    CHECK(is_same(&some[1], &all[1]));
}
