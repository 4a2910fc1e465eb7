// SPDX-License-Identifier: GPL-2.0-or-later
#include "client.h"

#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/version.h"

struct client {
    char *server;          // as it was named
    const char *unix_path; // inside server, NULL: TCP
    CURL *curl;
    char error[CURL_ERROR_SIZE];
    // of the exchange under way
    struct str body;
    char etag[CLIENT_ETAG_MAX];
    bool too_long;
};

static size_t on_body(char *bytes, size_t size, size_t count, void *ctx)
{
    struct client *c = ctx;
    size_t len = size * count;

    if (len > CLIENT_BODY_MAX - c->body.len) {
        c->too_long = true;
        return 0;
    }
    str_add_bytes(&c->body, bytes, len);
    return len;
}

static size_t on_header(char *bytes, size_t size, size_t count, void *ctx)
{
    static const char name[] = "etag:";
    struct client *c = ctx;
    size_t len = size * count;
    size_t from = sizeof(name) - 1;
    size_t to = len;

    if (len < from || strncasecmp(bytes, name, from) != 0)
        return len;
    while (from < to && isspace((unsigned char)bytes[from]))
        from++;
    while (to > from && isspace((unsigned char)bytes[to - 1]))
        to--;
    if (to - from < sizeof(c->etag)) {
        memcpy(c->etag, bytes + from, to - from);
        c->etag[to - from] = '\0';
    }
    return len;
}

static void set_up(struct client *c)
{
    curl_easy_setopt(c->curl, CURLOPT_ERRORBUFFER, c->error);
    curl_easy_setopt(c->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c->curl, CURLOPT_PROTOCOLS_STR, "http");
    curl_easy_setopt(c->curl, CURLOPT_PROXY, "");
    curl_easy_setopt(c->curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CLIENT_CONNECT_MS);
    curl_easy_setopt(c->curl, CURLOPT_TIMEOUT_MS, (long)CLIENT_ANSWER_MS);
    curl_easy_setopt(c->curl, CURLOPT_USERAGENT, "sweepctl/" SWEEPD_VERSION);
    curl_easy_setopt(c->curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(c->curl, CURLOPT_WRITEDATA, c);
    curl_easy_setopt(c->curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(c->curl, CURLOPT_HEADERDATA, c);
    if (c->unix_path)
        curl_easy_setopt(c->curl, CURLOPT_UNIX_SOCKET_PATH, c->unix_path);
}

int client_create(const char *server, struct client **ret, struct err *e)
{
    bool is_unix = str_starts(server, "unix:/");

    if (!is_unix && (!str_starts(server, "http://") || !server[strlen("http://")]))
        return err_set(e, -EINVAL, "\"%s\" is no server: unix:/path or http://host:port", server);
    // No TLS and no Windows sockets: nothing of curl needs starting.
    if (curl_global_init(CURL_GLOBAL_NOTHING))
        return err_set(e, -EINVAL, "libcurl does not start");

    struct client *c = mem_alloc(sizeof(*c));
    c->server = mem_strdup(server);
    size_t len = strlen(c->server);
    while (len > 1 && c->server[len - 1] == '/')
        c->server[--len] = '\0';
    c->unix_path = is_unix ? c->server + strlen("unix:") : NULL;
    c->curl = curl_easy_init();
    if (!c->curl) {
        client_free(c);
        return err_set(e, -EINVAL, "libcurl gives no handle");
    }
    set_up(c);
    *ret = c;
    return 0;
}

void client_free(struct client *c)
{
    if (!c)
        return;
    curl_easy_cleanup(c->curl);
    str_free(&c->body);
    free(c->server);
    free(c);
}

const char *client_server(const struct client *c)
{
    return c->server;
}

// Was the failure before the request could have reached anyone?
static bool before_sending(CURLcode code)
{
    return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
           code == CURLE_URL_MALFORMAT;
}

static int explain(struct client *c, CURLcode code, struct err *e)
{
    long number = 0;
    const char *why = c->error[0] ? c->error : curl_easy_strerror(code);

    curl_easy_getinfo(c->curl, CURLINFO_OS_ERRNO, &number);
    if (c->too_long)
        return err_set(e, -EFBIG, "the answer of %s has more than %d MB", c->server,
                       CLIENT_BODY_MAX >> 20);
    if (before_sending(code))
        return err_set(e, -ENOTCONN, "nobody answers at %s: %s", c->server,
                       number ? strerror((int)number) : why);
    return err_set(e, -EPIPE, "the connection to %s broke: %s", c->server, why);
}

static int finish(struct client *c, const char *path, struct answer *ret, struct err *e)
{
    long status = 0;
    struct doc *doc = NULL;

    curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status != 304) {
        int rc = doc_parse(str_text(&c->body), c->body.len, &doc, e);

        if (rc) {
            char why[ERR_TEXT_MAX];

            str_copy(why, sizeof(why), e->text);
            return err_set(e, rc, "%s answers %ld to %s with something that is not JSON (%.200s)",
                           c->server, status, path, why);
        }
    }
    ret->status = (int)status;
    ret->doc = doc;
    memcpy(ret->etag, c->etag, sizeof(ret->etag));
    return 0;
}

static int perform(struct client *c, const char *path, struct curl_slist *headers,
                   struct answer *ret, struct err *e)
{
    struct str url = {0};

    str_add(&url, c->unix_path ? "http://localhost" : c->server);
    str_add(&url, path);
    str_clear(&c->body);
    c->etag[0] = c->error[0] = '\0';
    c->too_long = false;
    curl_easy_setopt(c->curl, CURLOPT_URL, str_text(&url));
    curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, headers);
    CURLcode code = curl_easy_perform(c->curl);
    curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(headers);
    str_free(&url);
    return code ? explain(c, code, e) : finish(c, path, ret, e);
}

int client_get(struct client *c, const char *path, const char *etag, struct answer *ret,
               struct err *e)
{
    struct curl_slist *headers = curl_slist_append(NULL, "Accept: application/json");

    if (etag && etag[0]) {
        struct str line = {0};

        str_addf(&line, "If-None-Match: %s", etag);
        headers = curl_slist_append(headers, str_text(&line));
        str_free(&line);
    }
    curl_easy_setopt(c->curl, CURLOPT_HTTPGET, 1L);
    curl_easy_setopt(c->curl, CURLOPT_FRESH_CONNECT, 0L);
    return perform(c, path, headers, ret, e);
}

int client_post(struct client *c, const char *path, const struct str *body, struct answer *ret,
                struct err *e)
{
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");

    // Without this curl waits a second for "100 Continue" before a long body.
    headers = curl_slist_append(headers, "Expect:");
    curl_easy_setopt(c->curl, CURLOPT_POST, 1L);
    // On a kept connection that turns out dead curl sends again by itself; a
    // POST must go out once.
    curl_easy_setopt(c->curl, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(c->curl, CURLOPT_POSTFIELDS, str_text(body));
    curl_easy_setopt(c->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->len);
    return perform(c, path, headers, ret, e);
}

void client_path_add(struct str *path, const char *segment)
{
    str_add_char(path, '/');
    for (const char *p = segment; *p; p++)
        if (isalnum((unsigned char)*p) || strchr("-._~", *p))
            str_add_char(path, *p);
        else
            str_addf(path, "%%%02X", (unsigned char)*p);
}
