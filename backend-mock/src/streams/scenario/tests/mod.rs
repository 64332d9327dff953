mod faults;
mod generate;
mod round_trip;
mod running;
