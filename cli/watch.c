// SPDX-License-Identifier: GPL-2.0-or-later
// status --watch on a terminal: the alternate screen, drawn over in place.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/dur.h"
#include "follow.h"
#include "status.h"
#include "table.h"
#include "text.h"

enum { RUNNING_LINES_LEAST = 3 };

static volatile sig_atomic_t ended;

static void on_end(int number)
{
    ended = number;
}

static void on_resize(int number)
{
    (void)number; // the wait ends, and the next frame reads the size
}

struct screen {
    bool keys; // standard input is a terminal, and `before` is how it was
    struct termios before;
    sigset_t waiting_mask; // signals let in only while waiting: none is missed
};

static void say(const char *bytes)
{
    fputs(bytes, stdout);
    fflush(stdout);
}

static void screen_open(struct screen *s)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction end = {.sa_handler = on_end};
    struct sigaction resize = {.sa_handler = on_resize};
    sigset_t held;

    sigemptyset(&held);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        sigaction(ends[i], &end, NULL);
        sigaddset(&held, ends[i]);
    }
    sigaction(SIGWINCH, &resize, NULL);
    sigaddset(&held, SIGWINCH);
    sigprocmask(SIG_BLOCK, &held, &s->waiting_mask);

    s->keys = !tcgetattr(STDIN_FILENO, &s->before);
    if (s->keys) {
        struct termios raw = s->before;

        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        raw.c_cc[VMIN] = 0;
        raw.c_cc[VTIME] = 0;
        raw.c_cc[VSUSP] = _POSIX_VDISABLE; // a stopped program would leave the screen to nobody
        tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    say("\033[?1049h\033[?25l");
}

static void screen_close(const struct screen *s)
{
    say("\033[?25h\033[?1049l");
    if (s->keys)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &s->before);
    sigprocmask(SIG_SETMASK, &s->waiting_mask, NULL);
}

// Lines of text, without what is beyond `most`.
static size_t add_lines(struct str *frame, const char *text, size_t most)
{
    size_t lines = 0;

    while (*text && lines < most) {
        size_t len = strcspn(text, "\n");

        str_add_bytes(frame, text, len);
        str_add(frame, "\033[K\r\n");
        lines++;
        text += len + (text[len] == '\n');
    }
    return lines;
}

static size_t count_lines(const struct str *text)
{
    size_t lines = 0;

    for (size_t i = 0; i < text->len; i++)
        lines += text->p[i] == '\n';
    return lines;
}

static void running_table(const struct view *v, struct str *out, int width)
{
    static const struct column columns[] = {
        {"RUNNING", ALIGN_LEFT, 0, 0}, {"NOW", ALIGN_LEFT, 0, 0},  {"NODE", ALIGN_LEFT, 0, 1},
        {"JOB", ALIGN_RIGHT, 0, 3},    {"FOR", ALIGN_RIGHT, 0, 0}, {"OF ABOUT", ALIGN_RIGHT, 0, 2},
    };
    struct table *t = table_create(columns, sizeof(columns) / sizeof(columns[0]));
    size_t rows = 0;

    for (size_t i = 0; i < doc_count(v->points); i++) {
        const struct doc *p = doc_at(v->points, i);
        int64_t from = text_instant(doc_text(p, "started_at"));
        int64_t expected = doc_int(p, "expected_s", 0);
        char took[DUR_TEXT_MAX];

        if (!view_point_is(p, "state", "active"))
            continue;
        rows++;
        table_row(t);
        table_cell(t, STYLE_PLAIN, doc_text(p, "name"));
        table_cell(t, view_point_style(p), view_point_word(p));
        table_cell(t, STYLE_PLAIN, doc_text(p, "node"));
        table_cellf(t, STYLE_PLAIN, "%lld", (long long)doc_int(p, "job_id", 0));
        table_cell(t, STYLE_PLAIN, from ? dur_text(v->as_of - from, took, sizeof(took)) : "");
        table_cell(t, STYLE_PLAIN,
                   expected ? dur_text(expected * US_PER_S, took, sizeof(took)) : "");
    }
    if (rows)
        table_write(t, out, width, 0);
    table_free(t);
}

