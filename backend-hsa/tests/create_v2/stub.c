// A runtime that has hsa_amd_signal_create_v2: the one of this machine, which this library needs, and that call above it, with
// the rules of its header (https://github.com/ROCm/rocm-systems/pull/11212): what is undefined is rejected, a batch may be made in
// part, and a signal in device memory takes loads and plain stores alone. A read-modify-write aborts; other calls that do not take
// such a signal are counted and refused.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint32_t status_t;
typedef struct { uint64_t handle; } handle_t;
enum { SUCCESS = 0, INVALID_ARGUMENT = 0x1001, INVALID_SIGNAL = 0x1006, OUT_OF_RESOURCES = 0x1008 };

typedef struct {
    uint16_t version, flags;
    uint8_t reserved_header[4];
    int64_t initial_value;
    uint64_t attributes;
    uint32_t num_consumers, reserved_count;
    const handle_t *consumers;
    handle_t signal;
    uint64_t reserved[2];
} desc_t;

enum { BLOCK = 128, SLOTS = 4096 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *slab;
static bool taken[SLOTS];
static unsigned fail_every, described, calls, refused;

// What tests ask and set.
void stub_fail_every(unsigned n) { fail_every = n, described = 0; }
unsigned stub_calls(void) { return calls; }
unsigned stub_refused(void) { return refused; }
unsigned stub_live(void) {
    unsigned live = 0;
    for (int i = 0; i < SLOTS; i++) live += taken[i];
    return live;
}

static void *real(const char *name) {
    static void *runtime;
    if (!runtime) runtime = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *function = runtime ? dlsym(runtime, name) : NULL;
    if (!function) {
        fprintf(stderr, "stub: the runtime has no %s\n", name);
        abort();
    }
    return function;
}

static bool is_ours(handle_t signal) {
    uint64_t base = (uint64_t)slab;
    return slab && signal.handle >= base && signal.handle < base + (uint64_t)SLOTS * BLOCK;
}

static status_t find_pool(handle_t pool, void *found) {
    uint32_t segment = 1, flags = 0;
    status_t (*info)(handle_t, uint32_t, void *) = real("hsa_amd_memory_pool_get_info");
    info(pool, 0, &segment), info(pool, 1, &flags);
    if (segment == 0 && (flags & 4)) *(handle_t *)found = pool; // global, coarse-grained
    return SUCCESS;
}

static status_t find_cpu(handle_t agent, void *found) {
    uint32_t type = 9;
    status_t (*info)(handle_t, uint32_t, void *) = real("hsa_agent_get_info");
    info(agent, 17, &type); // HSA_AGENT_INFO_DEVICE
    if (type == 0) *(handle_t *)found = agent;
    return SUCCESS;
}

static bool is_gpu(handle_t agent) {
    uint32_t type = 9;
    status_t (*info)(handle_t, uint32_t, void *) = real("hsa_agent_get_info");
    return info(agent, 17, &type) == SUCCESS && type == 1;
}

static bool make_slab(handle_t agent) {
    handle_t pool = {0}, cpu = {0};
    status_t (*pools)(handle_t, void *, void *) = real("hsa_amd_agent_iterate_memory_pools");
    status_t (*agents)(void *, void *) = real("hsa_iterate_agents");
    status_t (*allocate)(handle_t, size_t, uint32_t, void **) = real("hsa_amd_memory_pool_allocate");
    status_t (*allow)(uint32_t, const handle_t *, const uint32_t *, const void *) = real("hsa_amd_agents_allow_access");
    pools(agent, find_pool, &pool), agents(find_cpu, &cpu);
    void *memory = NULL;
    if (!pool.handle || allocate(pool, (size_t)SLOTS * BLOCK, 0, &memory) != SUCCESS) return false;
    if (allow(1, &cpu, NULL, memory) != SUCCESS) return false;
    slab = memory;
    return true;
}

static status_t create_one(desc_t *desc) {
    static const unsigned char zero[16];
    if (desc->version != 1 || (desc->flags & ~1) || (desc->attributes & ~3ull) || desc->reserved_count) return INVALID_ARGUMENT;
    if (memcmp(desc->reserved_header, zero, 4) || memcmp(desc->reserved, zero, 16)) return INVALID_ARGUMENT;
    if (desc->flags != 1) return INVALID_ARGUMENT; // system memory is not what this stub is for
    if (desc->attributes || desc->num_consumers != 1 || !desc->consumers || !is_gpu(desc->consumers[0])) return INVALID_ARGUMENT;
    if (fail_every && ++described % fail_every == 0) return OUT_OF_RESOURCES;
    if (!slab && !make_slab(desc->consumers[0])) return OUT_OF_RESOURCES;
    for (int i = 0; i < SLOTS; i++) {
        if (taken[i]) continue;
        taken[i] = true;
        volatile int64_t *words = (volatile int64_t *)(slab + i * BLOCK);
        for (int word = 0; word < BLOCK / 8; word++) words[word] = 0;
        words[1] = desc->initial_value;
        words[0] = 1; // AMD_SIGNAL_KIND_USER
        desc->signal.handle = (uint64_t)words;
        return SUCCESS;
    }
    return OUT_OF_RESOURCES;
}

status_t hsa_amd_signal_create_v2(desc_t *descs, uint32_t count) {
    if (!descs || !count) return INVALID_ARGUMENT;
    status_t first = SUCCESS;
    pthread_mutex_lock(&lock);
    calls++;
    for (uint32_t i = 0; i < count; i++) {
        descs[i].signal.handle = 0;
        status_t status = create_one(&descs[i]);
        if (first == SUCCESS) first = status;
    }
    pthread_mutex_unlock(&lock);
    return first;
}

status_t hsa_signal_destroy(handle_t signal) {
    if (!is_ours(signal)) return ((status_t(*)(handle_t))real("hsa_signal_destroy"))(signal);
    pthread_mutex_lock(&lock);
    uint64_t slot = (signal.handle - (uint64_t)slab) / BLOCK;
    bool was = taken[slot];
    taken[slot] = false;
    pthread_mutex_unlock(&lock);
    return was ? SUCCESS : INVALID_SIGNAL;
}

static bool refuse(handle_t signal) {
    if (!is_ours(signal)) return false;
    refused++;
    return true;
}

status_t hsa_amd_signal_value_pointer(handle_t signal, void **pointer) {
    if (refuse(signal)) return INVALID_SIGNAL;
    return ((status_t(*)(handle_t, void **))real("hsa_amd_signal_value_pointer"))(signal, pointer);
}

status_t hsa_amd_signal_async_handler(handle_t signal, uint32_t condition, int64_t value, void *handler, void *data) {
    if (refuse(signal)) return INVALID_SIGNAL;
    return ((status_t(*)(handle_t, uint32_t, int64_t, void *, void *))real("hsa_amd_signal_async_handler"))(
        signal, condition, value, handler, data);
}

status_t hsa_amd_memory_async_copy(void *to, handle_t to_agent, const void *from, handle_t from_agent, size_t bytes,
                                   uint32_t count, const handle_t *waits, handle_t completes) {
    bool ours = refuse(completes);
    for (uint32_t i = 0; i < count; i++) ours |= refuse(waits[i]);
    if (ours) return INVALID_SIGNAL;
    return ((status_t(*)(void *, handle_t, const void *, handle_t, size_t, uint32_t, const handle_t *, handle_t))real(
        "hsa_amd_memory_async_copy"))(to, to_agent, from, from_agent, bytes, count, waits, completes);
}

// Over PCIe a locked instruction is no atomic: it loses what the packet processor does in between.
static void no_read_modify_write(handle_t signal, const char *name) {
    if (!is_ours(signal)) return;
    fprintf(stderr, "stub: %s on a signal in device memory\n", name);
    abort();
}
#define MODIFY(name)                                                       \
    void name(handle_t signal, int64_t value) {                            \
        no_read_modify_write(signal, #name);                               \
        ((void (*)(handle_t, int64_t))real(#name))(signal, value);         \
    }
MODIFY(hsa_signal_add_relaxed)
MODIFY(hsa_signal_add_screlease)
MODIFY(hsa_signal_subtract_relaxed)
MODIFY(hsa_signal_subtract_screlease)
int64_t hsa_signal_exchange_scacq_screl(handle_t signal, int64_t value) {
    no_read_modify_write(signal, "hsa_signal_exchange_scacq_screl");
    return ((int64_t(*)(handle_t, int64_t))real("hsa_signal_exchange_scacq_screl"))(signal, value);
}
int64_t hsa_signal_cas_scacq_screl(handle_t signal, int64_t expected, int64_t value) {
    no_read_modify_write(signal, "hsa_signal_cas_scacq_screl");
    return ((int64_t(*)(handle_t, int64_t, int64_t))real("hsa_signal_cas_scacq_screl"))(signal, expected, value);
}
