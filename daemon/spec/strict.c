// SPDX-License-Identifier: GPL-2.0-or-later
// Rules that the published files do not keep everywhere: they are checked for
// the keys that someone wants to run.
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "spec/build.h"
#include "spec/fields.h"

static const char *nearest_label(const struct config *c, const char *label)
{
    const struct runners *r = &c->runners;
    const char **names = mem_array(r->label_count + 1, sizeof(*names));
    const char *near;

    for (size_t i = 0; i < r->label_count; i++)
        names[i] = r->labels[i].name;
    near = fields_nearest(label, names);
    // The family left out: "h200-dgxc" for "cluster:h200-dgxc".
    for (size_t i = 0; i < r->label_count && !near; i++)
        if (str_ends(names[i], label) && str_starts(names[i], "cluster:"))
            near = names[i];
    free(names);
    return near;
}

static int check_label(struct build *b, const struct entry *en)
{
    const struct yaml_value *at = fields_get(en->node, "runner");
    const char *near;

    if (!b->config->has_runners || runners_find(&b->config->runners, en->runner))
        return 0;
    near = nearest_label(b->config, en->runner);
    if (near)
        return yaml_err(b->e, en->file, at,
                        "%s has no label '%s', so its jobs would wait for ever; did you mean "
                        "'%s'?",
                        b->config->runners_name, en->runner, near);
    return yaml_err(b->e, en->file, at,
                    "%s has no label '%s', so its jobs would wait for ever; add the label with "
                    "its runners, or name another",
                    b->config->runners_name, en->runner);
}

// These words become parts of file names: of the recipe and of results.
static int check_word(struct build *b, const struct entry *en, const char *field, const char *word)
{
    for (const char *s = word; *s; s++)
        if (!isalnum((unsigned char)*s) && *s != '.' && *s != '-')
            return yaml_err(b->e, en->file, fields_get(en->node, field),
                            "%s '%s' may hold only letters, digits, '.' and '-', since files are "
                            "named after it",
                            field, word);
    return 0;
}

int strict_entry(struct build *b, const struct entry *en)
{
    int rc = check_label(b, en);

    if (!rc)
        rc = check_word(b, en, "model-prefix", en->model_prefix);
    if (!rc)
        rc = check_word(b, en, "precision", en->precision);
    if (!rc && !runners_find_hardware(&b->config->runners, en->runner))
        build_warn(b, en, fields_get(en->node, "runner"),
                   "%s has no hardware entry for '%s': whether the points fit a node is not "
                   "checked",
                   b->config->runners_name, en->runner);
    return rc;
}

int strict_row(struct build *b, const struct entry *en, const struct entry_row *row)
{
    const struct config_hardware *h = runners_find_hardware(&b->config->runners, en->runner);
    int gpus = row->tp * row->pp * row->pcp;

    if (row->has_workers)
        return 0;
    if (row->tp % row->ep)
        return yaml_err(b->e, en->file, fields_get(row->node, "ep"),
                        "ep %d does not fit tp %d; experts are spread over the tensor-parallel "
                        "GPUs, so ep must divide tp",
                        row->ep, row->tp);
    if (h && gpus > h->gpus_per_node)
        return yaml_err(b->e, en->file, fields_get(row->node, "tp"),
                        "the row needs %d GPUs (tp %d x pp %d x pcp %d), a node of '%s' has %d",
                        gpus, row->tp, row->pp, row->pcp, en->runner, h->gpus_per_node);
    return 0;
}
