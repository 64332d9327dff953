mod faults;
mod generate;
mod random;
mod round_trip;
mod running;
