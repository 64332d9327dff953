mod corpus;
mod faults;
mod generate;
mod round_trip;
mod running;
