/* SPDX-License-Identifier: Apache-2.0 */
/* peak.c - runs a command, throws its standard output away, and prints the most
 * memory it had resident, in MB. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
    struct rusage usage;
    int status;
    if (argc < 2)
        return 2;
    pid_t pid = fork();
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(127);
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0)
        return 1;
    printf("%.1f\n", (double)usage.ru_maxrss / 1024);
    return 0;
}
