// SPDX-License-Identifier: GPL-2.0-or-later
#include "conf.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/dur.h"
#include "base/fsio.h"
#include "base/mem.h"
#include "base/str.h"
#include "spec/yaml.h"

enum kind { TEXT, DURATION, NUMBER, TEXTS, FLEETS, PAIRS };

enum { SUGGEST_DISTANCE = 3, PATH_TEXT_MAX = 128 };

struct key {
    const char *path; // "section.key"
    enum kind kind;
    size_t offset;
    size_t count_offset; // of lists
    const char *text;    // default of TEXT; NULL: the key is required
    int64_t number;      // default, in the field's unit
    int64_t min, max;
};

#define AT(field) offsetof(struct conf, field)
#define REQUIRED NULL

static const struct key keys[] = {
    {"data", TEXT, AT(data), 0, "/usr/share/sweepd", 0, 0, 0},
    {"database", TEXT, AT(database), 0, "dbname=sweepd", 0, 0, 0},
    {"fleets", FLEETS, AT(fleets), AT(fleet_count), REQUIRED, 0, 0, 0},
    {"ingest.memory_mb", NUMBER, AT(ingest_memory_mb), 0, NULL, 512, 0, 65536},
    {"ingest.timeout", DURATION, AT(ingest_timeout), 0, NULL, 600 * US_PER_S, US_PER_S,
     86400 * US_PER_S},
    {"job.environment", PAIRS, AT(job_environment), AT(job_environment_count), NULL, 0, 0, 0},
    {"job.time_limit", DURATION, AT(job_time_limit), 0, NULL, 8 * 3600 * US_PER_S, 60 * US_PER_S,
     30 * 86400 * US_PER_S},
    {"job.warning", DURATION, AT(job_warning), 0, NULL, 180 * US_PER_S, 0, 3600 * US_PER_S},
    {"job_script", TEXT, AT(job_script), 0, "/usr/share/sweepd/job.sh", 0, 0, 0},
    {"keep_sweeps", NUMBER, AT(keep_sweeps), 0, NULL, 200, 1, 100000},
    {"listen.tcp", TEXT, AT(listen_tcp), 0, "", 0, 0, 0},
    {"listen.unix", TEXT, AT(listen_unix), 0, "/run/sweepd/sweepd.sock", 0, 0, 0},
    {"listen.write_group", TEXT, AT(write_group), 0, "", 0, 0, 0},
    {"log_level", TEXT, AT(log_level), 0, "info", 0, 0, 0},
    {"matrices", TEXTS, AT(matrices), AT(matrix_count), NULL, 0, 0, 0},
    {"policy.end_grace", DURATION, AT(end_grace), 0, NULL, 60 * US_PER_S, US_PER_S,
     3600 * US_PER_S},
    {"policy.infra_attempts", NUMBER, AT(infra_attempts), 0, NULL, 3, 1, 20},
    {"policy.retry_first", DURATION, AT(retry_first), 0, NULL, US_PER_S, US_PER_MS,
     3600 * US_PER_S},
    {"policy.retry_max", DURATION, AT(retry_max), 0, NULL, 300 * US_PER_S, US_PER_MS,
     86400 * US_PER_S},
    {"policy.scan_interval", DURATION, AT(scan_interval), 0, NULL, 2 * US_PER_S, 10 * US_PER_MS,
     600 * US_PER_S},
    {"programs", TEXT, AT(programs), 0, "/usr/libexec/sweepd", 0, 0, 0},
    {"recipes", TEXT, AT(recipes), 0, "/usr/share/sweepd/recipes", 0, 0, 0},
    {"runners", TEXT, AT(runners), 0, "", 0, 0, 0},
    {"slurm.account", TEXT, AT(slurm_account), 0, "", 0, 0, 0},
    {"slurm.conf", TEXT, AT(slurm_conf), 0, "/etc/slurm/slurm.conf", 0, 0, 0},
    {"slurm.poll_interval", DURATION, AT(poll_interval), 0, NULL, 2 * US_PER_S, 50 * US_PER_MS,
     300 * US_PER_S},
    {"slurm.qos", TEXT, AT(slurm_qos), 0, "", 0, 0, 0},
    {"slurm.reservation", TEXT, AT(slurm_reservation), 0, "", 0, 0, 0},
    {"slurm.timeout", DURATION, AT(slurm_timeout), 0, NULL, 30 * US_PER_S, US_PER_S,
     600 * US_PER_S},
    {"spool", TEXT, AT(spool), 0, REQUIRED, 0, 0, 0},
    {"sql", TEXT, AT(sql), 0, "/usr/share/sweepd/sql", 0, 0, 0},
    {"web", TEXT, AT(web), 0, "/usr/share/sweepd/web", 0, 0, 0},
};
enum { KEY_COUNT = sizeof(keys) / sizeof(keys[0]) };

