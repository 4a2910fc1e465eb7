// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/row_json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS_MAX = 48, SURROGATES = 0x10000, HIGH_SURROGATE = 0xd800, LOW_SURROGATE = 0xdc00 };

// An object being written: members are rendered one after the other into one
// text and put in order at the end.
struct object {
    struct member {
        const char *name;
        size_t at, len; // of the value in `values`
    } members[MEMBERS_MAX];
    size_t count;
    struct str values;
    unsigned flags;
};

// --- strings -----------------------------------------------------------------

static uint32_t decode_utf8(const unsigned char **s)
{
    uint32_t c = *(*s)++;
    int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;

    if (more)
        c &= 0x3fU >> more;
    while (more-- > 0 && (**s & 0xc0) == 0x80)
        c = c << 6 | (*(*s)++ & 0x3f);
    return c;
}

static void quote_char(uint32_t c, struct str *out)
{
    static const char named[] = "\"\"\\\\\bb\ff\nn\rr\tt";

    for (size_t i = 0; named[i]; i += 2)
        if (c == (unsigned char)named[i]) {
            str_addf(out, "\\%c", named[i + 1]);
            return;
        }
    if (c >= 0x20 && c < 0x7f)
        str_add_char(out, (char)c);
    else if (c < SURROGATES)
        str_addf(out, "\\u%04x", (unsigned)c);
    else
        str_addf(out, "\\u%04x\\u%04x", (unsigned)(HIGH_SURROGATE + ((c - SURROGATES) >> 10)),
                 (unsigned)(LOW_SURROGATE + ((c - SURROGATES) & 0x3ff)));
}

void json_quote(const char *text, struct str *out)
{
    const unsigned char *s = (const unsigned char *)text;

    str_add_char(out, '"');
    while (*s)
        quote_char(decode_utf8(&s), out);
    str_add_char(out, '"');
}

// --- objects -----------------------------------------------------------------

static bool skipped(const struct object *o, const char *name)
{
    static const char *const point[] = {"conc", "exp-name", "recipe-fingerprint", NULL};
    static const char *const eval[] = {"run-eval", "eval-only", "eval-conc", "eval-all-concs",
                                       NULL};

    for (const char *const *p = point; (o->flags & ROW_NO_POINT) && *p; p++)
        if (strcmp(*p, name) == 0)
            return true;
    for (const char *const *p = eval; (o->flags & ROW_NO_EVAL) && *p; p++)
        if (strcmp(*p, name) == 0)
            return true;
    return false;
}

// Begins a member; its value is whatever is added to `values` until the next.
static bool begin(struct object *o, const char *name)
{
    if (o->count == MEMBERS_MAX || skipped(o, name))
        return false;
    o->members[o->count++] = (struct member){.name = name, .at = o->values.len};
    return true;
}

static void put_text(struct object *o, const char *name, const char *text)
{
    if (text && begin(o, name))
        json_quote(text, &o->values);
}

static void put_int(struct object *o, const char *name, int n)
{
    if (begin(o, name))
        str_addf(&o->values, "%d", n);
}

static void put_bool(struct object *o, const char *name, bool b)
{
    if (begin(o, name))
        str_add(&o->values, b ? "true" : "false");
}

static int compare_members(const void *a, const void *b)
{
    return strcmp(((const struct member *)a)->name, ((const struct member *)b)->name);
}

static const char *comma(const struct object *o)
{
    return o->flags & ROW_CANONICAL ? "," : ", ";
}

static void finish(struct object *o, struct str *out)
{
    const char *colon = o->flags & ROW_CANONICAL ? ":" : ": ";

    for (size_t i = 0; i < o->count; i++)
        o->members[i].len =
            (i + 1 < o->count ? o->members[i + 1].at : o->values.len) - o->members[i].at;
    if (o->flags & ROW_CANONICAL)
        qsort(o->members, o->count, sizeof(o->members[0]), compare_members);
    str_add_char(out, '{');
    for (size_t i = 0; i < o->count; i++) {
        if (i)
            str_add(out, comma(o));
        json_quote(o->members[i].name, out);
        str_add(out, colon);
        str_add_bytes(out, str_text(&o->values) + o->members[i].at, o->members[i].len);
    }
    str_add_char(out, '}');
    str_free(&o->values);
}

static void put_component(struct object *o, const char *name, const struct matrix_component *c)
{
    struct object inner = {.flags = o->flags};

    if (!c->name || !begin(o, name))
        return;
    if (c->version_first)
        put_text(&inner, "version", c->version);
    put_text(&inner, "name", c->name);
    if (!c->version_first)
        put_text(&inner, "version", c->version);
    finish(&inner, &o->values);
}

static void put_settings(struct object *o, const struct matrix_worker *w)
{
    if (!begin(o, "additional-settings"))
        return;
    str_add_char(&o->values, '[');
    for (size_t i = 0; i < w->setting_count; i++) {
        if (i)
            str_add(&o->values, comma(o));
        json_quote(w->settings[i], &o->values);
    }
    str_add_char(&o->values, ']');
}

