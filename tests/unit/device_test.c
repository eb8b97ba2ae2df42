/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_test.c - finding devices, their attributes, devices from text, and
 * which launches they refuse. tests/data/h200_attributes.csv is what the driver
 * of a real H200 answered.
 */
#include "device/device.h"

#include "check.h"
#include "device/cluster.h"
#include "device/launch.h"
#include "device/properties.h"

CASE(devices_are_found_by_name)
{
    static const char *const names[][2] = {
        {"GeForce GTX 280", "GeForce GTX 280"},
        {"geforce gtx 280", "GeForce GTX 280"},
        {"GTX 280", "GeForce GTX 280"},
        {"NVIDIA GeForce GTX 280", "GeForce GTX 280"},
        {"8800 GTX", "GeForce 8800 GTX"},
        {"C1060", "Tesla C1060"},
        {"GeForce GTX 680", "GeForce GTX 680"},
        {"NVIDIA H200", "H200 SXM 141 GB"},
        {"H200", "H200 SXM 141 GB"},
        {"H200 NVL", "H200 NVL"},
        {"a100 pcie 40", "A100 PCIe 40 GB"},
        /* As drivers say. */
        {"NVIDIA A100-SXM4-80GB", "A100 SXM4 80 GB"},
        {"NVIDIA A100 80GB PCIe", "A100 PCIe 80 GB"},
        {"NVIDIA A10", "A10 PCIe"},
        {"NVIDIA H100 80GB HBM3", "H100 SXM5 80 GB"},
        {"NVIDIA H100 NVL", "H100 NVL 94 GB"},
        {"Tesla V100-SXM2-16GB", "Tesla V100 SXM2 16 GB"},
        {"Tesla P100-PCIE-16GB", "Tesla P100 PCIe 16 GB"},
        {"Tesla P100-SXM2-16GB", "Tesla P100 SXM2"},
        {"gtx1080", "GeForce GTX 1080"},
        {"H100 SXM", "H100 SXM5 80 GB"},
        {"NVIDIA GH200 480GB", "GH200 96 GB"},
        /* The usual model of a name that several have. */
        {"H100", "H100 SXM5 80 GB"},
        {"A100", "A100 SXM4 40 GB"},
        {"A100-80GB", "A100 SXM4 80 GB"},
        {"V100", "Tesla V100 SXM2 16 GB"},
        {"V100-SXM2", "Tesla V100 SXM2 16 GB"},
        {"P100", "Tesla P100 PCIe 16 GB"},
        {"Orin", "Jetson AGX Orin 64 GB"},
        {"GH200", "GH200 96 GB"},
        {"NVIDIA GeForce RTX 5060 Ti", "GeForce RTX 5060 Ti 16 GB"},
        {"rtx 4060ti", "GeForce RTX 4060 Ti 8 GB"},
        /* By the number alone. */
        {"3090", "GeForce RTX 3090"},
        {"1080ti", "GeForce GTX 1080 Ti"},
        {"280", "GeForce GTX 280"},
        /* A name of its own, whatever it is a part of. */
        {"A10G", "A10G"},
        {"GB200", "GB200"},
        {"GB300", "GB300"},
        {"B300", "B300"},
        {"Thor", "Jetson AGX Thor"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const sw_device_info *d = sw_device_find(names[i][0]);
        CHECK_STR(d ? d->name : NULL, names[i][1]);
    }
    CHECK(sw_device_find("Tesla") == NULL); /* several */
    /* Words of an H200 SXM 141 GB, but no H200. */
    CHECK_STR(sw_device_find("GB 200")->name, "GB200");
    CHECK(sw_device_find("GB 141") == NULL);
    CHECK(sw_device_find("GB141") == NULL);
    CHECK(sw_device_find("GeForce RTX 3060 8GB") == NULL); /* another */
    CHECK(sw_device_find("GeForce RTX 3080 Laptop GPU") == NULL);
    CHECK(sw_device_find("- -") == NULL);
    CHECK(sw_device_find("Voodoo 2") == NULL);
    CHECK(sw_device_find("") == NULL);
    CHECK(sw_device_find("GeForce ") == NULL);
    for (size_t i = 0; i < sw_device_count(); i++)
        CHECK(sw_device_find(sw_device_at(i)->name) == sw_device_at(i));
    CHECK_EQ(sw_device_count(), 268);
}

/* What a name that is none is answered with. */
static void
check_near(const char *name, const char *answer)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_device_near(name, &text);
    CHECK_STR(text.p, answer);
    sw_buf_finish(&text);
}

