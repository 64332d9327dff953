/*
 * Two copies of the shared library in one process: each refuses the other's handles. And a library that is closed stays: its threads
 * return into it.
 *
 *     copies PATH_OF_ONE PATH_OF_ANOTHER
 */
#include "ringfence.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define CHECK(what)                                                                                                    \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what);                                         \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

typedef ringfence_status_t (*create_fn)(ringfence_stamp_t *);
typedef ringfence_status_t (*destroy_fn)(ringfence_stamp_t);

struct copy {
    void *library;
    create_fn create;
    destroy_fn destroy;
};
/* By way of memory: C has no conversion from a pointer to an object to one to a function. */
static int load(struct copy *copy, const char *path)
{
    void *function;
    copy->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (copy->library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    function = dlsym(copy->library, "ringfence_stamp_create");
    memcpy(&copy->create, &function, sizeof function);
    function = dlsym(copy->library, "ringfence_stamp_destroy");
    memcpy(&copy->destroy, &function, sizeof function);
    return copy->create == NULL || copy->destroy == NULL;
}

int main(int count, char **arguments)
{
    struct copy one, other;
    ringfence_stamp_t mine[8], theirs[8];
    int at;

    CHECK(count == 3);
    CHECK(load(&one, arguments[1]) == 0);
    CHECK(load(&other, arguments[2]) == 0);
    CHECK(one.create != other.create);
    for (at = 0; at < 8; at++) {
        CHECK(one.create(&mine[at]) == RINGFENCE_OK);
        CHECK(other.create(&theirs[at]) == RINGFENCE_OK);
    }
    for (at = 0; at < 8; at++) {
        ringfence_status_t there = other.destroy(mine[at]), here = one.destroy(theirs[at]);
        CHECK(there == RINGFENCE_BAD_HANDLE || there == RINGFENCE_STALE_HANDLE);
        CHECK(here == RINGFENCE_BAD_HANDLE || here == RINGFENCE_STALE_HANDLE);
    }
    for (at = 0; at < 8; at++) {
        CHECK(one.destroy(mine[at]) == RINGFENCE_OK);
        CHECK(other.destroy(theirs[at]) == RINGFENCE_OK);
    }

    CHECK(dlclose(one.library) == 0);
    CHECK(dlopen(arguments[1], RTLD_NOW | RTLD_NOLOAD) != NULL); /* it is there still */
    CHECK(one.create(&mine[0]) == RINGFENCE_OK);
    CHECK(one.destroy(mine[0]) == RINGFENCE_OK);
    printf("two copies, and one that is closed\n");
    return 0;
}
