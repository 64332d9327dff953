/* The device of the toy driver: queues, and the thread that runs them. */
#define _POSIX_C_SOURCE 200809L
#include "toy_device.h"

#include <stdlib.h>

void toy_let_go(struct toy *toy, struct recording *recording) {
  (void)toy;
  if (recording != NULL && --recording->holders == 0) free(recording);
}
struct command *toy_push(struct toy *toy, struct list *list, int kind) {
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
void toy_drop_all(struct toy *toy, struct list *list) {
  while (list->first != NULL) {
    struct command *command = list->first;
    list->first = command->next;
    toy->counts.commands--;
    toy_let_go(toy, command->recording);
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
      toy->cells[kernel->to - 1] = toy_mix(toy->cells[kernel->to - 1], toy->cells[kernel->from - 1]);
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
  toy_let_go(toy, command->recording);
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
  toy_push(toy, stream->capturing ? &stream->captured : &stream->queue, RUN)->kernel = kernel;
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