CASE(near_names_are_offered)
{
    check_near("GTX 281", "; did you mean GeForce GTX 280 or GeForce GTX 285?");
    check_near("4091", "; did you mean GeForce RTX 4090?");
    check_near("H2000", "; did you mean H200 SXM 141 GB or H200 NVL?");
    check_near("completely different thing", "");
}

CASE(names_of_a_device_and_names_it_is_found_by)
{
    const sw_device_info *h100 = sw_device_find("H100");
    CHECK(!sw_device_is_named(h100, "H100"));
    CHECK(sw_device_is_named(h100, "h100 sxm5 80gb"));
    CHECK(sw_device_is_named(h100, "NVIDIA H100 80GB HBM3"));
    for (size_t i = 0; i < sw_device_count(); i++)
        CHECK(sw_device_is_named(sw_device_at(i), sw_device_at(i)->name));
}

CASE(capabilities_fall_back_to_the_lower_one)
{
    CHECK_EQ(sw_device_limits(90)->cc, 90);
    CHECK_EQ(sw_device_limits(88)->cc, 87);
    CHECK_EQ(sw_device_limits(103)->cc, 100);
    CHECK_EQ(sw_device_limits(121)->cc, 120);
    CHECK_EQ(sw_device_limits(0)->cc, 10);
    CHECK_EQ(sw_device_limits(-5)->cc, 10);
    CHECK_EQ(sw_device_limits_count(), 27);
    CHECK_EQ(sw_device_limits(13)->regs_sm, 16384);
    CHECK(sw_device_limits(13)->regs_per_block);
    CHECK_EQ(sw_device_limits(90)->smem_config_kb[9], 228);
    for (size_t i = 0; i < sw_device_count(); i++) {
        const sw_device_info *d = sw_device_at(i);
        CHECK(sw_device_knows_cc((int)d->cc));
        CHECK(sw_device_clock_khz(d) > 100000);
        CHECK(d->sm_count > 0);
    }
    for (size_t i = 1; i < sw_device_limits_count(); i++)
        CHECK(sw_device_limits_at(i - 1)->cc < sw_device_limits_at(i)->cc);
}

CASE(the_default_answers_as_the_real_one)
{
    FILE *f = fopen("tests/data/h200_attributes.csv", "r");
    const sw_device_info *h200 = sw_device_default();
    char line[80];
    int number = 0, want = 0, rows = 0;
    CHECK(f != NULL);
    if (!f)
        return;
    while (fgets(line, sizeof line, f)) {
        int got = 0;
        if (sscanf(line, "%d,%d", &number, &want) != 2)
            continue;
        rows++;
        CHECK(sw_device_attribute(h200, number, &got));
        if (got != want)
            printf("attribute %d, %s\n", number,
                   sw_device_attribute_name(number));
        CHECK_EQ(got, want);
    }
    fclose(f);
    CHECK_EQ(rows, SW_DEVICE_ATTRIBUTES);
    CHECK_STR(h200->reported, "NVIDIA H200");
    CHECK_EQ(sw_device_total_bytes(h200), UINT64_C(150109880320));
}

