// SPDX-License-Identifier: GPL-2.0-or-later
#include "patience.h"

#include <poll.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/dur.h"

bool patience_weather(int status)
{
    return status == 429 || status >= 500;
}

bool patience_wait(struct patience *p, const struct err *e)
{
    int64_t now = clock_mono_us();

    if (!p->since) {
        *p = (struct patience){now, PATIENCE_FIRST_MS};
        fprintf(stderr, "sweepctl: %s; waiting up to %d minutes for it, what runs goes on\n",
                e->text, PATIENCE_S / 60);
    }
    if (now - p->since > PATIENCE_S * US_PER_S)
        return false;
    poll(NULL, 0, p->wait_ms);
    p->wait_ms = p->wait_ms * 2 < PATIENCE_MOST_MS ? p->wait_ms * 2 : PATIENCE_MOST_MS;
    return true;
}

void patience_end(struct patience *p)
{
    char took[DUR_TEXT_MAX];

    if (p->since)
        fprintf(stderr, "sweepctl: the server is back after %s\n",
                dur_text(clock_mono_us() - p->since, took, sizeof(took)));
    *p = (struct patience){0};
}
