// SPDX-License-Identifier: GPL-2.0-or-later
// Readiness for systemd (sd_notify's datagram protocol).
#ifndef SWEEPD_NOTIFY_H
#define SWEEPD_NOTIFY_H

// Sends e.g. "READY=1" to $NOTIFY_SOCKET; does nothing without one.
void notify(const char *state);

#endif
