// SPDX-License-Identifier: GPL-2.0-or-later
#include "request.h"

#include "base/fsio.h"
#include "core/point.h"
#include "spec/config.h"

enum { CONC_MAX = 1000000 };

static int add_config(struct ctl *ctl, struct doc *body)
{
    size_t count;
    const char *const *paths = args_values(ctl->args, "config", &count);
    struct doc *list = count ? doc_list() : NULL;
    struct str bytes = {0};
    int code = CTL_OK;

    if (!count)
        return CTL_OK;
    doc_put(body, "config", list);
    for (size_t i = 0; i < count && !code; i++) {
        struct doc *file = doc_object();
        struct err e = {0};

        doc_push(list, file);
        doc_put_text(file, "name", paths[i]);
        if (fs_read(paths[i], CONFIG_BYTES_MAX, &bytes, &e))
            code = ctl_fail(ctl, CTL_USAGE, "unreadable", NULL, "%s", e.text);
        else if (!doc_put_bytes(file, "text", str_text(&bytes), bytes.len))
            code =
                ctl_fail(ctl, CTL_USAGE, "invalid_config", NULL, "%s is not UTF-8 text", paths[i]);
    }
    str_free(&bytes);
    return code;
}

static int add_concs(struct ctl *ctl, struct doc *body)
{
    size_t count;
    const char *const *texts = args_values(ctl->args, "conc", &count);
    struct doc *list = count ? doc_list() : NULL;

    if (!count)
        return CTL_OK;
    doc_put(body, "conc", list);
    for (size_t i = 0; i < count; i++) {
        int64_t n;

        if (str_to_i64(texts[i], 1, CONC_MAX, &n))
            return ctl_fail(ctl, CTL_USAGE, "usage", "for example --conc 4,40",
                            "--conc \"%s\" is no concurrency", texts[i]);
        doc_push_int(list, n);
    }
    return CTL_OK;
}

static void add_points(struct ctl *ctl, struct doc *body)
{
    size_t count;
    const char *const *texts = args_values(ctl->args, "points", &count);
    struct doc *list = count ? doc_list() : NULL;

    for (size_t i = 0; i < count; i++) {
        char name[POINT_NAME_MAX];

        point_name_canonical(texts[i], name, sizeof(name));
        doc_push_text(list, name);
    }
    if (count)
        doc_put(body, "points", list);
}

int request_build(struct ctl *ctl, struct doc **ret)
{
    struct doc *body = doc_object();

    doc_put_text(body, "key", args_operand(ctl->args, 0));
    doc_put_flag(body, "fast", args_has(ctl->args, "fast"));
    doc_put_text(body, "placement", args_has(ctl->args, "packed") ? "packed" : "exclusive");
    add_points(ctl, body);
    int code = add_config(ctl, body);
    if (!code)
        code = add_concs(ctl, body);
    if (code)
        doc_free(body);
    else
        *ret = body;
    return code;
}
