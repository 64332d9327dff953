//! Misuse that does not compile, each beside the same thing done right: where the right one stops compiling, the wrong one fails for
//! another reason, and shows nothing.
//!
//! # A proof is made only where it is true
//!
//! ```
//! use ringfence::{id::UseId, proof::{Proof, Proven}};
//! fn prove(seen: Proven, of: UseId) -> Option<Proof> { seen.prove(of) }
//! ```
//! ```compile_fail,E0451
//! use ringfence::{id::UseId, proof::{Grounds, Proof, Proven}};
//! fn prove(_seen: Proven, of: UseId) -> Option<Proof> { Some(Proof { of, grounds: Grounds::Drained }) }
//! ```
//!
//! # A proof serves once
//!
//! ```
//! use ringfence::proof::{Harvest, Proof, Retired};
//! fn twice(proof: Proof, other: Proof) -> [Retired; 2] {
//!     [proof.harvest(Harvest::NOT_WANTED), other.harvest(Harvest::NOT_WANTED)]
//! }
//! ```
//! ```compile_fail,E0382
//! use ringfence::proof::{Harvest, Proof, Retired};
//! fn twice(proof: Proof, _other: Proof) -> [Retired; 2] {
//!     [proof.harvest(Harvest::NOT_WANTED), proof.harvest(Harvest::NOT_WANTED)]
//! }
//! ```
//!
//! # A signal is armed with its timing taken, and held by nobody else
//!
//! ```
//! use ringfence::{id::UseId, proof::{Harvest, Proof}, ring::{Arm, Custody}};
//! fn arm(signal: &mut Custody, last: UseId, proof: Proof) -> Option<Arm> {
//!     Some(signal.sole()?.arm(last, proof.harvest(Harvest::NOT_WANTED)))
//! }
//! ```
//! ```compile_fail,E0308
//! use ringfence::{id::UseId, proof::{Harvest, Proof}, ring::{Arm, Custody}};
//! fn arm(signal: &mut Custody, last: UseId, proof: Proof) -> Option<Arm> {
//!     Some(signal.sole()?.arm(last, proof))
//! }
//! ```
//! ```compile_fail,E0599
//! use ringfence::{id::UseId, proof::{Harvest, Proof}, ring::{Arm, Custody}};
//! fn arm(signal: &mut Custody, last: UseId, proof: Proof) -> Option<Arm> {
//!     Some(signal.arm(last, proof.harvest(Harvest::NOT_WANTED)))
//! }
//! ```
//!
//! # A fence proof is what a ring confirmed
//!
//! ```
//! use ringfence::{proof::Proven, ring::Confirmed, watermark::Watermark};
//! fn raise(mark: &Watermark, seen: Confirmed) -> Option<Proven> {
//!     match seen { Confirmed::Fence(proof) => Some(mark.raise(proof)), _ => None }
//! }
//! ```
//! ```compile_fail,E0308
//! use ringfence::{proof::Proven, ring::Confirmed, watermark::Watermark};
//! fn raise(mark: &Watermark, seen: Confirmed) -> Option<Proven> {
//!     match seen { Confirmed::Own(finished) => Some(mark.raise(finished)), _ => None }
//! }
//! ```
//!
//! # One signal is secured at a time, and bound once
//!
//! ```
//! use ringfence::{backend::SignalMemory, id::{PacketId, UseId}, ring::{Ring, Use}};
//! fn bind(ring: &mut Ring, with: Use) -> Option<[UseId; 2]> {
//!     let first = ring.secure(SignalMemory::Host).ok()?.bind(PacketId::new(0), with, None);
//!     let second = ring.secure(SignalMemory::Host).ok()?.bind(PacketId::new(1), with, None);
//!     Some([first, second])
//! }
//! ```
//! ```compile_fail,E0499
//! use ringfence::{backend::SignalMemory, id::{PacketId, UseId}, ring::{Ring, Use}};
//! fn bind(ring: &mut Ring, with: Use) -> Option<[UseId; 2]> {
//!     let (first, second) = (ring.secure(SignalMemory::Host).ok()?, ring.secure(SignalMemory::Host).ok()?);
//!     Some([first.bind(PacketId::new(0), with, None), second.bind(PacketId::new(1), with, None)])
//! }
//! ```
//!
//! # A tracker is one thread's at a time
//!
//! ```
//! use ringfence::{backend::*, drive::Tracker};
//! fn move_it<D: Device + Send, Q: PacketQueue + Send>(tracker: Tracker<D, Q>) where D: 'static, Q: 'static {
//!     std::thread::spawn(move || drop(tracker));
//! }
//! ```
//! ```compile_fail,E0596
//! use ringfence::{backend::*, drive::{Submission, Tracker}};
//! fn share<D: Device, Q: PacketQueue>(tracker: &Tracker<D, Q>, work: Q::Work) {
//!     let _of = tracker.submit(Submission::kernel(work));
//! }
//! ```
//!
//! # A lease is one task's: not cloned, and over when it is dropped
//!
//! ```
//! use ringfence::{backend::streams::*, drive::StreamPool, stream::Lease};
//! fn last_work<B: StreamBackend + StreamWork>(pool: &StreamPool<B>, mut lease: Lease, work: B::Work) {
//!     let _touch = pool.submit(&mut lease, work);
//!     drop(lease);
//! }
//! ```
//! ```compile_fail,E0382
//! use ringfence::{backend::streams::*, drive::StreamPool, stream::Lease};
//! fn last_work<B: StreamBackend + StreamWork>(pool: &StreamPool<B>, mut lease: Lease, work: B::Work) {
//!     drop(lease);
//!     let _touch = pool.submit(&mut lease, work);
//! }
//! ```
//! ```compile_fail,E0599
//! use ringfence::stream::Lease;
//! fn two(lease: Lease) -> [Lease; 2] { [lease.clone(), lease] }
//! ```
//! ```compile_fail,E0308
//! use ringfence::{backend::streams::*, drive::StreamPool, stream::Lease};
//! fn last_work<B: StreamBackend + StreamWork>(pool: &StreamPool<B>, lease: &Lease, work: B::Work) {
//!     let _touch = pool.submit(lease, work);
//! }
//! ```
//!
//! # Memory is given up once
//!
//! ```
//! use ringfence::{backend::streams::*, drive::StreamPool, stream::{Allocation, Stamp}};
//! fn free<B: StreamBackend>(pool: &StreamPool<B>, memory: Allocation, used: Stamp) {
//!     let _when = pool.retire(memory, used);
//! }
//! ```
//! ```compile_fail,E0382
//! use ringfence::{backend::streams::*, drive::StreamPool, stream::{Allocation, Stamp}};
//! fn free<B: StreamBackend>(pool: &StreamPool<B>, memory: Allocation, used: Stamp) {
//!     let _when = pool.retire(memory, used.clone());
//!     let _again = pool.retire(memory, used);
//! }
//! ```
//!
//! # A capture stays on its thread
//!
//! ```
//! use ringfence::{backend::streams::*, drive::CaptureScope};
//! fn record<B: StreamBackend + StreamWork>(scope: &mut CaptureScope<'_, B>, work: B::Work) {
//!     let _recorded = scope.submit(work);
//! }
//! ```
//! ```compile_fail,E0277
//! use ringfence::{backend::streams::*, drive::CaptureScope};
//! fn record<B>(scope: &mut CaptureScope<'_, B>, work: B::Work)
//! where B: StreamBackend + StreamWork + Sync, B::Work: Send {
//!     std::thread::scope(|threads| { threads.spawn(|| { let _recorded = scope.submit(work); }); });
//! }
//! ```
//!
//! # Numbers of different things are different types
//!
//! ```
//! use ringfence::id::{LaneId, PacketId, UseId};
//! fn name(lane: LaneId, packet: PacketId) -> UseId { UseId::new(lane, packet) }
//! ```
//! ```compile_fail,E0308
//! use ringfence::id::{LaneId, PacketId, Position, UseId};
//! fn name(lane: LaneId, packet: Position) -> UseId { UseId::new(lane, packet) }
//! ```
//!
//! # What came of it is looked at
//!
//! ```
//! #![deny(unused_must_use)]
//! use ringfence::{backend::streams::*, drive::StreamPool, stream::{Allocation, Stamp}};
//! fn free<B: StreamBackend>(pool: &StreamPool<B>, memory: Allocation, used: Stamp) {
//!     let _when = pool.retire(memory, used);
//! }
//! ```
//! ```compile_fail
//! #![deny(unused_must_use)]
//! use ringfence::{backend::streams::*, drive::StreamPool, stream::{Allocation, Stamp}};
//! fn free<B: StreamBackend>(pool: &StreamPool<B>, memory: Allocation, used: Stamp) {
//!     pool.retire(memory, used);
//! }
//! ```
