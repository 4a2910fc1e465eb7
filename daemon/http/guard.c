// SPDX-License-Identifier: GPL-2.0-or-later
#include "http/guard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

enum {
    HOST_MAX = 255, // octets of a DNS name, RFC 1035 section 2.3.4
    PORT_DIGITS_MAX = 5,
};

enum broken_rule {
    BAD_TARGET,
    LONG_TARGET,
    BAD_VERSION,
    BAD_HEADER,
    BAD_FRAMING,
    NO_HOST,
    FOREIGN_HOST,
    UNKNOWN_METHOD,
    WRITE_OVER_TCP,
    FOREIGN_ORIGIN,
    BODY_ON_READ,
    BODY_TOO_LARGE,
};

static const struct refusal refusals[] = {
    [BAD_TARGET] =
        {400, "bad_request", "The request target is not accepted",
         "The target must be a path, percent-encoded UTF-8 without control characters, "
         "escaped slashes or segments \".\" and \"..\"; a query parameter may come once.",
         "Send the path as the API lists it."},
    [LONG_TARGET] = {414, "too_large", "The request target is too long",
                     "The path or the whole target is over the limit.", "Shorten the query."},
    [BAD_VERSION] = {505, "bad_request", "The protocol version is not served",
                     "HTTP/1.1 and HTTP/1.0 are served.", "Send the request as HTTP/1.1."},
    [BAD_HEADER] = {400, "bad_request", "A header name is malformed",
                    "A header name may hold letters, digits and !#$%&'*+-.^_`|~ only.",
                    "Remove spaces and other characters before the colon."},
    [BAD_FRAMING] =
        {400, "bad_request", "The length of the body is ambiguous",
         "Send one Content-Length, or Transfer-Encoding: chunked in HTTP/1.1, not both.",
         "Send Content-Length alone."},
    [NO_HOST] = {400, "bad_request", "Host is missing or repeated",
                 "A request over TCP must have exactly one Host header.", "Send Host: localhost."},
    [FOREIGN_HOST] = {421, "bad_request", "Host names another server",
                      "Over TCP, Host must be an address, localhost or the configured name.",
                      "Use the address in the URL, or set the name in the configuration."},
    [UNKNOWN_METHOD] = {405, "method_not_allowed", "The method is not supported",
                        "No resource here has this method.",
                        "Use one of the methods in the Allow header."},
    [WRITE_OVER_TCP] =
        {403, "read_only", "Only reads are served over TCP",
         "Changes are taken on the unix socket, where the sender's identity is known.",
         "Send the request on the unix socket of the daemon's host."},
    [FOREIGN_ORIGIN] = {403, "read_only", "A web page of another site may not change anything",
                        "The Origin header names another server than this one.",
                        "Send the request from a page of this server or without a browser."},
    [BODY_ON_READ] = {400, "bad_request", "GET and HEAD take no body",
                      "The request announces a body.", "Put the parameters into the query."},
    [BODY_TOO_LARGE] = {413, "too_large", "The body is too large",
                        "The body is over the configured limit.",
                        "Send less, or raise the limit in the configuration."},
};

// One byte of a token, RFC 9110 section 5.6.2.
static bool token_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_token(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!token_char(text[i]))
            return false;
    return len > 0;
}

static bool same_name(const char *name, size_t len, const char *want, size_t want_len)
{
    return len == want_len && strncasecmp(name, want, len) == 0;
}

#define IS_NAME(text) same_name(name, name_len, text, sizeof(text) - 1)

void guard_add(struct guard_head *head, const char *name, size_t name_len, const char *value)
{
    if (!is_token(name, name_len))
        head->bad_name = true;
    else if (IS_NAME("Host")) {
        head->hosts++;
        head->host = value;
    } else if (IS_NAME("Content-Length")) {
        head->lengths++;
        head->length = value;
    } else if (IS_NAME("Transfer-Encoding")) {
        head->codings++;
        head->coding = value;
    } else if (IS_NAME("If-None-Match")) {
        head->if_none_match = value;
    } else if (IS_NAME("Origin")) {
        head->origin = value;
    }
}

