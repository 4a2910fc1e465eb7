// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

static struct {
    const char *program;
    enum log_level level;
    bool journal; // systemd reads "<N>" as the priority and stamps the time itself
} settings = {"sweepd", LOG_LEVEL_INFO, false};

static const struct {
    const char *name;
    int priority; // syslog's numbers, see sd-daemon(3)
} levels[] = {{"error", 3}, {"warn", 4}, {"info", 6}, {"debug", 7}};

void log_init(const char *program, enum log_level level)
{
    settings.program = program;
    settings.level = level;
    settings.journal = getenv("JOURNAL_STREAM") != NULL;
}

static void clean(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            *text = ' ';
}

void log_line(enum log_level level, const char *fmt, ...)
{
    char message[LOG_LINE_MAX - 128];
    char line[LOG_LINE_MAX];
    char stamp[CLOCK_TEXT_MAX];
    va_list ap;
    int n;

    if (level > settings.level)
        return;
    va_start(ap, fmt);
    vsnprintf(message, sizeof(message), fmt, ap);
    va_end(ap);
    clean(message);
    if (settings.journal)
        n = snprintf(line, sizeof(line), "<%d>%s\n", levels[level].priority, message);
    else
        n = snprintf(line, sizeof(line), "%s %s %s: %s\n",
                     clock_text(clock_wall_us(), stamp, sizeof(stamp)), settings.program,
                     levels[level].name, message);
    if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
        return; // nowhere left to say it
}
