//! An empty kernel as HIP has it: the library's own keeps its handle to itself.
#![allow(unsafe_code, reason = "HIP's own calls are what is measured")]

use std::{ffi::CString, ptr};

use ringfence_hip::{
    Hip,
    sys::{CompilerFunctions, hipFunction_t, hiprtcProgram},
};

use super::own::ok;
use crate::bench::problem::Problem;

/// Compiles it. It is never unloaded.
pub(super) fn kernel(hip: Hip, architecture: &str) -> Result<hipFunction_t, Problem> {
    let compiler = hip.library().compiler();
    let compiler =
        compiler.ok_or_else(|| Problem::Unmeasured("HIP has no run-time compiler".to_owned()))?;
    let code = compile(compiler, architecture)?;
    let (mut module, mut function) = (ptr::null_mut(), ptr::null_mut());
    let load = hip.functions().hipModuleLoadData;
    // SAFETY: it is code by HIP's own compiler, all of it, and `module` is writable.
    ok("hipModuleLoadData", unsafe { load(&raw mut module, code.as_ptr().cast()) })?;
    let find = hip.functions().hipModuleGetFunction;
    // SAFETY: the module is there, the name ends in 0, and `function` is writable.
    let answer = unsafe { find(&raw mut function, module, c"nothing".as_ptr()) };
    ok("hipModuleGetFunction", answer)?;
    Ok(function)
}

fn compile(compiler: &CompilerFunctions, architecture: &str) -> Result<Vec<u8>, Problem> {
    let mut program: hiprtcProgram = ptr::null_mut();
    let source = c"extern \"C\" __global__ void nothing() {}";
    let (name, none) = (c"nothing.hip".as_ptr(), ptr::null());
    let create = compiler.hiprtcCreateProgram;
    // SAFETY: source and name end in 0, there are no headers, and `program` is writable.
    let answer = unsafe { create(&raw mut program, source.as_ptr(), name, 0, none, none) };
    ok("hiprtcCreateProgram", answer)?;
    let option = CString::new(format!("--offload-arch={architecture}"))
        .map_err(|_| Problem::Unmeasured("an architecture has no 0 in its name".to_owned()))?;
    let options = [option.as_ptr()];
    // SAFETY: the program is there, and there is one option.
    let answer = unsafe { (compiler.hiprtcCompileProgram)(program, 1, options.as_ptr()) };
    ok("hiprtcCompileProgram", answer)?;
    let mut size = 0;
    // SAFETY: the program is compiled, and `size` is writable.
    ok("hiprtcGetCodeSize", unsafe { (compiler.hiprtcGetCodeSize)(program, &raw mut size) })?;
    let mut code = vec![0_u8; size];
    // SAFETY: `code` is so long.
    let answer = unsafe { (compiler.hiprtcGetCode)(program, code.as_mut_ptr().cast()) };
    ok("hiprtcGetCode", answer)?;
    // SAFETY: the program is destroyed once.
    let answer = unsafe { (compiler.hiprtcDestroyProgram)(&raw mut program) };
    ok("hiprtcDestroyProgram", answer)?;
    Ok(code)
}
