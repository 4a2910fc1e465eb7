// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/server_args.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum kind { TEXT, INT, REAL, SWITCH };

struct flag {
    const char *names; // all spellings, one space between
    const char *name;  // in /server_info
    enum kind kind;
    const char *fallback;
};

static const struct flag flags[] = {
    {"--api-key", "api_key", TEXT, NULL},
    {"--attention-backend", "attention_backend", TEXT, NULL},
    {"--chat-template", "chat_template", TEXT, NULL},
    {"--chunked-prefill-size", "chunked_prefill_size", INT, "8192"},
    {"--context-length", "context_length", INT, NULL},
    {"--cuda-graph-max-bs", "cuda_graph_max_bs", INT, NULL},
    {"--decode-log-interval", "decode_log_interval", INT, "40"},
    {"--disable-cuda-graph", "disable_cuda_graph", SWITCH, NULL},
    {"--disable-radix-cache", "disable_radix_cache", SWITCH, NULL},
    {"--download-dir", "download_dir", TEXT, NULL},
    {"--dp --dp-size --data-parallel-size", "dp_size", INT, "1"},
    {"--dtype", "dtype", TEXT, "auto"},
    {"--enable-aiter-allreduce-fusion", "enable_aiter_allreduce_fusion", SWITCH, NULL},
    {"--enable-cache-report", "enable_cache_report", SWITCH, NULL},
    {"--enable-dp-attention", "enable_dp_attention", SWITCH, NULL},
    {"--enable-hierarchical-cache", "enable_hierarchical_cache", SWITCH, NULL},
    {"--enable-metrics", "enable_metrics", SWITCH, NULL},
    {"--enable-metrics-for-all-schedulers", "enable_metrics_for_all_schedulers", SWITCH, NULL},
    {"--enable-mixed-chunk", "enable_mixed_chunk", SWITCH, NULL},
    {"--ep --ep-size --expert-parallel-size", "ep_size", INT, "1"},
    {"--hicache-ratio", "hicache_ratio", REAL, "2.0"},
    {"--hicache-size", "hicache_size", INT, "0"},
    {"--host", "host", TEXT, "127.0.0.1"},
    {"--kv-cache-dtype", "kv_cache_dtype", TEXT, "auto"},
    {"--load-format", "load_format", TEXT, "auto"},
    {"--log-level", "log_level", TEXT, "info"},
    {"--mamba-ssm-dtype", "mamba_ssm_dtype", TEXT, NULL},
    {"--max-prefill-tokens", "max_prefill_tokens", INT, "16384"},
    {"--max-running-requests", "max_running_requests", INT, NULL},
    {"--mem-fraction-static", "mem_fraction_static", REAL, "0.88"},
    {"--model-loader-extra-config", "model_loader_extra_config", TEXT, "{}"},
    {"--model-path --model", "model_path", TEXT, NULL},
    {"--nnodes", "nnodes", INT, "1"},
    {"--node-rank", "node_rank", INT, "0"},
    {"--page-size", "page_size", INT, "1"},
    {"--port", "port", INT, "30000"},
    {"--pp --pp-size --pipeline-parallel-size", "pp_size", INT, "1"},
    {"--quantization", "quantization", TEXT, NULL},
    {"--random-seed", "random_seed", INT, NULL},
    {"--reasoning-parser", "reasoning_parser", TEXT, NULL},
    {"--revision", "revision", TEXT, NULL},
    {"--schedule-policy", "schedule_policy", TEXT, "fcfs"},
    {"--scheduler-recv-interval", "scheduler_recv_interval", INT, "1"},
    {"--served-model-name", "served_model_name", TEXT, NULL},
    {"--speculative-algorithm --speculative-algo", "speculative_algorithm", TEXT, NULL},
    {"--speculative-draft-model-path", "speculative_draft_model_path", TEXT, NULL},
    {"--speculative-eagle-topk", "speculative_eagle_topk", INT, NULL},
    {"--speculative-num-draft-tokens", "speculative_num_draft_tokens", INT, NULL},
    {"--speculative-num-steps", "speculative_num_steps", INT, NULL},
    {"--stream-interval", "stream_interval", INT, "1"},
    {"--tokenizer-mode", "tokenizer_mode", TEXT, "auto"},
    {"--tokenizer-path", "tokenizer_path", TEXT, NULL},
    {"--tokenizer-worker-num", "tokenizer_worker_num", INT, "1"},
    {"--tool-call-parser", "tool_call_parser", TEXT, NULL},
    {"--tp --tp-size --tensor-parallel-size", "tp_size", INT, "1"},
    {"--trust-remote-code", "trust_remote_code", SWITCH, NULL},
    {"--watchdog-timeout", "watchdog_timeout", REAL, "300"},
};
enum { FLAGS = sizeof(flags) / sizeof(flags[0]) };