static void bottom_line(struct str *frame, const struct follow *f, const struct view *v,
                        const struct err *away, int width)
{
    struct str line = {0};
    char stamp[TEXT_TIME_MAX];
    bool lost = away->code != 0;

    str_addf(&line, "as of %s", text_stamp(v->as_of, stamp, sizeof(stamp)));
    if (lost)
        str_addf(&line, ", asking again: %s", away->text);
    else
        str_addf(&line, ", %s, q quits", client_server(f->ctl->client));
    term_begin(frame, lost ? STYLE_WARN : STYLE_DIM);
    text_add(frame, str_text(&line), width - 1);
    term_end(frame, lost ? STYLE_WARN : STYLE_DIM);
    str_add(frame, "\033[K");
    str_free(&line);
}

// The frame is as high as the screen: what does not fit is left out, the
// failures last of all.
static void draw(const struct follow *f, const struct err *away)
{
    struct view v = follow_view(f);
    struct str frame = {0};
    struct str text = {0};
    int width = term_width();
    size_t room = (size_t)term_height() - 1;
    struct str failures = {0};

    view_head(&v, &text, width);
    str_add_char(&text, '\n');
    view_progress(&v, &text, width);
    view_best(&v, &text, width);
    view_hours(&v, &text, width);
    str_add_char(&text, '\n');
    view_grid(&v, &text, width);
    view_failures(&v, &failures, width, 0);
    if (failures.len)
        str_addf(&text, "\n%s", str_text(&failures));
    if (count_lines(&text) + RUNNING_LINES_LEAST < room) {
        str_add_char(&text, '\n');
        running_table(&v, &text, width);
    }
    str_add(&frame, "\033[H");
    size_t used = add_lines(&frame, str_text(&text), room);
    for (; used < room; used++)
        str_add(&frame, "\033[K\r\n");
    bottom_line(&frame, f, &v, away, width);
    fwrite(str_text(&frame), 1, frame.len, stdout);
    fflush(stdout);
    str_free(&failures);
    str_free(&text);
    str_free(&frame);
}

// Waits for the next look. False when the user has seen enough.
static bool wait_awhile(const struct screen *s)
{
    struct pollfd in = {.fd = s->keys ? STDIN_FILENO : -1, .events = POLLIN};
    struct timespec interval = {.tv_sec = FOLLOW_INTERVAL_MS / 1000,
                                .tv_nsec = FOLLOW_INTERVAL_MS % 1000 * 1000000L};
    char key;

    int n = ppoll(&in, 1, &interval, &s->waiting_mask);
    if (ended)
        return false;
    if (n <= 0 || !(in.revents & (POLLIN | POLLHUP)))
        return true;
    return read(STDIN_FILENO, &key, 1) == 1 && key != 'q' && key != 'Q';
}

int watch_run(struct ctl *ctl, const char *id)
{
    struct follow f;
    struct screen screen = {0};
    enum follow_news news;
    bool changed;
    bool done;

    follow_init(&f, ctl, id);
    int code = follow_patiently(&f, &changed);
    if (code) {
        follow_done(&f);
        return code;
    }
    screen_open(&screen);
    do {
        struct err away = {0};

        news = follow_ask(&f, &away);
        done = news == FOLLOW_REFUSED || view_sweep_done(view_part(f.sweep.doc, "sweep"));
        draw(&f, &away);
    } while (!done && wait_awhile(&screen));
    screen_close(&screen);

    struct view v = follow_view(&f);
    status_print(&v);
    if (news == FOLLOW_REFUSED)
        code = follow_fail(&f);
    else if (view_sweep_done(v.sweep) && !view_all_passed(v.sweep))
        code = CTL_POINTS_FAILED;
    follow_done(&f);
    return code;
}
