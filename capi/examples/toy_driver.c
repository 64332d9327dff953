#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "toy_device.h"

static ringfence_driver_error_t error_of(uint32_t kind, int32_t code) {
  ringfence_driver_error_t error;
  error.kind = kind;
  error.code = code;
  return error;
}
static ringfence_driver_error_t ok(void) { return error_of(RINGFENCE_DRIVER_OK, 0); }

/* From here on: the entries of the table. Handles of events, graphs and words are addresses. */

static void release(void *context) {
  struct toy *toy = context;
  pthread_mutex_lock(&toy->lock);
  toy->counts.released = 1;
  pthread_mutex_unlock(&toy->lock);
}
static ringfence_driver_state_t state(void *context) {
  (void)context;
  return RINGFENCE_STATE_READY;
}
static ringfence_driver_error_t create(void *context, const ringfence_stream_key_t *key, uint64_t *name) {
  struct toy *toy = context;
  unsigned at = 0;
  (void)key;
  pthread_mutex_lock(&toy->lock);
  while (at < STREAMS && toy->streams[at].used) at++;
  if (at < STREAMS) {
    toy->streams[at].used = 1;
    toy->counts.streams++;
    toy->counts.created++;
    *name = stream_name(at);
  }
  pthread_mutex_unlock(&toy->lock);
  return at < STREAMS ? ok() : error_of(RINGFENCE_DRIVER_OUT_OF_MEMORY, 2);
}
static ringfence_driver_error_t destroy(void *context, uint64_t name) {
  struct toy *toy = context;
  struct stream *stream = stream_at(toy, name);
  int busy;
  pthread_mutex_lock(&toy->lock);
  busy = stream->queue.first != NULL || stream->capturing;
  if (!busy) {
    stream->used = 0;
    toy->counts.streams--;
  }
  pthread_mutex_unlock(&toy->lock);
  return busy ? error_of(RINGFENCE_DRIVER_BAD, 400) : ok();
}
static ringfence_stream_state_t query(void *context, uint64_t name) {
  struct toy *toy = context;
  int busy;
  pthread_mutex_lock(&toy->lock);
  busy = stream_at(toy, name)->queue.first != NULL;
  pthread_mutex_unlock(&toy->lock);
  return busy ? RINGFENCE_STREAM_STATE_PENDING : RINGFENCE_STREAM_STATE_IDLE;
}
static ringfence_driver_error_t create_event(void *context, uint32_t device, uint32_t device_context, uint64_t *event) {
  struct toy *toy = context;
  struct event *made = calloc(1, sizeof *made);
  (void)device;
  (void)device_context;
  if (made == NULL) return error_of(RINGFENCE_DRIVER_OUT_OF_MEMORY, 2);
  pthread_mutex_lock(&toy->lock);
  toy->counts.events++;
  pthread_mutex_unlock(&toy->lock);
  *event = (uint64_t)(uintptr_t)made;
  return ok();
}
static struct event *event_at(uint64_t event) { return (struct event *)(uintptr_t)event; }
static void destroy_event(void *context, uint64_t event) {
  struct toy *toy = context;
  pthread_mutex_lock(&toy->lock);
  toy->counts.events--;
  toy_let_go(toy, event_at(event)->recorded);
  pthread_mutex_unlock(&toy->lock);
  free(event_at(event));
}
static ringfence_driver_error_t record_event(void *context, uint64_t event, uint64_t name) {
  struct toy *toy = context;
  struct stream *stream = stream_at(toy, name);
  struct recording *recording = calloc(1, sizeof *recording);
  if (recording == NULL) return error_of(RINGFENCE_DRIVER_OUT_OF_MEMORY, 2);
  recording->holders = 2;
  pthread_mutex_lock(&toy->lock);
  toy_let_go(toy, event_at(event)->recorded);
  event_at(event)->recorded = recording;
  toy_push(toy, &stream->queue, RECORD)->recording = recording;
  pthread_mutex_unlock(&toy->lock);
  return ok();
}
static ringfence_driver_error_t stream_wait(void *context, uint64_t name, uint64_t event) {
  struct toy *toy = context;
  pthread_mutex_lock(&toy->lock);
  if (event_at(event)->recorded != NULL) {
    event_at(event)->recorded->holders++;
    toy_push(toy, &stream_at(toy, name)->queue, WAIT)->recording = event_at(event)->recorded;
  }
  pthread_mutex_unlock(&toy->lock);
  return ok();
}
static int is_reached(const struct event *event) { return event->recorded == NULL || event->recorded->reached; }
static ringfence_stream_state_t query_event(void *context, uint64_t event) {
  struct toy *toy = context;
  int reached;
  pthread_mutex_lock(&toy->lock);
  reached = is_reached(event_at(event));
  pthread_mutex_unlock(&toy->lock);
  return reached ? RINGFENCE_STREAM_STATE_IDLE : RINGFENCE_STREAM_STATE_PENDING;
}
static struct timespec deadline(uint64_t limit) {
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  if (limit > 3600000000000u) limit = 3600000000000u;
  limit += (uint64_t)at.tv_nsec;
  at.tv_sec += (time_t)(limit / 1000000000u);
  at.tv_nsec = (long)(limit % 1000000000u);
  return at;
}
static ringfence_stream_wait_t synchronize_event(void *context, uint64_t event, uint64_t limit) {
  struct toy *toy = context;
  struct timespec until = deadline(limit);
  int late = 0, reached;
  pthread_mutex_lock(&toy->lock);
  while (!is_reached(event_at(event)) && !late) late = pthread_cond_timedwait(&toy->changed, &toy->lock, &until);
  reached = is_reached(event_at(event));
  pthread_mutex_unlock(&toy->lock);
  return reached ? RINGFENCE_WAIT_FINISHED : RINGFENCE_WAIT_TIMED_OUT;
}
static ringfence_driver_error_t allocate(void *context, uint64_t bytes, uint64_t name, uint64_t *memory) {
  struct toy *toy = context;
  unsigned at = 0;
  (void)bytes;
  (void)name;
  pthread_mutex_lock(&toy->lock);
  while (at < CELLS && toy->allocated[at]) at++;
  if (at < CELLS) {
    toy->allocated[at] = 1;
    toy->counts.cells++;
    *memory = at + 1;
  }
  pthread_mutex_unlock(&toy->lock);
  return at < CELLS ? ok() : error_of(RINGFENCE_DRIVER_OUT_OF_MEMORY, 2);
}
static ringfence_driver_error_t free_memory(void *context, uint64_t memory, uint64_t name) {
  struct toy *toy = context;
  pthread_mutex_lock(&toy->lock);
  toy_push(toy, &stream_at(toy, name)->queue, FREE)->cell = memory;
  pthread_mutex_unlock(&toy->lock);
  return ok();
}
static ringfence_capture_status_t capture_status(void *context, uint64_t name) {
  struct toy *toy = context;
  int capturing;
  pthread_mutex_lock(&toy->lock);
  capturing = stream_at(toy, name)->capturing;
  pthread_mutex_unlock(&toy->lock);
  return capturing ? RINGFENCE_CAPTURE_STATUS_ACTIVE : RINGFENCE_CAPTURE_STATUS_NONE;
}
static ringfence_capture_mode_t exchange_capture_mode(void *context, ringfence_capture_mode_t mode) {
  (void)context;
  (void)mode; /* this driver refuses nothing to anybody */
  return RINGFENCE_CAPTURE_MODE_RELAXED;
}
static ringfence_driver_error_t begin_capture(void *context, uint64_t name, ringfence_capture_mode_t mode) {
  struct toy *toy = context;
  (void)mode;
  pthread_mutex_lock(&toy->lock);
  stream_at(toy, name)->capturing = 1;
  pthread_mutex_unlock(&toy->lock);
  return ok();
}
static ringfence_driver_error_t end_capture(void *context, uint64_t name, uint64_t *graph) {
  struct toy *toy = context;
  struct stream *stream = stream_at(toy, name);
  struct list *made = malloc(sizeof *made);
  if (made == NULL) return error_of(RINGFENCE_DRIVER_OUT_OF_MEMORY, 2);
  pthread_mutex_lock(&toy->lock);
  *made = stream->captured;
  stream->captured.first = stream->captured.last = NULL;
  stream->capturing = 0;
  toy->counts.graphs++;
  pthread_mutex_unlock(&toy->lock);
  *graph = (uint64_t)(uintptr_t)made;
  return ok();
}
static ringfence_driver_error_t launch_graph(void *context, uint64_t graph, uint64_t name) {
  struct toy *toy = context;
  const struct command *command;
  pthread_mutex_lock(&toy->lock);
  for (command = ((struct list *)(uintptr_t)graph)->first; command != NULL; command = command->next)
    toy_push(toy, &stream_at(toy, name)->queue, RUN)->kernel = command->kernel;
  pthread_mutex_unlock(&toy->lock);
  return ok();
}
static ringfence_driver_error_t destroy_graph(void *context, uint64_t graph) {
  struct toy *toy = context;
  struct list *list = (struct list *)(uintptr_t)graph;
  pthread_mutex_lock(&toy->lock);
  toy_drop_all(toy, list);
  toy->counts.graphs--;
  pthread_mutex_unlock(&toy->lock);
  free(list);
  return ok();
}
static ringfence_driver_error_t open_progress(void *context, uint64_t name, uint64_t *word) {
  struct toy *toy = context;
  uint64_t *made = calloc(1, sizeof *made);
  (void)name;
  if (made == NULL) return error_of(RINGFENCE_DRIVER_OUT_OF_MEMORY, 2);
  pthread_mutex_lock(&toy->lock);
  toy->counts.words++;
  pthread_mutex_unlock(&toy->lock);
  *word = (uint64_t)(uintptr_t)made;
  return ok();
}
static uint64_t *word_at(uint64_t word) { return (uint64_t *)(uintptr_t)word; }
static ringfence_driver_error_t mark(void *context, uint64_t name, uint64_t word, uint64_t position) {
  struct toy *toy = context;
  struct command *command;
  pthread_mutex_lock(&toy->lock);
  command = toy_push(toy, &stream_at(toy, name)->queue, MARK);
  command->word = word_at(word);
  command->position = position;
  pthread_mutex_unlock(&toy->lock);
  return ok();
}
static uint64_t observe(void *context, uint64_t word) {
  (void)context;
  return __atomic_load_n(word_at(word), __ATOMIC_ACQUIRE);
}
static ringfence_stream_wait_t wait_progress(void *context, uint64_t word, uint64_t position, uint64_t limit) {
  struct toy *toy = context;
  struct timespec until = deadline(limit);
  int late = 0;
  pthread_mutex_lock(&toy->lock);
  while (observe(context, word) < position && !late)
    late = pthread_cond_timedwait(&toy->changed, &toy->lock, &until);
  pthread_mutex_unlock(&toy->lock);
  return observe(context, word) < position ? RINGFENCE_WAIT_TIMED_OUT : RINGFENCE_WAIT_FINISHED;
}
static void close_progress(void *context, uint64_t word) {
  struct toy *toy = context;
  pthread_mutex_lock(&toy->lock);
  toy->counts.words--;
  pthread_mutex_unlock(&toy->lock);
  free(word_at(word));
}

ringfence_stream_backend_t toy_backend(struct toy *toy) {
  ringfence_stream_backend_t table;
  memset(&table, 0, sizeof table);
  table.size = sizeof table;
  table.context = toy;
  table.host_bytes = 1024;
  table.release = release;
  table.state = state;
  table.create = create;
  table.destroy = destroy;
  table.query = query;
  table.create_event = create_event;
  table.destroy_event = destroy_event;
  table.record_event = record_event;
  table.stream_wait = stream_wait;
  table.query_event = query_event;
  table.synchronize_event = synchronize_event;
  table.allocate = allocate;
  table.free = free_memory;
  table.capture_status = capture_status;
  table.exchange_capture_mode = exchange_capture_mode;
  table.begin_capture = begin_capture;
  table.end_capture = end_capture;
  table.launch_graph = launch_graph;
  table.destroy_graph = destroy_graph;
  table.open_progress = open_progress;
  table.mark = mark;
  table.observe = observe;
  table.wait_progress = wait_progress;
  table.close_progress = close_progress;
  return table;
}
