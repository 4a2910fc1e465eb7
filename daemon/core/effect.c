// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/effect.h"

#include <stdlib.h>

#include "base/mem.h"

static const char *const names[EFFECT_COUNT] = {
    [EFFECT_COMMIT] = "commit", [EFFECT_OPEN] = "open",     [EFFECT_PREPARE] = "prepare",
    [EFFECT_SUBMIT] = "submit", [EFFECT_SCAN] = "scan",     [EFFECT_REVOKE] = "revoke",
    [EFFECT_CANCEL] = "cancel", [EFFECT_INGEST] = "ingest",
};

const char *effect_name(enum effect_kind k)
{
    return names[k];
}

void effects_clear(struct effects *e)
{
    e->count = 0;
    e->next = INT64_MAX;
}

void effects_free(struct effects *e)
{
    free(e->list);
    *e = (struct effects){.next = INT64_MAX};
}

void effects_add(struct effects *e, enum effect_kind kind, struct ref ref)
{
    e->list = mem_room(e->list, e->count, &e->cap, sizeof(*e->list));
    e->list[e->count++] = (struct effect){kind, ref};
}

void effects_due(struct effects *e, int64_t at)
{
    if (at < e->next)
        e->next = at;
}
