// SPDX-License-Identifier: GPL-2.0-or-later
#include "ingest/power.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"
#include "ingest/instant.h"

static const double GAP_MAX_S = 3.0;

enum { COLUMNS_MAX = 64, SAMPLES_MIN = 2 };

struct sample {
    double at;
    double watts;
    uint32_t gpu; // index
};

struct telemetry {
    struct power *to;
    const struct power_window *window;
    struct findings *findings;
    const char *file;
    int time_column, power_column, gpu_column; // -1: none
    bool header;                               // it has been read
    int64_t line;
    struct sample *samples;
    size_t count, cap;
};

const char *power_reason_name(enum power_reason r)
{
    static const char *const names[POWER_REASONS] = {
        [POWER_EMPTY] = "telemetry_file_empty",
        [POWER_NO_TIME_COLUMN] = "timestamp_column_missing",
        [POWER_NO_POWER_COLUMN] = "power_column_missing",
        [POWER_NO_GPU_COLUMN] = "gpu_identity_column_missing",
        [POWER_BAD_TIME] = "invalid_timestamp_sample",
        [POWER_BAD_POWER] = "invalid_power_sample",
        [POWER_NO_GPU] = "gpu_identity_missing",
        [POWER_NO_SAMPLES] = "no_usable_power_samples",
        [POWER_GPU_COUNT] = "expected_gpu_count_mismatch",
        [POWER_FEW_SAMPLES] = "insufficient_power_samples",
        [POWER_NOT_BRACKETED] = "benchmark_window_not_bracketed",
        [POWER_GAP] = "sampling_gap_exceeded",
        [POWER_NO_EXPECTED] = "invalid_expected_gpu_count",
        [POWER_BAD_WINDOW] = "invalid_benchmark_window",
        [POWER_NO_OFFSET] = "profile_timezone_offset_missing",
        [POWER_BAD_OFFSET] = "profile_timezone_offset_invalid",
        [POWER_NO_WINDOW] = "profile_window_missing",
    };

    return names[r];
}

static void reason(struct power *p, enum power_reason r)
{
    p->reasons |= UINT32_C(1) << r;
}

// --- rows ------------------------------------------------------------------

// Cuts a line at its commas, in place, and the white space off each cell.
static int split(char *line, char *cell[COLUMNS_MAX])
{
    int n = 0;

    while (line && n < COLUMNS_MAX) {
        char *at = strsep(&line, ",");
        char *end;

        while (isspace((unsigned char)*at))
            at++;
        end = at + strlen(at);
        while (end > at && isspace((unsigned char)end[-1]))
            *--end = '\0';
        cell[n++] = at;
    }
    return n;
}

static bool is_power(const char *name)
{
    static const char *const not_it[] = {"limit", "cap", "max", "min"};

    for (size_t i = 0; i < sizeof(not_it) / sizeof(*not_it); i++) {
        if (strcasestr(name, not_it[i]))
            return false;
    }
    return strcasestr(name, "power") != NULL;
}

static bool is_gpu(const char *name)
{
    static const char *const names[] = {"index", "gpu", "gpu_id", "gpu_index", "card", "device"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (!strcasecmp(name, names[i]))
            return true;
    }
    return false;
}

static void read_header(struct telemetry *t, char *line)
{
    char *cell[COLUMNS_MAX];
    int n = split(line, cell);

    for (int i = n - 1; i >= 0; i--) { // the first that fits counts
        if (strcasestr(cell[i], "time"))
            t->time_column = i;
        if (is_power(cell[i]))
            t->power_column = i;
        if (is_gpu(cell[i]))
            t->gpu_column = i;
    }
    if (t->time_column < 0)
        reason(t->to, POWER_NO_TIME_COLUMN);
    if (t->power_column < 0)
        reason(t->to, POWER_NO_POWER_COLUMN);
    if (t->gpu_column < 0)
        reason(t->to, POWER_NO_GPU_COLUMN);
    t->header = true;
}

// The first number in a cell such as "412.34 W"; NaN when there is none.
static double watts_of(const char *cell)
{
    size_t skip = strcspn(cell, "0123456789");
    double value;

    if (!strcasecmp(cell, "n/a") || !strcasecmp(cell, "[n/a]") || !cell[skip])
        return NAN;
    if (skip && cell[skip - 1] == '-')
        skip--;
    value = strtod(cell + skip, NULL);
    return isfinite(value) && value >= 0 ? value : (double)NAN;
}

static int gpu_index(struct telemetry *t, const char *id)
{
    struct power *p = t->to;

    for (size_t i = 0; i < p->gpu_count; i++) {
        if (!strcmp(p->gpu[i].id, id))
            return (int)i;
    }
    if (p->gpu_count == POWER_GPUS_MAX || strlen(id) >= sizeof(p->gpu[0].id)) {
        findings_add(t->findings, SEVERITY_WARNING, "too_many",
                     (struct place){t->file, t->line, -1}, "more than %d GPUs, or a long name",
                     POWER_GPUS_MAX);
        return -1;
    }
    str_copy(p->gpu[p->gpu_count].id, sizeof(p->gpu[0].id), id);
    return (int)p->gpu_count++;
}

static void add_sample(struct telemetry *t, double at, double watts, const char *id)
{
    int gpu = gpu_index(t, id);

    if (gpu < 0)
        return;
    if (t->count == POWER_SAMPLES_MAX) {
        findings_add(t->findings, SEVERITY_WARNING, "too_many",
                     (struct place){t->file, t->line, -1}, "more than %d samples",
                     POWER_SAMPLES_MAX);
        return;
    }
    t->samples = mem_room(t->samples, t->count, &t->cap, sizeof(*t->samples));
    t->samples[t->count++] = (struct sample){at, watts, (uint32_t)gpu};
}

