/*
 * A tracker on a hardware queue of AMD's HSA runtime, which the library loads by itself: empty kernels one by one and by bulk
 * reservation, events, a wait on the device across two queues, a handler. Ends with 3 where there is no HSA.
 */
#include <string.h>

#include "check.h"

enum { KERNELS = 1000, BULK = 300 };
static const uint64_t LIMIT = 20000000000u;

/* On a thread of the runtime's: a token arrived. The example's own thread handles it, or it could do so here. */
static void arrived(void *argument, uint64_t token) { __atomic_store_n((uint64_t *)argument, token, __ATOMIC_RELEASE); }

int main(void) {
  ringfence_device_t device, again;
  ringfence_queue_t queues[2];
  ringfence_tracker_t first, second;
  ringfence_event_t event, blocking;
  ringfence_event_status_t known;
  ringfence_submission_t kernel, bulk[BULK];
  ringfence_ledger_t counts;
  ringfence_handled_t handled;
  uint64_t token = 0;
  uint32_t later;
  size_t published = 0;
  int at;
  ringfence_status_t status = ringfence_device_open_hsa(0, &device);
  if (status == RINGFENCE_NO_RUNTIME) {
    char text[512];
    ringfence_last_error(text, sizeof text);
    printf("no HSA here: %s\n", text);
    return 3;
  }
  OK(status);
  EXPECT(RINGFENCE_IN_USE, ringfence_device_open_hsa(0, &again)); /* one handle for each GPU, to be shared */
  OK(ringfence_device_on_completion(device, arrived, &token));
  EXPECT(RINGFENCE_OUT_OF_ORDER, ringfence_device_on_completion(device, arrived, NULL));
  for (at = 0; at < 2; at++) OK(ringfence_queue_open(device, &queues[at]));
  OK(ringfence_tracker_open(device, queues[0], NULL, &first));
  OK(ringfence_tracker_open(device, queues[1], NULL, &second));
  OK(ringfence_event_create(RINGFENCE_EVENT_KIND_PLAIN, 0, &event));
  OK(ringfence_event_create(RINGFENCE_EVENT_KIND_BLOCKING, 1, &blocking));
  OK(ringfence_event_query(event, &known));
  CHECK(known == RINGFENCE_EVENT_NOT_RECORDED);

  memset(&kernel, 0, sizeof kernel);
  {
    ringfence_hsa_dispatch_t empty;
    memset(&empty, 0, sizeof empty);
    kernel.work = &empty; /* a grid of no work-items would end the queue */
    EXPECT(RINGFENCE_INVALID_ARGUMENT, ringfence_tracker_submit(first, &kernel, NULL));
  }
  kernel.work = NULL; /* a kernel that does nothing */
  for (at = 0; at < BULK; at++) bulk[at] = kernel;
  for (at = 0; at < KERNELS; at++) OK(ringfence_tracker_submit(first, &kernel, NULL));
  OK(ringfence_tracker_submit_all(first, bulk, BULK, NULL, &published));
  CHECK(published == BULK);
  OK(ringfence_event_record(event, first, NULL, NULL));
  OK(ringfence_event_wait_on(event, second)); /* on the device */
  OK(ringfence_tracker_submit(second, &kernel, NULL));
  OK(ringfence_event_record(blocking, second, NULL, NULL));
  OK(ringfence_event_watch(blocking, 77, &later));
  OK(ringfence_event_synchronize(blocking, LIMIT));
  OK(ringfence_event_query(event, &known));
  CHECK(known == RINGFENCE_EVENT_FINISHED);
  if (later) {
    uint64_t reported;
    EXPECT(RINGFENCE_IN_USE, ringfence_device_close(device)); /* a handler waits */
    do {
      reported = __atomic_load_n(&token, __ATOMIC_ACQUIRE);
    } while (reported == 0);
    OK(ringfence_device_handle(device, reported, &handled));
    CHECK(handled.then == 77 && handled.status == RINGFENCE_EVENT_FINISHED);
    EXPECT(RINGFENCE_STALE_HANDLE, ringfence_device_handle(device, reported, &handled));
  }
  OK(ringfence_tracker_synchronize(second));
  OK(ringfence_tracker_drain(first));
  counts.size = sizeof counts;
  OK(ringfence_tracker_counts(first, &counts));
  printf("queue of HSA: %llu uses, %llu loads to retire them, %llu signals made\n", (unsigned long long)counts.uses,
         (unsigned long long)counts.loads_to_retire, (unsigned long long)counts.created);
  CHECK(counts.in_flight == 0 && counts.uses >= KERNELS + BULK + 1);
  CHECK(counts.loads_to_retire * 4 < counts.uses && counts.created < counts.uses);

  OK(ringfence_event_destroy(event));
  OK(ringfence_event_destroy(blocking));
  OK(ringfence_tracker_close(second));
  OK(ringfence_tracker_close(first));
  OK(ringfence_device_reap(device, NULL));
  while (ringfence_device_close(device) == RINGFENCE_IN_USE) continue; /* `arrived` is about to return */
  EXPECT(RINGFENCE_STALE_HANDLE, ringfence_device_close(device));

  /* Whoever opens it then is told of its own tokens, by its own listener, whatever is left of the first one's. */
  OK(ringfence_device_open_hsa(0, &again));
  for (at = 0; at < 2; at++) OK(ringfence_queue_close(queues[at]));
  token = 0;
  OK(ringfence_device_on_completion(again, arrived, &token));
  OK(ringfence_device_close(again));
  return 0;
}
