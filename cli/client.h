// SPDX-License-Identifier: GPL-2.0-or-later
// The HTTP client: one connection to one sweepd, over a unix socket or TCP.
// Bounded in time and bytes; never through a proxy, never following a redirect.
#ifndef SWEEPCTL_CLIENT_H
#define SWEEPCTL_CLIENT_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "doc.h"

#define CLIENT_SERVER_DEFAULT "unix:/run/sweepd/sweepd.sock"

enum {
    CLIENT_CONNECT_MS = 5000,
    CLIENT_ANSWER_MS = 60000,
    CLIENT_BODY_MAX = 256 << 20, // bytes of one answer: 100,000 points are about 60 MB
    CLIENT_ETAG_MAX = 128,
};

struct client;

struct answer {
    int status;                 // HTTP's
    struct doc *doc;            // owned by the caller; NULL for 304
    char etag[CLIENT_ETAG_MAX]; // "" when it has none
};

// "unix:/path" or "http://host:port". Connects to nothing yet. -EINVAL.
int client_create(const char *server, struct client **ret, struct err *e) MUST_CHECK;
void client_free(struct client *c); // NULL is fine
const char *client_server(const struct client *c);

// 0: the server answered, whatever the status. Otherwise *ret is untouched:
// -ENOTCONN: nothing was sent, since nobody is there (or may be asked);
// -EPIPE: the connection broke, so a POST may or may not have been carried out;
// -EPROTO: the answer is not one of sweepd; -EFBIG: it is too long.
// etag: of the answer that the caller has, NULL: none.
int client_get(struct client *c, const char *path, const char *etag, struct answer *ret,
               struct err *e) MUST_CHECK;
int client_post(struct client *c, const char *path, const struct str *body, struct answer *ret,
                struct err *e) MUST_CHECK;

// Appends "/segment", percent-encoded.
void client_path_add(struct str *path, const char *segment);

#endif