CASE(attributes_of_others)
{
    int value = 7;
    const sw_device_info *g80 = sw_device_find("GeForce 8800 GTX");
    const sw_device_info *gtx680 = sw_device_find("GeForce GTX 680");
    CHECK(!sw_device_attribute(g80, 0, &value));
    CHECK(!sw_device_attribute(g80, 148, &value));
    CHECK_EQ(value, 7);
    CHECK(sw_device_attribute_name(148) == NULL);
    CHECK_STR(sw_device_attribute_name(1), "max_threads_per_block");
    sw_device_attribute(g80, 1, &value);
    CHECK_EQ(value, 512);
    sw_device_attribute(g80, 13, &value);
    CHECK_EQ(value, 1350000);
    sw_device_attribute(g80, 15, &value);
    CHECK_EQ(value, 0);
    sw_device_attribute(g80, 38, &value);
    CHECK_EQ(value, 0);
    sw_device_attribute(gtx680, 75, &value);
    CHECK_EQ(value, 3);
    sw_device_attribute(gtx680, 22, &value);
    CHECK_EQ(value, 65536);
    sw_device_attribute(gtx680, 120, &value);
    CHECK_EQ(value, 0);
    const sw_device_info *chipset = sw_device_find("GeForce 9400 mGPU");
    static const struct {
        int attribute, wanted; /* as its device query prints */
    } shares[] = {{15, 0}, {18, 1}, {19, 1}, {40, 0}};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        sw_device_attribute(chipset, shares[i].attribute, &value);
        CHECK_EQ(value, shares[i].wanted);
    }
    for (size_t i = 0; i < sw_device_count(); i++)
        CHECK(sw_device_at(i)->mem_bytes > 0);
    for (size_t i = 0; i < sw_device_count(); i++)
        for (int a = 1; a <= SW_DEVICE_ATTRIBUTES; a++) {
            if (!sw_device_attribute(sw_device_at(i), a, &value) || value < -1)
                CHECK_EQ(a, 0);
        }
}

CASE(identities_differ)
{
    uint8_t a[16], b[16], again[16];
    sw_device_uuid(sw_device_at(0), 0, a);
    sw_device_uuid(sw_device_at(0), 1, b);
    sw_device_uuid(sw_device_at(0), 0, again);
    CHECK(memcmp(a, b, 16) != 0);
    CHECK(memcmp(a, again, 16) == 0);
    sw_device_uuid(sw_device_at(1), 0, b);
    CHECK(memcmp(a, b, 16) != 0);
}

static sw_status
load(const char *text, sw_arena *arena, sw_vec *out, sw_diag *diag)
{
    return sw_device_load_text(sw_str_of(text), "my.txt", arena, out, diag);
}

