// SPDX-License-Identifier: GPL-2.0-or-later
// The dashboard: files of daemon/web, served as pages. The programs in them are
// the same for everybody and hold no secret; what they show comes from the
// API. api_publish_web() of app.h puts them below /web/, and the frame at WEB_FRAME.
#ifndef SWEEPD_API_WEB_H
#define SWEEPD_API_WEB_H

#include <stdbool.h>

// Is it the URL of a view? The frame is its answer: WEB_FRAME.
bool web_is_view(const char *path);
#define WEB_FRAME "/"

#endif
