// SPDX-License-Identifier: GPL-2.0-or-later
// What a request head must satisfy before anything acts on it. Pure: the rules
// read a description of the head and name the refusal.
#ifndef SWEEPD_HTTP_GUARD_H
#define SWEEPD_HTTP_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct guard_policy {
    const char *tcp_name; // accepted in Host beside addresses and localhost, or NULL
    size_t max_body;
    bool tcp_writes;
};

// The head of a request; the texts belong to whoever filled it.
struct guard_head {
    const char *method;
    const char *version;
    const char *host;
    const char *origin;
    const char *length; // Content-Length
    const char *coding; // Transfer-Encoding
    const char *if_none_match;
    unsigned hosts; // how often each of these came
    unsigned lengths;
    unsigned codings;
    bool bad_name;     // a header's name was no token (RFC 9110 section 5.6.2)
    bool local;        // over the unix socket
    int target_error;  // of target_parse
    uint64_t body_len; // filled by guard_check when length is well-formed
};

struct refusal {
    int status;
    const char *code; // the problem document's
    const char *title;
    const char *detail;
    const char *fix;
};

// Takes one header into the head.
void guard_add(struct guard_head *head, const char *name, size_t name_len, const char *value);
// NULL when the request may go on; else the first rule that it breaks (static).
const struct refusal *guard_check(const struct guard_policy *policy, struct guard_head *head);
// The refusal for a body that outgrew max_body on its way.
const struct refusal *guard_too_large(void);

// True for GET and HEAD.
bool guard_is_read(const char *method);
// Is this Host (with or without a port) an address, localhost or `name`? A page
// of another site that made its own name point here (DNS rebinding) is not.
bool guard_host_allowed(const char *host, const char *name);

#endif
