/*
 * Streams for tasks of a garbage-collected language, in the manner of AMDGPU.jl. Tasks have no end hook: a probe says which are over.
 * Arrays remember who used them in a stamp, and are given up by finalizers, which run on a thread of their own, at any moment, and may
 * neither wait for a lock nor allocate: they hand in, and a pump frees. The hand-in is small on purpose, so that it is full now and then.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "check.h"
#include "toy_driver.h"

enum { WORKERS = 4, TASKS = 60, HAND_IN = 4, STREAMS_AT_MOST = 24 };

/* An array of the language: what its finalizer needs to know. */
struct array {
  ringfence_memory_t memory;
  ringfence_stamp_t stamp;
  uint64_t address;
  struct array *next;
};

/* The language's runtime: tasks by number, garbage, and the thread that runs finalizers. */
struct language {
  struct toy *toy;
  ringfence_pool_t pool;
  ringfence_owners_t owners;
  int over[WORKERS * TASKS + 16]; /* atomic: the task of this number has ended; nobody is told */
  pthread_mutex_t lock;           /* of the two below */
  struct array *garbage;
  struct array total; /* shared by all tasks: one at a time uses it */
  uint64_t expected;  /* what it comes to, in the order in which they did */
  int running;        /* atomic: workers that have not ended */
  int closing;        /* atomic */
  unsigned full;      /* times that a finalizer found the hand-in full */
};

/* The probe: called on the thread that wants a stream. It takes no lock. */
static ringfence_owner_state_t is_over(void *context, uint64_t owner) {
  struct language *language = context;
  return __atomic_load_n(&language->over[owner], __ATOMIC_ACQUIRE) ? RINGFENCE_OWNER_DONE : RINGFENCE_OWNER_RUNNING;
}

/* What a kernel launch of the language comes to. */
struct work {
  struct toy *toy;
  struct toy_kernel kernel;
};
static ringfence_driver_error_t launch(void *argument, uint64_t stream) {
  const struct work *work = argument;
  ringfence_driver_error_t none = {RINGFENCE_DRIVER_OK, 0};
  toy_launch(work->toy, stream, work->kernel);
  return none;
}
static const ringfence_stream_key_t KEY = {0, 0, RINGFENCE_PRIORITY_NORMAL, 0, 0};

static struct array *new_array(struct language *language, uint64_t task) {
  struct array *array = calloc(1, sizeof *array);
  CHECK(array != NULL);
  /* A task's first touch. At the cap it lets others go on: somebody pumps. */
  for (;;) {
    ringfence_status_t status = ringfence_owners_allocate(language->owners, task, &KEY, 8, &array->memory);
    if (status != RINGFENCE_POOL_FULL) {
      OK(status);
      break;
    }
    sched_yield();
  }
  OK(ringfence_memory_address(array->memory, &array->address, NULL));
  OK(ringfence_memory_stamp(array->memory, &array->stamp)); /* its first use follows its allocation */
  return array;
}
static void fill(struct language *language, uint64_t task, struct array *to, uint64_t value) {
  struct work work = {language->toy, {0, 0, 0}};
  ringfence_array_use_t use = {{0}, RINGFENCE_ACCESS_WRITE, 0};
  work.kernel.to = to->address;
  work.kernel.value = value;
  use.stamp = to->stamp;
  OK(ringfence_owners_submit(language->owners, task, &KEY, &use, 1, launch, &work, NULL));
}
static void mix(struct language *language, uint64_t task, struct array *to, const struct array *from) {
  struct work work = {language->toy, {0, 0, 0}};
  ringfence_array_use_t uses[2] = {{{0}, RINGFENCE_ACCESS_WRITE, 0}, {{0}, RINGFENCE_ACCESS_READ, 0}};
  work.kernel.to = to->address;
  work.kernel.from = from->address;
  uses[0].stamp = to->stamp;
  uses[1].stamp = from->stamp;
  OK(ringfence_owners_submit(language->owners, task, &KEY, uses, 2, launch, &work, NULL));
}
/* The last reference is gone: the collector finds out some time. */
static void drop(struct language *language, struct array *array) {
  pthread_mutex_lock(&language->lock);
  array->next = language->garbage;
  language->garbage = array;
  pthread_mutex_unlock(&language->lock);
}

