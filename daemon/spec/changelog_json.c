// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "spec/changelog.h"
#include "spec/row_json.h"

// Where a row goes in the published form.
static bool is_throughput(const struct matrix_row *r, bool multinode)
{
    return !r->eval_only && r->multinode == multinode;
}

static bool is_eval(const struct matrix_row *r, bool multinode, bool agentic)
{
    return r->eval_only && r->multinode == multinode && r->agentic == agentic;
}

static void add_family(const struct matrix_row *r, struct str *out)
{
    if (r->agentic)
        str_add(out, "agentic");
    else if (r->osl == 1024 && (r->isl == 1024 || r->isl == 8192))
        str_add(out, r->isl == 1024 ? "1k1k" : "8k1k");
    else
        str_addf(out, "%d_%d", r->isl, r->osl);
}

static bool same_family(const struct matrix_row *a, const struct matrix_row *b)
{
    return a->agentic == b->agentic && (a->agentic || (a->isl == b->isl && a->osl == b->osl));
}

static bool seen_before(const struct matrix *m, size_t i, bool multinode)
{
    for (size_t j = 0; j < i; j++)
        if (is_throughput(&m->rows[j], multinode) && same_family(&m->rows[j], &m->rows[i]))
            return true;
    return false;
}

// {"agentic": [rows], "8k1k": [rows]}, families in the order of their first row.
static void add_throughput(const struct matrix *m, bool multinode, struct str *out)
{
    const char *family_comma = "";

    str_add_char(out, '{');
    for (size_t i = 0; i < m->count; i++) {
        const char *comma = "";

        if (!is_throughput(&m->rows[i], multinode) || seen_before(m, i, multinode))
            continue;
        str_addf(out, "%s\"", family_comma);
        family_comma = ", ";
        add_family(&m->rows[i], out);
        str_add(out, "\": [");
        for (size_t j = i; j < m->count; j++) {
            if (!is_throughput(&m->rows[j], multinode) || !same_family(&m->rows[i], &m->rows[j]))
                continue;
            str_add(out, comma);
            row_json(&m->rows[j], 0, out);
            comma = ",\n  ";
        }
        str_add_char(out, ']');
    }
    str_add_char(out, '}');
}

static void add_evals(const struct matrix *m, bool multinode, bool agentic, struct str *out)
{
    const char *comma = "";

    str_add_char(out, '[');
    for (size_t i = 0; i < m->count; i++) {
        if (!is_eval(&m->rows[i], multinode, agentic))
            continue;
        str_add(out, comma);
        row_json(&m->rows[i], 0, out);
        comma = ",\n  ";
    }
    str_add_char(out, ']');
}

static void add_texts(const char *const *texts, size_t count, struct str *out)
{
    str_add_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i)
            str_add(out, ", ");
        json_quote(texts[i], out);
    }
    str_add_char(out, ']');
}

static const char *truth(bool b)
{
    return b ? "true" : "false";
}

static void add_scenarios(unsigned scenarios, struct str *out)
{
    str_addf(out, ", \"scenario-type\": [%s%s%s]",
             scenarios & MATRIX_FIXED ? "\"fixed-seq-len\"" : "",
             scenarios == (MATRIX_FIXED | MATRIX_AGENTIC) ? ", " : "",
             scenarios & MATRIX_AGENTIC ? "\"agentic-coding\"" : "");
}

static void add_entry(const struct changelog_entry *en, struct str *out)
{
    str_add(out, "{\"config-keys\": ");
    add_texts(en->keys, en->key_count, out);
    str_add(out, ", \"description\": ");
    add_texts(en->description, en->description_count, out);
    str_add(out, ", \"pr-link\": ");
    json_quote(en->pr_link, out);
    str_addf(out, ", \"evals-only\": %s, \"all-evals\": %s, \"append-only\": %s",
             truth(en->evals_only), truth(en->all_evals), truth(en->append_only));
    if (en->eval_min_prefill_ep)
        str_addf(out, ", \"eval-min-prefill-ep\": %d", en->eval_min_prefill_ep);
    if (en->scenarios)
        add_scenarios(en->scenarios, out);
    str_add_char(out, '}');
}

void changelog_to_json(const struct changelog *c, const struct matrix *m, const char *base_ref,
                       const char *head_ref, struct str *out)
{
    str_add(out, "{\"single_node\": ");
    add_throughput(m, false, out);
    str_add(out, ",\n \"multi_node\": ");
    add_throughput(m, true, out);
    str_add(out, ",\n \"evals\": ");
    add_evals(m, false, false, out);
    str_add(out, ",\n \"agentic_evals\": ");
    add_evals(m, false, true, out);
    str_add(out, ",\n \"multinode_evals\": ");
    add_evals(m, true, false, out);
    str_add(out, ",\n \"multinode_agentic_evals\": ");
    add_evals(m, true, true, out);
    str_add(out, ",\n \"changelog_metadata\": {\"base_ref\": ");
    json_quote(base_ref, out);
    str_add(out, ", \"head_ref\": ");
    json_quote(head_ref, out);
    str_add(out, ", \"entries\": [");
    for (size_t i = 0; i < c->count; i++) {
        if (i)
            str_add(out, ", ");
        add_entry(&c->entries[i], out);
    }
    str_add(out, "]}}\n");
}
