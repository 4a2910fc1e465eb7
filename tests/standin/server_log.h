// SPDX-License-Identifier: GPL-2.0-or-later
// The server's log lines, in the form that readers of server.log look for.
#ifndef STANDIN_SERVER_LOG_H
#define STANDIN_SERVER_LOG_H

#include "base/err.h"

// "[2026-08-12 05:02:33 TP0] text" on stderr.
void server_log(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
