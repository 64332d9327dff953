// A small runtime in the manner of AMD's CLR, whose signal tracker is replaced by one on Ringfence's pure ring. It publishes its
// packets by itself, one by one and by bulk reservation, waits across queues on the device, and has a handler thread of its own. The
// same work runs with the tracker that loads every signal, to compare: same results, and a fraction of the reads of device memory.

#include <deque>
#include <memory>

#include "clr_tracker.h"

namespace clr {

#define CHECK(condition)                                                                      \
  do {                                                                                        \
    if (!(condition)) {                                                                       \
      std::fprintf(stderr, "%s:%d: %s is false\n", __FILE__, __LINE__, #condition);           \
      std::exit(1);                                                                           \
    }                                                                                         \
  } while (0)

// The runtime's own handler thread: waits for a signal, calls back, and only then lets go of the signal. Nothing is destroyed here.
class HandlerThread {
 public:
  explicit HandlerThread(toy::Device& device) : device_(device), thread_([this] { Run(); }) {}
  ~HandlerThread() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  void Watch(Hold hold, std::function<void()> callback) {
    std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back({std::move(hold), std::move(callback)});
    changed_.notify_all();
  }

 private:
  struct Entry {
    Hold hold;
    std::function<void()> callback;
  };
  void Run() {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      Entry entry = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      device_.Wait(entry.hold.signal());
      device_.loads--; // woken by an interrupt, in truth
      entry.callback();
    }
  }
  toy::Device& device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> waiting_;
  bool closed_ = false;
  std::thread thread_;
};

// One stream on one hardware queue.
template <class Tracker>
class VirtualGpu {
 public:
  VirtualGpu(toy::Device& device, toy::Queue& queue, ringfence_watermark_t mark) : queue_(queue), tracker_(device, mark) {}

  void Dispatch(std::function<void()> work, Order order) {
    tracker_.Secure(1);
    uint64_t index = queue_.Reserve(1);
    Publish(index, std::move(work), order, tracker_.Bind(index, order));
    queue_.Doorbell();
    if (++since_reclaim_ >= 32) Reclaim();
  }
  // A graph: one reservation and one doorbell for all of its packets, which are secured before an index is taken.
  void DispatchGraph(const std::vector<std::function<void()>>& nodes) {
    tracker_.Secure(nodes.size());
    uint64_t first = queue_.Reserve(nodes.size());
    for (size_t at = 0; at < nodes.size(); at++) {
      Order order = at == 0 ? Order::Barrier : Order::Free;
      Publish(first + at, nodes[at], order, tracker_.Bind(first + at, order));
    }
    queue_.Doorbell();
    Reclaim();
  }
  // A marker whose signal others look at: a handler, or another queue.
  Hold Marker() {
    tracker_.Secure(1);
    uint64_t index = queue_.Reserve(1);
    Hold hold = tracker_.BindShared(index, Order::Barrier);
    Publish(index, {}, Order::Barrier, hold.signal());
    queue_.Doorbell();
    return hold;
  }
  // Later packets wait on the device for what `hold` stands for.
  void WaitFor(Hold hold) {
    tracker_.Secure(1);
    uint64_t index = queue_.Reserve(1);
    uint64_t own = tracker_.Bind(index, Order::Barrier);
    toy::Packet packet;
    packet.waits_for = hold.signal();
    packet.completes = own;
    tracker_.Pin(index, own, std::move(hold));
    queue_.Write(index, std::move(packet));
    queue_.Doorbell();
  }
  void Finish() {
    Dispatch({}, Order::Barrier);
    tracker_.Wait(tracker_.last());
  }
  Tracker& tracker() { return tracker_; }