/* Runs finalizers, on a thread that owns nothing. One that finds the hand-in full registers itself anew. */
static void *collect(void *argument) {
  struct language *language = argument;
  for (;;) {
    struct array *array;
    pthread_mutex_lock(&language->lock);
    array = language->garbage;
    if (array != NULL) language->garbage = array->next;
    pthread_mutex_unlock(&language->lock);
    if (array == NULL) {
      if (__atomic_load_n(&language->closing, __ATOMIC_ACQUIRE)) return NULL;
      sched_yield();
      continue;
    }
    switch (ringfence_pool_retire_later(language->pool, array->memory, array->stamp)) {
    case RINGFENCE_OK:
      free(array);
      break;
    case RINGFENCE_FULL:
      language->full++;
      drop(language, array);
      sched_yield();
      break;
    default:
      CHECK(!"a finalizer's call is refused");
    }
  }
}

/* One task after the other. Each ends without a word. */
static void *work(void *argument) {
  struct language *language = ((void **)argument)[0];
  uint64_t first = (uint64_t)(uintptr_t)((void **)argument)[1], task;
  for (task = first; task < first + TASKS; task++) {
    struct array *own = new_array(language, task), *mixed = new_array(language, task);
    fill(language, task, own, task);
    fill(language, task, mixed, 1);
    mix(language, task, mixed, own);
    pthread_mutex_lock(&language->lock);
    mix(language, task, &language->total, mixed); /* follows whoever was there last, on the device */
    language->expected = toy_mix(language->expected, toy_mix(1, task));
    pthread_mutex_unlock(&language->lock);
    drop(language, own);
    drop(language, mixed);
    __atomic_store_n(&language->over[task], 1, __ATOMIC_RELEASE); /* the probe finds out */
    if (task % 3 == 0) { /* some of them have a finalizer that says so before; where it is full, nothing is lost */
      ringfence_status_t status = ringfence_owners_done_later(language->owners, task);
      CHECK(status == RINGFENCE_OK || status == RINGFENCE_FULL);
    }
  }
  __atomic_sub_fetch(&language->running, 1, __ATOMIC_RELEASE);
  return NULL;
}

/* While a task captures on a stream, a finalizer gives up an array that an earlier task used there. The free is in nobody's graph. */
struct recipe {
  struct language *language;
  struct array *own, *old;
};
static int32_t record(void *argument, ringfence_capture_t capture) {
  struct recipe *recipe = argument;
  struct work work = {recipe->language->toy, {0, 0, 5}};
  work.kernel.to = recipe->own->address;
  OK(ringfence_capture_pin(capture, recipe->own->memory));
  drop(recipe->language, recipe->old);
  OK(ringfence_pool_pump(recipe->language->pool, NULL));
  OK(ringfence_capture_submit(capture, launch, &work));
  return 0;
}
static void capture(struct language *language) {
  const uint64_t earlier = WORKERS * TASKS + 1, later = earlier + 1;
  struct recipe recipe;
  ringfence_lease_t lease;
  ringfence_graph_t graph;
  ringfence_array_use_t use = {{0}, RINGFENCE_ACCESS_WRITE, 0};
  ringfence_stream_ref_t one, other;
  recipe.language = language;
  recipe.old = new_array(language, earlier);
  fill(language, earlier, recipe.old, 3);
  OK(ringfence_owners_stream(language->owners, earlier, &KEY, &one));
  OK(ringfence_owners_done(language->owners, earlier));
  toy_finish(language->toy);
  OK(ringfence_pool_pump(language->pool, NULL));
  OK(ringfence_pool_acquire(language->pool, &KEY, &lease));
  OK(ringfence_lease_stream(lease, &other));
  recipe.own = new_array(language, later); /* allocated on that owner's stream, which the launch follows by the array's stamp */
  use.stamp = recipe.own->stamp;
  OK(ringfence_pool_capture(language->pool, lease, RINGFENCE_CAPTURE_MODE_THREAD_LOCAL, record, &recipe, &graph));
  OK(ringfence_pool_launch(language->pool, lease, graph, &use, 1, NULL));
  OK(ringfence_pool_synchronize(language->pool, recipe.own->stamp, RINGFENCE_ACCESS_READ, 10000000000u));
  CHECK(toy_read(language->toy, recipe.own->address) == 5);
  for (;;) { /* a finalizer's call as well; whoever may do more than a finalizer pumps */
    ringfence_status_t status = ringfence_graph_release_later(language->pool, graph);
    if (status == RINGFENCE_OK) break;
    CHECK(status == RINGFENCE_FULL);
    OK(ringfence_pool_pump(language->pool, NULL));
  }
  drop(language, recipe.own);
  OK(ringfence_lease_release(lease));
  OK(ringfence_owners_done(language->owners, later));
  printf("a task captured on s%u#%u; an earlier one had had s%u#%u\n", other.stream, other.generation, one.stream, one.generation);
}

