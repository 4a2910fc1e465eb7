// SPDX-License-Identifier: GPL-2.0-or-later
// Who may write over the unix socket, decided by the peer's uid and gid.
#ifndef SWEEPD_WRITERS_H
#define SWEEPD_WRITERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct writers;

// Root and our own user, and the members of `group` ("" for none), looked up
// now: the lookup may block, so this is for the start. -ENOENT: no such group.
int writers_create(const char *group, struct writers **ret, struct err *e) MUST_CHECK;
void writers_free(struct writers *w); // NULL is fine
bool writers_allow(const struct writers *w, uid_t uid, gid_t gid);

#endif
