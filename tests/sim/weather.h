// SPDX-License-Identifier: GPL-2.0-or-later
// What goes wrong by itself and what people do: drawn every few seconds, until
// it is calm.
#ifndef SWEEPD_TESTS_SIM_WEATHER_H
#define SWEEPD_TESTS_SIM_WEATHER_H

#include "world.h"

void weather_tick(struct world *w);
void weather_calm(struct world *w); // everything works again, for good

#endif
