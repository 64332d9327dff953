/*
 * The pool on AMD's HIP, which the library loads by itself: tasks with streams of their own, work by HIP's own calls, memory that goes
 * in order, streams that come and go. Then a retirement ring on a stream of HIP's, and two that wait for each other. Ends with 3 where
 * there is no HIP.
 */
#include <dlfcn.h>
#include <string.h>

#include "check.h"

enum { TASKS = 24, BYTES = 4096 };
static const uint64_t LIMIT = 20000000000u;

/* The only functions of HIP's that the program calls by itself. */
typedef int (*memset_fn)(void *to, int byte, size_t bytes, void *stream);
typedef int (*memcpy_fn)(void *to, const void *from, size_t bytes, int kind, void *stream);
typedef int (*create_fn)(void **stream, unsigned flags);
typedef int (*destroy_fn)(void *stream);
typedef int (*host_malloc_fn)(void **memory, size_t bytes, unsigned flags);
typedef int (*host_free_fn)(void *memory);
typedef int (*wait_value_fn)(void *stream, void *word, uint64_t value, unsigned flags, uint64_t mask);
static memset_fn hip_memset;
static memcpy_fn hip_memcpy;
static create_fn hip_create;
static destroy_fn hip_destroy;
static host_malloc_fn hip_host_malloc;
static host_free_fn hip_host_free;
static wait_value_fn hip_wait_value;

/* POSIX lets an object's pointer hold a function; ISO C has no cast for that. */
static void load(void *library, const char *name, void *function) {
  void *at = dlsym(library, name);
  CHECK(at != NULL);
  memcpy(function, &at, sizeof at);
}
static void load_hip(void) {
  static const char *const names[] = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
  void *library = NULL;
  size_t at;
  for (at = 0; at < sizeof names / sizeof names[0] && library == NULL; at++) library = dlopen(names[at], RTLD_NOW);
  CHECK(library != NULL);
  load(library, "hipMemsetAsync", &hip_memset);
  load(library, "hipMemcpyAsync", &hip_memcpy);
  load(library, "hipStreamCreateWithFlags", &hip_create);
  load(library, "hipStreamDestroy", &hip_destroy);
  load(library, "hipHostMalloc", &hip_host_malloc);
  load(library, "hipHostFree", &hip_host_free);
  load(library, "hipStreamWaitValue64", &hip_wait_value);
}

struct work {
  uint64_t address;
  int byte;   /* what to fill with; -1: copy to `to` */
  void *to;
};
static void *pointer(uint64_t address) { return (void *)(uintptr_t)address; }
static int run(const struct work *work, void *stream) {
  enum { DEVICE_TO_HOST = 2 };
  if (work->byte >= 0) return hip_memset(pointer(work->address), work->byte, BYTES, stream);
  return hip_memcpy(work->to, pointer(work->address), BYTES, DEVICE_TO_HOST, stream);
}
static ringfence_driver_error_t submit(void *argument, uint64_t stream) {
  ringfence_driver_error_t error = {RINGFENCE_DRIVER_OK, 0};
  error.code = run(argument, pointer(stream));
  if (error.code != 0) error.kind = RINGFENCE_DRIVER_OTHER;
  return error;
}

static void tasks(ringfence_pool_t pool) {
  const ringfence_stream_key_t key = {0, 0, RINGFENCE_PRIORITY_NORMAL, 0, 0};
  static unsigned char host[BYTES];
  int task;
  for (task = 0; task < TASKS; task++) {
    ringfence_lease_t writer, reader;
    ringfence_memory_t memory;
    ringfence_array_use_t use = {{0}, RINGFENCE_ACCESS_WRITE, 0};
    struct work work = {0, 0, NULL};
    ringfence_ordered_t how;
    OK(ringfence_pool_acquire(pool, &key, &writer));
    OK(ringfence_pool_allocate(pool, writer, BYTES, &memory));
    OK(ringfence_memory_address(memory, &work.address, NULL));
    OK(ringfence_memory_stamp(memory, &use.stamp));
    work.byte = task + 1;
    OK(ringfence_pool_submit(pool, writer, &use, 1, submit, &work, NULL));
    OK(ringfence_lease_release(writer));
    /* Another task reads: on the same stream if that is finished by then, else on one that waits for it on the device. */
    OK(ringfence_pool_acquire(pool, &key, &reader));
    use.access = RINGFENCE_ACCESS_READ;
    work.byte = -1;
    work.to = host;
    OK(ringfence_pool_submit(pool, reader, &use, 1, submit, &work, &how));
    OK(ringfence_pool_synchronize(pool, use.stamp, RINGFENCE_ACCESS_WRITE, LIMIT));
    CHECK(host[0] == task + 1 && host[BYTES - 1] == task + 1);
    OK(ringfence_pool_retire_later(pool, memory, use.stamp));
    OK(ringfence_lease_release(reader));
    OK(ringfence_pool_pump(pool, NULL));
  }
}