bool guard_is_read(const char *method)
{
    return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

static bool known_method(const char *method)
{
    static const char *const known[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(method, known[i]) == 0)
            return true;
    return false;
}

// "" or ":" and up to five digits.
static bool port_suffix(const char *text)
{
    size_t digits;

    if (*text == '\0')
        return true;
    digits = strspn(text + 1, "0123456789");
    return *text == ':' && digits > 0 && digits <= PORT_DIGITS_MAX && text[1 + digits] == '\0';
}

bool guard_host_allowed(const char *host, const char *name)
{
    unsigned char address[sizeof(struct in6_addr)];
    char text[HOST_MAX + 1];
    bool bracket = host[0] == '[';
    size_t len = strcspn(host + (bracket ? 1 : 0), bracket ? "]" : ":");
    const char *rest = host + (bracket ? 1 : 0) + len;

    if (len == 0 || len > HOST_MAX || (bracket && *rest++ != ']') || !port_suffix(rest))
        return false;
    memcpy(text, host + (bracket ? 1 : 0), len);
    text[len] = '\0';
    if (bracket)
        return inet_pton(AF_INET6, text, address) == 1;
    return inet_pton(AF_INET, text, address) == 1 || strcasecmp(text, "localhost") == 0 ||
           (name && strcasecmp(text, name) == 0);
}

// Origin: scheme "://" host [":" port], or "null" (RFC 6454 section 7).
static bool origin_allowed(const char *origin, const char *name)
{
    const char *host = strstr(origin, "://");

    return host && guard_host_allowed(host + 3, name);
}

static bool framing_ok(struct guard_head *head)
{
    int64_t len = 0;

    if (head->lengths + head->codings > 1)
        return false;
    if (head->coding)
        return strcasecmp(head->coding, "chunked") == 0 && strcmp(head->version, "HTTP/1.1") == 0;
    if (!head->length)
        return true;
    if (head->length[strspn(head->length, "0123456789")] != '\0' ||
        str_to_i64(head->length, 0, INT64_MAX, &len) < 0)
        return false;
    head->body_len = (uint64_t)len;
    return true;
}

static const struct refusal *check_tcp(const struct guard_policy *policy,
                                       const struct guard_head *head)
{
    if (head->hosts != 1)
        return &refusals[NO_HOST];
    if (!guard_host_allowed(head->host, policy->tcp_name))
        return &refusals[FOREIGN_HOST];
    if (guard_is_read(head->method))
        return NULL;
    if (!policy->tcp_writes)
        return &refusals[WRITE_OVER_TCP];
    if (head->origin && !origin_allowed(head->origin, policy->tcp_name))
        return &refusals[FOREIGN_ORIGIN];
    return NULL;
}

const struct refusal *guard_check(const struct guard_policy *policy, struct guard_head *head)
{
    const struct refusal *tcp;

    if (head->target_error)
        return &refusals[head->target_error == -E2BIG ? LONG_TARGET : BAD_TARGET];
    if (strcmp(head->version, "HTTP/1.1") != 0 && strcmp(head->version, "HTTP/1.0") != 0)
        return &refusals[BAD_VERSION];
    if (head->bad_name)
        return &refusals[BAD_HEADER];
    if (!framing_ok(head))
        return &refusals[BAD_FRAMING];
    if (!known_method(head->method))
        return &refusals[UNKNOWN_METHOD];
    if (!head->local) {
        tcp = check_tcp(policy, head);
        if (tcp)
            return tcp;
    }
    if (guard_is_read(head->method) && (head->coding || head->body_len > 0))
        return &refusals[BODY_ON_READ];
    if (head->body_len > policy->max_body)
        return &refusals[BODY_TOO_LARGE];
    return NULL;
}

const struct refusal *guard_too_large(void)
{
    return &refusals[BODY_TOO_LARGE];
}