int main(void) {
  struct language language;
  ringfence_stream_backend_t table;
  ringfence_pool_options_t options;
  ringfence_pool_counts_t counts;
  ringfence_shut_down_t left;
  ringfence_tally_t tally;
  struct toy_counts end;
  pthread_t workers[WORKERS], collector;
  void *arguments[WORKERS][2];
  uint64_t over = 0, handed_in = 0, owners;
  int at, joined = 0;
  struct array *total;

  memset(&language, 0, sizeof language);
  language.toy = toy_open();
  table = toy_backend(language.toy);
  pthread_mutex_init(&language.lock, NULL);
  OK(ringfence_pool_options_init(&options, sizeof options));
  options.hand_in = HAND_IN;
  options.live_cap = STREAMS_AT_MOST;
  OK(ringfence_pool_create(&table, &options, &language.pool));
  OK(ringfence_owners_create(language.pool, is_over, &language, 0, &language.owners));
  total = new_array(&language, WORKERS * TASKS);
  language.total = *total;
  fill(&language, WORKERS * TASKS, &language.total, 0);

  language.running = WORKERS;
  CHECK(pthread_create(&collector, NULL, collect, &language) == 0);
  for (at = 0; at < WORKERS; at++) {
    arguments[at][0] = &language;
    arguments[at][1] = (void *)(uintptr_t)(at * TASKS);
    CHECK(pthread_create(&workers[at], NULL, work, arguments[at]) == 0);
  }
  /* The one who pumps: here the main thread, until nothing is left that a finalizer gave up. */
  for (;;) {
    ringfence_pumped_t pumped;
    int idle;
    pumped.size = sizeof pumped;
    OK(ringfence_pool_pump(language.pool, &pumped));
    handed_in += pumped.handed_in;
    if (!joined && __atomic_load_n(&language.running, __ATOMIC_ACQUIRE) == 0) {
      for (at = 0; at < WORKERS; at++) CHECK(pthread_join(workers[at], NULL) == 0);
      joined = 1;
      capture(&language);
    }
    pthread_mutex_lock(&language.lock);
    idle = language.garbage == NULL;
    pthread_mutex_unlock(&language.lock);
    tally.size = sizeof tally;
    OK(ringfence_pool_tally(language.pool, NULL, &tally));
    if (joined && idle && tally.handed_in == 0 && pumped.handed_in == 0) break;
    sched_yield();
  }
  __atomic_store_n(&language.closing, 1, __ATOMIC_RELEASE);
  CHECK(pthread_join(collector, NULL) == 0);

  OK(ringfence_pool_synchronize(language.pool, language.total.stamp, RINGFENCE_ACCESS_READ, 10000000000u));
  CHECK(toy_read(language.toy, language.total.address) == language.expected);
  OK(ringfence_pool_pump(language.pool, NULL));
  OK(ringfence_pool_retire_later(language.pool, language.total.memory, language.total.stamp));
  EXPECT(RINGFENCE_STALE_HANDLE, ringfence_pool_retire_later(language.pool, language.total.memory, language.total.stamp));
  free(total);
  __atomic_store_n(&language.over[WORKERS * TASKS], 1, __ATOMIC_RELEASE);
  OK(ringfence_owners_sweep(language.owners, &over));
  OK(ringfence_owners_count(language.owners, &owners));
  CHECK(owners == 0);
  EXPECT(RINGFENCE_IN_USE, ringfence_pool_destroy(language.pool)); /* its owner table is still there */
  OK(ringfence_owners_destroy(language.owners));

  for (at = 0; at < 2; at++) {
    OK(ringfence_pool_pump(language.pool, NULL));
    toy_finish(language.toy);
  }
  counts.size = sizeof counts;
  OK(ringfence_pool_counts(language.pool, &counts));
  left.size = sizeof left;
  OK(ringfence_pool_shutdown(language.pool, &left));
  OK(ringfence_pool_destroy(language.pool));
  end = toy_count(language.toy);
  printf("%d tasks on %llu streams, %llu hand-overs; %llu handed in by finalizers, full %u times; left: %u streams, %u events, "
         "%u graphs, %u words, %u cells; %u faults\n",
         WORKERS * TASKS, (unsigned long long)counts.created, (unsigned long long)counts.reused, (unsigned long long)handed_in,
         language.full, end.streams, end.events, end.graphs, end.words, end.cells, end.faults);
  CHECK(left.streams_leaked == 0 && left.memory_leaked == 0 && left.memory_live == 0 && counts.memory_leaked == 0);
  CHECK(end.streams == 0 && end.events == 0 && end.graphs == 0 && end.words == 0 && end.cells == 0 && end.commands == 0);
  CHECK(end.faults == 0 && end.released == 1);
  CHECK(counts.created <= STREAMS_AT_MOST && counts.reused > 0);
  toy_close(language.toy);
  pthread_mutex_destroy(&language.lock);
  return 0;
}
