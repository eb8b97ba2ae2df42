/* SPDX-License-Identifier: Apache-2.0 */
/* demangle.c - see demangle.h. */
#include "base/demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangler(const char *name, char *out, size_t *bytes,
                        int *status);

static demangler *found;

static void
find(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    void *symbol = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    for (size_t i = 0; i < 2 && !symbol; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY);
        symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
    }
    memcpy(&found, &symbol, sizeof found);
}

void
sw_demangle(const char *name, sw_buf *out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char *text = NULL;
    int status = -1;
    if (strncmp(name, "_Z", 2) == 0) {
        pthread_once(&once, find);
        text = found ? found(name, NULL, NULL, &status) : NULL;
    }
    sw_buf_puts(out, text && status == 0 ? text : name);
    free(text);
}
