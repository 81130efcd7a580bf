/* What the test programs share. C99 and C++. */

#ifndef CHECK_H
#define CHECK_H

#include <agx.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                   \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

/* Checks that a call succeeds; prints its error otherwise. */
#define DO(call)                                                                           \
    do {                                                                                   \
        AgxError *error = NULL;                                                            \
        AgxStatus status = (call);                                                         \
        if (status != AGX_STATUS_OK) {                                                     \
            AgxText text = agx_error_text(error);                                          \
            fprintf(stderr, "%s:%d: status %d: %.*s\n", __FILE__, __LINE__, (int)status,   \
                    (int)text.length, text.data);                                          \
            exit(1);                                                                       \
        }                                                                                  \
        CHECK(error == NULL);                                                              \
    } while (0)

/* Checks that a call fails with this status and this code. */
#define REFUSED(call, wanted_status, wanted_code)                                          \
    do {                                                                                   \
        AgxError *error = NULL;                                                            \
        CHECK((call) == (wanted_status));                                                  \
        CHECK(error != NULL && agx_error_text(error).length > 0);                          \
        CHECK(agx_error_code(error) == (wanted_code));                                     \
        agx_error_free(error);                                                             \
    } while (0)

static AgxText text(const char *string)
{
    AgxText text = {string, strlen(string)};
    return text;
}

static bool is(AgxText found, const char *wanted)
{
    return found.length == strlen(wanted) && memcmp(found.data, wanted, found.length) == 0;
}

#endif