struct reader {
    const char *file;
    struct conf *conf;
    bool seen[KEY_COUNT];
    struct err *e;
};

static void *field(struct conf *c, size_t offset)
{
    return (char *)c + offset;
}

// The scalar's text, or NULL after filling the error.
static const char *want_text(const struct reader *r, const struct yaml_value *v, const char *what)
{
    if (v->type != YAML_LIST && v->type != YAML_MAP && v->type != YAML_NULL)
        return v->text;
    yaml_err(r->e, r->file, v, "%s must be a text, not %s", what, yaml_type_name(v->type));
    return NULL;
}

static int read_duration(const struct reader *r, const struct key *k, const struct yaml_value *v)
{
    char low[DUR_TEXT_MAX];
    char high[DUR_TEXT_MAX];
    const char *text = want_text(r, v, k->path);
    int64_t us;

    if (!text)
        return -EINVAL;
    if (dur_parse(text, &us))
        return yaml_err(r->e, r->file, v,
                        "%s: '%s' is not a duration; write it as 250ms, 30s, 5m or 8h", k->path,
                        text);
    if (us < k->min || us > k->max)
        return yaml_err(r->e, r->file, v, "%s: %s is outside %s to %s", k->path, text,
                        dur_text(k->min, low, sizeof(low)), dur_text(k->max, high, sizeof(high)));
    *(int64_t *)field(r->conf, k->offset) = us;
    return 0;
}

static int read_number(const struct reader *r, const struct key *k, const struct yaml_value *v)
{
    if (v->type != YAML_INT)
        return yaml_err(r->e, r->file, v, "%s must be a whole number", k->path);
    if (v->integer < k->min || v->integer > k->max)
        return yaml_err(r->e, r->file, v, "%s: %lld is outside %lld to %lld", k->path,
                        (long long)v->integer, (long long)k->min, (long long)k->max);
    *(int64_t *)field(r->conf, k->offset) = v->integer;
    return 0;
}

static int read_texts(const struct reader *r, const struct key *k, const struct yaml_value *v)
{
    if (v->type != YAML_LIST)
        return yaml_err(r->e, r->file, v, "%s must be a list", k->path);
    char **list = mem_array(v->count, sizeof(char *));
    *(char ***)field(r->conf, k->offset) = list;
    *(size_t *)field(r->conf, k->count_offset) = v->count;
    for (size_t i = 0; i < v->count; i++) {
        const char *text = want_text(r, v->items[i], k->path);

        if (!text)
            return -EINVAL;
        list[i] = mem_strdup(text);
    }
    return 0;
}

