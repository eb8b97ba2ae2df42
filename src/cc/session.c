/* SPDX-License-Identifier: Apache-2.0 */
/* session.c - see session.h. */
#include "cc/session.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/settings.h"

static _Thread_local cc_session *current;
static char path_variable[PATH_MAX], temporary_variable[PATH_MAX];
static char clang_variable[PATH_MAX];

static void
keep(char out[PATH_MAX], const char *name)
{
    const char *value = getenv(name);
    snprintf(out, PATH_MAX, "%s", value ? value : "");
}

__attribute__((constructor)) static void
load(void)
{
    keep(path_variable, "PATH");
    keep(temporary_variable, "TMPDIR");
    const char *clang = sw_setting(SW_SETTING_CLANG);
    snprintf(clang_variable, sizeof clang_variable, "%s", clang ? clang : "");
}

const char *
cc_path_variable(void)
{
    return path_variable;
}

const char *
cc_temporary_variable(void)
{
    return temporary_variable;
}

const char *
cc_clang_variable(void)
{
    return clang_variable;
}

cc_session *
cc_session_get(void)
{
    return current;
}

void
cc_session_set(cc_session *session)
{
    current = session;
}

static void
say(const char *fmt, va_list args)
{
    if (current)
        sw_buf_vprintf(current->said, fmt, args);
    else
        vfprintf(stderr, fmt, args);
}

void
cc_say(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say(fmt, args);
    va_end(args);
}

void
cc_fail(sw_status status, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say(fmt, args);
    va_end(args);
    if (current)
        current->status = status;
}
