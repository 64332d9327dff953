//! Chunks: filled, freed by the watermark, never before.

use super::*;
use crate::{
    id::{Generation, PacketId, QueueId, SignalValue},
    proof::FenceProof,
    watermark::Watermark,
};

fn lane() -> LaneId {
    LaneId::new(QueueId::new(0), Generation::FIRST)
}
fn use_of(packet: u64) -> UseId {
    UseId::new(lane(), PacketId::new(packet))
}
fn ring(chunks: u32, bytes: u64) -> Staging {
    let (chunks, bytes) = (chunks.try_into().unwrap(), bytes.try_into().unwrap());
    Staging::new(lane(), chunks, bytes)
}
fn take(staging: &mut Staging, len: u64, align: u64) -> Staged {
    staging.take(len, align.try_into().unwrap()).expect("it fits into a chunk")
}
fn piece(staged: Staged) -> Piece {
    match staged {
        Staged::Piece(piece) => piece,
        Staged::Full(last) => panic!("full until {last:?}"),
    }
}
fn prove(mark: &Watermark, packet: u64) {
    let fence = FenceProof::assertion(use_of(packet), SignalValue::DONE).expect("done");
    let _proven = mark.raise(fence);
}

#[test]
fn a_chunk_is_used_again_only_once_its_last_packet_is_proven() {
    let mark = Watermark::new(lane());
    let mut staging = ring(2, 100);
    piece(take(&mut staging, 60, 1));
    staging.used_by(use_of(0));
    let second = piece(take(&mut staging, 60, 1));
    assert_eq!(second.chunk.as_u32(), 1);
    staging.used_by(use_of(1));
    assert_eq!(take(&mut staging, 60, 1), Staged::Full(Some(use_of(0))));
    assert_eq!(staging.reclaim(mark.observe()), 0);
    prove(&mark, 0);
    assert_eq!(staging.reclaim(mark.observe()), 1);
    assert_eq!(piece(take(&mut staging, 60, 1)).chunk.as_u32(), 0);
}

#[test]
fn packets_may_be_told_of_in_any_order() {
    let mark = Watermark::new(lane());
    let mut staging = ring(2, 100);
    piece(take(&mut staging, 40, 1));
    piece(take(&mut staging, 40, 1));
    staging.used_by(use_of(11));
    staging.used_by(use_of(10));
    piece(take(&mut staging, 100, 1)); // the other chunk: the first one is full
    prove(&mark, 10);
    assert_eq!(staging.reclaim(mark.observe()), 0, "packet 11 still reads it");
    prove(&mark, 11);
    assert_eq!(staging.reclaim(mark.observe()), 1);
}

#[test]
fn pieces_that_spill_over_are_freed_with_the_packet_that_reads_them() {
    let mark = Watermark::new(lane());
    let mut staging = ring(2, 100);
    piece(take(&mut staging, 80, 1));
    piece(take(&mut staging, 80, 1)); // of the same packet to come
    assert_eq!(take(&mut staging, 80, 1), Staged::Full(None), "no wait would help");
    staging.used_by(use_of(3));
    prove(&mark, 2);
    assert_eq!(staging.reclaim(mark.observe()), 0);
    prove(&mark, 3);
    assert_eq!(staging.reclaim(mark.observe()), 1, "the chunk that is not filled yet stays");
}

#[test]
fn pieces_are_aligned_in_the_whole_memory() {
    let mut staging = ring(2, 100);
    piece(take(&mut staging, 90, 1));
    staging.used_by(use_of(0));
    let aligned = piece(take(&mut staging, 20, 64));
    let place = u64::from(aligned.chunk.as_u32()) * 100 + aligned.offset;
    assert_eq!(place % 64, 0, "{aligned:?}");
}

#[test]
fn more_than_a_chunk_is_an_error() {
    let mut staging = ring(2, 100);
    let error = staging.take(101, 1.try_into().unwrap()).unwrap_err();
    assert_eq!(error, Error::StagingTooLarge { wanted: 101, chunk: 100 });
}

#[test]
#[should_panic(expected = "another queue or generation")]
fn a_packet_of_another_generation_is_refused() {
    let mut staging = ring(1, 100);
    piece(take(&mut staging, 10, 1));
    staging.used_by(UseId::new(lane().restarted(), PacketId::FIRST));
}
