use std::ptr::NonNull;

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

/// What a stream of the device's would do.
fn write(positions: &Positions<Leaked>, word: WordId, position: u64) {
    positions.word(word).expect("a word").store(position, Ordering::Release);
}

#[test]
fn a_word_with_all_marks_is_given_out_again() {
    let positions = Positions::new(Leaked);
    let word = positions.open(GPUS[0]).expect("memory");
    positions.marked(word, Position::new(3));
    write(&positions, word, 3);
    positions.close(word);
    let again = positions.open(GPUS[0]).expect("memory");
    assert_eq!(again, word);
    assert_eq!(positions.word(again).map(|word| word.load(Ordering::Acquire)), Some(0));
}

#[test]
fn a_word_that_is_still_to_be_written_is_nobodys() {
    let positions = Positions::new(Leaked);
    let word = positions.open(GPUS[0]).expect("memory");
    positions.marked(word, Position::new(2));
    write(&positions, word, 1);
    positions.close(word);
    let other = positions.open(GPUS[0]).expect("memory");
    assert_ne!(other, word, "its stream writes 2 into it later");
    write(&positions, word, 2);
    assert_eq!(positions.open(GPUS[0]).expect("memory"), word, "all is written");
}

#[test]
fn a_new_tenant_has_no_marks() {
    let positions = Positions::new(Leaked);
    let word = positions.open(GPUS[0]).expect("memory");
    positions.marked(word, Position::new(9));
    write(&positions, word, 9);
    positions.close(word);
    let again = positions.open(GPUS[0]).expect("memory");
    positions.close(again);
    assert_eq!(positions.open(GPUS[0]).expect("memory"), word, "it is not late");
}

#[test]
fn words_of_a_reset_device_are_nobodys() {
    let positions = Positions::new(Leaked);
    let [late, open, stays] = [0, 0, 1].map(|gpu| positions.open(GPUS[gpu]).expect("memory"));
    for word in [late, open, stays] {
        positions.marked(word, Position::new(2));
    }
    positions.close(late);
    positions.abandon(GPUS[0]);
    positions.close(open);
    assert!(positions.late.lock().expect("no panic").is_empty(), "they would stay for ever");
    assert!([late, open].iter().all(|&word| positions.address(word).is_none()));
    let next = positions.open(GPUS[0]).expect("memory");
    assert!(next != late && next != open);
    assert!(positions.address(next).is_some() && positions.address(stays).is_some());
}
