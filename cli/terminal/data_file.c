// SPDX-License-Identifier: MIT
#include "cli/terminal/data_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#define SCHEME "file:"

enum { PATH_SIZE = 4096 };
static char spec[sizeof SCHEME + PATH_SIZE];

const char *cli_data_file(struct ek_error *error)
{
    char *path = spec + strlen(SCHEME);
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    const bool own = data && data[0] == '/'; // other paths are to be ignored
    if (!own && !(home && home[0] == '/')) {
        base_refuse(error, "there is no directory for this computer's costs: set HOME or XDG_DATA_HOME");
        return NULL;
    }
    int length =
        snprintf(spec, sizeof spec, "%s%s%s/evenkeel/host", SCHEME, own ? data : home, own ? "" : "/.local/share");
    if (length >= (int)sizeof spec) {
        base_refuse(error, "the path of the data directory is too long: set XDG_DATA_HOME");
        return NULL;
    }
    return path;
}

bool cli_data_directory_make(struct ek_error *error)
{
    const char *path = cli_data_file(error);
    char part[PATH_SIZE];
    for (const char *slash = path ? strchr(path + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            return base_refuse(error, "%.200s cannot be created (%s): set XDG_DATA_HOME", part, strerror(errno));
        }
    }
    return path;
}

// Returns file:PATH of this computer's costs, or NULL with `error` filled if there are none.
static const char *measured(struct ek_error *error)
{
    const char *path = cli_data_file(error);
    if (path && access(path, F_OK) != 0) {
        base_refuse(error, "this computer has not been measured: run evenkeel contention --keep");
        return NULL;
    }
    return path ? spec : NULL;
}

const char *cli_data_hosts(const char *text, bool list, struct ek_error *error)
{
    static const char name[] = "measured";
    static char hosts[2 * PATH_SIZE];
    size_t used = 0;
    for (const char *at = text;; at++) {
        const size_t length = list ? strcspn(at, ",{}") : strlen(at);
        const bool own = length == strlen(name) && strncmp(at, name, length) == 0;
        const char *host = own ? measured(error) : at;
        if (!host) {
            return NULL;
        }
        const int written = snprintf(hosts + used, sizeof hosts - used, "%.*s%.1s", (int)(own ? strlen(host) : length),
                                     host, at + length);
        if ((size_t)written >= sizeof hosts - used) {
            base_refuse(error, "the value of --host is too long: name fewer hosts");
            return NULL;
        }
        used += (size_t)written;
        at += length;
        if (*at == '\0') {
            return hosts;
        }
    }
}
