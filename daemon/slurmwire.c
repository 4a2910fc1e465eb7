// SPDX-License-Identifier: GPL-2.0-or-later
#include "slurmwire.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

#define COMMENT_PREFIX "sweepd:"
#define US_PER_MIN (60 * US_PER_S)

static void put_line(struct str *out, json_t *object)
{
    char *text = json_dumps(object, JSON_COMPACT);

    str_add(out, text ? text : "{}");
    str_add_char(out, '\n');
    free(text);
    json_decref(object);
}

static json_t *request(uint64_t id, const char *op)
{
    return json_pack("{s:I,s:s}", "id", (json_int_t)id, "op", op);
}

void slurmwire_hello(struct str *out, uint64_t id)
{
    put_line(out, request(id, "hello"));
}

void slurmwire_poll(struct str *out, uint64_t id, const struct conf *conf)
{
    json_t *o = request(id, "poll");
    json_t *partitions = json_array();

    for (size_t i = 0; i < conf->fleet_count; i++) {
        bool known = false;

        for (size_t j = 0; j < i; j++)
            known |= !strcmp(conf->fleets[i].partition, conf->fleets[j].partition);
        if (!known)
            json_array_append_new(partitions, json_string(conf->fleets[i].partition));
    }
    json_object_set_new(o, "partitions", partitions);
    put_line(out, o);
}

void slurmwire_submit(struct str *out, uint64_t id, const struct slurmc_submit *s)
{
    json_t *o = request(id, "submit");
    json_t *exclude = json_array();
    json_t *env = json_object();
    char comment[JOB_TOKEN_MAX + sizeof(COMMENT_PREFIX)];

    snprintf(comment, sizeof(comment), COMMENT_PREFIX "%s", s->token);
    for (size_t i = 0; i < s->exclude_count; i++)
        json_array_append_new(exclude, json_string(s->exclude[i]));
    for (size_t i = 0; i < s->env_count; i++)
        json_object_set_new(env, s->env[2 * i], json_string(s->env[2 * i + 1]));
    json_object_set_new(o, "name", json_string(s->name));
    json_object_set_new(o, "comment", json_string(comment));
    json_object_set_new(o, "partition", json_string(s->partition));
    json_object_set_new(o, "gres", json_string(s->gres));
    json_object_set_new(o, "gpus", json_integer(s->gpus));
    json_object_set_new(o, "exclusive", json_boolean(s->exclusive));
    json_object_set_new(o, "cpus", json_integer(s->cpus));
    json_object_set_new(o, "time_limit_min", json_integer(s->time_limit_us / US_PER_MIN));
    json_object_set_new(o, "warn_s", json_integer(s->warning_us / US_PER_S));
    json_object_set_new(o, "exclude", exclude);
    json_object_set_new(o, "work_dir", json_string(s->work_dir));
    json_object_set_new(o, "stdout", json_string(s->output));
    json_object_set_new(o, "script", json_string(s->script));
    json_object_set_new(o, "env", env);
    json_object_set_new(o, "account", json_string(s->account));
    json_object_set_new(o, "qos", json_string(s->qos));
    json_object_set_new(o, "reservation", json_string(s->reservation));
    put_line(out, o);
}

void slurmwire_cancel(struct str *out, uint64_t id, uint32_t job_id, const char *token,
                      int64_t submit_time)
{
    json_t *o = request(id, "cancel");

    json_object_set_new(o, "job_id", json_integer(job_id));
    json_object_set_new(o, "token", json_string(token));
    json_object_set_new(o, "signal", json_string("TERM"));
    if (submit_time)
        json_object_set_new(o, "submit_time", json_integer(submit_time));
    put_line(out, o);
}

// --- answers ------------------------------------------------------------------

static const char *text_of(const json_t *o, const char *name)
{
    const char *s = json_string_value(json_object_get(o, name));

    return s ? s : "";
}

static int64_t number_of(const json_t *o, const char *name)
{
    return json_integer_value(json_object_get(o, name));
}

static bool parse_job(const json_t *o, struct job *job)
{
    const char *comment = text_of(o, "comment");
    const json_t *flags = json_object_get(o, "flags");

    if (!str_starts(comment, COMMENT_PREFIX))
        return false;
    if (!str_copy(job->token, sizeof(job->token), comment + strlen(COMMENT_PREFIX)))
        return false;
    job->job_id = (uint32_t)number_of(o, "job_id");
    str_copy(job->state, sizeof(job->state), text_of(o, "state"));
    for (size_t i = 0; i < json_array_size(flags); i++)
        job->flags |= job_flag_from_name(json_string_value(json_array_get(flags, i))
                                             ? json_string_value(json_array_get(flags, i))
                                             : "");
    job->exit_code = (int)number_of(o, "exit_code");
    job->signal = (int)number_of(o, "signal");
    str_copy(job->node, sizeof(job->node), text_of(o, "node"));
    str_copy(job->reason, sizeof(job->reason), text_of(o, "reason"));
    job->submit_time = number_of(o, "submit_time");
    job->start_time = number_of(o, "start_time");
    job->end_time = number_of(o, "end_time");
    return true;
}

