// SPDX-License-Identifier: GPL-2.0-or-later
#include "http/answer.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

enum { DATE_MAX = 32 };

struct answer {
    struct MHD_Response *response;
};

struct answer *answer_create(const char *type, const void *bytes, size_t len)
{
    struct answer *a = mem_alloc(sizeof(*a));
    void *copy = mem_alloc(len + 1);

    if (len)
        memcpy(copy, bytes, len);
    a->response = MHD_create_response_from_buffer(len, copy, MHD_RESPMEM_MUST_FREE);
    if (!a->response) {
        log_error("out of memory for an answer of %zu bytes", len);
        abort();
    }
    if (type && (answer_header(a, MHD_HTTP_HEADER_CONTENT_TYPE, type) < 0 ||
                 answer_header(a, "X-Content-Type-Options", "nosniff") < 0))
        log_error("the content type \"%s\" was left out of an answer", type);
    return a;
}

int answer_header(struct answer *a, const char *name, const char *value)
{
    return MHD_add_response_header(a->response, name, value) == MHD_YES ? 0 : -EINVAL;
}

void answer_modified(struct answer *a, int64_t wall_us)
{
    static const char days[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    time_t seconds = (time_t)(wall_us / US_PER_S);
    char format[DATE_MAX];
    char text[DATE_MAX];
    struct tm tm;

    // Names are ours: strftime's follow the locale.
    if (!gmtime_r(&seconds, &tm))
        return;
    snprintf(format, sizeof(format), "%s, %%d %s %%Y %%H:%%M:%%S GMT", days[tm.tm_wday],
             months[tm.tm_mon]);
    if (strftime(text, sizeof(text), format, &tm) > 0 &&
        answer_header(a, MHD_HTTP_HEADER_LAST_MODIFIED, text) < 0)
        log_error("out of memory for a header");
}

int answer_send(const struct answer *a, void *link, int status)
{
    return MHD_queue_response(link, (unsigned)status, a->response) == MHD_YES ? 0 : -EIO;
}

void answer_free(struct answer *a)
{
    if (!a)
        return;
    MHD_destroy_response(a->response);
    free(a);
}
