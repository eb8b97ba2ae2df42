/* SPDX-License-Identifier: Apache-2.0 */
/*
 * smi.c - nvidia-smi for programs that call it: devices as NVML tells of them,
 * as a table, a list (-L) or values of fields (--query-gpu). It knows nothing
 * but NVML.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nvml.h"

enum { DEVICES = 64, TEXT = 128 };

static const char help[] =
    "usage: nvidia-smi [-i IDS] [-L]\n"
    "       nvidia-smi --query-gpu=FIELDS --format=csv[,noheader][,nounits]\n"
    "       nvidia-smi --query-compute-apps=FIELDS --format=csv...\n"
    "  -L    a line a device\n"
    "  -i    only these: indices, UUIDs or bus ids, with commas between\n"
    "  --help-query-gpu  the fields\n";

/* ---- fields ---- */

typedef nvmlReturn_t field_fn(nvmlDevice_t device, char out[TEXT]);

static nvmlReturn_t
print_number(nvmlReturn_t status, unsigned long long value, char *out)
{
    snprintf(out, TEXT, "%llu", value);
    return status;
}

static nvmlReturn_t
absent(nvmlDevice_t device, char *out)
{
    (void)device, (void)out;
    return NVML_ERROR_NOT_SUPPORTED;
}

static nvmlReturn_t
timestamp(nvmlDevice_t device, char *out)
{
    struct timespec now;
    struct tm parts;
    (void)device;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &parts);
    size_t n = strftime(out, TEXT, "%Y/%m/%d %H:%M:%S", &parts);
    snprintf(out + n, TEXT - n, ".%03ld", now.tv_nsec / 1000000);
    return NVML_SUCCESS;
}

static nvmlReturn_t
driver_version(nvmlDevice_t device, char *out)
{
    (void)device;
    return nvmlSystemGetDriverVersion(out, TEXT);
}

static nvmlReturn_t
count(nvmlDevice_t device, char *out)
{
    unsigned n = 0;
    (void)device;
    nvmlReturn_t status = nvmlDeviceGetCount(&n);
    return print_number(status, n, out);
}

static nvmlReturn_t
name(nvmlDevice_t device, char *out)
{
    return nvmlDeviceGetName(device, out, TEXT);
}

static nvmlReturn_t
uuid(nvmlDevice_t device, char *out)
{
    return nvmlDeviceGetUUID(device, out, TEXT);
}

static nvmlReturn_t
bus_id(nvmlDevice_t device, char *out)
{
    nvmlPciInfo_t pci = {.busId = ""};
    nvmlReturn_t status = nvmlDeviceGetPciInfo(device, &pci);
    snprintf(out, TEXT, "%s", pci.busId);
    return status;
}

static nvmlReturn_t
bus(nvmlDevice_t device, char *out)
{
    nvmlPciInfo_t pci = {.bus = 0};
    nvmlReturn_t status = nvmlDeviceGetPciInfo(device, &pci);
    snprintf(out, TEXT, "0x%02X", pci.bus);
    return status;
}

#define NUMBER(fn, type, call)                                                 \
    static nvmlReturn_t fn(nvmlDevice_t device, char *out)                     \
    {                                                                          \
        type value = 0;                                                        \
        nvmlReturn_t status = call;                                            \
        return print_number(status, (unsigned long long)value, out);           \
    }
NUMBER(index_, unsigned, nvmlDeviceGetIndex(device, &value))
NUMBER(link_generation, unsigned,
       nvmlDeviceGetCurrPcieLinkGeneration(device, &value))
NUMBER(link_width, unsigned, nvmlDeviceGetCurrPcieLinkWidth(device, &value))
NUMBER(clock_graphics, unsigned,
       nvmlDeviceGetClockInfo(device, NVML_CLOCK_GRAPHICS, &value))
NUMBER(clock_sm, unsigned,
       nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM, &value))
NUMBER(clock_memory, unsigned,
       nvmlDeviceGetClockInfo(device, NVML_CLOCK_MEM, &value))

#define MEMORY(fn, field)                                                      \
    static nvmlReturn_t fn(nvmlDevice_t device, char *out)                     \
    {                                                                          \
        nvmlMemory_v2_t memory = {.version = nvmlMemory_v2};                   \
        nvmlReturn_t status = nvmlDeviceGetMemoryInfo_v2(device, &memory);     \
        return print_number(status, memory.field >> 20, out);                  \
    }
MEMORY(memory_total, total)
MEMORY(memory_used, used)
MEMORY(memory_free, free)
MEMORY(memory_reserved, reserved)

static nvmlReturn_t
capability(nvmlDevice_t device, char *out)
{
    int major = 0, minor = 0;
    nvmlReturn_t status =
        nvmlDeviceGetCudaComputeCapability(device, &major, &minor);
    snprintf(out, TEXT, "%d.%d", major, minor);
    return status;
}

