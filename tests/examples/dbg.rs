use ringfence_tests::cases;
fn main(){ let c=cases::find(&std::env::args().nth(1).unwrap()).unwrap(); let mut w=(c.open)(); w.run(20000); let a=w.counts(); w.run(32000); let b=w.counts(); println!("{a:#?}\n{b:#?}"); }
