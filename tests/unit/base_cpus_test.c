/* SPDX-License-Identifier: Apache-2.0 */
/* base_cpus_test.c - how many processors control groups leave a process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "check.h"

enum { PATH = 256 };

/* A folder that looks like /sys/fs/cgroup, and a file of the process's groups.
 */
static char root[] = "/tmp/softwarp-cpus-XXXXXX";

static void
put(const char *name, const char *text)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *c = path + sizeof root; *c; c++)
        if (*c == '/') {
            *c = '\0';
            mkdir(path, 0700);
            *c = '/';
        }
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0);
    if (f)
        fclose(f);
}

static double
cpus(const char *groups)
{
    char path[PATH];
    put("groups", groups);
    snprintf(path, sizeof path, "%s/groups", root);
    return sw_cgroup_cpus(path, root);
}

static void
begin(void)
{
    strcpy(root + sizeof root - 7, "XXXXXX");
    CHECK(mkdtemp(root));
}

static void
end(void)
{
    char command[PATH];
    snprintf(command, sizeof command, "rm -r %s", root);
    CHECK_EQ(system(command), 0);
}

CASE(version_2)
{
    begin();
    CHECK(cpus("0::/\n") == 0); /* nothing is there */
    put("cpu.max", "max 100000\n");
    CHECK(cpus("0::/\n") == 0);
    put("a/b/cpu.max", "250000 100000\n");
    CHECK(cpus("0::/a/b\n") == 2.5);
    CHECK(cpus("0::/a/b/c\n") == 2.5); /* from above */
    put("a/cpu.max", "50000 100000\n");
    CHECK(cpus("0::/a/b\n") == 0.5); /* the least */
    CHECK(cpus("0::/other\n") == 0);
    put("cpu.max", "nonsense\n");
    CHECK(cpus("0::/\n") == 0);
    put("cpu.max", "0 0\n");
    CHECK(cpus("0::/\n") == 0);
    end();
}

CASE(version_1)
{
    begin();
    put("cpu/cpu.cfs_quota_us", "-1\n");
    put("cpu/cpu.cfs_period_us", "100000\n");
    put("cpu/docker/x/cpu.cfs_quota_us", "400000\n");
    put("cpu/docker/x/cpu.cfs_period_us", "100000\n");
    CHECK(cpus("5:cpuset:/docker/x\n3:cpu,cpuacct:/docker/x\n") == 4);
    CHECK(cpus("3:cpuacct,cpu:/docker/x\n0::/\n") == 4);
    CHECK(cpus("5:cpuset:/docker/x\n3:cpuacct:/docker/x\n") == 0);
    CHECK(cpus("1:cpu:/\n") == 0);
    put("cpu/cpu.cfs_quota_us", "150000\n"); /* all that a container sees */
    CHECK(cpus("1:cpu:/not/mounted/here\n") == 1.5);
    end();
}

CASE(what_is_no_such_file)
{
    begin();
    CHECK(sw_cgroup_cpus("/nowhere/at/all", root) == 0);
    CHECK(cpus("") == 0);
    CHECK(cpus("\n:\n::\n0:\nabc\n") == 0);
    end();
    CHECK(sw_cpu_count() >= 1);
}
