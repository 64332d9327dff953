//! What a rule says, for failure reports.

use crate::oracle::Rule;

/// The rule called `name`, as in `S9`.
pub(super) fn named(name: &str) -> Option<Rule> {
    Rule::ALL.iter().copied().find(|rule| rule.name() == name)
}

/// What the rule says, in one sentence.
pub(super) fn sentence(rule: Rule) -> &'static str {
    match rule {
        Rule::S1 => {
            "a signal is armed only when its last use is proven, its timing is taken, nobody else holds it and no \
     GPU waiter on it is unconsumed"
        }
        Rule::S2 => {
            "a fence use proves only earlier packets of its own hardware queue and generation, and only once its \
     value was seen at 0"
        }
        Rule::S3 => {
            "the read index nominates a fence to load; it is never evidence of completion, nor of pending work"
        }
        Rule::S4 => {
            "a generation belongs to a queue's index space: a fence of another queue or generation proves nothing"
        }
        Rule::S5 => {
            "a copy is never proven by a compute queue's fence, unless a proven packet waited for exactly its signal"
        }
        Rule::S6 => {
            "a busy oldest use never hides younger proven ones, and never blocks submission while the ring may grow"
        }
        Rule::S7 => {
            "a value below 0 is an over-decrement: an error with the use's name, and the signal is quarantined"
        }
        Rule::S8 => {
            "a submission that fails half way waits for its issued parts or quarantines the signal; it never resets \
     it early"
        }
        Rule::S9 => {
            "a dependency stays un-armed until the packet that consumes it is proven complete"
        }
        Rule::S10 => {
            "order of publication: arm, store fence, HDP flush, packet, doorbell; one flush serves a batch"
        }
        Rule::S11 => {
            "nothing waits or allocates while a packet index is reserved, and a reserved index is always published"
        }
        Rule::S12 => {
            "a waiter takes a snapshot of an event: recording the event again leaves old waiters untouched"
        }
        Rule::S13 => {
            "no lock is held during a host wait, and nothing is destroyed on a callback thread"
        }
        Rule::S14 => {
            "the ring grows up to its cap before it waits, and answers exhaustion with an error, never with a wait"
        }
        Rule::S15 => "a steady loop creates no signal and allocates nothing",
        Rule::S16 => {
            "timing is taken once, before the signal is armed again, and only `end >= start > 0` makes an interval"
        }
        Rule::S17 => {
            "when a device is lost every pending wait ends in an error, and nothing is proven by the loss"
        }
        Rule::S18 => {
            "a completion forced by a timeout is an error, retires nothing and quarantines the signal"
        }
        Rule::S19 => "an event that was proven once is answered without any load",
        Rule::S20 => {
            "whatever is submitted and finishes is retired after a bounded number of calls"
        }
        Rule::S21 => {
            "a host wait that promises data is satisfied only by a system-scope release at or after the work"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_rules_are_exact() {
        assert_eq!(named("S21"), Some(Rule::S21));
        for wrong in ["S0", "S22", "s3", "S03", "3", "S", "T1"] {
            assert_eq!(named(wrong), None, "{wrong}");
        }
    }
    #[test]
    fn every_rule_has_a_sentence_of_its_own() {
        let mut sentences: Vec<_> = Rule::ALL.iter().map(|&rule| sentence(rule)).collect();
        sentences.sort_unstable();
        sentences.dedup();
        assert_eq!(sentences.len(), Rule::ALL.len());
    }
}