static void put_worker_field(struct object *o, const struct matrix_worker *w, unsigned char field)
{
    switch (field) {
    case MATRIX_WORKER_NUM:
        put_int(o, "num-worker", w->num_worker);
        break;
    case MATRIX_WORKER_TP:
        put_int(o, "tp", w->tp);
        break;
    case MATRIX_WORKER_PP:
        put_int(o, "pp", w->pp);
        break;
    case MATRIX_WORKER_DCP:
        put_int(o, "dcp-size", w->dcp);
        break;
    case MATRIX_WORKER_PCP:
        put_int(o, "pcp-size", w->pcp);
        break;
    case MATRIX_WORKER_EP:
        put_int(o, "ep", w->ep);
        break;
    case MATRIX_WORKER_DP_ATTN:
        put_bool(o, "dp-attn", w->dp_attn);
        break;
    case MATRIX_WORKER_HARDWARE:
        put_text(o, "hardware", w->hardware);
        break;
    case MATRIX_WORKER_SETTINGS:
        put_settings(o, w);
        break;
    default:
        break;
    }
}

static void put_worker(struct object *o, const char *name, const struct matrix_worker *w)
{
    struct object inner = {.flags = o->flags};

    if (!begin(o, name))
        return;
    for (size_t i = 0; i < w->order_count; i++)
        put_worker_field(&inner, w, w->order[i]);
    finish(&inner, &o->values);
}

// --- rows --------------------------------------------------------------------

static void put_parallel(struct object *o, const struct matrix_row *r)
{
    put_int(o, "tp", r->tp);
    put_int(o, "pp", r->pp);
    put_int(o, "dcp-size", r->dcp);
    put_int(o, "pcp-size", r->pcp);
}

static void put_concs(struct object *o, const struct matrix_row *r)
{
    if (!begin(o, "conc"))
        return;
    str_add_char(&o->values, '[');
    for (size_t i = 0; i < r->conc_count; i++)
        str_addf(&o->values, "%s%d", i ? comma(o) : "", r->concs[i]);
    str_add_char(&o->values, ']');
}

static void put_workers(struct object *o, const struct matrix_row *r)
{
    put_text(o, "spec-decoding", r->spec_decoding);
    put_worker(o, "prefill", &r->prefill);
    put_worker(o, "decode", &r->decode);
    put_concs(o, r);
}

static void put_fixed(struct object *o, const struct matrix_row *r)
{
    put_int(o, "isl", r->isl);
    put_int(o, "osl", r->osl);
    if (r->multinode) {
        put_workers(o, r);
    } else {
        put_parallel(o, r);
        put_int(o, "conc", r->conc);
    }
    put_int(o, "max-model-len", r->max_model_len);
    if (!r->multinode) {
        put_int(o, "ep", r->ep);
        put_bool(o, "dp-attn", r->dp_attn);
        put_text(o, "spec-decoding", r->spec_decoding);
    }
    put_text(o, "exp-name", r->exp_name);
    put_bool(o, "disagg", r->disagg);
    if (r->has_run_eval)
        put_bool(o, "run-eval", r->run_eval);
}

static void put_agentic(struct object *o, const struct matrix_row *r)
{
    if (r->multinode) {
        put_workers(o, r);
    } else {
        put_parallel(o, r);
        put_int(o, "ep", r->ep);
        put_bool(o, "dp-attn", r->dp_attn);
        put_text(o, "spec-decoding", r->spec_decoding);
        put_int(o, "conc", r->conc);
    }
    put_text(o, "kv-offloading", r->kv_offloading);
    put_int(o, "total-cpu-dram-gb", r->total_cpu_dram_gb);
    put_int(o, "duration", r->duration_s);
    put_text(o, "exp-name", r->exp_name);
    if (r->multinode)
        put_bool(o, "disagg", r->disagg);
    put_text(o, "scenario-type", "agentic-coding");
    put_component(o, "kv-offload-backend", &r->kv_backend);
}

static void put_row(struct object *o, const struct matrix_row *r)
{
    put_text(o, "image", r->image);
    put_text(o, "model", r->model);
    put_text(o, "model-prefix", r->model_prefix);
    put_text(o, "precision", r->precision);
    put_text(o, "framework", r->framework);
    put_text(o, "runner", r->runner);
    if (r->agentic)
        put_agentic(o, r);
    else
        put_fixed(o, r);
    put_component(o, "router", &r->router);
    put_text(o, "kv-p2p-transfer", r->kv_p2p_transfer);
    if (r->agentic && r->has_run_eval)
        put_bool(o, "run-eval", r->run_eval);
    if (r->eval_conc)
        put_int(o, "eval-conc", r->eval_conc);
    if (r->eval_all_concs)
        put_bool(o, "eval-all-concs", true);
    if (r->eval_only)
        put_bool(o, "eval-only", true);
    if (r->fingerprinted && r->fingerprint[0])
        put_text(o, "recipe-fingerprint", r->fingerprint);
}

void row_json(const struct matrix_row *row, unsigned flags, struct str *out)
{
    struct object o = {.flags = flags};

    put_row(&o, row);
    finish(&o, out);
}

void row_hash(const struct matrix_row *row, unsigned flags, char ret_hex[HASH_HEX])
{
    struct str text = {0};

    row_json(row, flags | ROW_CANONICAL, &text);
    hash_bytes(str_text(&text), text.len, ret_hex);
    str_free(&text);
}

void matrix_row_to_json(const struct matrix_row *row, bool canonical, struct str *out)
{
    row_json(row, canonical ? ROW_CANONICAL : 0, out);
}

void matrix_to_json(const struct matrix *m, struct str *out)
{
    str_add(out, "[");
    for (size_t i = 0; i < m->count; i++) {
        str_add(out, i ? ",\n " : "\n ");
        row_json(&m->rows[i], 0, out);
    }
    str_add(out, m->count ? "\n]" : "]");
}
