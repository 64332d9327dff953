//! The counts are seen to fail: each of these tests does, with its fault planted.

use ringfence::plant::{Fault, with};

use crate::{batches, events, order};

fn assert_caught(fault: Fault, test: fn()) {
    let caught = std::panic::catch_unwind(|| with(fault, test));
    assert!(caught.is_err(), "{} passes unnoticed", fault.name());
}

#[test]
fn a_missing_flush_is_caught() {
    assert_caught(Fault::NoFlush, batches::one_load_retires_a_batch_and_one_flush_readies_it);
}

#[test]
fn a_load_of_a_proven_event_is_caught() {
    assert_caught(
        Fault::ReloadProven,
        events::a_query_proves_what_came_before_and_the_next_costs_nothing,
    );
}

#[test]
fn a_wait_while_an_index_is_reserved_is_caught() {
    assert_caught(
        Fault::WaitWhileReserved,
        order::nothing_waits_or_is_created_while_an_index_is_reserved,
    );
}