 private:
  void Publish(uint64_t index, std::function<void()> work, Order order, uint64_t signal) {
    toy::Packet packet;
    packet.work = std::move(work);
    packet.barrier = order == Order::Barrier;
    packet.completes = signal;
    queue_.Write(index, std::move(packet));
  }
  void Reclaim() {
    tracker_.Reclaim(queue_.read_index());
    since_reclaim_ = 0;
  }
  toy::Queue& queue_;
  Tracker tracker_;
  unsigned since_reclaim_ = 0;
};

struct Outcome {
  uint64_t sum = 0, seen = 0;
  unsigned handled = 0, loads = 0, flushes = 0, signals_left = 0;
};

constexpr unsigned kRounds = 60, kKernels = 40, kNodes = 48, kHeldUp = 300;

template <class Tracker>
Outcome Run(uint32_t queues_from) {
  Outcome outcome;
  toy::Device device;
  std::atomic<uint64_t> sum{0};
  uint64_t seen = 0;
  std::atomic<unsigned> handled{0};
  ringfence_watermark_t marks[2];
  for (uint32_t at = 0; at < 2; at++) Ok(ringfence_watermark_create(queues_from + at, 0, &marks[at]));
  {
    toy::Queue first(device, 0x9E3779B97F4A7C15), second(device, 0xD1B54A32D192ED03);
    VirtualGpu<Tracker> producer(device, first, marks[0]), consumer(device, second, marks[1]);
    {
      HandlerThread handlers(device);
      for (unsigned round = 0; round < kRounds; round++) {
        for (unsigned kernel = 0; kernel < kKernels; kernel++)
          producer.Dispatch([&] { sum++; }, kernel % 4 == 0 ? Order::Barrier : Order::Free);
        producer.DispatchGraph(std::vector<std::function<void()>>(kNodes, [&] { sum++; }));
        handlers.Watch(producer.Marker(), [&] { handled++; });
        consumer.WaitFor(producer.Marker());
        // Runs after everything above, on the other queue.
        uint64_t at_least = uint64_t{round + 1} * (kKernels + kNodes);
        consumer.Dispatch([&seen, &sum, at_least] { seen += sum >= at_least; }, Order::Barrier);
        if (round % 8 == 7) producer.Finish();
      }
      // The consumer's queue is held up, while the producer goes on for several rings: what the consumer still has to see stays
      // as it is, though it was finished long ago.
      std::atomic<bool> gate{false};
      consumer.Dispatch([&gate] { while (!gate) std::this_thread::yield(); }, Order::Barrier);
      consumer.WaitFor(producer.Marker());
      for (unsigned kernel = 0; kernel < kHeldUp; kernel++) producer.Dispatch([&] { sum++; }, Order::Barrier);
      producer.Finish();
      gate = true;
      consumer.Finish();
    } // the handler thread has called everybody back, and let go of its signals
    outcome.loads = device.loads;
    outcome.flushes = device.flushes;
  }
  outcome.sum = sum;
  outcome.seen = seen;
  outcome.handled = handled;
  outcome.signals_left = device.live_signals();
  for (ringfence_watermark_t mark : marks) Ok(ringfence_watermark_destroy(mark));
  return outcome;
}

void Print(const char* name, const Outcome& outcome) {
  std::printf("%-8s sum %llu, seen %llu, handled %u, device reads %u, flushes %u, signals left %u\n", name,
              static_cast<unsigned long long>(outcome.sum), static_cast<unsigned long long>(outcome.seen), outcome.handled,
              outcome.loads, outcome.flushes, outcome.signals_left);
}

}  // namespace clr

int main() {
  clr::Ok(ringfence_check_abi(RINGFENCE_ABI_VERSION));
  clr::Outcome legacy = clr::Run<clr::LegacySignalTracker>(0);
  clr::Outcome retiring = clr::Run<clr::RetiringSignalTracker>(2);
  clr::Print("legacy", legacy);
  clr::Print("retiring", retiring);
  for (const clr::Outcome& outcome : {legacy, retiring}) {
    CHECK(outcome.sum == uint64_t{clr::kRounds} * (clr::kKernels + clr::kNodes) + clr::kHeldUp);
    CHECK(outcome.seen == clr::kRounds && outcome.handled == clr::kRounds);
    CHECK(outcome.signals_left == 0);
  }
  // A read for every use, against a fraction of one.
  CHECK(legacy.loads > legacy.sum / 2);
  CHECK(retiring.loads * 4 < legacy.loads && retiring.flushes * 4 < legacy.flushes);
  return 0;
}
