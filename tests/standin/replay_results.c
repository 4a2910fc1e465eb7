// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/replay_results.h"

#include <string.h>

void results_free(struct results *s)
{
    struct sample *all[] = {&s->latency,  &s->ttft,  &s->ttst,   &s->itl,        &s->per_user,
                            &s->e2e_rate, &s->input, &s->output, &s->error_input};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        sample_free(all[i]);
}

static void later(int64_t *latest, int64_t ns)
{
    if (ns > *latest)
        *latest = ns;
}

static void add_error(struct results *s, const struct record *r)
{
    int i = 0;

    s->failed++;
    sample_add(&s->error_input, (double)r->turn.input);
    while (i < s->error_kinds && (s->errors[i].error.code != r->error.code ||
                                  strcmp(s->errors[i].error.type, r->error.type) != 0 ||
                                  strcmp(s->errors[i].error.message, r->error.message) != 0))
        i++;
    if (i == RESULTS_ERRORS_MAX)
        i--;
    if (i == s->error_kinds)
        s->errors[s->error_kinds++].error = r->error;
    s->errors[i].count++;
}

void results_add(struct results *s, const struct record *r)
{
    double latency = record_latency(r);

    if (r->overflow) {
        s->overflows++;
        return;
    }
    if (!record_is_ok(r)) {
        add_error(s, r);
        return;
    }
    if (!s->ok++ || r->start_ns < s->first_start_ns)
        s->first_start_ns = r->start_ns;
    later(&s->last_end_ns, r->end_ns);
    if (r->chunk_count)
        later(&s->last_ttft_ns, r->chunks[0]);
    if (r->chunk_count && r->output > 1)
        later(&s->last_itl_ns, r->end_ns);
    s->input_tokens += r->input;
    s->output_tokens += r->output;
    s->blocks += r->turn.input / PREFIX_BLOCK;
    s->known_blocks += r->turn.prefix / PREFIX_BLOCK;
    sample_add(&s->latency, latency);
    sample_add(&s->ttft, record_ttft(r));
    sample_add(&s->ttst, record_ttst(r));
    sample_add(&s->itl, record_itl(r));
    sample_add(&s->per_user, 1000 / record_itl(r));
    sample_add(&s->e2e_rate, (double)r->output * 1000 / latency);
    sample_add(&s->input, (double)r->input);
    sample_add(&s->output, (double)r->output);
}

double results_failed_ratio(const struct results *s)
{
    int64_t all = s->ok + s->failed;

    return all ? (double)s->failed / (double)all : 0;
}
