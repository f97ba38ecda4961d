// SPDX-License-Identifier: MIT
// LB data files, which are JSON, are not read in a page (bindings/web/stand_ins.c). Their headers name this type only.
#ifndef WEB_JANSSON_H
#define WEB_JANSSON_H

typedef struct json_t json_t;

#endif