/* A stream that somebody else made, and one that leaves the pool: their owner destroys them. */
static void come_and_go(ringfence_pool_t pool) {
  const ringfence_stream_key_t key = {0, 0, RINGFENCE_PRIORITY_NORMAL, 0, 0};
  static unsigned char host[BYTES];
  int round;
  for (round = 0; round < 3; round++) { /* HIP may give the same handle again */
    enum { NON_BLOCKING = 1 };
    void *foreign = NULL;
    ringfence_lease_t wrapped, twice, lease;
    ringfence_stream_ref_t one, other;
    ringfence_memory_t memory;
    ringfence_array_use_t use = {{0}, RINGFENCE_ACCESS_WRITE, 0};
    struct work work = {0, 0, NULL};
    uint64_t raw;
    CHECK(hip_create(&foreign, NON_BLOCKING) == 0);
    OK(ringfence_pool_wrap_external(pool, (uint64_t)(uintptr_t)foreign, &key, &wrapped, &one));
    OK(ringfence_pool_wrap_external(pool, (uint64_t)(uintptr_t)foreign, &key, &twice, &other));
    CHECK(one.stream == other.stream);
    OK(ringfence_pool_acquire(pool, &key, &lease));
    OK(ringfence_pool_allocate(pool, lease, BYTES, &memory));
    OK(ringfence_memory_address(memory, &work.address, NULL));
    OK(ringfence_memory_stamp(memory, &use.stamp));
    work.byte = 100 + round;
    OK(ringfence_pool_submit(pool, wrapped, &use, 1, submit, &work, NULL)); /* follows the allocation on the other stream */
    use.access = RINGFENCE_ACCESS_READ;
    work.byte = -1;
    work.to = host;
    OK(ringfence_pool_submit(pool, lease, &use, 1, submit, &work, NULL));
    OK(ringfence_pool_synchronize(pool, use.stamp, RINGFENCE_ACCESS_WRITE, LIMIT));
    CHECK(host[0] == 100 + round && host[BYTES - 1] == 100 + round);
    OK(ringfence_pool_unwrap_external(pool, wrapped));
    CHECK(hip_destroy(foreign) == 0);
    OK(ringfence_pool_retire(pool, memory, use.stamp, NULL)); /* what used it is known by an event */
    EXPECT(RINGFENCE_STALE_STREAM, ringfence_pool_unwrap_external(pool, twice));
    OK(ringfence_pool_disown(pool, lease, &raw));
    CHECK(hip_destroy(pointer(raw)) == 0);
    OK(ringfence_pool_pump(pool, NULL));
  }
}

/* Two that opened the same GPU: a wait across their queues is for the other's signal, and not for one of the same number. */
static void across(void) {
  ringfence_device_t devices[2];
  ringfence_queue_t queues[2];
  ringfence_tracker_t trackers[2], none;
  ringfence_event_t first, second;
  uint64_t stream, *word;
  void *memory = NULL;
  int at;
  for (at = 0; at < 2; at++) {
    OK(ringfence_device_open_hip(0, &devices[at]));
    OK(ringfence_queue_open(devices[at], &queues[at]));
    OK(ringfence_tracker_open(devices[at], queues[at], NULL, &trackers[at]));
  }
  EXPECT(RINGFENCE_INVALID_ARGUMENT, ringfence_tracker_open(devices[0], queues[1], NULL, &none)); /* another device's queue */
  EXPECT(RINGFENCE_INVALID_ARGUMENT, ringfence_tracker_switch_queue(trackers[0], queues[1]));
  OK(ringfence_event_create(RINGFENCE_EVENT_KIND_PLAIN, 0, &first));
  OK(ringfence_event_create(RINGFENCE_EVENT_KIND_PLAIN, 0, &second));
  CHECK(hip_host_malloc(&memory, sizeof *word, 0) == 0);
  word = memory;
  __atomic_store_n(word, 0, __ATOMIC_RELEASE);
  OK(ringfence_queue_stream(queues[0], &stream));
  CHECK(hip_wait_value(pointer(stream), word, 1, 0, UINT64_MAX) == 0); /* the first stream stands still */
  OK(ringfence_event_record(first, trackers[0], NULL, NULL));
  OK(ringfence_event_wait_on(first, trackers[1]));
  OK(ringfence_event_record(second, trackers[1], NULL, NULL));
  EXPECT(RINGFENCE_TIMED_OUT, ringfence_event_synchronize(second, 50000000u));
  __atomic_store_n(word, 1, __ATOMIC_RELEASE);
  OK(ringfence_event_synchronize(second, LIMIT));
  OK(ringfence_event_destroy(first));
  OK(ringfence_event_destroy(second));
  for (at = 0; at < 2; at++) {
    OK(ringfence_tracker_close(trackers[at]));
    OK(ringfence_queue_close(queues[at]));
    OK(ringfence_device_close(devices[at]));
  }
  CHECK(hip_host_free(memory) == 0);
}