static int read_pairs(const struct reader *r, const struct key *k, const struct yaml_value *v)
{
    if (v->type != YAML_MAP)
        return yaml_err(r->e, r->file, v, "%s must be a map", k->path);
    struct conf_pair *list = mem_array(v->count, sizeof(*list));
    *(struct conf_pair **)field(r->conf, k->offset) = list;
    *(size_t *)field(r->conf, k->count_offset) = v->count;
    for (size_t i = 0; i < v->count; i++) {
        const char *text = want_text(r, v->pairs[i].value, v->pairs[i].key->text);

        if (!text)
            return -EINVAL;
        if (strpbrk(text, "\n\r"))
            return yaml_err(r->e, r->file, v->pairs[i].value,
                            "%s: line breaks are not possible here", v->pairs[i].key->text);
        list[i] = (struct conf_pair){mem_strdup(v->pairs[i].key->text), mem_strdup(text)};
    }
    return 0;
}

// "cluster:mi325x-amds" -> "mi325x": the word that recipe names carry.
static char *hardware_of(const char *label)
{
    const char *start = strchr(label, ':') ? strchr(label, ':') + 1 : label;
    char *word = mem_strdup(start);

    word[strcspn(word, "-")] = '\0';
    return word;
}

static int read_fleet(const struct reader *r, const struct yaml_pair *pair, struct conf_fleet *ret)
{
    static const char *const names[] = {"partition", "gres", "gpus_per_node", "hardware"};
    const struct yaml_value *v = pair->value;

    ret->label = mem_strdup(pair->key->text);
    if (v->type != YAML_MAP)
        return yaml_err(r->e, r->file, v, "fleet %s must be a map", ret->label);
    for (size_t i = 0; i < v->count; i++) {
        const char *name = v->pairs[i].key->text;
        const char *text = want_text(r, v->pairs[i].value, name);
        size_t k = 0;

        if (!text)
            return -EINVAL;
        while (k < 4 && strcmp(names[k], name) != 0)
            k++;
        if (k == 4)
            return yaml_err(
                r->e, r->file, v->pairs[i].key,
                "fleet %s: unknown key '%s'; known are partition, gres, gpus_per_node, hardware",
                ret->label, name);
        if (k == 2 && str_to_i64(text, 1, 64, &ret->gpus_per_node))
            return yaml_err(r->e, r->file, v->pairs[i].value,
                            "fleet %s: gpus_per_node must be 1 to 64", ret->label);
        char **to = k == 0 ? &ret->partition : k == 1 ? &ret->gres : k == 3 ? &ret->hardware : NULL;
        if (to)
            *to = mem_strdup(text);
    }
    if (!ret->partition || !ret->gres || !ret->gpus_per_node)
        return yaml_err(r->e, r->file, v, "fleet %s needs partition, gres and gpus_per_node",
                        ret->label);
    if (!ret->hardware)
        ret->hardware = hardware_of(ret->label);
    return 0;
}

static int read_fleets(const struct reader *r, const struct yaml_value *v)
{
    if (v->type != YAML_MAP || !v->count)
        return yaml_err(r->e, r->file, v, "fleets must be a map of runner labels");
    r->conf->fleets = mem_array(v->count, sizeof(struct conf_fleet));
    r->conf->fleet_count = v->count;
    for (size_t i = 0; i < v->count; i++) {
        int rc = read_fleet(r, &v->pairs[i], &r->conf->fleets[i]);

        if (rc)
            return rc;
    }
    return 0;
}

static int read_key(struct reader *r, size_t index, const struct yaml_value *v)
{
    const struct key *k = &keys[index];
    const char *text;

    r->seen[index] = true;
    switch (k->kind) {
    case TEXT:
        text = want_text(r, v, k->path);
        if (!text)
            return -EINVAL;
        free(*(char **)field(r->conf, k->offset));
        *(char **)field(r->conf, k->offset) = mem_strdup(text);
        return 0;
    case DURATION:
        return read_duration(r, k, v);
    case NUMBER:
        return read_number(r, k, v);
    case TEXTS:
        return read_texts(r, k, v);
    case PAIRS:
        return read_pairs(r, k, v);
    case FLEETS:
        return read_fleets(r, v);
    }
    return 0;
}

static size_t find_key(const char *path)
{
    size_t i = 0;

    while (i < KEY_COUNT && strcmp(keys[i].path, path) != 0)
        i++;
    return i;
}