struct args {
    const char *values[FLAGS]; // a switch that is on has the text "true"
};

static void complain(const char *fmt, const char *name, const char *value)
{
    fputs("usage: launch_server.py [-h] --model-path MODEL_PATH [options]\n"
          "launch_server.py: error: ",
          stderr);
    fprintf(stderr, fmt, name, value);
    fputc('\n', stderr);
}

static bool has_name(const struct flag *f, const char *name, size_t len)
{
    for (const char *at = f->names; *at;) {
        size_t n = strcspn(at, " ");

        if (n == len && strncmp(at, name, len) == 0)
            return true;
        at += n;
        at += strspn(at, " ");
    }
    return false;
}

static int find_flag(const char *arg, size_t len)
{
    for (int i = 0; i < FLAGS; i++)
        if (has_name(&flags[i], arg, len))
            return i;
    return -1;
}

static bool is_good(const struct flag *f, const char *name, const char *value)
{
    int64_t whole;
    double real;

    if (f->kind == INT && str_to_i64(value, INT32_MIN, INT32_MAX, &whole)) {
        complain("argument %s: invalid int value: '%s'", name, value);
        return false;
    }
    if (f->kind == REAL && str_to_double(value, &real)) {
        complain("argument %s: invalid float value: '%s'", name, value);
        return false;
    }
    return true;
}

// Reads the flag at argv[*i] and its value; *i is left at the last one used.
static bool read_flag(struct args *a, int argc, char **argv, int *i)
{
    const char *arg = argv[*i];
    const char *equals = strchr(arg, '=');
    int f = find_flag(arg, equals ? (size_t)(equals - arg) : strlen(arg));

    if (f < 0 || (flags[f].kind == SWITCH && equals)) {
        complain("unrecognized arguments: %s%s", arg, "");
        return false;
    }
    if (flags[f].kind == SWITCH) {
        a->values[f] = "true";
        return true;
    }
    if (!equals && (*i + 1 >= argc || str_starts(argv[*i + 1], "--"))) {
        complain("argument %s: expected one argument%s", arg, "");
        return false;
    }
    a->values[f] = equals ? equals + 1 : argv[++*i];
    return is_good(&flags[f], arg, a->values[f]);
}

struct args *args_parse(int argc, char **argv)
{
    struct args *a = mem_alloc(sizeof(*a));
    bool good = true;

    for (int i = 0; i < FLAGS; i++)
        a->values[i] = flags[i].fallback;
    for (int i = 1; good && i < argc; i++)
        good = read_flag(a, argc, argv, &i);
    if (good && !args_text(a, "model_path")) {
        complain("the following arguments are required: --model-path/--model%s%s", "", "");
        good = false;
    }
    if (good)
        return a;
    args_free(a);
    return NULL;
}

void args_free(struct args *a)
{
    free(a);
}

static int index_of(const char *name)
{
    for (int i = 0; i < FLAGS; i++)
        if (strcmp(flags[i].name, name) == 0)
            return i;
    fprintf(stderr, "no argument is called %s\n", name);
    abort();
}

const char *args_text(const struct args *a, const char *name)
{
    return a->values[index_of(name)];
}

void args_override(struct args *a, const char *name, const char *value)
{
    a->values[index_of(name)] = value;
}

int64_t args_int(const struct args *a, const char *name)
{
    const char *text = args_text(a, name);
    int64_t v = 0;

    return text && str_to_i64(text, INT64_MIN, INT64_MAX, &v) == 0 ? v : 0;
}

double args_double(const struct args *a, const char *name)
{
    const char *text = args_text(a, name);
    double v = 0;

    return text && str_to_double(text, &v) == 0 ? v : 0;
}

bool args_on(const struct args *a, const char *name)
{
    return args_text(a, name) != NULL;
}

static json_t *value_of(const struct args *a, const struct flag *f)
{
    const char *text = args_text(a, f->name);

    if (f->kind == SWITCH)
        return json_boolean(text != NULL);
    if (!text)
        return json_null();
    if (f->kind == INT)
        return json_integer(args_int(a, f->name));
    return f->kind == REAL ? json_real(args_double(a, f->name)) : json_string(text);
}

void args_json(const struct args *a, struct str *out)
{
    for (int i = 0; i < FLAGS; i++) {
        json_t *v = value_of(a, &flags[i]);
        char *text = json_dumps(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));

        str_addf(out, "\"%s\":%s,", flags[i].name, text ? text : "null");
        free(text);
        json_decref(v);
    }
}
