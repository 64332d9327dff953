/*
 * A toy driver: streams, events, captures and memory in a stream's order, and one thread that is the device. A stand-in for HIP
 * or CUDA; nothing in it knows of Ringfence, but for the function that fills in the table.
 */
#ifndef TOY_DRIVER_H
#define TOY_DRIVER_H

#include <ringfence.h>

struct toy;

/*
 * What a kernel does: *to = value, or *to = toy_mix(*to, *from), which depends on the order. Addresses are the driver's own.
 */
struct toy_kernel {
  uint64_t to;
  uint64_t from; /* 0: none, `value` counts */
  uint64_t value;
};

static inline uint64_t toy_mix(uint64_t to, uint64_t from) { return 31 * to + from; }

/* What is alive, and what went wrong. */
struct toy_counts {
  unsigned streams, events, graphs, words, cells, commands;
  unsigned created;  /* streams, ever */
  unsigned faults;   /* kernels that touched memory which was not there any more */
  unsigned released; /* whether the pool let go of the driver */
};

struct toy *toy_open(void);
/* Joins the device's thread. Everything has to be given back by then. */
void toy_close(struct toy *toy);
/* Submits a kernel to a stream, or records it while the stream captures. */
int toy_launch(struct toy *toy, uint64_t stream, struct toy_kernel kernel);
/* Holds the device up, and lets it go on. */
void toy_pause(struct toy *toy);
void toy_resume(struct toy *toy);
/* Waits until every stream is idle. */
void toy_finish(struct toy *toy);
uint64_t toy_read(struct toy *toy, uint64_t address);
struct toy_counts toy_count(struct toy *toy);
/* The driver as Ringfence sees it. */
ringfence_stream_backend_t toy_backend(struct toy *toy);

#endif
