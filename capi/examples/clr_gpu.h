// A toy GPU: one packet processor with a ring, barrier bits, signals in write-combined device memory, and a read index that leads
// completion. Nothing in it knows of Ringfence. It watches its users: a signal that is armed while it is in use, or used before its
// arm was flushed, is a fault, which ends the program: on a GPU a waiter would pass early, or hang.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace toy {

[[noreturn]] inline void Fault(const char* what) {
  std::fprintf(stderr, "fault: %s\n", what);
  std::_Exit(1);
}

struct Packet {
  std::function<void()> work;      // empty: a barrier packet
  bool barrier = true;             // waits for all earlier packets
  uint64_t waits_for = 0;          // BARRIER_AND: a signal that has to be 0
  uint64_t completes = 0;          // a signal to decrement
};

struct Signal {
  std::atomic<int64_t> value{1};
  std::atomic<int> in_use{0};      // packets that will decrement it or look at it
  std::atomic<bool> flushed{true}; // its arm is visible
  std::atomic<uint64_t> ticks{0};
};

// The memory that all queues of the device share: signals, and what is counted.
class Device {
 public:
  static constexpr uint64_t kSignals = 4096;

  uint64_t CreateSignal() {
    std::lock_guard<std::mutex> lock(mutex_);
    live_++;
    if (!free_.empty()) {
      uint64_t signal = free_.back();
      free_.pop_back();
      at(signal).value = 1;
      return signal;
    }
    return ++created_;
  }
  void DestroySignal(uint64_t signal) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (at(signal).in_use != 0) Fault("a signal is destroyed while it is in use");
    live_--;
    free_.push_back(signal);
  }
  unsigned live_signals() {
    std::lock_guard<std::mutex> lock(mutex_);
    return live_;
  }
  // A host load crosses PCIe.
  int64_t Load(uint64_t signal) {
    loads++;
    return at(signal).value.load(std::memory_order_acquire);
  }
  // A plain store through the BAR: it lingers until a flush.
  void Arm(uint64_t signal) {
    if (at(signal).in_use != 0) Fault("a signal is armed while it is in use");
    at(signal).value.store(1, std::memory_order_relaxed);
    at(signal).flushed = false;
    std::lock_guard<std::mutex> lock(mutex_);
    lingering_.push_back(signal);
  }
  void Flush() {
    std::lock_guard<std::mutex> lock(mutex_);
    for (uint64_t signal : lingering_) at(signal).flushed = true;
    lingering_.clear();
    flushes++;
  }
  int64_t Wait(uint64_t signal) {
    int64_t value;
    while ((value = Load(signal)) > 0) {
      std::unique_lock<std::mutex> lock(mutex_);
      completed_.wait(lock, [&] { return at(signal).value.load() <= 0; });
    }
    return value;
  }
  void Complete(uint64_t signal) {
    at(signal).ticks = ++clock_;
    at(signal).in_use--;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      at(signal).value.fetch_sub(1, std::memory_order_release);
    }
    completed_.notify_all();
  }
  Signal& at(uint64_t signal) { return signals_[signal]; }

  std::atomic<unsigned> loads{0}, flushes{0};

 private:
  std::vector<Signal> signals_{kSignals};
  std::vector<uint64_t> free_, lingering_;
  std::mutex mutex_;
  std::condition_variable completed_;
  uint64_t created_ = 0;
  unsigned live_ = 0;
  std::atomic<uint64_t> clock_{0};
};

// One hardware queue, with the thread that is its packet processor.
class Queue {
 public:
  static constexpr uint64_t kSlots = 128;

  Queue(Device& device, uint64_t seed) : device_(device), random_(seed), slots_(kSlots), thread_([this] { Process(); }) {}
  ~Queue() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  // Waits for ring space alone.
  uint64_t Reserve(uint64_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    uint64_t first = write_index_;
    write_index_ += count;
    changed_.wait(lock, [&] { return first + count <= read_index_ + kSlots; });
    return first;
  }
  void Write(uint64_t index, Packet packet) {
    for (uint64_t signal : {packet.completes, packet.waits_for}) {
      if (signal == 0) continue;
      if (!device_.at(signal).flushed) Fault("a packet uses a signal whose arm was not flushed");
      device_.at(signal).in_use++;
    }
    std::lock_guard<std::mutex> lock(mutex_);
    slots_[index % kSlots] = {std::move(packet), index + 1};
  }
  void Doorbell() { changed_.notify_all(); }
  uint64_t read_index() {
    std::lock_guard<std::mutex> lock(mutex_);
    return read_index_;
  }

 private:
  struct Slot {
    Packet packet;
    uint64_t valid = 0; // index + 1 of the packet that is there
  };
  void Process() {
    std::vector<Packet> active;
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      Slot& slot = slots_[read_index_ % kSlots];
      if (slot.valid != read_index_ + 1) {
        lock.unlock();
        CompleteAll(active);
        lock.lock();
        if (slots_[read_index_ % kSlots].valid == read_index_ + 1) continue;
        if (closed_) return;
        changed_.wait(lock);
        continue;
      }
      Packet packet = std::move(slot.packet);
      read_index_++; // leads completion
      lock.unlock();
      changed_.notify_all();
      if (packet.barrier || packet.waits_for != 0) CompleteAll(active);
      if (packet.waits_for != 0) {
        device_.Wait(packet.waits_for);
        device_.loads--; // the processor's own poll, locally
        device_.at(packet.waits_for).in_use--;
        packet.waits_for = 0;
      }
      active.push_back(std::move(packet));
      while (active.size() > 4) CompleteOne(active);
      lock.lock();
    }
  }
  // In any order: without a barrier bit packets overtake each other.
  void CompleteOne(std::vector<Packet>& active) {
    random_ ^= random_ << 13, random_ ^= random_ >> 7, random_ ^= random_ << 17;
    size_t which = random_ % active.size();
    Packet packet = std::move(active[which]);
    active.erase(active.begin() + static_cast<std::ptrdiff_t>(which));
    if (packet.work) packet.work();
    if (packet.completes != 0) device_.Complete(packet.completes);
  }
  void CompleteAll(std::vector<Packet>& active) {
    while (!active.empty()) CompleteOne(active);
  }

  Device& device_;
  uint64_t random_;
  std::vector<Slot> slots_;
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t write_index_ = 0, read_index_ = 0;
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace toy
