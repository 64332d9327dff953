use super::*;

const COUNT: NonZeroU32 = NonZeroU32::new(5).expect("not 0");

fn failed(number: i32) -> DriverError {
    DriverError::Other(DriverCode::new(number))
}

#[test]
fn all_are_there_at_once_and_gone_at_the_end() {
    let alive = std::cell::Cell::new(0);
    let mut most = 0;
    let make = || {
        alive.set(alive.get() + 1);
        most = most.max(alive.get());
        Ok(())
    };
    let end = |()| {
        alive.set(alive.get() - 1);
        Ok(())
    };
    assert_eq!(at_once(COUNT, make, end), Ok(()));
    assert_eq!((alive.get(), most), (0, COUNT.get()));
}

#[test]
fn what_was_made_before_a_failure_is_gone() {
    let (mut made, mut ended) = (0, Vec::new());
    let make = || {
        made += 1;
        if made < 4 { Ok(made) } else { Err(failed(made)) }
    };
    let end = |one| {
        ended.push(one);
        Err(failed(100 + one))
    };
    assert_eq!(at_once(COUNT, make, end), Err(failed(4)), "the first error");
    assert_eq!((made, ended), (4, vec![1, 2, 3]));
}

#[test]
fn one_that_cannot_be_ended_keeps_nobody() {
    let (mut made, mut ended) = (0, 0);
    let make = || {
        made += 1;
        Ok(made)
    };
    let end = |one| {
        ended += 1;
        if one == 2 { Err(failed(one)) } else { Ok(()) }
    };
    assert_eq!(at_once(COUNT, make, end), Err(failed(2)));
    assert_eq!(ended, 5);
}
