// The signal tracker of a runtime, on the pure ring of Ringfence: the ring decides which signal serves which packet, what to load
// and what to arm; the runtime reserves, publishes, loads, arms and flushes by itself.
#pragma once

#include <ringfence.h>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "clr_gpu.h"

namespace clr {

inline void Ok(ringfence_status_t status) {
  if (status == RINGFENCE_OK) return;
  char text[512];
  ringfence_last_error(text, sizeof text);
  std::fprintf(stderr, "status %d: %s\n", static_cast<int>(status), text);
  std::abort();
}

// A signal that somebody besides the ring looks at: it is not armed again while this is there.
class Hold {
 public:
  Hold() = default;
  Hold(ringfence_hold_t hold, uint64_t signal, ringfence_use_id_t of) : hold_(hold), signal_(signal), of_(of) {}
  Hold(Hold&& other) noexcept : hold_(std::exchange(other.hold_, {})), signal_(other.signal_), of_(other.of_) {}
  Hold& operator=(Hold&& other) noexcept {
    std::swap(hold_, other.hold_);
    std::swap(signal_, other.signal_);
    std::swap(of_, other.of_);
    return *this;
  }
  ~Hold() {
    if (hold_.handle != 0) Ok(ringfence_hold_release(hold_));
  }
  uint64_t signal() const { return signal_; }
  ringfence_use_id_t of() const { return of_; }
  ringfence_hold_t take() { return std::exchange(hold_, {}); }

 private:
  ringfence_hold_t hold_{};
  uint64_t signal_ = 0;
  ringfence_use_id_t of_{};
};

// How a packet is published.
enum class Order { Barrier, Free };
enum class Custody { Ring, Shared };

class RetiringSignalTracker {
 public:
  // Signals armed for one flush (the CLR flushes once for 32 slots).
  static constexpr size_t kBatch = 32;

  RetiringSignalTracker(toy::Device& device, ringfence_watermark_t mark) : device_(device) {
    Ok(ringfence_ring_create(mark, 64, &ring_));
  }
  RetiringSignalTracker(const RetiringSignalTracker&) = delete;
  // The queue is idle by now: what the ring still has is the caller's to destroy.
  ~RetiringSignalTracker() {
    Retire();
    std::vector<uint64_t> signals(State().signals);
    size_t count = 0, given_up = 0;
    Ok(ringfence_ring_destroy(ring_, signals.data(), signals.size(), &count, &given_up));
    if (given_up != 0) std::abort();
    for (size_t at = 0; at < count; at++) device_.DestroySignal(signals[at]);
  }

  // 1, secure: all that can wait, fail or allocate, for `count` packets at once.
  void Secure(size_t count) {
    ringfence_shortage_t shortage;
    for (;;) {
      Ok(ringfence_ring_secure(ring_, kMemory, count, &shortage));
      switch (shortage.kind) {
        case RINGFENCE_SHORT_OF_NOTHING:
          return;
        case RINGFENCE_SHORT_FLUSH:
          Flush();
          break;
        case RINGFENCE_SHORT_GROW:
          for (uint32_t at = 0; at < shortage.count; at++)
            Ok(ringfence_ring_add(ring_, device_.CreateSignal(), kMemory, kMemory));
          break;
        default:
          Confirm(device_.Wait(shortage.signal)); // at its cap: the oldest use
      }
    }
  }
  // 3, bind, after the caller reserved `packet`: cannot fail.
  uint64_t Bind(uint64_t packet, Order order) { return BindAs(packet, order, Custody::Ring).signal; }
  Hold BindShared(uint64_t packet, Order order) {
    ringfence_bound_t bound = BindAs(packet, order, Custody::Shared);
    return Hold(bound.hold, bound.signal, bound.of);
  }
  // The AND packet at `packet` of this stream waits for the held signal: it stays un-armed until that packet is proven.
  void Pin(uint64_t packet, uint64_t own_signal, Hold hold) {
    (void)own_signal;
    ringfence_use_id_t consumer = last_;
    consumer.packet = packet;
    Ok(ringfence_ring_pin(ring_, consumer, RINGFENCE_AWAITS_EACH_IN_ORDER, nullptr, hold.take()));
  }
  // The read index nominates, one load confirms, and everything that follows from it is armed.
  void Reclaim(uint64_t read_index) {
    ringfence_probe_t probe;
    Ok(ringfence_ring_nominate(ring_, read_index, &probe));
    if (probe.signal != 0) Confirm(device_.Load(probe.signal));
    Retire();
  }
  // Waits for one use of this stream.
  void Wait(ringfence_use_id_t of) {
    ringfence_probe_t probe;
    Ok(ringfence_ring_probe_use(ring_, of, &probe));
    if (probe.signal != 0) Confirm(device_.Wait(probe.signal));
    Retire();
  }
  ringfence_use_id_t last() const { return last_; }
  ringfence_ring_state_t State() {
    ringfence_ring_state_t state;
    state.size = sizeof state;
    Ok(ringfence_ring_state(ring_, &state));
    return state;
  }

