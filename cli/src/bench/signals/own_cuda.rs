//! CUDA itself, by its own functions.
#![allow(unsafe_code, reason = "the driver's own calls are what is measured")]

use std::{ffi::c_uint, ptr, time::Duration};

use ringfence::{id::DeviceId, ledger::Counts};
use ringfence_cuda::{
    Cuda, Function,
    sys::{self, CUevent, CUresult, CUstream, Functions},
};

use super::{
    column::Profiling,
    stack::{Lane, Mark, Reached, Stack},
};
use crate::bench::{gpu::CudaGpu, problem::Problem};

const DEVICE: DeviceId = DeviceId::new(0);

/// Two streams and three events of CUDA.
pub(super) struct OwnCuda {
    cuda: Cuda,
    kernel: Function,
    streams: [CUstream; 2],
    events: [CUevent; 3],
}

impl OwnCuda {
    pub(super) fn open(gpu: &CudaGpu, profiling: Profiling) -> Result<Self, Problem> {
        let (cuda, kernel) = (gpu.cuda(), gpu.kernels().nothing);
        let (streams, events) = ([ptr::null_mut(); 2], [ptr::null_mut(); 3]);
        let mut own = Self { cuda, kernel, streams, events };
        let functions = own.functions();
        let _current = cuda.current(DEVICE)?;
        for stream in &mut own.streams {
            let create = functions.cuStreamCreateWithPriority;
            // SAFETY: `stream` is writable.
            let answer = unsafe { create(&raw mut *stream, sys::CU_STREAM_NON_BLOCKING, 0) };
            ok("cuStreamCreateWithPriority", answer)?;
        }
        let timing = match profiling {
            Profiling::On => sys::CU_EVENT_DEFAULT,
            Profiling::Off => sys::CU_EVENT_DISABLE_TIMING,
        };
        let flags: [c_uint; 3] = [timing, timing, timing | sys::CU_EVENT_BLOCKING_SYNC];
        for (event, flags) in own.events.iter_mut().zip(flags) {
            // SAFETY: `event` is writable.
            ok("cuEventCreate", unsafe { (functions.cuEventCreate)(&raw mut *event, flags) })?;
        }
        Ok(own)
    }
    fn functions(&self) -> &'static Functions {
        self.cuda.functions()
    }
    const fn stream(&self, lane: Lane) -> CUstream {
        self.streams[match lane {
            Lane::One => 0,
            Lane::Two => 1,
        }]
    }
    const fn event(&self, event: Mark) -> CUevent {
        self.events[match event {
            Mark::First => 0,
            Mark::Last => 1,
            Mark::Blocking => 2,
        }]
    }
}

fn ok(call: &'static str, number: CUresult) -> Result<(), Problem> {
    match number {
        sys::CUDA_SUCCESS => Ok(()),
        number => Err(Problem::Call { call, number }),
    }
}
fn reached(call: &'static str, number: CUresult) -> Result<Reached, Problem> {
    match number {
        sys::CUDA_ERROR_NOT_READY => Ok(Reached::No),
        answer => ok(call, answer).map(|()| Reached::Yes),
    }
}

impl Stack for OwnCuda {
    fn kernel(&mut self, on: Lane) -> Result<(), Problem> {
        let function = ptr::with_exposed_provenance_mut(self.kernel.handle() as usize);
        let (none, launch) = (ptr::null_mut(), self.functions().cuLaunchKernel);
        // SAFETY: the kernel takes no argument, and it and the stream are there.
        let answer = unsafe { launch(function, 1, 1, 1, 1, 1, 1, 0, self.stream(on), none, none) };
        ok("cuLaunchKernel", answer)
    }
    fn record(&mut self, event: Mark, on: Lane) -> Result<(), Problem> {
        let record = self.functions().cuEventRecord;
        // SAFETY: both are there.
        ok("cuEventRecord", unsafe { record(self.event(event), self.stream(on)) })
    }
    fn query(&mut self, event: Mark) -> Result<Reached, Problem> {
        // SAFETY: the event is there.
        reached("cuEventQuery", unsafe { (self.functions().cuEventQuery)(self.event(event)) })
    }
    fn query_stream(&mut self, on: Lane) -> Result<Option<Reached>, Problem> {
        // SAFETY: the stream is there.
        let answer = unsafe { (self.functions().cuStreamQuery)(self.stream(on)) };
        reached("cuStreamQuery", answer).map(Some)
    }
    fn synchronize_event(&mut self, event: Mark) -> Result<(), Problem> {
        let synchronize = self.functions().cuEventSynchronize;
        // SAFETY: the event is there.
        ok("cuEventSynchronize", unsafe { synchronize(self.event(event)) })
    }
    fn elapsed(&mut self) -> Result<Option<Duration>, Problem> {
        let (first, last) = (self.event(Mark::First), self.event(Mark::Last));
        let mut milliseconds = 0.0;
        let elapsed = self.functions().cuEventElapsedTime;
        // SAFETY: both are there, and the number is writable.
        match unsafe { elapsed(&raw mut milliseconds, first, last) } {
            sys::CUDA_ERROR_INVALID_HANDLE => Ok(None), // events without times
            answer => {
                ok("cuEventElapsedTime", answer)?;
                Ok(Duration::try_from_secs_f32(milliseconds / 1e3).ok())
            }
        }
    }
    fn wait(&mut self, on: Lane, event: Mark) -> Result<(), Problem> {
        let wait = self.functions().cuStreamWaitEvent;
        // SAFETY: both are there.
        ok("cuStreamWaitEvent", unsafe { wait(self.stream(on), self.event(event), 0) })
    }
    fn synchronize_stream(&mut self, on: Lane) -> Result<(), Problem> {
        let synchronize = self.functions().cuStreamSynchronize;
        // SAFETY: the stream is there.
        ok("cuStreamSynchronize", unsafe { synchronize(self.stream(on)) })
    }
    fn synchronize_device(&mut self) -> Result<(), Problem> {
        Ok(self.cuda.synchronize(DEVICE)?)
    }
    fn counts(&self) -> Option<Counts> {
        None
    }
}

impl Drop for OwnCuda {
    fn drop(&mut self) {
        let functions = self.functions();
        for event in self.events.into_iter().filter(|event| !event.is_null()) {
            // SAFETY: it was made here, and is destroyed once.
            let _gone_either_way = unsafe { (functions.cuEventDestroy)(event) };
        }
        for stream in self.streams.into_iter().filter(|stream| !stream.is_null()) {
            // SAFETY: as above.
            let _gone_either_way = unsafe { (functions.cuStreamDestroy)(stream) };
        }
    }
}
