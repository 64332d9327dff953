//! HIP itself, by its own functions.
#![allow(unsafe_code, reason = "HIP's own calls are what is measured")]

use std::{ffi::c_uint, ptr, time::Duration};

use ringfence::ledger::Counts;
use ringfence_hip::{
    Hip,
    sys::{self, Functions, hipError_t, hipEvent_t, hipFunction_t, hipStream_t},
};

use super::{
    column::Profiling,
    empty,
    stack::{Lane, Mark, Reached, Stack},
};
use crate::bench::{gpu::HipGpu, problem::Problem};

/// Two streams and three events of HIP.
pub(super) struct Own {
    hip: Hip,
    kernel: hipFunction_t,
    streams: [hipStream_t; 2],
    events: [hipEvent_t; 3],
}

impl Own {
    pub(super) fn open(gpu: &HipGpu, profiling: Profiling) -> Result<Self, Problem> {
        let hip = gpu.hip();
        let kernel = empty::kernel(hip, gpu.architecture())?;
        let (streams, events) = ([ptr::null_mut(); 2], [ptr::null_mut(); 3]);
        let mut own = Self { hip, kernel, streams, events };
        let functions = own.functions();
        for stream in &mut own.streams {
            let create = functions.hipStreamCreateWithPriority;
            // SAFETY: `stream` is writable.
            let answer = unsafe { create(&raw mut *stream, sys::hipStreamNonBlocking, 0) };
            ok("hipStreamCreateWithPriority", answer)?;
        }
        let timing = match profiling {
            Profiling::On => 0,
            Profiling::Off => sys::hipEventDisableTiming,
        };
        let flags: [c_uint; 3] = [timing, timing, timing | sys::hipEventBlockingSync];
        for (event, flags) in own.events.iter_mut().zip(flags) {
            // SAFETY: `event` is writable.
            let answer = unsafe { (functions.hipEventCreateWithFlags)(&raw mut *event, flags) };
            ok("hipEventCreateWithFlags", answer)?;
        }
        Ok(own)
    }
    fn functions(&self) -> &'static Functions {
        self.hip.functions()
    }
    const fn stream(&self, lane: Lane) -> hipStream_t {
        self.streams[match lane {
            Lane::One => 0,
            Lane::Two => 1,
        }]
    }
    const fn event(&self, event: Mark) -> hipEvent_t {
        self.events[match event {
            Mark::First => 0,
            Mark::Last => 1,
            Mark::Blocking => 2,
        }]
    }
}

pub(super) fn ok(call: &'static str, number: hipError_t) -> Result<(), Problem> {
    match number {
        sys::hipSuccess => Ok(()),
        number => Err(Problem::Call { call, number }),
    }
}

impl Stack for Own {
    fn kernel(&mut self, on: Lane) -> Result<(), Problem> {
        let (function, none) = (self.kernel, ptr::null_mut());
        let launch = self.functions().hipModuleLaunchKernel;
        // SAFETY: the kernel takes no argument, and it and the stream are there.
        let answer = unsafe { launch(function, 1, 1, 1, 1, 1, 1, 0, self.stream(on), none, none) };
        ok("hipModuleLaunchKernel", answer)
    }
    fn record(&mut self, event: Mark, on: Lane) -> Result<(), Problem> {
        let record = self.functions().hipEventRecord;
        // SAFETY: both are there.
        ok("hipEventRecord", unsafe { record(self.event(event), self.stream(on)) })
    }
    fn query(&mut self, event: Mark) -> Result<Reached, Problem> {
        // SAFETY: the event is there.
        match unsafe { (self.functions().hipEventQuery)(self.event(event)) } {
            sys::hipErrorNotReady => Ok(Reached::No),
            answer => ok("hipEventQuery", answer).map(|()| Reached::Yes),
        }
    }
    fn query_stream(&mut self, on: Lane) -> Result<Option<Reached>, Problem> {
        // SAFETY: the stream is there.
        match unsafe { (self.functions().hipStreamQuery)(self.stream(on)) } {
            sys::hipErrorNotReady => Ok(Some(Reached::No)),
            answer => ok("hipStreamQuery", answer).map(|()| Some(Reached::Yes)),
        }
    }
    fn synchronize_event(&mut self, event: Mark) -> Result<(), Problem> {
        let synchronize = self.functions().hipEventSynchronize;
        // SAFETY: the event is there.
        ok("hipEventSynchronize", unsafe { synchronize(self.event(event)) })
    }
    fn elapsed(&mut self) -> Result<Option<Duration>, Problem> {
        let (first, last) = (self.event(Mark::First), self.event(Mark::Last));
        let mut milliseconds = 0.0;
        let elapsed = self.functions().hipEventElapsedTime;
        // SAFETY: both are there, and the number is writable.
        match unsafe { elapsed(&raw mut milliseconds, first, last) } {
            sys::hipErrorInvalidHandle => Ok(None), // events without times
            answer => {
                ok("hipEventElapsedTime", answer)?;
                Ok(Duration::try_from_secs_f32(milliseconds / 1e3).ok())
            }
        }
    }
    fn wait(&mut self, on: Lane, event: Mark) -> Result<(), Problem> {
        let wait = self.functions().hipStreamWaitEvent;
        // SAFETY: both are there.
        ok("hipStreamWaitEvent", unsafe { wait(self.stream(on), self.event(event), 0) })
    }
    fn synchronize_stream(&mut self, on: Lane) -> Result<(), Problem> {
        let synchronize = self.functions().hipStreamSynchronize;
        // SAFETY: the stream is there.
        ok("hipStreamSynchronize", unsafe { synchronize(self.stream(on)) })
    }
    fn synchronize_device(&mut self) -> Result<(), Problem> {
        // SAFETY: no precondition.
        ok("hipDeviceSynchronize", unsafe { (self.functions().hipDeviceSynchronize)() })
    }
    fn counts(&self) -> Option<Counts> {
        None
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        let functions = self.functions();
        for event in self.events.into_iter().filter(|event| !event.is_null()) {
            // SAFETY: it was made here, and is destroyed once.
            let _gone_either_way = unsafe { (functions.hipEventDestroy)(event) };
        }
        for stream in self.streams.into_iter().filter(|stream| !stream.is_null()) {
            // SAFETY: as above.
            let _gone_either_way = unsafe { (functions.hipStreamDestroy)(stream) };
        }
    }
}
