// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fsio.h"
#include "base/mem.h"
#include "base/str.h"
#include "spec/config_priv.h"

enum { KEY_NEAR = 8 }; // config keys are long; this many edits still mean the same one

static int parse_source(struct config *c, const struct spec_source *src, struct yaml_doc **ret,
                        struct err *e)
{
    int rc;

    if (src->len > CONFIG_BYTES_MAX)
        return err_set(e, -E2BIG, "%s: larger than %d bytes", src->name, CONFIG_BYTES_MAX);
    rc = yaml_doc_parse(src->name, src->bytes, src->len, ret, e);
    if (!rc)
        c->docs[c->doc_count++] = *ret;
    return rc;
}

static int add_entry(struct config *c, const char *file, const struct yaml_pair *pair, size_t i,
                     struct err *e)
{
    struct entry *en = &c->entries[i];
    const struct entry *before;
    int rc = entry_read(file, pair->key, pair->value, c->arena, en, e);

    if (rc) {
        *en = (struct entry){0};
        return rc;
    }
    before = config_entry(c, en->key);
    if (before)
        return yaml_err(e, file, pair->key, "the config key '%s' is in %s too, line %d", en->key,
                        before->file, before->key_node->line);
    c->entry_count++;
    return 0;
}

static int add_master(struct config *c, const struct spec_source *src, struct err *e)
{
    struct yaml_doc *doc = NULL;
    const struct yaml_value *root;
    int rc = parse_source(c, src, &doc, e);

    if (rc)
        return rc;
    root = yaml_doc_root(doc);
    if (root->type != YAML_MAP)
        return yaml_err(e, yaml_doc_name(doc), root,
                        "the file must be a map of config keys, not %s",
                        yaml_type_name(root->type));
    if (root->count > CONFIG_KEYS_MAX - c->entry_count)
        return yaml_err(e, yaml_doc_name(doc), root, "more than %d config keys", CONFIG_KEYS_MAX);
    struct entry *all = arena_alloc(c->arena, c->entry_count + root->count, sizeof(*all));
    if (c->entry_count)
        memcpy(all, c->entries, c->entry_count * sizeof(*all));
    c->entries = all;
    for (size_t i = 0; i < root->count && !rc; i++)
        rc = add_entry(c, yaml_doc_name(doc), &root->pairs[i], c->entry_count, e);
    return rc;
}

static int load(struct config *c, const struct spec_source *masters, size_t count,
                const struct spec_source *runners, struct err *e)
{
    struct yaml_doc *doc = NULL;
    int rc = 0;

    if (!count || count > CONFIG_FILES_MAX)
        return err_set(e, -EINVAL, "%zu config files given; it must be 1 to %d", count,
                       CONFIG_FILES_MAX);
    c->runners_name = "no runners file";
    if (runners) {
        rc = parse_source(c, runners, &doc, e);
        if (!rc)
            rc = runners_read(doc, c->arena, &c->runners, e);
        if (rc)
            return rc;
        c->has_runners = true;
        c->runners_name = yaml_doc_name(doc);
    }
    for (size_t i = 0; i < count && !rc; i++)
        rc = add_master(c, &masters[i], e);
    return rc;
}

int config_load(const struct spec_source *masters, size_t count, const struct spec_source *runners,
                struct config **ret, struct err *e)
{
    struct config *c = mem_alloc(sizeof(*c));
    int rc;

    c->arena = arena_create();
    rc = load(c, masters, count, runners, e);
    if (rc) {
        config_free(c);
        return rc;
    }
    *ret = c;
    return 0;
}

static int read_file(const char *path, struct str *text, struct spec_source *ret, struct err *e)
{
    int rc = fs_read(path, CONFIG_BYTES_MAX, text, e);

    *ret = (struct spec_source){.name = path, .bytes = str_text(text), .len = text->len};
    return rc;
}

int config_load_files(const char *const *paths, size_t count, const char *runners_path,
                      struct config **ret, struct err *e)
{
    struct str texts[CONFIG_FILES_MAX + 1] = {{0}};
    struct spec_source masters[CONFIG_FILES_MAX] = {{0}};
    struct spec_source runners;
    int rc = 0;

    for (size_t i = 0; i < count && i < CONFIG_FILES_MAX && !rc; i++)
        rc = read_file(paths[i], &texts[i], &masters[i], e);
    if (!rc && runners_path)
        rc = read_file(runners_path, &texts[CONFIG_FILES_MAX], &runners, e);
    if (!rc)
        rc = config_load(masters, count, runners_path ? &runners : NULL, ret, e);
    for (size_t i = 0; i <= CONFIG_FILES_MAX; i++)
        str_free(&texts[i]);
    return rc;
}

void config_free(struct config *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->doc_count; i++)
        yaml_doc_free(c->docs[i]);
    arena_free(c->arena);
    free(c);
}

size_t config_key_count(const struct config *c)
{
    return c->entry_count;
}

const char *config_key(const struct config *c, size_t i)
{
    return i < c->entry_count ? c->entries[i].key : NULL;
}

const struct entry *config_entry(const struct config *c, const char *key)
{
    for (size_t i = 0; i < c->entry_count; i++)
        if (strcmp(c->entries[i].key, key) == 0)
            return &c->entries[i];
    return NULL;
}

bool config_key_find(const struct config *c, const char *key, struct config_key_info *ret)
{
    const struct entry *en = config_entry(c, key);

    if (!en)
        return false;
    *ret = (struct config_key_info){
        .file = en->file,
        .line = en->key_node->line,
        .runner = en->runner,
        .model = en->model,
        .model_prefix = en->model_prefix,
        .precision = en->precision,
        .framework = en->framework,
        .image = en->image,
        .multinode = en->multinode,
        .has_agentic = en->agentic_count > 0,
        .has_fixed = en->fixed_count > 0,
        .label_known = runners_find(&c->runners, en->runner) != NULL,
    };
    return true;
}

const char *config_key_suggest(const struct config *c, const char *written)
{
    const struct entry *best = NULL;
    int limit = KEY_NEAR;

    if (!*written)
        return NULL;
    for (size_t i = 0; i < c->entry_count; i++) {
        int d = str_distance(written, c->entries[i].key, limit);

        if (d <= limit && limit >= 0) {
            limit = d - 1;
            best = &c->entries[i];
        }
    }
    // A key that was cut short is far away by edits and still recognizable.
    for (size_t i = 0; i < c->entry_count && !best; i++)
        if (strstr(c->entries[i].key, written))
            best = &c->entries[i];
    return best ? best->key : NULL;
}

const char *const *config_label_runners(const struct config *c, const char *label,
                                        size_t *ret_count)
{
    const struct runners_label *l = runners_find(&c->runners, label);

    *ret_count = l ? l->count : 0;
    return l ? l->runners : NULL;
}

bool config_hardware(const struct config *c, const char *label, struct config_hardware *ret)
{
    const struct config_hardware *h = runners_find_hardware(&c->runners, label);

    if (h)
        *ret = *h;
    return h != NULL;
}