CASE(devices_from_text)
{
    sw_arena *arena = sw_arena_create();
    sw_vec out;
    sw_diag diag;
    sw_buf text;
    sw_vec_init(&out, sizeof(const sw_device_info *));
    sw_diag_init(&diag);
    sw_buf_init(&text);
    CHECK_EQ(load("# mine\nname = Half a G80  # yes\nlike = 8800 GTX\n"
                  "sm_count = 8\r\n\nname=Tiny\ncc = 8.6\nsm_count=1\n"
                  "mem_size_mb=64.5\nchip = X1\nname = Less\nlike=Tiny",
                  arena, &out, &diag),
             SW_OK);
    CHECK_EQ(out.count, 3);
    if (out.count == 3) {
        const sw_device_info **d = out.data;
        CHECK_STR(d[0]->name, "Half a G80");
        CHECK_STR(d[0]->reported, "Half a G80");
        CHECK_EQ(d[0]->cc, 10);
        CHECK_EQ(d[0]->sm_count, 8);
        CHECK_EQ(d[0]->bus_bits, 384);
        CHECK_EQ(d[1]->cc, 86);
        CHECK_EQ(d[1]->mem_bytes, 67633152);
        CHECK_STR(d[2]->chip, "X1");
    }
    sw_vec_clear(&out);
    CHECK_EQ(load("name = A\ncc = 9.0\nsm_count = many\n", arena, &out, &diag),
             SW_E_INVAL);
    CHECK_EQ(load("cc = 9.0\n", arena, &out, &diag), SW_E_INVAL);
    CHECK_EQ(load("name = A\ncc = 9.0\n", arena, &out, &diag), SW_E_INVAL);
    CHECK_EQ(load("name = A\nlike = B\n", arena, &out, &diag), SW_E_INVAL);
    CHECK_EQ(load("name = A\nnonsense\n", arena, &out, &diag), SW_E_INVAL);
    CHECK_EQ(load("name = A\nspeed = 3\n", arena, &out, &diag), SW_E_INVAL);
    CHECK_EQ(load("name = A\nsm_count = 1.5\n", arena, &out, &diag),
             SW_E_INVAL);
    CHECK_EQ(out.count, 0);
    sw_diag_print(&diag, &text);
    CHECK_STR(text.p,
              "my.txt:3: error: \"many\" is no value for sm_count\n"
              "my.txt:1: error: a device begins with \"name = ...\"\n"
              "my.txt:1: error: device \"A\" has no sm_count\n"
              "my.txt:2: error: no device is called \"B\"\n"
              "my.txt:2: error: expected \"key = value\", found \"nonsense\"\n"
              "my.txt:2: error: unknown key \"speed\"\n"
              "my.txt:2: error: \"1.5\" is no value for sm_count\n");
    CHECK_EQ(sw_device_load_file("/nonexistent", arena, &out, &diag),
             SW_E_FILE_NOT_FOUND);
    sw_buf_finish(&text);
    sw_diag_finish(&diag);
    sw_vec_finish(&out);
    sw_arena_destroy(arena);
}

/* A launch of one block of 32 threads, to be changed. */
static sw_launch_shape
small(void)
{
    return (sw_launch_shape){.grid = {1, 1, 1}, .block = {32, 1, 1}};
}

static sw_status
try(const char *device, sw_launch_shape shape, const char *part)
{
    sw_diag diag;
    sw_diag_init(&diag);
    sw_status status =
        sw_device_check_launch(sw_device_find(device), &shape, &diag);
    CHECK_EQ(diag.errors, status != SW_OK);
    if (diag.entries.count) {
        const sw_diag_entry *e = sw_vec_at(&diag.entries, 0);
        bool found = part && strstr(e->text, part) != NULL;
        if (!found)
            printf("says: %s\n", e->text);
        CHECK(found);
    }
    sw_diag_finish(&diag);
    return status;
}