 private:
  static constexpr ringfence_signal_memory_t kMemory = RINGFENCE_MEMORY_DEVICE;

  ringfence_bound_t BindAs(uint64_t packet, Order order, Custody custody) {
    ringfence_use_t with = {};
    with.no_barrier = order == Order::Free;
    with.lend = custody == Custody::Shared;
    ringfence_bound_t bound;
    Ok(ringfence_ring_bind(ring_, kMemory, packet, &with, &bound));
    last_ = bound.of;
    return bound;
  }
  void Confirm(int64_t value) {
    ringfence_confirmed_t confirmed;
    Ok(ringfence_ring_confirm(ring_, value, &confirmed));
    if (confirmed == RINGFENCE_CONFIRMED_OWN) RetireOne();
    Retire();
  }
  void RetireOne() {
    uint64_t arm;
    Ok(ringfence_ring_retire(ring_, 1, &arm)); // nothing here is timed
    if (arm != 0) Store(arm);
  }
  void Retire() {
    uint64_t arms[kBatch];
    size_t armed;
    do {
      Ok(ringfence_ring_retire_batch(ring_, arms, kBatch, &armed, nullptr));
      for (size_t at = 0; at < armed; at++) Store(arms[at]);
      // Not in between: the ring takes all that it gave out as flushed.
      if (unflushed_ >= kBatch) Flush();
    } while (armed != 0);
    ringfence_finished_t finished;
    for (Ok(ringfence_ring_next_finished(ring_, &finished)); finished.signal != 0;
         Ok(ringfence_ring_next_finished(ring_, &finished)))
      RetireOne();
    for (uint32_t parked = State().parked; parked > 0; parked--) {
      uint64_t arm;
      Ok(ringfence_ring_unpark(ring_, &arm));
      if (arm != 0) Store(arm);
    }
    if (unflushed_ >= kBatch) Flush();
  }
  void Store(uint64_t signal) {
    device_.Arm(signal);
    unflushed_++;
  }
  void Flush() {
    device_.Flush();
    unflushed_ = 0;
    Ok(ringfence_ring_flushed(ring_));
  }

  toy::Device& device_;
  ringfence_ring_t ring_{};
  ringfence_use_id_t last_{};
  size_t unflushed_ = 0;
};

// What it replaces: a ring of signals, each of which is loaded before it is used again. Signals that somebody shares are left out.
class LegacySignalTracker {
 public:
  LegacySignalTracker(toy::Device& device, ringfence_watermark_t) : device_(device) {}
  ~LegacySignalTracker() {
    for (uint64_t signal : ring_) device_.DestroySignal(signal);
    for (uint64_t signal : shared_) device_.DestroySignal(signal);
  }
  void Secure(size_t count) {
    while (ready_.size() < count) {
      if (ring_.size() < 64 || ring_.size() < 2 * count) {
        ring_.push_back(device_.CreateSignal());
        ready_.push_back(ring_.back());
        continue;
      }
      uint64_t signal = ring_[next_++ % ring_.size()];
      device_.Wait(signal); // a read across PCIe for every use
      device_.Arm(signal);
      device_.Flush();
      ready_.push_back(signal);
    }
  }
  uint64_t Bind(uint64_t packet, Order) {
    (void)packet;
    uint64_t signal = ready_.front();
    ready_.erase(ready_.begin());
    last_ = signal;
    return signal;
  }
  // Never used again: the simplest that is sound.
  Hold BindShared(uint64_t, Order) {
    last_ = device_.CreateSignal();
    shared_.push_back(last_);
    return Hold({}, last_, {});
  }
  void Pin(uint64_t, uint64_t, Hold) {}
  void Reclaim(uint64_t) {}
  void Wait(uint64_t signal) { device_.Wait(signal); }
  uint64_t last() const { return last_; }

 private:
  toy::Device& device_;
  std::vector<uint64_t> ring_, ready_, shared_;
  size_t next_ = 0;
  uint64_t last_ = 0;
};

}  // namespace clr
