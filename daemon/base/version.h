// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef SWEEPD_BASE_VERSION_H
#define SWEEPD_BASE_VERSION_H

#define SWEEPD_VERSION "0.1.0"

// The number that every JSON document of sweepctl and of the API carries.
enum { JSON_SCHEMA_VERSION = 1 };

#endif
