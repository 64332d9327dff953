//! What is true of one stream: what its word proves, what has to be asked, and who gets it next.

use super::*;
use crate::stream::tenancy::Health;

/// So much counted, so much of that marked, and so much of that seen finished.
fn tenancy(counted: u32, marked: u32, finished: u32) -> Tenancy {
    let mut tenancy = Tenancy::new();
    let at = |count: u32| (0..count).fold(Position::START, |at, _| at.next());
    for _ in 0..counted {
        let _position = tenancy.count();
    }
    (tenancy.marked, tenancy.finished) = (at(marked), at(finished));
    tenancy
}

#[test]
fn what_proves_it_idle_without_a_question_is_all_of_this() {
    assert_eq!(tenancy(2, 2, 2).proven(), Some(tenancy(2, 2, 2).counted));
    assert_eq!(tenancy(0, 0, 0).proven(), Some(Position::START));
    let spoilt: [fn(&mut Tenancy); 5] = [
        |one| {
            let _position = one.count();
        },
        |one| one.handle = Handle::Exposed,
        |one| one.health = Health::Doubted,
        |one| one.captures = Captures::Over,
        |one| one.close(Closed::Trimmed),
    ];
    for (which, spoil) in spoilt.into_iter().enumerate() {
        let mut one = tenancy(2, 2, 2);
        spoil(&mut one);
        assert_eq!(one.proven(), None, "spoilt by {which}");
    }
    // Beyond what was counted nothing can be seen; as much is enough.
    assert_eq!(tenancy(1, 1, 2).proven(), Some(tenancy(1, 1, 1).counted));
}

#[test]
fn a_word_is_read_where_it_speaks_of_all_work_and_the_driver_asked_elsewhere() {
    let at = |one: &Tenancy| one.counted;
    let done = tenancy(2, 2, 2);
    assert_eq!(done.idleness(true), Idleness::Proven(at(&done)));
    assert_eq!(done.idleness(false), Idleness::Proven(at(&done)));
    assert_eq!(tenancy(2, 2, 1).idleness(true), Idleness::Word);
    assert_eq!(tenancy(2, 1, 1).idleness(true), Idleness::Mark);
    assert_eq!(tenancy(2, 2, 1).idleness(false), Idleness::Query);
    assert_eq!(tenancy(2, 1, 1).idleness(false), Idleness::Query);
    let void: [fn(&mut Tenancy); 3] = [
        |one| one.handle = Handle::Exposed,
        |one| one.health = Health::Doubted,
        |one| one.captures = Captures::Over,
    ];
    for (which, spoil) in void.into_iter().enumerate() {
        let mut one = tenancy(2, 2, 2);
        assert!(one.word_counts());
        spoil(&mut one);
        assert!(!one.word_counts(), "void by {which}");
        assert_eq!(one.idleness(true), Idleness::Query, "void by {which}");
    }
}

#[test]
fn what_was_seen_never_goes_back_and_idle_is_all_of_it() {
    let mut one = tenancy(3, 1, 0);
    one.saw(tenancy(2, 0, 0).counted);
    one.saw(tenancy(1, 0, 0).counted);
    assert_eq!(one.finished, tenancy(2, 0, 0).counted);
    assert!(one.covers(tenancy(2, 0, 0).counted) && !one.covers(one.counted));
    one.saw_idle();
    assert!(one.covers(one.counted));
    assert_eq!(one.marked, one.counted, "a mark would say nothing new");
}

#[test]
fn the_next_owner_begins_with_nothing_of_the_one_before() {
    let mut one = tenancy(2, 2, 2);
    one.handle = Handle::Exposed;
    one.health = Health::Doubted;
    one.captures = Captures::Over;
    let before = one.generation;
    assert_eq!(one.hand_on(one.counted), Ok(before.next()));
    assert_eq!(
        (one.handle, one.health, one.captures),
        (Handle::Kept, Health::Sound, Captures::Never)
    );
    assert_eq!(one.counted, tenancy(2, 0, 0).counted, "positions go on");
}

#[test]
fn the_first_cause_stays_but_a_handle_that_is_lost_is_worse_than_any() {
    let mut one = tenancy(0, 0, 0);
    one.close(Closed::Trimmed);
    one.close(Closed::Bad);
    assert_eq!(one.standing, Standing::Closed(Closed::Trimmed));
    assert_eq!(one.hand_on(one.counted), Err(Why::Closed(Closed::Trimmed)));
    one.lose_handle(Closed::Reset);
    assert_eq!(one.standing, Standing::Closed(Closed::Reset));
}

#[test]
fn what_a_capture_left_unusable_is_not_waited_for_as_what_was_only_let_go_of() {
    for before in [None, Some(Closed::Trimmed), Some(Closed::Reserved)] {
        let mut one = tenancy(0, 0, 0);
        before.into_iter().for_each(|cause| one.close(cause));
        one.close_for_capture();
        assert_eq!(one.standing, Standing::Closed(Closed::Capture), "{before:?}");
    }
    for dead in [Closed::Bad, Closed::Lost, Closed::Disowned, Closed::Reset] {
        let mut one = tenancy(0, 0, 0);
        one.lose_handle(dead);
        one.close_for_capture();
        assert_eq!(one.standing, Standing::Closed(dead));
    }
}