static bool is_section(const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < KEY_COUNT; i++)
        if (!strncmp(keys[i].path, name, len) && keys[i].path[len] == '.')
            return true;
    return false;
}

static int unknown(const struct reader *r, const struct yaml_value *at, const char *path)
{
    const char *near = NULL;
    int best = SUGGEST_DISTANCE + 1;

    for (size_t i = 0; i < KEY_COUNT; i++) {
        int d = str_distance(path, keys[i].path, SUGGEST_DISTANCE);

        if (d < best) {
            best = d;
            near = keys[i].path;
        }
    }
    return yaml_err(r->e, r->file, at, "unknown key '%s'%s%s%s", path,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int read_map(struct reader *r, const struct yaml_value *map, const char *section)
{
    if (map->type != YAML_MAP)
        return yaml_err(r->e, r->file, map, "%s must be a map", section[0] ? section : "the file");
    for (size_t i = 0; i < map->count; i++) {
        char path[PATH_TEXT_MAX];
        const struct yaml_pair *pair = &map->pairs[i];
        int rc;

        snprintf(path, sizeof(path), "%s%s%s", section, section[0] ? "." : "", pair->key->text);
        size_t index = find_key(path);
        if (index < KEY_COUNT)
            rc = read_key(r, index, pair->value);
        else if (!section[0] && is_section(path))
            rc = read_map(r, pair->value, path);
        else
            rc = unknown(r, pair->key, path);
        if (rc)
            return rc;
    }
    return 0;
}

static struct conf *defaults(void)
{
    struct conf *c = mem_alloc(sizeof(*c));

    for (size_t i = 0; i < KEY_COUNT; i++) {
        const struct key *k = &keys[i];

        if (k->kind == TEXT)
            *(char **)field(c, k->offset) = mem_strdup(k->text ? k->text : "");
        else if (k->kind == DURATION || k->kind == NUMBER)
            *(int64_t *)field(c, k->offset) = k->number;
    }
    return c;
}

static int check_required(const struct reader *r)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (!keys[i].text && !r->seen[i] && (keys[i].kind == TEXT || keys[i].kind == FLEETS))
            return err_set(r->e, -EINVAL, "%s: the key '%s' is missing", r->file, keys[i].path);
    return 0;
}

int conf_load(const char *path, struct conf **ret, struct err *e)
{
    struct str bytes = {0};
    struct yaml_doc *doc = NULL;
    struct reader r = {.file = path, .e = e};
    int rc = fs_read(path, CONF_BYTES_MAX, &bytes, e);

    if (!rc)
        rc = yaml_doc_parse(path, str_text(&bytes), bytes.len, &doc, e);
    if (!rc) {
        r.conf = defaults();
        rc = read_map(&r, yaml_doc_root(doc), "");
    }
    if (!rc)
        rc = check_required(&r);
    yaml_doc_free(doc);
    str_free(&bytes);
    if (rc) {
        conf_free(r.conf);
        return rc;
    }
    *ret = r.conf;
    return 0;
}

void conf_free(struct conf *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (keys[i].kind == TEXT)
            free(*(char **)field(c, keys[i].offset));
    for (size_t i = 0; i < c->matrix_count; i++)
        free(c->matrices[i]);
    free(c->matrices);
    for (size_t i = 0; i < c->fleet_count; i++) {
        free(c->fleets[i].label);
        free(c->fleets[i].partition);
        free(c->fleets[i].gres);
        free(c->fleets[i].hardware);
    }
    free(c->fleets);
    for (size_t i = 0; i < c->job_environment_count; i++) {
        free(c->job_environment[i].name);
        free(c->job_environment[i].value);
    }
    free(c->job_environment);
    free(c);
}

const struct conf_fleet *conf_fleet(const struct conf *c, const char *label)
{
    for (size_t i = 0; i < c->fleet_count; i++)
        if (!strcmp(c->fleets[i].label, label))
            return &c->fleets[i];
    return NULL;
}
