// SPDX-License-Identifier: GPL-2.0-or-later
// One line per fact on stderr: "<level> message key=value ...". Only main,
// app.c and the adapters' supervisors log; everything below returns errors.
#ifndef SWEEPD_BASE_LOG_H
#define SWEEPD_BASE_LOG_H

#include <stdbool.h>

#include "base/err.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

// Call once, before other threads exist. `program` must outlive the process.
void log_init(const char *program, enum log_level level);

// Safe from any thread; a line is one write(2). Over LOG_LINE_MAX it is cut.
enum { LOG_LINE_MAX = 2048 };
void log_line(enum log_level level, const char *fmt, ...) PRINTF_LIKE(2, 3);

#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) log_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
