// SPDX-License-Identifier: GPL-2.0-or-later
// Options and operands of a command, as GNU programs read them: long and short,
// before and after operands, "--" ends the options.
//
// An option that takes a list (`--config FILE..`) may be repeated, and also
// takes the plain words right after it. Words that the command still needs as
// operands are left to it, the last ones: in `submit --config a.yaml b.yaml KEY`
// the list is a.yaml and b.yaml.
#ifndef SWEEPCTL_ARGS_H
#define SWEEPCTL_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum {
    ARGS_OPTIONS_MAX = 48,
    ARGS_VALUES_MAX = 4096, // of one option
};

enum opt_flag {
    OPT_LIST = 1 << 0,  // several values
    OPT_COMMA = 1 << 1, // each value may be several, separated by commas
};

struct opt {
    const char *name; // long name; NULL ends a table
    char letter;      // short name, '\0': none
    const char *arg;  // what its argument is called, NULL: it takes none
    unsigned flags;   // enum opt_flag
    const char *help; // NULL: understood, not shown
};

struct args;

// Reads argv[1..] against both tables. `need` is the number of operands the
// command cannot do without. *ret is owned by the caller, to be given to
// args_free(); it keeps pointers into argv. -EINVAL with a text that ends in
// a suggestion where one is near.
int args_parse(const struct opt *common, const struct opt *own, size_t need, int argc, char **argv,
               struct args **ret, struct err *e) MUST_CHECK;
void args_free(struct args *a); // NULL is fine

// Index in argv of the first word that is not an option, reading only `common`
// options before it; argc when there is none. -EINVAL for other options.
int args_first_word(const struct opt *common, int argc, char **argv, struct err *e);

bool args_has(const struct args *a, const char *name);
const char *args_value(const struct args *a, const char *name); // the last one, NULL: not given
const char *const *args_values(const struct args *a, const char *name, size_t *ret_count);
size_t args_operand_count(const struct args *a);
const char *args_operand(const struct args *a, size_t i); // NULL beyond the last

#endif
