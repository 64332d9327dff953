use std::sync::Arc;

use super::*;

const GPUS: [DeviceId; 2] = [DeviceId::new(0), DeviceId::new(1)];

/// A runtime whose reset takes memory away: what it gave out is filled with something else then.
#[derive(Clone, Debug, Default)]
struct Resettable(Arc<Mutex<Vec<(DeviceId, Memory)>>>);

#[derive(Debug)]
struct Memory(NonNull<c_void>, usize);
// SAFETY: the memory is never freed, and is only reached through atomics.
unsafe impl Send for Memory {}

const GONE: u64 = 0xdead_beef_dead_beef;

impl Pinned for Resettable {
    fn pinned(&self, bytes: usize, device: DeviceId) -> Result<NonNull<c_void>, DriverError> {
        let at = NonNull::from(vec![0_u64; bytes / 8].leak()).cast();
        self.0.lock().expect("no panic").push((device, Memory(at, bytes / 8)));
        Ok(at)
    }
}

impl Resettable {
    fn each(&self, device: DeviceId, mut act: impl FnMut(&AtomicU64)) {
        for (_, Memory(at, words)) in
            self.0.lock().expect("no panic").iter().filter(|(of, _)| *of == device)
        {
            for index in 0..*words {
                // SAFETY: there are so many words.
                let word = unsafe { at.cast::<u64>().add(index) };
                // SAFETY: the word is aligned, never freed, and only reached through atomics.
                act(unsafe { AtomicU64::from_ptr(word.as_ptr()) });
            }
        }
    }
    fn reset(&self, device: DeviceId) {
        self.each(device, |word| word.store(GONE, Ordering::Relaxed));
    }
    fn was_touched_since(&self, device: DeviceId) -> bool {
        let mut touched = false;
        self.each(device, |word| touched |= word.load(Ordering::Relaxed) != GONE);
        touched
    }
}

fn value(words: &Words<Resettable>, id: WordId) -> u64 {
    words.word(id).expect("it was made").load(Ordering::Acquire)
}

#[test]
fn nothing_of_a_reset_device_is_touched_or_handed_out() {
    let memory = Resettable::default();
    let words = Words::new(memory.clone());
    let (open, given) =
        (words.take(7, GPUS[0]).expect("one"), words.take(8, GPUS[0]).expect("one"));
    words.give(given);
    memory.reset(GPUS[0]);
    words.abandon(GPUS[0]);

    assert_eq!((value(&words, open), value(&words, given)), (0, 0), "the host's own memory");
    assert_eq!((words.address(open), words.address(given)), (None, None), "no device writes it");
    words.word(open).expect("it was made").store(9, Ordering::Release);
    assert_eq!(value(&words, open), 9, "whoever has it may use it");
    words.give(open);
    words.give(open);
    let after: Vec<_> = (0..3 * WORDS).map(|_| words.take(1, GPUS[0]).expect("one")).collect();
    assert!(after.iter().all(|&id| id.place().0 != open.place().0), "its number is nobody's");
    assert!(after.iter().all(|&id| words.address(id).is_some() && value(&words, id) == 1));
    words.abandon(GPUS[0]); // a second reset
    assert!(after.iter().all(|&id| words.address(id).is_none()));
}

#[test]
fn memory_that_went_with_its_device_is_not_written() {
    let memory = Resettable::default();
    let words = Words::new(memory.clone());
    let open = words.take(7, GPUS[0]).expect("one");
    memory.reset(GPUS[0]);
    words.abandon(GPUS[0]);
    words.word(open).expect("it was made").store(9, Ordering::Release);
    words.give(open);
    assert!(!memory.was_touched_since(GPUS[0]));
}

#[test]
fn the_words_of_other_devices_stay_what_they_are() {
    let memory = Resettable::default();
    let words = Words::new(memory.clone());
    let [first, second] = GPUS.map(|gpu| words.take(5, gpu).expect("one"));
    assert_ne!(first.place().0, second.place().0, "each in a slab of its device's");
    let before = words.address(second);
    memory.reset(GPUS[0]);
    words.abandon(GPUS[0]);
    assert_eq!((value(&words, second), words.address(second)), (5, before));
    words.give(second);
    assert_eq!(words.take_as_it_is(GPUS[1]), Ok(second));
}