/* Each as a real H200 answered. */
CASE(launches_as_on_the_h200)
{
    sw_launch_shape s = small();
    CHECK_EQ(try("H200", s, NULL), SW_OK);
    s.block[0] = 2048;
    CHECK_EQ(try("H200", s, "2048 threads in x"), SW_E_INVAL);
    CHECK(sw_launch_is_configuration(sw_device_default(), &s));
    s.block[0] = 32;
    s.block[1] = 64;
    CHECK_EQ(try("H200", s, "2048 threads (32 x 64 x 1)"), SW_E_INVAL);
    s = small();
    s.block[0] = 1;
    s.block[2] = 65;
    CHECK_EQ(try("H200", s, "65 threads in z"), SW_E_INVAL);
    s = small();
    s.grid[1] = 65536;
    CHECK_EQ(try("H200", s, "65536 blocks in y, the device allows 65535"),
             SW_E_INVAL);
    s = small();
    s.grid[0] = 2147483648u;
    CHECK_EQ(try("H200", s, "2147483648 blocks"), SW_E_INVAL);
    s = small();
    s.grid[2] = 0;
    CHECK_EQ(try("H200", s, "grid is 0 in z"), SW_E_INVAL);
    s = small();
    s.dynamic_smem = 50000;
    CHECK_EQ(try("H200", s, "MaxDynamicSharedMemorySize"), SW_E_INVAL);
    CHECK(!sw_launch_is_configuration(sw_device_default(), &s));
    s.max_dynamic_smem = 100000;
    s.is_bounded = true;
    CHECK_EQ(try("H200", s, NULL), SW_OK);
    s.dynamic_smem = 110000;
    CHECK_EQ(try("H200", s, "allowed 100000"), SW_E_INVAL);
    s.dynamic_smem = 300000;
    CHECK_EQ(try("H200", s, "the device has 232448"), SW_E_INVAL);
    s = small();
    s.block[0] = 256;
    s.max_threads = 128;
    CHECK_EQ(try("H200", s, "launch bounds allow 128"), SW_E_INVAL);
    s = small();
    s.block[0] = 1024;
    s.regs = 188;
    CHECK_EQ(try("H200", s, "registers"), SW_E_LAUNCH_OUT_OF_RESOURCES);
    s = small();
    s.block[0] = 128;
    s.grid[0] = 100000;
    s.cooperative = true;
    CHECK_EQ(try("H200", s, "100000 blocks must be resident together"),
             SW_E_COOPERATIVE_LAUNCH_TOO_LARGE);
    s.grid[0] = 132 * 16;
    CHECK_EQ(try("H200", s, NULL), SW_OK);
    s.grid[0]++;
    CHECK_EQ(try("H200", s, "by resident warps"),
             SW_E_COOPERATIVE_LAUNCH_TOO_LARGE);
}

CASE(launches_older_devices_refuse)
{
    sw_launch_shape s = small();
    s.block[0] = 1024;
    CHECK_EQ(try("GTX 280", s, "the device allows 512"), SW_E_INVAL);
    CHECK_EQ(try("GTX 680", s, NULL), SW_OK);
    s = small();
    s.grid[2] = 2;
    CHECK_EQ(try("8800 GTX", s, "2 blocks in z, the device allows 1"),
             SW_E_INVAL);
    s = small();
    s.static_smem = 20000;
    CHECK_EQ(try("8800 GTX", s, "the device has 16384"), SW_E_INVAL);
    CHECK_EQ(try("GTX 680", s, NULL), SW_OK);
    s = small();
    s.block[0] = 512;
    s.regs = 32;
    CHECK_EQ(try("8800 GTX", s, "16384 registers"),
             SW_E_LAUNCH_OUT_OF_RESOURCES);
    CHECK_EQ(try("GTX 280", s, NULL), SW_OK);
    s = small();
    s.regs = 100;
    CHECK_EQ(try("GTX 680", s, "the device has 63"),
             SW_E_LAUNCH_OUT_OF_RESOURCES);
    s = small();
    s.param_bytes = 257;
    CHECK_EQ(try("GTX 280", s, "257 bytes, the device allows 256"), SW_E_INVAL);
    s = small();
    s.cooperative = true;
    CHECK_EQ(try("GTX 680", s, "6.0"), SW_E_NOT_SUPPORTED);
    s = small();
    s.cluster[0] = s.cluster[1] = s.cluster[2] = 1;
    CHECK_EQ(try("GTX 680", s, "9.0"), SW_E_NOT_SUPPORTED);
    CHECK_EQ(try("H200", s, NULL), SW_OK);
    s.cluster[0] = 2;
    CHECK_EQ(try("H200", s, "no multiple"), SW_E_INVALID_CLUSTER_SIZE);
    s.cluster[0] = UINT32_MAX;
    CHECK_EQ(try("H200", s, "1 to 8"), SW_E_INVALID_CLUSTER_SIZE);
}

static sw_launch_shape
clustered(uint32_t blocks)
{
    sw_launch_shape s = small();
    s.grid[0] = 4 * blocks;
    s.cluster[0] = blocks;
    s.cluster[1] = s.cluster[2] = 1;
    return s;
}

