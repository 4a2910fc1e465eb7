// SPDX-License-Identifier: GPL-2.0-or-later
#include "world.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char *const fault_names[FAULT_COUNT] = {
    "crash",   "boot",       "commit",  "commit-lost", "database", "ctld",   "ctld-kill",
    "unclear", "late",       "refuse",  "call",        "hidden",   "odd",    "stranger",
    "foreign", "hand",       "requeue", "job",         "node",     "slurmd", "drain",
    "spool",   "spool-slow", "queue",   "clock",       "operator", "result", "record",
};

const char *fault_name(enum fault f)
{
    return fault_names[f];
}

int64_t world_mono(const struct world *w)
{
    return w->now - w->booted_at;
}

int64_t world_wall(const struct world *w)
{
    return INT64_C(1700000000) * SECOND + w->now + w->wall_ahead;
}

int64_t after(struct world *w, int64_t low, int64_t high)
{
    return w->now + rng_range(&w->rng, low, high);
}

bool fault(struct world *w, enum fault f, double probability)
{
    // Drawn in any case, so that switching one class off changes little else.
    bool happens = rng_chance(&w->rng, probability * w->rate[f]);

    if (w->mask & (1u << f))
        return false;
    return happens && (!w->calm || f == FAULT_RESULT);
}

struct folder *folder_open(struct world *w, struct ref ref)
{
    struct folder *f;

    w->folders = mem_room(w->folders, w->folder_count, &w->folder_cap, sizeof(*w->folders));
    f = &w->folders[w->folder_count];
    *f = (struct folder){.ref = ref, .ending = END_COUNT, .known = ATTEMPT_INTENT};
    snprintf(f->token, sizeof(f->token), "%016" PRIx64 "%016zx", rng_next(&w->rng),
             w->folder_count++);
    return f;
}

struct folder *folder_of(const struct world *w, const char *token)
{
    size_t index = strtoul(token + 16, NULL, 16);

    return index < w->folder_count && !strcmp(w->folders[index].token, token) ? &w->folders[index]
                                                                              : NULL;
}

int folder_index(const struct world *w, const struct folder *f)
{
    return (int)(f - w->folders);
}

static void add_line(struct world *w, struct ref ref, const char *text)
{
    str_addf(&w->trace, "%lld.%d %9.3f ", (long long)ref.sweep, ref.point,
             (double)w->now / (double)SECOND);
    if (ref.sweep)
        str_addf(&w->trace, "s%lld.p%d.a%d ", (long long)ref.sweep, ref.point, ref.attempt);
    str_addf(&w->trace, "%s\n", text);
}

void broken(struct world *w, struct ref ref, const char *fmt, ...)
{
    va_list ap;

    if (w->broken[0])
        return;
    va_start(ap, fmt);
    vsnprintf(w->broken, sizeof(w->broken), fmt, ap);
    va_end(ap);
    w->broken_ref = ref;
    w->broken_at = w->now;
    if (w->tracing)
        add_line(w, ref, w->broken);
}

void trace(struct world *w, struct ref ref, const char *fmt, ...)
{
    char text[256];
    va_list ap;

    if (!w->tracing)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    add_line(w, ref, text);
}
