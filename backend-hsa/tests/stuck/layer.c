// A runtime that fails to destroy queues when it is told to, and that calls back for one, or for a whole GPU, when it is asked to.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint32_t status_t;
typedef struct { uint64_t handle; } handle_t;
typedef void (*callback_t)(status_t, void *, void *);
// hsa_amd_event_t of a memory fault.
typedef struct { uint32_t type; handle_t agent; uint64_t address; uint32_t reason; } event_t;
typedef status_t (*handler_t)(const event_t *, void *);
enum { SUCCESS = 0, OUT_OF_RESOURCES = 0x1008, MEMORY_FAULT = 0 };

static unsigned fails, destroyed;
static void *last_queue, *last_data, *event_data;
static callback_t last_callback;
static handler_t event_handler;
static handle_t last_agent;

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
unsigned layer_destroyed(void) { return destroyed; }

// What the handler answers to a memory fault of the GPU that had the last queue.
status_t layer_fault(void) {
    event_t event = {MEMORY_FAULT, last_agent, 0xdead000, 1};
    return event_handler(&event, event_data);
}

status_t hsa_amd_register_system_event_handler(handler_t handler, void *data) {
    event_handler = handler, event_data = data;
    return ((status_t(*)(handler_t, void *))real("hsa_amd_register_system_event_handler"))(handler, data);
}

status_t hsa_queue_create(handle_t agent, uint32_t size, uint32_t type, callback_t callback, void *data, uint32_t private_bytes,
                          uint32_t group_bytes, void **queue) {
    status_t (*create)(handle_t, uint32_t, uint32_t, callback_t, void *, uint32_t, uint32_t, void **) = real("hsa_queue_create");
    status_t status = create(agent, size, type, callback, data, private_bytes, group_bytes, queue);
    if (status == SUCCESS) last_queue = *queue, last_callback = callback, last_data = data, last_agent = agent;
    return status;
}

status_t hsa_queue_destroy(void *queue) {
    if (fails) return fails--, OUT_OF_RESOURCES;
    destroyed++;
    return ((status_t(*)(void *))real("hsa_queue_destroy"))(queue);
}