static bool in_partition(const json_t *partitions, const char *name)
{
    for (size_t i = 0; i < json_array_size(partitions); i++) {
        const char *p = json_string_value(json_array_get(partitions, i));

        if (p && !strcmp(p, name))
            return true;
    }
    return false;
}

// A node serves a fleet when it is in its partition and has its GPU type.
static void find_fleet(const json_t *o, const struct conf *conf, struct node *n)
{
    const char *type = text_of(o, "gres_type");

    for (size_t i = 0; i < conf->fleet_count; i++) {
        const struct conf_fleet *f = &conf->fleets[i];
        const char *want = strchr(f->gres, ':');

        if (!in_partition(json_object_get(o, "partitions"), f->partition))
            continue;
        if (want && strcmp(want + 1, type) != 0)
            continue;
        str_copy(n->fleet, sizeof(n->fleet), f->label);
        return;
    }
}

static void parse_node(const json_t *o, const struct conf *conf, struct node *n)
{
    const json_t *flags = json_object_get(o, "flags");
    size_t used = 0;

    str_copy(n->name, sizeof(n->name), text_of(o, "name"));
    str_copy(n->state, sizeof(n->state), text_of(o, "state"));
    for (size_t i = 0; i < json_array_size(flags); i++) {
        const char *flag = json_string_value(json_array_get(flags, i));

        n->flags |= node_flag_from_name(flag ? flag : "");
        int len = snprintf(n->flag_text + used, sizeof(n->flag_text) - used, "%s%s",
                           used ? " " : "", flag ? flag : "");
        if (len > 0 && used + (size_t)len < sizeof(n->flag_text))
            used += (size_t)len;
    }
    n->gpus_total = (int)number_of(o, "gpus_total");
    n->gpus_used = (int)number_of(o, "gpus_used");
    n->cpus_total = (int)number_of(o, "cpus_total");
    n->cpus_alloc = (int)number_of(o, "cpus_alloc");
    str_copy(n->reason, sizeof(n->reason), text_of(o, "reason"));
    find_fleet(o, conf, n);
}

static enum failure failure_of_class(const char *cls)
{
    static const struct {
        const char *cls;
        enum failure failure;
    } table[] = {{"down", FAILURE_DOWN},
                 {"unclear", FAILURE_UNCLEAR},
                 {"limit", FAILURE_LIMIT},
                 {"refused", FAILURE_REFUSED}};

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (!strcmp(table[i].cls, cls))
            return table[i].failure;
    return FAILURE_OTHER;
}

static void parse_lists(const json_t *root, const struct conf *conf, struct slurmwire_answer *ret)
{
    const json_t *jobs = json_object_get(root, "jobs");
    const json_t *nodes = json_object_get(root, "nodes");

    ret->jobs = mem_array(json_array_size(jobs), sizeof(*ret->jobs));
    ret->nodes = mem_array(json_array_size(nodes), sizeof(*ret->nodes));
    for (size_t i = 0; i < json_array_size(jobs); i++)
        if (parse_job(json_array_get(jobs, i), &ret->jobs[ret->a.job_count]))
            ret->a.job_count++;
    for (size_t i = 0; i < json_array_size(nodes); i++)
        parse_node(json_array_get(nodes, i), conf, &ret->nodes[ret->a.node_count++]);
    ret->a.jobs = ret->jobs;
    ret->a.nodes = ret->nodes;
}

int slurmwire_parse(const char *line, size_t len, const struct conf *conf,
                    struct slurmwire_answer *ret, struct err *e)
{
    json_error_t why;
    json_t *root = json_loadb(line, len, 0, &why);

    if (!json_is_object(root) || !json_is_integer(json_object_get(root, "id")) ||
        !json_is_boolean(json_object_get(root, "ok"))) {
        json_decref(root);
        return err_set(e, -EPROTO, "sweep-slurm wrote what is no answer: %.80s", line);
    }
    *ret = (struct slurmwire_answer){.id = (uint64_t)number_of(root, "id")};
    ret->a.ok = json_is_true(json_object_get(root, "ok"));
    const char *cls = text_of(root, "class");
    ret->a.failure = failure_of_class(cls);
    ret->a.gone = !strcmp(cls, "gone") || !strcmp(cls, "foreign");
    str_copy(ret->text, sizeof(ret->text), text_of(root, "error"));
    ret->a.job_id = (uint32_t)number_of(root, "job_id");
    ret->a.foreign_pending = (int)number_of(root, "foreign_pending");
    ret->a.rpcs = number_of(root, "rpcs");
    ret->min_job_age_s = (int)number_of(root, "min_job_age_s");
    str_copy(ret->version, sizeof(ret->version), text_of(root, "slurm_version"));
    str_copy(ret->cluster, sizeof(ret->cluster), text_of(root, "cluster"));
    parse_lists(root, conf, ret);
    json_decref(root);
    return 0;
}

void slurmwire_answer_done(struct slurmwire_answer *a)
{
    free(a->jobs);
    free(a->nodes);
}
