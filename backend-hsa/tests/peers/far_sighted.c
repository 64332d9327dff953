// A runtime for the rule that peers wait for host cells: the one of this machine, which this library needs, with both of the
// things gone that otherwise hide it when the rule is broken. Every GPU may access what any of them has, so that a peer's look at
// a device cell is no memory fault. And the register that flushes the host's stores is a word that flushes nothing, as it does
// nothing for a peer that reads past its owner's host data path; the owner itself must see those stores without a flush.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint32_t status_t;
typedef struct { uint64_t handle; } handle_t;
enum { SUCCESS = 0, AGENT_DEVICE = 17, AGENT_HDP_FLUSH = 0xA00E, GPU = 1, AGENTS = 16 };

static void *real(const char *name) {
    static void *runtime;
    if (!runtime) runtime = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *function = runtime ? dlsym(runtime, name) : NULL;
    if (!function) {
        fprintf(stderr, "the runtime has no %s\n", name);
        abort();
    }
    return function;
}

typedef struct {
    uint32_t count;
    handle_t agents[AGENTS];
} set_t;

static status_t add_gpu(handle_t agent, void *found) {
    status_t (*info)(handle_t, uint32_t, void *) = real("hsa_agent_get_info");
    set_t *set = found;
    uint32_t device = 0;
    status_t status = info(agent, AGENT_DEVICE, &device);
    if (status == SUCCESS && device == GPU && set->count < AGENTS) set->agents[set->count++] = agent;
    return status;
}

// Those that are named, and every GPU.
status_t hsa_amd_agents_allow_access(uint32_t count, const handle_t *agents, const uint32_t *flags, const void *memory) {
    status_t (*allow)(uint32_t, const handle_t *, const uint32_t *, const void *) = real("hsa_amd_agents_allow_access");
    status_t (*each)(status_t (*)(handle_t, void *), void *) = real("hsa_iterate_agents");
    set_t set = { 0, { { 0 } } };
    status_t status = each(add_gpu, &set);
    for (uint32_t i = 0; i < count && set.count < AGENTS; i++) {
        uint32_t known = 0;
        for (uint32_t j = 0; j < set.count; j++) known |= set.agents[j].handle == agents[i].handle;
        if (!known) set.agents[set.count++] = agents[i];
    }
    return status == SUCCESS ? allow(set.count, set.agents, flags, memory) : status;
}

status_t hsa_agent_get_info(handle_t agent, uint32_t what, void *value) {
    static uint32_t flushes_nothing[2];
    status_t (*info)(handle_t, uint32_t, void *) = real("hsa_agent_get_info");
    status_t status = info(agent, what, value);
    uint32_t **registers = value;
    if (status == SUCCESS && what == AGENT_HDP_FLUSH && registers[0]) registers[0] = &flushes_nothing[0], registers[1] = &flushes_nothing[1];
    return status;
}
