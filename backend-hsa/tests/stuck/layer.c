// A runtime that fails to destroy queues when it is told to, and that calls back for one when it is asked to.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint32_t status_t;
typedef struct { uint64_t handle; } handle_t;
typedef void (*callback_t)(status_t, void *, void *);
enum { SUCCESS = 0, OUT_OF_RESOURCES = 0x1008 };

static unsigned fails;
static void *last_queue, *last_data;
static callback_t last_callback;

static void *real(const char *name) {
    static void *runtime;
    if (!runtime) runtime = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *function = runtime ? dlsym(runtime, name) : NULL;
    if (!function) {
        fprintf(stderr, "layer: the runtime has no %s\n", name);
        abort();
    }
    return function;
}

// What tests set and ask for.
void layer_fail(unsigned count) { fails = count; }
void layer_call_back(status_t status) { last_callback(status, last_queue, last_data); }

status_t hsa_queue_create(handle_t agent, uint32_t size, uint32_t type, callback_t callback, void *data, uint32_t private_bytes,
                          uint32_t group_bytes, void **queue) {
    status_t (*create)(handle_t, uint32_t, uint32_t, callback_t, void *, uint32_t, uint32_t, void **) = real("hsa_queue_create");
    status_t status = create(agent, size, type, callback, data, private_bytes, group_bytes, queue);
    if (status == SUCCESS) last_queue = *queue, last_callback = callback, last_data = data;
    return status;
}

status_t hsa_queue_destroy(void *queue) {
    if (fails) return fails--, OUT_OF_RESOURCES;
    return ((status_t(*)(void *))real("hsa_queue_destroy"))(queue);
}
