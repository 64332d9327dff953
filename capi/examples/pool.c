/*
 * A pool of streams on a driver of one's own: tasks that come and go, arrays that they hand on, memory that is freed in order, a
 * graph. At the end every stream, event, graph, word and cell of memory is counted back to zero.
 */
#include <string.h>

#include "check.h"
#include "toy_driver.h"

enum { TASKS = 200, LIMIT_S = 10 };
static const uint64_t LIMIT = (uint64_t)LIMIT_S * 1000000000u;

/* An array of the application: memory, its address, and what it remembers. */
struct array {
  ringfence_memory_t memory;
  ringfence_stamp_t stamp;
  uint64_t address;
};
/* What a submission is called with. */
struct work {
  struct toy *toy;
  struct toy_kernel kernel;
};
static ringfence_driver_error_t submit(void *argument, uint64_t stream) {
  const struct work *work = argument;
  ringfence_driver_error_t none = {RINGFENCE_DRIVER_OK, 0};
  toy_launch(work->toy, stream, work->kernel);
  return none;
}
static struct array allocate(ringfence_pool_t pool, ringfence_lease_t lease) {
  struct array array;
  OK(ringfence_pool_allocate(pool, lease, 8, &array.memory));
  OK(ringfence_memory_address(array.memory, &array.address, NULL));
  OK(ringfence_memory_stamp(array.memory, &array.stamp)); /* its first use follows its allocation */
  return array;
}
static void set(struct toy *toy, ringfence_pool_t pool, ringfence_lease_t lease, struct array to, uint64_t value) {
  struct work work = {toy, {to.address, 0, value}};
  ringfence_array_use_t use = {to.stamp, RINGFENCE_ACCESS_WRITE, 0};
  OK(ringfence_pool_submit(pool, lease, &use, 1, submit, &work, NULL));
}
static void mix(struct toy *toy, ringfence_pool_t pool, ringfence_lease_t lease, struct array to, struct array from) {
  struct work work = {toy, {to.address, from.address, 0}};
  ringfence_array_use_t uses[2] = {{to.stamp, RINGFENCE_ACCESS_WRITE, 0}, {from.stamp, RINGFENCE_ACCESS_READ, 0}};
  OK(ringfence_pool_submit(pool, lease, uses, 2, submit, &work, NULL));
}

/* Each task has a stream of its own, mixes its number into what the task before left, and goes. */
static void tasks(struct toy *toy, ringfence_pool_t pool) {
  const ringfence_stream_key_t key = {0, 0, RINGFENCE_PRIORITY_NORMAL, 0, 0};
  ringfence_lease_t first;
  struct array sum;
  uint64_t expected = 0;
  int task, more;
  OK(ringfence_pool_acquire(pool, &key, &first));
  sum = allocate(pool, first);
  set(toy, pool, first, sum, 0);
  OK(ringfence_lease_release(first));
  for (task = 0; task < TASKS; task++) {
    ringfence_lease_t lease;
    struct array own;
    if (task % 8 == 0) toy_pause(toy); /* eight tasks at once */
    OK(ringfence_pool_acquire(pool, &key, &lease));
    own = allocate(pool, lease);
    for (more = task % 8; more < 8; more++) set(toy, pool, lease, own, (uint64_t)task); /* earlier ones have more to do */
    mix(toy, pool, lease, sum, own);
    expected = toy_mix(expected, (uint64_t)task);
    OK(ringfence_pool_retire(pool, own.memory, own.stamp, NULL)); /* freed after its last use, in its order */
    OK(ringfence_lease_release(lease));                           /* no wait, no driver call */
    if (task % 8 == 7) {
      toy_resume(toy);
      OK(ringfence_pool_synchronize(pool, sum.stamp, RINGFENCE_ACCESS_READ, LIMIT)); /* the eight are finished */
      OK(ringfence_pool_pump(pool, NULL));
    }
  }
  CHECK(toy_read(toy, sum.address) == expected);
  OK(ringfence_pool_retire(pool, sum.memory, sum.stamp, NULL));
}

