// SPDX-License-Identifier: GPL-2.0-or-later
// The YAML 1.1 meaning of a plain scalar. Pure.
#ifndef SWEEPD_SPEC_SCALAR_H
#define SWEEPD_SPEC_SCALAR_H

#include "spec/yaml.h"

// Sets type, boolean, integer and number of v from v->text. -ERANGE for an
// integer that does not fit 64 bits, -EINVAL for text that has the form of a
// number and none of its digits ("0b" and the like, "1e+").
int scalar_resolve(struct yaml_value *v) MUST_CHECK;

#endif
