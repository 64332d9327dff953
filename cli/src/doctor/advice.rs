//! What one can do about a runtime or a GPU that works, but could work better.

use ringfence_hsa::RuntimeVersion;

use super::diagnosis::Gpu;

/// On a runtime whose version says nothing of extensions: older than ROCr 6.
pub(super) fn on_runtime(version: &RuntimeVersion) -> Option<String> {
    version.extensions.is_none().then(|| {
        "the runtime is older than ROCr 6: it does not report a GPU that is lost, so that a wait for it lasts until its limit; update ROCm where that matters".to_owned()
    })
}
/// On a GPU whose memory the host cannot reach.
pub(super) fn on_gpu(gpu: &Gpu) -> Option<String> {
    (!gpu.large_bar).then(|| {
        format!(
            "{}: the host reaches only a window of its memory, so that signals stay in host memory; turn on resizable BAR and decoding above 4G in the firmware, if the board has them",
            gpu.name
        )
    })
}