/* HSA has the same GPU, and other signals: neither takes the other's queues or events. */
static void apart(void) {
  ringfence_device_t hip, hsa;
  ringfence_queue_t on_hip, on_hsa;
  ringfence_tracker_t tracker, other;
  ringfence_event_t event;
  OK(ringfence_device_open_hip(0, &hip));
  OK(ringfence_device_open_hsa(0, &hsa));
  OK(ringfence_queue_open(hip, &on_hip));
  OK(ringfence_queue_open(hsa, &on_hsa));
  EXPECT(RINGFENCE_INVALID_ARGUMENT, ringfence_tracker_open(hip, on_hsa, NULL, &tracker));
  EXPECT(RINGFENCE_INVALID_ARGUMENT, ringfence_tracker_open(hsa, on_hip, NULL, &tracker));
  OK(ringfence_tracker_open(hip, on_hip, NULL, &tracker));
  OK(ringfence_tracker_open(hsa, on_hsa, NULL, &other));
  OK(ringfence_event_create(RINGFENCE_EVENT_KIND_PLAIN, 0, &event));
  OK(ringfence_event_record(event, tracker, NULL, NULL));
  EXPECT(RINGFENCE_INVALID_ARGUMENT, ringfence_event_wait_on(event, other));
  OK(ringfence_event_synchronize(event, LIMIT)); /* on the host */
  OK(ringfence_event_destroy(event));
  OK(ringfence_tracker_close(tracker));
  OK(ringfence_tracker_close(other));
  OK(ringfence_queue_close(on_hip));
  OK(ringfence_queue_close(on_hsa));
  OK(ringfence_device_close(hip));
  OK(ringfence_device_close(hsa));
}

/* On a thread of the device's. */
static void arrived(void *argument, uint64_t token) { __atomic_store_n((uint64_t *)argument, token, __ATOMIC_RELEASE); }
/* A device tells one listener, and is closed after it was told. */
static void handler(void) {
  ringfence_device_t device;
  ringfence_queue_t queue;
  ringfence_tracker_t tracker;
  ringfence_event_t event;
  ringfence_handled_t handled;
  uint64_t token = 0, reported;
  uint32_t later;
  OK(ringfence_device_open_hip(0, &device));
  OK(ringfence_device_on_completion(device, arrived, &token));
  EXPECT(RINGFENCE_OUT_OF_ORDER, ringfence_device_on_completion(device, arrived, NULL));
  OK(ringfence_queue_open(device, &queue));
  OK(ringfence_tracker_open(device, queue, NULL, &tracker));
  OK(ringfence_event_create(RINGFENCE_EVENT_KIND_BLOCKING, 0, &event));
  OK(ringfence_event_record(event, tracker, NULL, NULL));
  OK(ringfence_event_watch(event, 33, &later));
  if (later) {
    EXPECT(RINGFENCE_IN_USE, ringfence_device_close(device));
    do {
      reported = __atomic_load_n(&token, __ATOMIC_ACQUIRE);
    } while (reported == 0);
    OK(ringfence_device_handle(device, reported, &handled));
    CHECK(handled.then == 33 && handled.status == RINGFENCE_EVENT_FINISHED);
  }
  while (ringfence_device_close(device) == RINGFENCE_IN_USE) continue; /* `arrived` is about to return */
  EXPECT(RINGFENCE_OUT_OF_ORDER, ringfence_event_watch(event, 34, &later));
  OK(ringfence_event_destroy(event));
  OK(ringfence_tracker_close(tracker));
  OK(ringfence_queue_close(queue));
}