static void read_row(struct telemetry *t, char *line)
{
    char *cell[COLUMNS_MAX];
    int n = split(line, cell);
    double at = NAN, watts;
    bool zoned;

    if (n <= t->time_column || n <= t->power_column || n <= t->gpu_column ||
        instant_parse(cell[t->time_column], &at, &zoned)) {
        reason(t->to, POWER_BAD_TIME);
        return;
    }
    if (!zoned)
        at -= t->window->east_s;
    // Only the window and the neighbours of its edges matter.
    if (!(at >= t->window->start - GAP_MAX_S && at <= t->window->end + GAP_MAX_S))
        return;
    watts = watts_of(cell[t->power_column]);
    if (isnan(watts))
        reason(t->to, POWER_BAD_POWER);
    else if (!*cell[t->gpu_column])
        reason(t->to, POWER_NO_GPU);
    else
        add_sample(t, at, watts, cell[t->gpu_column]);
}

static void read_line(struct telemetry *t, char *line)
{
    bool columns = t->time_column >= 0 && t->power_column >= 0 && t->gpu_column >= 0;

    t->line++;
    if (!line[strspn(line, " \t\r")])
        return;
    if (!t->header)
        read_header(t, line);
    else if (columns)
        read_row(t, line);
}

// --- energy ----------------------------------------------------------------

static int by_gpu_and_time(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;

    if (x->gpu != y->gpu)
        return x->gpu < y->gpu ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

// Samples of one GPU at one instant become their mean. Returns how many are left.
static size_t merge(struct sample *s, size_t n)
{
    size_t out = 0;

    for (size_t i = 0; i < n;) {
        double sum = 0;
        size_t k = i;

        while (k < n && s[k].at <= s[i].at)
            sum += s[k++].watts;
        s[out] = s[i];
        s[out++].watts = sum / (double)(k - i);
        i = k;
    }
    return out;
}

static double between(const struct sample *a, const struct sample *b, double at)
{
    return a->watts + (at - a->at) / (b->at - a->at) * (b->watts - a->watts);
}

// The part of the trapezoid from a to b that lies within the window.
static double part(const struct sample *a, const struct sample *b, const struct power_window *w)
{
    double from = a->at > w->start ? a->at : w->start;
    double to = b->at < w->end ? b->at : w->end;

    if (to <= from)
        return 0;
    return (to - from) * (between(a, b, from) + between(a, b, to)) / 2;
}

static void judge_gpu(struct telemetry *t, struct power_gpu *g, struct sample *s, size_t n)
{
    const struct power_window *w = t->window;

    n = merge(s, n);
    g->samples = (int64_t)n;
    if (n < SAMPLES_MIN)
        reason(t->to, POWER_FEW_SAMPLES);
    if (!n || s[0].at > w->start || s[n - 1].at < w->end)
        reason(t->to, POWER_NOT_BRACKETED);
    for (size_t i = 1; i < n; i++) {
        double gap = s[i].at - s[i - 1].at;
        bool inside = s[i].at > w->start && s[i - 1].at < w->end;

        if (inside && gap > g->longest_gap_s)
            g->longest_gap_s = gap;
        g->energy_j += part(&s[i - 1], &s[i], w);
    }
    if (g->longest_gap_s > GAP_MAX_S)
        reason(t->to, POWER_GAP);
}

static void judge(struct telemetry *t)
{
    struct power *p = t->to;

    if (!t->count)
        reason(p, POWER_NO_SAMPLES);
    if (!t->window->gpus)
        reason(p, POWER_NO_EXPECTED);
    else if ((int64_t)p->gpu_count != t->window->gpus)
        reason(p, POWER_GPU_COUNT);
    if (t->count)
        qsort(t->samples, t->count, sizeof(*t->samples), by_gpu_and_time);
    p->energy_j = 0;
    for (size_t from = 0; from < t->count;) {
        size_t to = from;

        while (to < t->count && t->samples[to].gpu == t->samples[from].gpu)
            to++;
        struct power_gpu *g = &p->gpu[t->samples[from].gpu];
        judge_gpu(t, g, t->samples + from, to - from);
        p->energy_j += g->energy_j;
        from = to;
    }
    if (p->reasons)
        p->energy_j = NAN;
}

// --- the whole -------------------------------------------------------------

static void read_lines(struct telemetry *t, struct source *s)
{
    char *line = mem_alloc(POWER_LINE_MAX + 1);
    const char *bytes;
    size_t len = 0, n;

    while ((n = source_read(s, &bytes)) > 0) {
        for (size_t i = 0; i < n; i++) {
            if (bytes[i] != '\n') {
                if (len < POWER_LINE_MAX && bytes[i])
                    line[len++] = bytes[i];
                continue;
            }
            line[len] = '\0';
            read_line(t, line);
            len = 0;
        }
    }
    line[len] = '\0';
    read_line(t, line);
    free(line);
}

void power_read(struct power *p, struct source *s, const struct power_window *w, struct findings *f)
{
    struct telemetry t = {.to = p, .window = w, .findings = f, .file = source_name(s)};

    p->there = true;
    p->reasons = w->reasons;
    p->energy_j = NAN;
    t.time_column = t.power_column = t.gpu_column = -1;
    if (source_size(s) == 0)
        reason(p, POWER_EMPTY);
    p->duration_s = w->end - w->start;
    if (!(p->duration_s > 0) && !p->reasons)
        reason(p, POWER_BAD_WINDOW);
    read_lines(&t, s);
    judge(&t);
    free(t.samples);
}
