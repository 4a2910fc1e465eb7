// SPDX-License-Identifier: GPL-2.0-or-later
// What the server answers: the served engine's routes, and the clock's.
#ifndef STANDIN_SERVER_API_H
#define STANDIN_SERVER_API_H

#include "tests/standin/common_fault.h"
#include "tests/standin/server_args.h"
#include "tests/standin/server_engine.h"
#include "tests/standin/server_http.h"

struct api;

struct api_config { // all pointers outlive the api
    const struct args *args;
    const struct faults *faults;
    struct engine_config engine;
    double speed;
};

struct api *api_create(const struct api_config *config);
void api_free(struct api *a); // after http_stop

void api_handler(struct api *a, struct http_handler *ret);
void api_set_ready(struct api *a); // until then everything is answered with 503
// Lets the virtual time run; milliseconds until the next call, -1 for none.
// Ends the process when a crash was asked for and is due.
int api_run(struct api *a);

#endif