/* What an H200 said of each. */
CASE(clusters_are_checked)
{
    const sw_status bad = SW_E_INVALID_CLUSTER_SIZE;
    sw_launch_shape s = clustered(8);
    CHECK_EQ(try("H200", s, NULL), SW_OK);
    CHECK_EQ(try("H200", clustered(9), "1 to 8 are allowed"), bad);
    s = clustered(16);
    s.nonportable_cluster = true;
    CHECK_EQ(try("H200", s, NULL), SW_OK);
    s = clustered(17);
    s.nonportable_cluster = true;
    CHECK_EQ(try("H200", s, "1 to 16 are allowed"), bad);
    CHECK_EQ(sw_device_check_cluster(sw_device_find("H200"), &s, NULL), SW_OK);
    s = clustered(2);
    s.cluster[1] = 0;
    CHECK_EQ(try("H200", s, "0 blocks"), bad);
    s = clustered(2);
    s.own_cluster[0] = 4;
    CHECK_EQ(try("H200", s, "made for 4x0x0"), bad);
    s.own_cluster[0] = 2;
    CHECK_EQ(try("H200", s, NULL), SW_OK);
    s = clustered(4);
    s.max_cluster = 2;
    CHECK_EQ(try("H200", s, "its launch bounds allow 2"), bad);
    s = small();
    s.needs_cluster = true;
    CHECK_EQ(try("H200", s, "wants the launch to say"), bad);
    s = clustered(2);
    s.preferred_cluster[0] = 4;
    s.preferred_cluster[1] = s.preferred_cluster[2] = 1;
    CHECK_EQ(try("H200", s, NULL), SW_OK);
    s.preferred_cluster[0] = 3;
    CHECK_EQ(try("H200", s, "preferred"), bad);
    /* Dimensions are looked at before clusters, shared memory after. */
    s = clustered(9);
    s.block[0] = 1025;
    CHECK_EQ(try("H200", s, "1025 threads"), SW_E_INVAL);
    s.block[0] = 32;
    s.dynamic_smem = 1 << 20;
    CHECK_EQ(try("H200", s, "1 to 8"), bad);
}

/* sw_device_active_clusters of 1 to 18 blocks, as an H200 counted them. */
CASE(clusters_fill_groups_of_multiprocessors)
{
    static const struct {
        uint32_t per_sm, clusters[18];
    } seen[] = {
        {1, {132, 66, 39, 30, 22, 17, 15, 15, 9, 7, 7, 7, 7, 7, 7, 7, 2, 2}},
        {2,
         {264, 132, 79, 62, 47, 39, 32, 30, 23, 21, 16, 16, 14, 14, 14, 14, 4,
          4}},
        {3,
         {396, 198, 124, 92, 69, 62, 47, 45, 37, 30, 28, 28, 23, 21, 21, 21, 6,
          6}},
        {5,
         {660, 330, 203, 154, 124, 101, 84, 77, 60, 58, 51, 44, 42, 37, 37, 35,
          10, 10}},
        {32,
         {1056, 528, 327, 248, 193, 163, 139, 124, 102, 88, 81, 74, 67, 65, 58,
          58, 16, 16}}};
    const sw_device_info *h200 = sw_device_find("H200");
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
        for (uint32_t n = 1; n <= 18; n++)
            CHECK_EQ(sw_device_active_clusters(h200, seen[i].per_sm, n),
                     seen[i].clusters[n - 1]);
    CHECK_EQ(sw_device_potential_cluster(h200, 1, false), 8);
    CHECK_EQ(sw_device_potential_cluster(h200, 1, true), 16);
    CHECK_EQ(sw_device_potential_cluster(h200, 0, true), 0);
    /* Of a device whose groups are not known: all its multiprocessors. */
    CHECK_EQ(sw_device_active_clusters(sw_device_find("H100 PCIe"), 1, 1), 114);
    CHECK_EQ(sw_device_active_clusters(sw_device_find("A100 PCIe 40 GB"), 1, 1),
             0);
}
