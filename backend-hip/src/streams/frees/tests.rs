use std::{ptr::NonNull, sync::atomic::AtomicU64};

use super::*;

/// Memory of the test's own, for ever.
#[derive(Debug)]
struct Leaked;

impl Pinned for Leaked {
    fn pinned(&self, bytes: usize, _: DeviceId) -> Result<NonNull<c_void>, DriverError> {
        let words = vec![0_u64; bytes / 8].leak();
        Ok(NonNull::from(words).cast())
    }
}

const GPUS: [DeviceId; 2] = [DeviceId::new(0), DeviceId::new(1)];
const OWNER: RawStream = RawStream::new(0x100);
const READER: RawStream = RawStream::new(0x200);
const BLOCK: RawMemory = RawMemory::new(0x7000);

/// What a stream was told to write, for the test to write when the stream gets there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Write(*mut c_void, u64);

impl Write {
    fn happens(self) {
        // SAFETY: it is an aligned word of memory that is never freed, and is only reached through atomics.
        unsafe { AtomicU64::from_ptr(self.0.cast()) }.store(self.1, Ordering::Release);
    }
}

/// A free of the block on this stream, which is not past it yet.
fn free(frees: &Frees<Leaked>, block: RawMemory, stream: RawStream) -> Write {
    free_on(frees, block, stream, GPUS[0])
}

fn free_on(frees: &Frees<Leaked>, block: RawMemory, stream: RawStream, gpu: DeviceId) -> Write {
    let mut told = None;
    let at = frees.count(stream, gpu, |word, number| {
        told = Some(Write(word, number));
        Ok(())
    });
    frees.remember(block, stream, at.expect("memory"));
    told.expect("it was told")
}

fn follows(frees: &Frees<Leaked>, block: RawMemory, stream: RawStream) -> Option<Write> {
    let what = frees.to_follow(block, stream).expect("a word that is there");
    what.map(|(word, number)| Write(word, number))
}

#[test]
fn a_block_is_followed_until_its_last_free_is_passed() {
    let frees = Frees::new(Leaked);
    let last = free(&frees, BLOCK, READER);
    assert_eq!(follows(&frees, BLOCK, OWNER), Some(last));
    let last = free(&frees, BLOCK, READER);
    last.happens();
    assert_eq!(follows(&frees, BLOCK, OWNER), None);
    free(&frees, BLOCK, READER);
    assert_eq!(follows(&frees, BLOCK, READER), None, "its own order is enough");
}

#[test]
fn the_frees_of_a_stream_that_is_being_destroyed_are_followed() {
    let frees = Frees::new(Leaked);
    let last = free(&frees, BLOCK, READER);
    frees.leave(READER);
    frees.settle(); // as after a destruction that HIP refused
    assert_eq!(follows(&frees, BLOCK, OWNER), Some(last));
}

#[test]
fn a_stream_that_got_the_address_of_another_is_not_that_stream() {
    let frees = Frees::new(Leaked);
    let last = free(&frees, BLOCK, READER);
    frees.leave(READER);
    assert_eq!(follows(&frees, BLOCK, READER), Some(last));
}

#[test]
fn a_word_that_is_still_to_be_written_is_nobodys() {
    let frees = Frees::new(Leaked);
    let last = free(&frees, BLOCK, READER);
    frees.leave(READER);
    let others = free(&frees, RawMemory::new(0x9000), OWNER);
    assert_ne!(others.0, last.0, "the other's frees would count for its own");
    last.happens();
    frees.leave(OWNER);
    frees.settle();
    assert_eq!(follows(&frees, BLOCK, OWNER), None);
    let next = free(&frees, BLOCK, READER);
    assert_eq!(next, Write(last.0, last.1 + 1), "all is written, and it goes on from there");
}

#[test]
fn a_reset_takes_what_was_to_be_passed_and_no_more() {
    let frees = Frees::new(Leaked);
    let (other, left) = (RawStream::new(0x300), RawMemory::new(0x9000));
    let gone = free(&frees, BLOCK, READER);
    let kept = frees.count(READER, GPUS[0], |_, _| Ok(())).expect("memory");
    free(&frees, left, OWNER);
    frees.leave(OWNER);
    let stays = free_on(&frees, RawMemory::new(0xa000), other, GPUS[1]);
    frees.abandon(GPUS[0]);
    assert_eq!(follows(&frees, BLOCK, OWNER), None);
    assert_eq!(follows(&frees, left, READER), None);
    assert!(frees.is_past(kept), "a block that waits for it is nobody's");
    assert_eq!(follows(&frees, RawMemory::new(0xa000), OWNER), Some(stays));
    // The address of the stream comes back, and its new word is a device's.
    let next = free(&frees, BLOCK, READER);
    assert!(next.0 != gone.0 && next.1 == 1, "{next:?}");
}

#[test]
fn the_word_of_a_refused_write_is_for_others_again() {
    let frees = Frees::new(Leaked);
    free(&frees, BLOCK, OWNER).happens();
    let refused = frees.count(OWNER, GPUS[0], |_, _| Err(UNKNOWN_HANDLE));
    assert_eq!(refused, Err(UNKNOWN_HANDLE));
    frees.leave(OWNER);
    frees.settle();
    assert!(frees.known().late.is_empty(), "nobody writes the number that was refused");
}

/// HIP may wait for room on that stream, and for whoever makes it.
#[test]
fn others_go_on_while_a_stream_is_told() {
    let frees = Frees::new(Leaked);
    let told = frees.count(OWNER, GPUS[0], |_, _| {
        free(&frees, BLOCK, READER).happens();
        frees.leave(READER);
        frees.settle();
        Ok(())
    });
    told.expect("nothing is refused");
}
