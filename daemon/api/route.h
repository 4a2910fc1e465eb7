// SPDX-License-Identifier: GPL-2.0-or-later
// The routes of the API: which method and path, who may, which handler. What no
// page answers comes here.
#ifndef SWEEPD_API_ROUTE_H
#define SWEEPD_API_ROUTE_H

#include "app.h"

enum access {
    ACCESS_READ,   // also POSTs that change nothing
    ACCESS_SUBMIT, // changes sweeps
};

// A request whose route was found, for the time of its handler.
struct call {
    const struct http_request *req;
    struct sweep *sweep;             // of {sweep} in the pattern, else NULL
    const struct sweep_point *point; // of {point}, else NULL
};

struct route {
    const char *method;  // HEAD comes as GET
    const char *pattern; // behind /api/v1/; {sweep} and {point} stand for one part each
    enum access access;
    // Answers the request now or later; see http_on_request.
    void (*handle)(struct app *a, const struct call *c);
};

// All of them, the last with no method.
extern const struct route api_routes[];

// Does the path (behind the prefix) fit the pattern?
bool route_fits(const char *pattern, const char *path);

#endif
