// SPDX-License-Identifier: GPL-2.0-or-later
// A placement as a picture: a row per node (several where points share one),
// time to the right.
#ifndef SWEEPCTL_PICTURE_H
#define SWEEPCTL_PICTURE_H

#include "base/str.h"
#include "doc.h"

// rows: of a plan document. span_s: seconds that the width stands for.
void picture_add(const struct doc *rows, double span_s, struct str *out, int width);

#endif