/* What is captured, and what it uses. */
struct recipe {
  struct toy *toy;
  struct array to, from;
};
static int32_t record(void *argument, ringfence_capture_t capture) {
  struct recipe *recipe = argument;
  struct work work = {recipe->toy, {recipe->to.address, recipe->from.address, 0}};
  OK(ringfence_capture_pin(capture, recipe->to.memory));
  OK(ringfence_capture_pin(capture, recipe->from.memory));
  OK(ringfence_capture_submit(capture, submit, &work));
  OK(ringfence_capture_submit(capture, submit, &work));
  return 0;
}
static int32_t refuse(void *argument, ringfence_capture_t capture) {
  *(ringfence_capture_t *)argument = capture;
  return 7;
}
/* A graph keeps its memory: an array that is given up meanwhile is freed when the graph goes, and not before. */
static void graph(struct toy *toy, ringfence_pool_t pool) {
  const ringfence_stream_key_t key = {0, 0, RINGFENCE_PRIORITY_HIGH, 0, 0};
  ringfence_lease_t lease;
  struct recipe recipe;
  ringfence_graph_t made;
  ringfence_capture_t kept;
  ringfence_freed_t became;
  ringfence_array_use_t uses[2];
  uint64_t address;
  OK(ringfence_pool_acquire(pool, &key, &lease));
  recipe.toy = toy;
  recipe.to = allocate(pool, lease);
  recipe.from = allocate(pool, lease);
  address = recipe.to.address;
  set(toy, pool, lease, recipe.to, 1);
  set(toy, pool, lease, recipe.from, 10);
  OK(ringfence_pool_capture(pool, lease, RINGFENCE_CAPTURE_MODE_THREAD_LOCAL, record, &recipe, &made));
  uses[0].stamp = recipe.to.stamp;
  uses[0].access = RINGFENCE_ACCESS_WRITE;
  uses[1].stamp = recipe.from.stamp;
  uses[1].access = RINGFENCE_ACCESS_READ;
  OK(ringfence_pool_launch(pool, lease, made, uses, 2, NULL));
  OK(ringfence_pool_launch(pool, lease, made, uses, 2, NULL));
  OK(ringfence_pool_synchronize(pool, recipe.to.stamp, RINGFENCE_ACCESS_WRITE, LIMIT));
  CHECK(toy_read(toy, address) == toy_mix(toy_mix(toy_mix(toy_mix(1, 10), 10), 10), 10));
  OK(ringfence_pool_retire(pool, recipe.to.memory, recipe.to.stamp, &became));
  CHECK(became == RINGFENCE_FREED_LATER_PINNED);
  OK(ringfence_pool_retire(pool, recipe.from.memory, recipe.from.stamp, NULL));
  OK(ringfence_graph_release(made));
  EXPECT(RINGFENCE_STALE_HANDLE, ringfence_graph_release(made));
  EXPECT(RINGFENCE_GIVEN_UP, ringfence_pool_capture(pool, lease, RINGFENCE_CAPTURE_MODE_THREAD_LOCAL, refuse, &kept, &made));
  EXPECT(RINGFENCE_STALE_HANDLE, ringfence_capture_submit(kept, submit, NULL)); /* of use inside its callback alone */
  OK(ringfence_lease_release(lease));
}

/* Mistakes are answered, with the object and the remedy. */
static void mistakes(struct toy *toy, ringfence_pool_t pool) {
  const ringfence_stream_key_t key = {0, 0, RINGFENCE_PRIORITY_NORMAL, 0, 0};
  ringfence_stream_backend_t table = toy_backend(toy);
  ringfence_lease_t lease, wrong;
  ringfence_pool_t other;
  char text[512];
  OK(ringfence_pool_acquire(pool, &key, &lease));
  OK(ringfence_lease_release(lease));
  EXPECT(RINGFENCE_STALE_HANDLE, ringfence_lease_release(lease));
  wrong.handle = pool.handle;
  EXPECT(RINGFENCE_BAD_HANDLE, ringfence_lease_stream(wrong, NULL));
  table.query = NULL;
  EXPECT(RINGFENCE_INCOMPLETE_TABLE, ringfence_pool_create(&table, NULL, &other));
  CHECK(ringfence_last_error(text, sizeof text) == strlen(text));
  CHECK(strstr(text, "query") != NULL);
  printf("a mistake is answered with: %s\n", text);
}

int main(void) {
  struct toy *toy = toy_open();
  ringfence_stream_backend_t table = toy_backend(toy);
  ringfence_pool_t pool;
  ringfence_pool_counts_t counts;
  ringfence_shut_down_t left;
  struct toy_counts end;
  OK(ringfence_check_abi(RINGFENCE_ABI_VERSION));
  OK(ringfence_pool_create(&table, NULL, &pool));
  tasks(toy, pool);
  graph(toy, pool);
  mistakes(toy, pool);

  /* What was put off is freed by a pump, and that is work as well. */
  toy_finish(toy);
  OK(ringfence_pool_pump(pool, NULL));
  toy_finish(toy);
  counts.size = sizeof counts;
  OK(ringfence_pool_counts(pool, &counts));
  left.size = sizeof left;
  OK(ringfence_pool_shutdown(pool, &left));
  CHECK(left.streams_leaked == 0 && left.memory_leaked == 0 && left.memory_live == 0);
  OK(ringfence_pool_destroy(pool));
  EXPECT(RINGFENCE_STALE_HANDLE, ringfence_pool_pump(pool, NULL));

  end = toy_count(toy);
  printf("%llu leases on %llu streams; left: %u streams, %u events, %u graphs, %u words, %u cells, %u commands; %u faults\n",
         (unsigned long long)counts.leases, (unsigned long long)counts.created, end.streams, end.events, end.graphs, end.words,
         end.cells, end.commands, end.faults);
  CHECK(counts.leases >= TASKS + 2 && counts.reused > 0 && counts.created < TASKS / 4);
  CHECK(end.streams == 0 && end.events == 0 && end.graphs == 0 && end.words == 0 && end.cells == 0 && end.commands == 0);
  CHECK(end.faults == 0 && end.released == 1);
  toy_close(toy);
  return 0;
}
