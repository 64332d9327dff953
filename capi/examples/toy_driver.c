#define _POSIX_C_SOURCE 200809L
#include "toy_driver.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STREAMS = 64, CELLS = 512 };

/* One recording of an event. A waiter keeps the recording that it saw, whatever its event records later. */
struct recording {
  unsigned holders;
  int reached;
};
struct command {
  enum { RUN, RECORD, WAIT, MARK, FREE } kind;
  struct toy_kernel kernel;
  struct recording *recording;
  uint64_t *word;
  uint64_t position;
  uint64_t cell;
  struct command *next;
};
struct list {
  struct command *first, *last;
};
struct stream {
  int used, capturing;
  struct list queue, captured;
};
struct event {
  struct recording *recorded;
};
struct toy {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pthread_t device;
  int closed, paused;
  struct stream streams[STREAMS];
  uint64_t cells[CELLS];
  int allocated[CELLS];
  struct toy_counts counts;
};

/* 0 to 2 are the default streams of HIP and CUDA. */
static uint64_t stream_name(unsigned at) { return 16 + at; }
static struct stream *stream_at(struct toy *toy, uint64_t name) { return &toy->streams[name - 16]; }

static ringfence_driver_error_t error_of(uint32_t kind, int32_t code) {
  ringfence_driver_error_t error;
  error.kind = kind;
  error.code = code;
  return error;
}
static ringfence_driver_error_t ok(void) { return error_of(RINGFENCE_DRIVER_OK, 0); }

static void let_go(struct toy *toy, struct recording *recording) {
  (void)toy;
  if (recording != NULL && --recording->holders == 0) free(recording);
}
static struct command *push(struct toy *toy, struct list *list, int kind) {
  struct command *command = calloc(1, sizeof *command);
  if (command == NULL) abort();
  command->kind = kind;
  if (list->last != NULL)
    list->last->next = command;
  else
    list->first = command;
  list->last = command;
  toy->counts.commands++;
  pthread_cond_broadcast(&toy->changed);
  return command;
}
static void drop_all(struct toy *toy, struct list *list) {
  while (list->first != NULL) {
    struct command *command = list->first;
    list->first = command->next;
    toy->counts.commands--;
    let_go(toy, command->recording);
    free(command);
  }
  list->last = NULL;
}
static int live(struct toy *toy, uint64_t address) {
  return address >= 1 && address <= CELLS && toy->allocated[address - 1];
}

/* The device: takes one command of each stream in turn. */
static int step(struct toy *toy, struct stream *stream) {
  struct command *command = stream->queue.first;
  if (command == NULL) return 0;
  if (command->kind == WAIT && !command->recording->reached) return 0;
  switch (command->kind) {
  case RUN: {
    const struct toy_kernel *kernel = &command->kernel;
    if (!live(toy, kernel->to) || (kernel->from != 0 && !live(toy, kernel->from)))
      toy->counts.faults++;
    else if (kernel->from != 0)
      toy->cells[kernel->to - 1] += toy->cells[kernel->from - 1];
    else
      toy->cells[kernel->to - 1] = kernel->value;
    break;
  }
  case RECORD:
    command->recording->reached = 1;
    break;
  case MARK:
    /* Release: whoever sees the word sees the work. */
    __atomic_store_n(command->word, command->position, __ATOMIC_RELEASE);
    break;
  case FREE:
    toy->allocated[command->cell - 1] = 0;
    toy->counts.cells--;
    break;
  case WAIT:
    break;
  }
  stream->queue.first = command->next;
  if (stream->queue.first == NULL) stream->queue.last = NULL;
  toy->counts.commands--;
  let_go(toy, command->recording);
  free(command);
  return 1;
}
static void *run(void *argument) {
  struct toy *toy = argument;
  pthread_mutex_lock(&toy->lock);
  for (;;) {
    int ran = 0;
    unsigned at;
    for (at = 0; at < STREAMS && !toy->paused; at++) ran |= step(toy, &toy->streams[at]);
    if (ran) {
      pthread_cond_broadcast(&toy->changed);
    } else if (toy->closed) {
      break;
    } else {
      pthread_cond_wait(&toy->changed, &toy->lock);
    }
  }
  pthread_mutex_unlock(&toy->lock);
  return NULL;
}

