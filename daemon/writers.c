// SPDX-License-Identifier: GPL-2.0-or-later
#include "writers.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

struct writers {
    uid_t *uids;
    size_t count, cap;
    bool has_group;
    gid_t gid; // also those who have it as their primary group
};

static void add(struct writers *w, uid_t uid)
{
    w->uids = mem_room(w->uids, w->count, &w->cap, sizeof(*w->uids));
    w->uids[w->count++] = uid;
}

int writers_create(const char *group, struct writers **ret, struct err *e)
{
    struct writers *w = mem_alloc(sizeof(*w));

    add(w, 0);
    add(w, geteuid());
    if (group[0]) {
        errno = 0;
        const struct group *g = getgrnam(group); // before any thread starts

        if (!g) {
            writers_free(w);
            return err_set(e, -ENOENT, "listen.write_group: there is no group '%s'", group);
        }
        w->has_group = true;
        w->gid = g->gr_gid;
        for (char **member = g->gr_mem; *member; member++) {
            const struct passwd *pw = getpwnam(*member);

            if (pw)
                add(w, pw->pw_uid);
        }
    }
    *ret = w;
    return 0;
}

void writers_free(struct writers *w)
{
    if (!w)
        return;
    free(w->uids);
    free(w);
}

bool writers_allow(const struct writers *w, uid_t uid, gid_t gid)
{
    if (w->has_group && gid == w->gid)
        return true;
    for (size_t i = 0; i < w->count; i++)
        if (w->uids[i] == uid)
            return true;
    return false;
}