static nvmlReturn_t
compute_mode(nvmlDevice_t device, char *out)
{
    static const char *const names[] = {"Default", "Exclusive_Thread",
                                        "Prohibited", "Exclusive_Process"};
    nvmlComputeMode_t mode = NVML_COMPUTEMODE_DEFAULT;
    nvmlReturn_t status = nvmlDeviceGetComputeMode(device, &mode);
    snprintf(out, TEXT, "%s", mode < 4 ? names[mode] : "?");
    return status;
}

static nvmlReturn_t
say_enabled(nvmlReturn_t status, bool is_on, char *out)
{
    snprintf(out, TEXT, "%s", is_on ? "Enabled" : "Disabled");
    return status;
}

static nvmlReturn_t
persistence(nvmlDevice_t device, char *out)
{
    nvmlEnableState_t mode = NVML_FEATURE_DISABLED;
    nvmlReturn_t status = nvmlDeviceGetPersistenceMode(device, &mode);
    return say_enabled(status, mode == NVML_FEATURE_ENABLED, out);
}

static nvmlReturn_t
display(nvmlDevice_t device, char *out)
{
    nvmlEnableState_t mode = NVML_FEATURE_DISABLED;
    nvmlReturn_t status = nvmlDeviceGetDisplayActive(device, &mode);
    return say_enabled(status, mode == NVML_FEATURE_ENABLED, out);
}

static nvmlReturn_t
ecc(nvmlDevice_t device, char *out)
{
    nvmlEnableState_t now = NVML_FEATURE_DISABLED, then;
    nvmlReturn_t status = nvmlDeviceGetEccMode(device, &now, &then);
    return say_enabled(status, now == NVML_FEATURE_ENABLED, out);
}

static nvmlReturn_t
mig(nvmlDevice_t device, char *out)
{
    unsigned now = 0, then;
    nvmlReturn_t status = nvmlDeviceGetMigMode(device, &now, &then);
    return say_enabled(status, now != 0, out);
}

static nvmlReturn_t
pstate(nvmlDevice_t device, char *out)
{
    nvmlPstates_t state = NVML_PSTATE_UNKNOWN;
    nvmlReturn_t status = nvmlDeviceGetPerformanceState(device, &state);
    snprintf(out, TEXT, "P%u", (unsigned)state);
    return status;
}