struct toy *toy_open(void) {
  struct toy *toy = calloc(1, sizeof *toy);
  if (toy == NULL) abort();
  pthread_mutex_init(&toy->lock, NULL);
  pthread_cond_init(&toy->changed, NULL);
  if (pthread_create(&toy->device, NULL, run, toy) != 0) abort();
  return toy;
}
void toy_close(struct toy *toy) {
  pthread_mutex_lock(&toy->lock);
  toy->closed = 1;
  pthread_cond_broadcast(&toy->changed);
  pthread_mutex_unlock(&toy->lock);
  pthread_join(toy->device, NULL);
  pthread_cond_destroy(&toy->changed);
  pthread_mutex_destroy(&toy->lock);
  free(toy);
}
static void set_paused(struct toy *toy, int paused) {
  pthread_mutex_lock(&toy->lock);
  toy->paused = paused;
  pthread_cond_broadcast(&toy->changed);
  pthread_mutex_unlock(&toy->lock);
}
void toy_pause(struct toy *toy) { set_paused(toy, 1); }
void toy_resume(struct toy *toy) { set_paused(toy, 0); }
void toy_finish(struct toy *toy) {
  pthread_mutex_lock(&toy->lock);
  for (;;) {
    int busy = 0;
    unsigned at;
    for (at = 0; at < STREAMS; at++) busy |= toy->streams[at].queue.first != NULL;
    if (!busy) break;
    pthread_cond_wait(&toy->changed, &toy->lock);
  }
  pthread_mutex_unlock(&toy->lock);
}
int toy_launch(struct toy *toy, uint64_t name, struct toy_kernel kernel) {
  struct stream *stream = stream_at(toy, name);
  pthread_mutex_lock(&toy->lock);
  push(toy, stream->capturing ? &stream->captured : &stream->queue, RUN)->kernel = kernel;
  pthread_mutex_unlock(&toy->lock);
  return 0;
}
uint64_t toy_read(struct toy *toy, uint64_t address) {
  uint64_t value;
  pthread_mutex_lock(&toy->lock);
  value = toy->cells[address - 1];
  pthread_mutex_unlock(&toy->lock);
  return value;
}
struct toy_counts toy_count(struct toy *toy) {
  struct toy_counts counts;
  pthread_mutex_lock(&toy->lock);
  counts = toy->counts;
  pthread_mutex_unlock(&toy->lock);
  return counts;
}

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
  let_go(toy, event_at(event)->recorded);
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
  let_go(toy, event_at(event)->recorded);
  event_at(event)->recorded = recording;
  push(toy, &stream->queue, RECORD)->recording = recording;
  pthread_mutex_unlock(&toy->lock);
  return ok();
}
static ringfence_driver_error_t stream_wait(void *context, uint64_t name, uint64_t event) {
  struct toy *toy = context;
  pthread_mutex_lock(&toy->lock);
  if (event_at(event)->recorded != NULL) {
    event_at(event)->recorded->holders++;
    push(toy, &stream_at(toy, name)->queue, WAIT)->recording = event_at(event)->recorded;
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
  push(toy, &stream_at(toy, name)->queue, FREE)->cell = memory;
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
    push(toy, &stream_at(toy, name)->queue, RUN)->kernel = command->kernel;
  pthread_mutex_unlock(&toy->lock);
  return ok();
}
static ringfence_driver_error_t destroy_graph(void *context, uint64_t graph) {
  struct toy *toy = context;
  struct list *list = (struct list *)(uintptr_t)graph;
  pthread_mutex_lock(&toy->lock);
  drop_all(toy, list);
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
  command = push(toy, &stream_at(toy, name)->queue, MARK);
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
