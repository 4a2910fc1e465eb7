// SPDX-License-Identifier: GPL-2.0-or-later
// What the two programs tell each other beside the model server's own API.
//
// Requests of the client carry one header more,
//   Standin: lane=3 start=1200500000000 phase=p input=81234 prefix=78000 conv=trace-004
// It holds the virtual instant at which the request begins, and the size of
// the prompt: a body of 256k tokens would cost processor time and prove
// nothing, so the body is one short text. Each event of the answer's stream is
// preceded by a comment line of the event stream, which other clients skip:
//   : standin 1203004567890
// the virtual instant at which the event was sent.
//
// `POST /standin/clock` with {"lanes":N} says how many requests the server has
// to hold before its clock may move; {"leave":N} lowers that number;
// {"cancel":true} ends all requests it holds. `GET /standin/clock` with the
// header above is answered at the instant `start` and does nothing else.
#ifndef STANDIN_COMMON_WIRE_H
#define STANDIN_COMMON_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_HEADER "Standin"
#define WIRE_STAMP ": standin "
#define NS_PER_S INT64_C(1000000000)

enum {
    WIRE_HEADER_MAX = 256, // bytes of the header's value
    WIRE_CONV_MAX = 64,    // bytes of a conversation's name
    WIRE_LANES_MAX = 4096,
    WIRE_TOKENS_MAX = 1 << 30,
};

struct wire_turn {
    int lane;
    int64_t start_ns; // virtual
    bool warmup;
    int64_t input;  // tokens of the prompt
    int64_t prefix; // of these, how many the conversation has sent or received before
    char conv[WIRE_CONV_MAX];
};

// Writes the header's value; buf of at least WIRE_HEADER_MAX bytes.
void wire_format(const struct wire_turn *t, char *buf, size_t size);
// False, and *ret undefined, when text is not such a value or a number in it
// is out of range.
bool wire_parse(const char *text, struct wire_turn *ret);

// STANDIN_SPEED, virtual seconds that may pass in a real second (default 1),
// and STANDIN_RATE, the factor on the model's speed (default 1). A value that
// is not a number above 0 is replaced by the default with a message on stderr.
double wire_speed(void);
double wire_rate(void);

#endif
