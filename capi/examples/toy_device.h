/* What the device of the toy driver and its table share. */
#ifndef TOY_DEVICE_H
#define TOY_DEVICE_H

#include <pthread.h>

#include "toy_driver.h"

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
static inline uint64_t stream_name(unsigned at) { return 16 + at; }
static inline struct stream *stream_at(struct toy *toy, uint64_t name) { return &toy->streams[name - 16]; }


/* With the lock held. */
void toy_let_go(struct toy *toy, struct recording *recording);
struct command *toy_push(struct toy *toy, struct list *list, int kind);
void toy_drop_all(struct toy *toy, struct list *list);

#endif
