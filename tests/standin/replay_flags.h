// SPDX-License-Identifier: GPL-2.0-or-later
// The command line of the replay client. Which flags exist is data: the list
// etc/flags/agentx-harness.txt, a line for each, `--name<TAB>bool|value|multi`.
#ifndef STANDIN_REPLAY_FLAGS_H
#define STANDIN_REPLAY_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct flags;

// Reads the list named by STANDIN_FLAGS, or else the project's own, which is
// looked for in etc/flags/ beside and above the program. -ENOENT, -EINVAL.
int flags_load(struct flags **ret, struct err *e) MUST_CHECK;
void flags_free(struct flags *f);

// argv after the subcommand. -EINVAL for a flag that the list does not have, a
// missing value, a value given to a switch. Keeps pointers into argv.
int flags_parse(struct flags *f, int argc, char **argv, struct err *e) MUST_CHECK;

bool flags_given(const struct flags *f, const char *name);
const char *flags_value(const struct flags *f, const char *name); // the last; NULL if not given
// The i-th of all values of a flag that takes many, NULL after the last.
const char *flags_nth(const struct flags *f, const char *name, size_t i);

#endif