/* A tracker on a stream of HIP's: HIP's own calls between markers. */
static void ring(void) {
  static unsigned char host[BYTES];
  ringfence_device_t device;
  ringfence_queue_t queue;
  ringfence_tracker_t tracker;
  ringfence_event_t event;
  ringfence_event_status_t status;
  ringfence_ledger_t counts;
  ringfence_pool_t pool;
  ringfence_lease_t lease;
  ringfence_memory_t memory;
  ringfence_submission_t kernel, marker;
  const ringfence_stream_key_t key = {0, 0, RINGFENCE_PRIORITY_NORMAL, 0, 0};
  struct work work = {0, 0, NULL};
  uint64_t stream;
  int round;
  OK(ringfence_pool_create_hip(NULL, &pool));
  OK(ringfence_pool_acquire(pool, &key, &lease));
  OK(ringfence_pool_allocate(pool, lease, BYTES, &memory));
  OK(ringfence_memory_address(memory, &work.address, NULL));
  OK(ringfence_device_open_hip(0, &device));
  OK(ringfence_queue_open(device, &queue));
  OK(ringfence_queue_stream(queue, &stream));
  OK(ringfence_tracker_open(device, queue, NULL, &tracker));
  OK(ringfence_event_create(RINGFENCE_EVENT_KIND_PLAIN, 0, &event));
  memset(&kernel, 0, sizeof kernel);
  EXPECT(RINGFENCE_UNSUPPORTED, ringfence_tracker_submit(tracker, &kernel, NULL)); /* kernels go to the stream */
  memset(&marker, 0, sizeof marker);
  marker.kind = RINGFENCE_SUBMIT_MARKER;
  for (round = 0; round < 200; round++) {
    work.byte = round % 100;
    CHECK(run(&work, pointer(stream)) == 0);
    OK(ringfence_tracker_submit(tracker, &marker, NULL));
  }
  work.byte = -1;
  work.to = host;
  CHECK(run(&work, pointer(stream)) == 0);
  OK(ringfence_event_record(event, tracker, NULL, NULL));
  OK(ringfence_event_synchronize(event, LIMIT));
  CHECK(host[0] == 99 && host[BYTES - 1] == 99);
  OK(ringfence_event_query(event, &status));
  CHECK(status == RINGFENCE_EVENT_FINISHED);
  OK(ringfence_tracker_synchronize(tracker));
  counts.size = sizeof counts;
  OK(ringfence_tracker_counts(tracker, &counts));
  CHECK(counts.in_flight == 0 && counts.uses == 201 && counts.loads_to_retire < counts.uses / 4);
  printf("ring on HIP: %llu uses, %llu loads to retire them\n", (unsigned long long)counts.uses,
         (unsigned long long)counts.loads_to_retire);
  OK(ringfence_event_destroy(event));
  OK(ringfence_tracker_close(tracker));
  OK(ringfence_queue_close(queue));
  OK(ringfence_device_close(device));
  OK(ringfence_pool_retire(pool, memory, (ringfence_stamp_t){0}, NULL));
  OK(ringfence_lease_release(lease));
  OK(ringfence_pool_synchronize(pool, (ringfence_stamp_t){0}, RINGFENCE_ACCESS_WRITE, LIMIT));
  OK(ringfence_pool_shutdown(pool, NULL));
  OK(ringfence_pool_destroy(pool));
}

int main(void) {
  ringfence_pool_t pool;
  ringfence_pool_counts_t counts;
  ringfence_shut_down_t left;
  ringfence_tally_t tally;
  int round;
  ringfence_status_t status = ringfence_pool_create_hip(NULL, &pool);
  if (status == RINGFENCE_NO_RUNTIME) {
    char text[512];
    ringfence_last_error(text, sizeof text);
    printf("no HIP here: %s\n", text);
    return 3;
  }
  OK(status);
  load_hip();
  tasks(pool);
  tally.size = sizeof tally;
  for (round = 0; round < 10000; round++) {
    OK(ringfence_pool_pump(pool, NULL));
    OK(ringfence_pool_tally(pool, NULL, &tally));
    if (tally.draining == 0 && tally.condemned == 0) break;
  }
  counts.size = sizeof counts;
  OK(ringfence_pool_counts(pool, &counts));
  left.size = sizeof left;
  OK(ringfence_pool_shutdown(pool, &left));
  printf("pool on HIP: %llu leases on %llu streams, %u left\n", (unsigned long long)counts.leases,
         (unsigned long long)counts.created, left.streams_leaked);
  CHECK(counts.leases == 2 * TASKS && counts.created <= 4 && left.streams_leaked == 0 && left.memory_leaked == 0);
  OK(ringfence_pool_destroy(pool));

  OK(ringfence_pool_create_hip(NULL, &pool));
  come_and_go(pool);
  left.size = sizeof left;
  OK(ringfence_pool_shutdown(pool, &left));
  CHECK(left.streams_leaked == 0 && left.memory_leaked == 0);
  OK(ringfence_pool_destroy(pool));
  ring();
  across();
  apart();
  handler();
  return 0;
}
