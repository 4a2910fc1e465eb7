// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/yaml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/mem.h"
#include "base/str.h"
#include "spec/arena.h"
#include "spec/scalar.h"

enum {
    MERGED_PAIRS_MAX = 256, // pairs of a map that uses merge keys
    NAME_SHOWN_MAX = 60,    // bytes of a file's text that a message repeats
};

struct yaml_doc {
    struct arena *arena;
    const char *name;
    struct yaml_value *root;
};

struct anchor {
    const char *name;
    struct yaml_value *value;
};

// One parse under way.
struct composer {
    yaml_parser_t parser;
    struct yaml_doc *doc;
    struct err *e;
    const char *bytes;
    size_t len;
    size_t nodes; // weight so far
    struct anchor *anchors;
    size_t anchor_count, anchor_cap;
};

// A list that grows while its members are read.
struct children {
    struct yaml_pair *pairs;
    size_t count, cap;
};

static int fail(struct composer *c, int code, yaml_mark_t at, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

static int fail(struct composer *c, int code, yaml_mark_t at, const char *fmt, ...)
{
    char text[ERR_TEXT_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return err_set(c->e, code, "%s:%d:%d: %s", c->doc->name, (int)at.line + 1, (int)at.column + 1,
                   text);
}

// libyaml names the byte where decoding failed, not the line.
static yaml_mark_t mark_of_offset(const struct composer *c, size_t offset)
{
    yaml_mark_t at = {0};

    for (size_t i = 0; i < offset && i < c->len; i++) {
        at.column++;
        if (c->bytes[i] == '\n') {
            at.line++;
            at.column = 0;
        }
    }
    return at;
}

static int syntax_error(struct composer *c)
{
    const yaml_parser_t *p = &c->parser;
    const char *problem = p->problem ? p->problem : "not valid YAML";

    if (p->error == YAML_READER_ERROR)
        return fail(c, -EINVAL, mark_of_offset(c, p->problem_offset), "%s", problem);
    if (p->context && p->context_mark.line != p->problem_mark.line)
        return fail(c, -EINVAL, p->problem_mark, "%s (%s that began in line %zu)", problem,
                    p->context, p->context_mark.line + 1);
    return fail(c, -EINVAL, p->problem_mark, "%s", problem);
}

static int next_event(struct composer *c, yaml_event_t *ev)
{
    return yaml_parser_parse(&c->parser, ev) ? 0 : syntax_error(c);
}

static int count_nodes(struct composer *c, yaml_mark_t at, size_t weight)
{
    if (weight > YAML_NODES_MAX - c->nodes)
        return fail(c, -E2BIG, at, "more than %d values, aliases included", YAML_NODES_MAX);
    c->nodes += weight;
    return 0;
}

static int new_value(struct composer *c, enum yaml_type type, const yaml_event_t *ev,
                     struct yaml_value **ret)
{
    int rc = count_nodes(c, ev->start_mark, 1);

    if (rc)
        return rc;
    struct yaml_value *v = arena_alloc(c->doc->arena, 1, sizeof(*v));
    v->type = type;
    v->line = (int)ev->start_mark.line + 1;
    v->column = (int)ev->start_mark.column + 1;
    v->weight = 1;
    *ret = v;
    return 0;
}

static int set_anchor(struct composer *c, const yaml_event_t *ev, const yaml_char_t *name,
                      struct yaml_value *v)
{
    if (!name)
        return 0;
    for (size_t i = 0; i < c->anchor_count; i++)
        if (strcmp(c->anchors[i].name, (const char *)name) == 0)
            return fail(c, -EINVAL, ev->start_mark, "the anchor &%.*s is set twice", NAME_SHOWN_MAX,
                        (const char *)name);
    if (c->anchor_count == YAML_ANCHORS_MAX)
        return fail(c, -E2BIG, ev->start_mark, "more than %d anchors", YAML_ANCHORS_MAX);
    c->anchors = mem_room(c->anchors, c->anchor_count, &c->anchor_cap, sizeof(*c->anchors));
    c->anchors[c->anchor_count++] = (struct anchor){
        .name = arena_strdup(c->doc->arena, (const char *)name),
        .value = v,
    };
    return 0;
}

static int compose_alias(struct composer *c, const yaml_event_t *ev, struct yaml_value **ret)
{
    const char *name = (const char *)ev->data.alias.anchor;

    for (size_t i = 0; i < c->anchor_count; i++) {
        struct yaml_value *v = c->anchors[i].value;

        if (strcmp(c->anchors[i].name, name) != 0)
            continue;
        if (!v->weight)
            return fail(c, -EINVAL, ev->start_mark, "the alias *%.*s stands inside its own anchor",
                        NAME_SHOWN_MAX, name);
        *ret = v;
        return count_nodes(c, ev->start_mark, v->weight);
    }
    return fail(c, -EINVAL, ev->start_mark, "the alias *%.*s has no anchor before it",
                NAME_SHOWN_MAX, name);
}

// Explicit tags: the types that the plain forms have too, and nothing else.
static int apply_tag(struct composer *c, const yaml_event_t *ev, struct yaml_value *v)
{
    static const struct {
        const char *tag;
        enum yaml_type type;
    } tags[] = {
        {YAML_STR_TAG, YAML_STRING}, {YAML_INT_TAG, YAML_INT},   {YAML_FLOAT_TAG, YAML_FLOAT},
        {YAML_BOOL_TAG, YAML_BOOL},  {YAML_NULL_TAG, YAML_NULL},
    };
    const char *tag = (const char *)ev->data.scalar.tag;

    if (strcmp(tag, "!") == 0)
        return 0;
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        if (strcmp(tag, tags[i].tag) != 0)
            continue;
        if (tags[i].type == YAML_STRING)
            return 0;
        if (!scalar_resolve(v) && v->type == tags[i].type)
            return 0;
        return fail(c, -EINVAL, ev->start_mark, "the value does not fit its tag");
    }
    return fail(c, -EINVAL, ev->start_mark, "the tag %.*s is not allowed here", NAME_SHOWN_MAX,
                tag);
}

static int compose_scalar(struct composer *c, const yaml_event_t *ev, struct yaml_value **ret)
{
    struct yaml_value *v;
    int rc = new_value(c, YAML_STRING, ev, &v);

    if (rc)
        return rc;
    v->text =
        arena_text(c->doc->arena, (const char *)ev->data.scalar.value, ev->data.scalar.length);
    v->text_len = ev->data.scalar.length;
    v->plain = ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (strlen(v->text) != v->text_len)
        return fail(c, -EINVAL, ev->start_mark, "a zero byte inside a text");
    if (ev->data.scalar.tag)
        rc = apply_tag(c, ev, v);
    else if (v->plain && strcmp(v->text, "=") == 0)
        rc = fail(c, -EINVAL, ev->start_mark, "a bare = has no value; put it in quotes");
    else if (v->plain && scalar_resolve(v))
        rc = fail(c, -EINVAL, ev->start_mark, "the number %.*s is not usable (64 bits at most)",
                  NAME_SHOWN_MAX, v->text);
    if (!rc)
        rc = set_anchor(c, ev, ev->data.scalar.anchor, v);
    *ret = v;
    return rc;
}

static int compose(struct composer *c, yaml_event_t *ev, int depth, struct yaml_value **ret);

// Reads the members of a list or map up to its end. In a list every pair has a
// value only.
static int compose_children(struct composer *c, yaml_event_type_t end, int depth,
                            struct children *ch, size_t *weight)
{
    for (;;) {
        yaml_event_t ev;
        struct yaml_pair pair = {0};
        int rc = next_event(c, &ev);

        if (rc)
            return rc;
        if (ev.type == end) {
            yaml_event_delete(&ev);
            return 0;
        }
        if (end == YAML_MAPPING_END_EVENT) {
            rc = compose(c, &ev, depth + 1, &pair.key);
            yaml_event_delete(&ev);
            if (!rc)
                rc = next_event(c, &ev);
            if (rc)
                return rc;
            *weight += pair.key->weight;
        }
        rc = compose(c, &ev, depth + 1, &pair.value);
        yaml_event_delete(&ev);
        if (rc)
            return rc;
        *weight += pair.value->weight;
        ch->pairs = mem_room(ch->pairs, ch->count, &ch->cap, sizeof(*ch->pairs));
        ch->pairs[ch->count++] = pair;
    }
}

static int compose_list(struct composer *c, const yaml_event_t *ev, int depth,
                        struct yaml_value **ret)
{
    struct children ch = {0};
    size_t weight = 1;
    struct yaml_value *v;
    int rc = new_value(c, YAML_LIST, ev, &v);

    if (!rc)
        rc = set_anchor(c, ev, ev->data.sequence_start.anchor, v);
    if (rc)
        return rc;
    v->weight = 0; // until it ends: an alias to it would never end
    rc = compose_children(c, YAML_SEQUENCE_END_EVENT, depth, &ch, &weight);
    if (!rc) {
        v->items = arena_alloc(c->doc->arena, ch.count, sizeof(struct yaml_value *));
        for (size_t i = 0; i < ch.count; i++)
            v->items[i] = ch.pairs[i].value;
        v->count = ch.count;
        v->weight = weight;
    }
    free(ch.pairs);
    *ret = v;
    return rc;
}

static int compare_pairs(const void *pa, const void *pb)
{
    const struct yaml_pair *a = pa, *b = pb;
    int order = yaml_key_compare(a->key, b->key);

    if (order)
        return order;
    if (a->key->line != b->key->line)
        return a->key->line < b->key->line ? -1 : 1;
    return (a->key->column > b->key->column) - (a->key->column < b->key->column);
}

static bool is_merge_key(const struct yaml_value *key)
{
    return key->plain && key->type == YAML_STRING && strcmp(key->text, "<<") == 0;
}

static int refuse_duplicates(struct composer *c, const struct children *ch)
{
    struct yaml_pair *sorted = mem_array(ch->count, sizeof(*sorted));
    int rc = 0;

    if (ch->count)
        memcpy(sorted, ch->pairs, ch->count * sizeof(*sorted));
    qsort(sorted, ch->count, sizeof(*sorted), compare_pairs);
    for (size_t i = 1; i < ch->count && !rc; i++) {
        const struct yaml_value *key = sorted[i].key, *first = sorted[i - 1].key;

        if (yaml_key_compare(key, first) == 0)
            rc = yaml_err(c->e, c->doc->name, key, "the key %.*s stands twice, first in line %d",
                          NAME_SHOWN_MAX, key->text, first->line);
    }
    free(sorted);
    return rc;
}

// Sets key to value: in its place when it is there, else at the end.
static int merge_pair(struct composer *c, struct children *out, const struct yaml_pair *pair)
{
    for (size_t i = 0; i < out->count; i++)
        if (yaml_key_compare(out->pairs[i].key, pair->key) == 0) {
            out->pairs[i].value = pair->value;
            return 0;
        }
    if (out->count == MERGED_PAIRS_MAX)
        return yaml_err(c->e, c->doc->name, pair->key, "more than %d keys in a merged map",
                        MERGED_PAIRS_MAX);
    out->pairs = mem_room(out->pairs, out->count, &out->cap, sizeof(*out->pairs));
    out->pairs[out->count++] = *pair;
    return 0;
}

static int merge_map(struct composer *c, struct children *out, const struct yaml_value *at,
                     const struct yaml_value *source)
{
    int rc = 0;

    if (source->type != YAML_MAP)
        return yaml_err(c->e, c->doc->name, at,
                        "only a map or a list of maps can be merged, not %s",
                        yaml_type_name(source->type));
    for (size_t i = 0; i < source->count && !rc; i++)
        rc = merge_pair(c, out, &source->pairs[i]);
    return rc;
}

// Merged pairs come first and give way: to earlier maps of the list, then to
// the map's own keys.
static int carry_out_merges(struct composer *c, struct children *ch)
{
    struct children out = {0};
    int rc = 0;

    for (size_t i = 0; i < ch->count && !rc; i++) {
        const struct yaml_value *source = ch->pairs[i].value;

        if (!is_merge_key(ch->pairs[i].key))
            continue;
        if (source->type != YAML_LIST)
            rc = merge_map(c, &out, ch->pairs[i].key, source);
        for (size_t j = source->count; source->type == YAML_LIST && j-- > 0 && !rc;)
            rc = merge_map(c, &out, ch->pairs[i].key, source->items[j]);
    }
    for (size_t i = 0; i < ch->count && !rc; i++)
        if (!is_merge_key(ch->pairs[i].key))
            rc = merge_pair(c, &out, &ch->pairs[i]);
    free(ch->pairs);
    *ch = out;
    return rc;
}

static int check_keys(struct composer *c, struct children *ch)
{
    bool merges = false;
    int rc;

    for (size_t i = 0; i < ch->count; i++) {
        const struct yaml_value *key = ch->pairs[i].key;

        if (!yaml_is_scalar(key))
            return yaml_err(c->e, c->doc->name, key, "a key must be a single value, not %s",
                            yaml_type_name(key->type));
        merges = merges || is_merge_key(key);
    }
    rc = refuse_duplicates(c, ch);
    return rc || !merges ? rc : carry_out_merges(c, ch);
}

static int compose_map(struct composer *c, const yaml_event_t *ev, int depth,
                       struct yaml_value **ret)
{
    struct children ch = {0};
    size_t weight = 1;
    struct yaml_value *v;
    int rc = new_value(c, YAML_MAP, ev, &v);

    if (!rc)
        rc = set_anchor(c, ev, ev->data.mapping_start.anchor, v);
    if (rc)
        return rc;
    v->weight = 0;
    rc = compose_children(c, YAML_MAPPING_END_EVENT, depth, &ch, &weight);
    if (!rc)
        rc = check_keys(c, &ch);
    if (!rc) {
        v->pairs = arena_alloc(c->doc->arena, ch.count, sizeof(*v->pairs));
        if (ch.count)
            memcpy(v->pairs, ch.pairs, ch.count * sizeof(*v->pairs));
        v->count = ch.count;
        v->weight = weight;
    }
    free(ch.pairs);
    *ret = v;
    return rc;
}

static int refuse_collection_tag(struct composer *c, const yaml_event_t *ev)
{
    bool map = ev->type == YAML_MAPPING_START_EVENT;
    const yaml_char_t *tag = map ? ev->data.mapping_start.tag : ev->data.sequence_start.tag;
    const char *usual = map ? YAML_MAP_TAG : YAML_SEQ_TAG;

    if (!tag || strcmp((const char *)tag, usual) == 0)
        return 0;
    return fail(c, -EINVAL, ev->start_mark, "the tag %.*s is not allowed here", NAME_SHOWN_MAX,
                (const char *)tag);
}

static int compose(struct composer *c, yaml_event_t *ev, int depth, struct yaml_value **ret)
{
    int rc;

    if (ev->type == YAML_ALIAS_EVENT)
        return compose_alias(c, ev, ret);
    if (ev->type == YAML_SCALAR_EVENT)
        return compose_scalar(c, ev, ret);
    if (depth >= YAML_DEPTH_MAX)
        return fail(c, -E2BIG, ev->start_mark, "nested more than %d levels deep", YAML_DEPTH_MAX);
    rc = refuse_collection_tag(c, ev);
    if (rc)
        return rc;
    return ev->type == YAML_MAPPING_START_EVENT ? compose_map(c, ev, depth, ret)
                                                : compose_list(c, ev, depth, ret);
}

static struct yaml_value *null_value(struct yaml_doc *doc)
{
    struct yaml_value *v = arena_alloc(doc->arena, 1, sizeof(*v));

    v->type = YAML_NULL;
    v->line = v->column = 1;
    v->plain = true;
    v->text = "";
    v->weight = 1;
    return v;
}

// The stream holds one document or none.
static int compose_stream(struct composer *c)
{
    bool have = false;

    for (;;) {
        yaml_event_t ev;
        int rc = next_event(c, &ev);
        yaml_event_type_t type = rc ? YAML_NO_EVENT : ev.type;

        if (rc)
            return rc;
        if (type == YAML_DOCUMENT_START_EVENT && have)
            rc = fail(c, -EINVAL, ev.start_mark, "a second document begins here; one is allowed");
        else if (type == YAML_SCALAR_EVENT || type == YAML_ALIAS_EVENT ||
                 type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT)
            rc = compose(c, &ev, 0, &c->doc->root);
        have = have || type == YAML_DOCUMENT_START_EVENT;
        yaml_event_delete(&ev);
        if (rc || type == YAML_STREAM_END_EVENT)
            return rc;
    }
}

static int parse_into(struct yaml_doc *doc, const char *bytes, size_t len, struct err *e)
{
    struct composer c = {.doc = doc, .e = e, .bytes = bytes, .len = len};
    int rc;

    if (!yaml_parser_initialize(&c.parser))
        return err_set(e, -ENOMEM, "%s: no memory for a YAML parser", doc->name);
    yaml_parser_set_encoding(&c.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&c.parser, (const unsigned char *)bytes, len);
    rc = compose_stream(&c);
    yaml_parser_delete(&c.parser);
    free(c.anchors);
    return rc;
}

int yaml_doc_parse(const char *name, const char *bytes, size_t len, struct yaml_doc **ret,
                   struct err *e)
{
    struct yaml_doc *doc;
    int rc;

    if (len > YAML_BYTES_MAX)
        return err_set(e, -E2BIG, "%s: larger than %d bytes", name, YAML_BYTES_MAX);
    doc = mem_alloc(sizeof(*doc));
    doc->arena = arena_create();
    doc->name = arena_strdup(doc->arena, name);
    doc->root = null_value(doc);
    rc = parse_into(doc, bytes ? bytes : "", len, e);
    if (rc) {
        yaml_doc_free(doc);
        return rc;
    }
    *ret = doc;
    return 0;
}

void yaml_doc_free(struct yaml_doc *doc)
{
    if (!doc)
        return;
    arena_free(doc->arena);
    free(doc);
}

const struct yaml_value *yaml_doc_root(const struct yaml_doc *doc)
{
    return doc->root;
}

const char *yaml_doc_name(const struct yaml_doc *doc)
{
    return doc->name;
}