static const struct {
    const char *name, *other, *unit;
    field_fn *fn;
} fields[] = {
#define FIELD(name, other, unit, fn) {name, other, unit, fn},
#include "fields.def"
#undef FIELD
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* ---- devices ---- */

static nvmlDevice_t devices[DEVICES];
static unsigned device_count;

static bool
find_device(const char *id, nvmlDevice_t *device)
{
    char *end;
    unsigned long index = strtoul(id, &end, 10);
    if (*id && !*end)
        return nvmlDeviceGetHandleByIndex((unsigned)index, device) ==
               NVML_SUCCESS;
    return nvmlDeviceGetHandleByUUID(id, device) == NVML_SUCCESS ||
           nvmlDeviceGetHandleByPciBusId(id, device) == NVML_SUCCESS;
}

static bool
choose_devices(char *ids)
{
    unsigned all = 0;
    if (!ids) {
        nvmlDeviceGetCount(&all);
        for (unsigned i = 0; i < all && i < DEVICES; i++)
            nvmlDeviceGetHandleByIndex(i, &devices[device_count++]);
        return true;
    }
    for (char *id = strtok(ids, ","); id && device_count < DEVICES;
         id = strtok(NULL, ","))
        if (!find_device(id, &devices[device_count++])) {
            printf("No devices were found\n");
            return false;
        }
    return true;
}

/* ---- what is printed ---- */

static void
value_of(field_fn *fn, nvmlDevice_t device, char *out)
{
    if (fn(device, out) != NVML_SUCCESS)
        snprintf(out, TEXT, "[N/A]");
}

static void
print_list(void)
{
    char text[3][TEXT];
    for (unsigned i = 0; i < device_count; i++) {
        value_of(index_, devices[i], text[0]);
        value_of(name, devices[i], text[1]);
        value_of(uuid, devices[i], text[2]);
        printf("GPU %s: %s (UUID: %s)\n", text[0], text[1], text[2]);
    }
}

static void
print_line(char c)
{
    putchar('+');
    for (int i = 0; i < 78; i++)
        putchar(i == 40 ? '+' : c);
    printf("+\n");
}

static void
print_table(void)
{
    char version[TEXT], text[5][TEXT], memory[3 * TEXT];
    int cuda = 0;
    value_of(driver_version, NULL, version);
    nvmlSystemGetCudaDriverVersion(&cuda);
    print_line('-');
    printf("| NVIDIA-SMI %-16.16s Driver Version: %-12.12s CUDA Version: "
           "%2d.%-2d |\n",
           version, version, cuda / 1000, cuda % 1000 / 10);
    print_line('=');
    for (unsigned i = 0; i < device_count; i++) {
        field_fn *const shown[] = {index_, name, bus_id, memory_used,
                                   memory_total};
        for (int k = 0; k < 5; k++)
            value_of(shown[k], devices[i], text[k]);
        snprintf(memory, sizeof memory, "%sMiB / %sMiB", text[3], text[4]);
        printf("| %3s  %-33.33s | %-16.16s %18.18s |\n", text[0], text[1],
               text[2], memory);
    }
    print_line('-');
}

typedef struct {
    bool header, units;
} csv_format;

static bool
print_fields(char *names, csv_format format)
{
    unsigned chosen[FIELDS * 2], n = 0, k;
    char text[TEXT];
    for (char *at = strtok(names, ", "); at && n < FIELDS * 2;
         at = strtok(NULL, ", ")) {
        for (k = 0; k < FIELDS && strcmp(fields[k].name, at) != 0 &&
                    strcmp(fields[k].other, at) != 0;
             k++)
            ;
        if (k == FIELDS) {
            printf("Field \"%s\" is not a valid field to query.\n", at);
            return false;
        }
        chosen[n++] = k;
    }
    for (k = 0; format.header && k < n; k++) {
        const char *unit = fields[chosen[k]].unit;
        printf("%s%s%s%s%s", k ? ", " : "", fields[chosen[k]].name,
               *unit ? " [" : "", unit, *unit ? "]" : "");
    }
    if (format.header)
        putchar('\n');
    for (unsigned i = 0; i < device_count; i++, putchar('\n'))
        for (k = 0; k < n; k++) {
            const char *unit = fields[chosen[k]].unit;
            value_of(fields[chosen[k]].fn, devices[i], text);
            bool has_unit = format.units && *unit && *text != '[';
            printf("%s%s%s%s", k ? ", " : "", text, has_unit ? " " : "",
                   has_unit ? unit : "");
        }
    return true;
}

/* Other processes are not known, and this one uses no device. */
static void
print_no_processes(const char *names, csv_format format)
{
    if (format.header)
        printf("%s\n", names);
}

static bool
read_format(const char *text, csv_format *format)
{
    if (strncmp(text, "csv", 3) != 0)
        return false;
    format->header = !strstr(text, "noheader");
    format->units = !strstr(text, "nounits");
    return true;
}

static void
print_field_names(void)
{
    for (unsigned i = 0; i < FIELDS; i++)
        printf("\"%s\"%s%s%s\n", fields[i].name,
               *fields[i].other ? " or \"" : "", fields[i].other,
               *fields[i].other ? "\"" : "");
}

typedef struct {
    bool list, has_format;
    char *ids, *query, *apps;
    csv_format format;
} options;

/* -1: go on; else the exit status. */
static int
read_options(int argc, char **argv, options *o)
{
    for (int i = 1; i < argc; i++) {
        char *a = argv[i], *value = strchr(a, '=');
        value = value ? value + 1 : NULL;
        if (strcmp(a, "-L") == 0 || strcmp(a, "--list-gpus") == 0) {
            o->list = true;
        } else if (strcmp(a, "-i") == 0 && i + 1 < argc) {
            o->ids = argv[++i];
        } else if (strncmp(a, "--id=", 5) == 0) {
            o->ids = value;
        } else if (strncmp(a, "--query-gpu=", 12) == 0) {
            o->query = value;
        } else if (strncmp(a, "--query-compute-apps=", 21) == 0) {
            o->apps = value;
        } else if (strncmp(a, "--format=", 9) == 0) {
            o->has_format = read_format(value, &o->format);
        } else if (strcmp(a, "--help-query-gpu") == 0) {
            print_field_names();
            return 0;
        } else if (strcmp(a, "-h") == 0 || strcmp(a, "--help") == 0) {
            printf("%s", help);
            return 0;
        } else {
            printf("Invalid combination of input arguments: %s. Please run "
                   "'nvidia-smi -h' for help.\n",
                   a);
            return 1;
        }
    }
    if ((o->query || o->apps) && !o->has_format) {
        printf("\"--format=\" with \"csv\" must be given with a query.\n");
        return 2;
    }
    return -1;
}

int
main(int argc, char **argv)
{
    options o = {.ids = NULL};
    int status = read_options(argc, argv, &o);
    if (status >= 0)
        return status;
    if (nvmlInit() != NVML_SUCCESS) {
        printf("NVIDIA-SMI has failed because there is no such device.\n");
        return 9;
    }
    if (!choose_devices(o.ids))
        return 6;
    if (o.query)
        status = print_fields(o.query, o.format) ? 0 : 2;
    else if (o.apps)
        print_no_processes(o.apps, o.format);
    else if (o.list)
        print_list();
    else
        print_table();
    nvmlShutdown();
    return status > 0 ? status : 0;
}
