// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/standin/server_exchange.h"

#include <stdlib.h>

#include "base/mem.h"

struct exchange *exchange_create(struct exchange **list, void *owner, struct http_call *call)
{
    struct exchange *x = mem_alloc(sizeof(*x));

    x->owner = owner;
    x->call = call;
    x->next = *list;
    x->at = list;
    if (x->next)
        x->next->at = &x->next;
    *list = x;
    return x;
}

void exchange_free(struct exchange *x)
{
    *x->at = x->next;
    if (x->next)
        x->next->at = x->at;
    free(x);
}

struct exchange *exchange_of_request(struct request *r)
{
    return (struct exchange *)(void *)((char *)r - offsetof(struct exchange, request));
}

struct exchange *exchange_of_waiter(struct waiter *w)
{
    return w->owner;
}
