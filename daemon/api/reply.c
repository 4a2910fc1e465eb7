// SPDX-License-Identifier: GPL-2.0-or-later
#include "api/reply.h"

#include <stdio.h>

#include "api/sweeps.h"

void reply_json(struct app *a, uint64_t request, int status, struct str *text)
{
    http_reply(a->http, request, status, JSON_TYPE, str_text(text), text->len);
    str_free(text);
}

void reply_not_found(struct app *a, uint64_t request, const char *what)
{
    http_problem(a->http, request, HTTP_NOT_FOUND, "not_found", "Not found", what,
                 "List what there is: GET /api/v1/sweeps", NULL);
}

void reply_bad_request(struct app *a, uint64_t request, const char *detail, const char *fix)
{
    http_problem(a->http, request, HTTP_BAD_REQUEST, "bad_request", "Bad request", detail, fix,
                 NULL);
}

// --- waiting for a commit -----------------------------------------------------------

static struct app_waiter *free_waiter(struct app *a)
{
    for (size_t i = 0; i < APP_WAITERS_MAX; i++)
        if (!a->waiters[i].request)
            return &a->waiters[i];
    return NULL;
}

void reply_when_durable(struct app *a, uint64_t request, int64_t sweep, int status)
{
    struct app_waiter *w = free_waiter(a);

    if (!w) {
        http_problem(a->http, request, HTTP_UNAVAILABLE, "busy", "Busy",
                     "Too many writes wait for the database; this one was accepted all the same.",
                     "Look at the sweep before you send it again.", NULL);
        return;
    }
    *w = (struct app_waiter){request, a->core.journal.last_id, sweep, status};
}

void api_answer_waiters(struct app *a, int64_t durable_id)
{
    bool published = false;

    for (size_t i = 0; i < APP_WAITERS_MAX; i++) {
        struct app_waiter *w = &a->waiters[i];
        const struct sweep *s;
        struct str text = {0};

        if (!w->request || w->journal_id > durable_id)
            continue;
        if (!published)
            api_publish(a); // what the answer names can be read
        published = true;
        s = core_sweep(&a->core, w->sweep);
        if (s) {
            sweep_document(a, s, &text);
            reply_json(a, w->request, w->status, &text);
        } else {
            reply_not_found(a, w->request, "The sweep is gone.");
        }
        w->request = 0;
    }
}

bool reply_may_write(struct app *a, uint64_t request)
{
    char detail[ERR_TEXT_MAX + 64];

    if (a->role == ROLE_STANDBY) {
        snprintf(detail, sizeof(detail), "This sweepd stands by; the writer is %s.",
                 a->lock_holder);
        http_problem(a->http, request, HTTP_UNAVAILABLE, "standby", "Standing by", detail,
                     "Send it to the writer.", NULL);
        return false;
    }
    if (a->role != ROLE_ACTIVE || !app_peer_up(&a->database)) {
        snprintf(detail, sizeof(detail), "Nothing can be accepted without the database: %s",
                 a->database.up ? "it does not answer" : a->database.detail);
        http_problem(a->http, request, HTTP_UNAVAILABLE, "database_down", "Database not reachable",
                     detail, "It is tried again all the time: send it again later.", NULL);
        return false;
    }
    return true;
}
