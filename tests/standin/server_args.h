// SPDX-License-Identifier: GPL-2.0-or-later
// The command line of the model server: the served engine's flags, with its
// names for them in /server_info.
#ifndef STANDIN_SERVER_ARGS_H
#define STANDIN_SERVER_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct args;

// Reads argv as argparse does: NULL, with usage and a message on stderr, for
// an unknown flag, a missing or malformed value, or no --model-path. The
// caller then exits with ARGS_EXIT. The result lives as long as argv.
enum { ARGS_EXIT = 2 };
struct args *args_parse(int argc, char **argv);
void args_free(struct args *a);

// By /server_info's name ("tp_size"); the name must exist. Text is NULL, a
// number 0 and a switch false when it was not given and has no default.
const char *args_text(const struct args *a, const char *name);
int64_t args_int(const struct args *a, const char *name);
double args_double(const struct args *a, const char *name);
bool args_on(const struct args *a, const char *name);

// Plays a server that runs with another value than it was given.
void args_override(struct args *a, const char *name, const char *value);

// Adds `"name":value,` for every argument.
void args_json(const struct args *a, struct str *out);

#endif
