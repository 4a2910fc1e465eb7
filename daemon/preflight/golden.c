// SPDX-License-Identifier: GPL-2.0-or-later
#include "preflight/golden.h"

#include <string.h>

// golden_al_distribution/*.yaml of the published benchmark, measured with SPEED-Bench (coding,
// 4096 output tokens). The draft method is part of the source's name.
const struct golden_curve golden_curves[] = {
    {"qwen3.5_mtp",
     "qwen3.5-397b-a17b-nvfp4",
     "qwen3.5",
     {1.93, 2.73, 3.39, 3.97, 4.41, 4.80, 5.04, 5.21},
     {1.92, 2.70, 3.33, 3.83, 4.20, 4.48, 4.73, 4.71}},
    {"dsv4_mtp",
     "deepseek-v4-pro",
     "dsv4",
     {1.79, 2.27, 2.49, 2.54, 2.55, 2.55, 2.54, 2.58},
     {1.92, 2.61, 2.97, 3.00, 3.10, 3.16, 3.00, 3.11}},
    {"glm5.2_mtp", "glm-5.2-fp8", "glm5.2", {1.84, 2.50, 2.99, 3.33, 3.61, 3.78, 3.91, 4.06}, {0}},
    {"kimik2.5_eagle3",
     "kimi-k2.5-nvfp4",
     "kimik2.5",
     {1.83, 2.43, 2.88, 3.24, 3.46, 3.62, 3.71, 3.77},
     {1.80, 2.33, 2.75, 3.06, 3.25, 3.43, 3.46, 3.51}},
    {"kimik3_dspark", "kimi-k3", "kimik3", {1.84, 2.45, 2.87, 3.22, 3.44, 3.54, 3.78, 3.88}, {0}},
    {"minimaxm3_eagle3",
     "minimax-m3",
     "minimaxm3",
     {1.78, 2.38, 2.83, 3.11, 3.35, 3.45, 3.53, 3.74},
     {1.84, 2.52, 2.93, 3.41, 3.59, 3.57, 3.85, 4.06}},
};

const size_t golden_curve_count = sizeof(golden_curves) / sizeof(golden_curves[0]);

const struct golden_curve *golden_find(const char *model_prefix)
{
    for (size_t i = 0; i < golden_curve_count; i++)
        if (strcmp(golden_curves[i].model_prefix, model_prefix) == 0)
            return &golden_curves[i];
    return NULL;
}

double golden_value(const struct golden_curve *c, bool thinking_on, int draft_tokens)
{
    if (!c || draft_tokens < 1 || draft_tokens > GOLDEN_DRAFT_MAX)
        return 0;
    return (thinking_on ? c->thinking_on : c->thinking_off)[draft_tokens - 1];
}
