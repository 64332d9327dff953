//! Processors, and the runtime's version.

use crate::{
    api::{AgentHandle, AgentKind, Api},
    error::HsaError,
    sys::hsa_system_info_t,
};

/// What version a runtime says it is.
///
/// ```no_run
/// use ringfence_hsa::Runtime;
/// # fn says_more(runtime: &Runtime) -> bool {
/// let version = runtime.version();
/// println!("HSA {}.{}", version.interface[0], version.interface[1]);
/// let is_new = version.extensions.is_some(); // older ones do not say
/// # is_new }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuntimeVersion {
    /// Of the HSA interface: major, minor.
    pub interface: [u16; 2],
    /// Of AMD's extensions, where the runtime says (ROCr 6 and newer).
    pub extensions: Option<[u16; 2]>,
    /// What it calls its build, where it says.
    pub build: Option<&'static str>,
}

/// A processor that the runtime knows.
#[derive(Clone, Debug)]
pub struct Agent {
    handle: AgentHandle,
    kind: AgentKind,
    name: String,
    product: String,
}

impl Agent {
    /// What it is.
    #[must_use]
    pub fn kind(&self) -> AgentKind {
        self.kind
    }

    /// As the runtime names it: a GPU by its instruction set, such as gfx942.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its name for people.
    #[must_use]
    pub fn product(&self) -> &str {
        &self.product
    }

    pub(crate) fn handle(&self) -> AgentHandle {
        self.handle
    }

    /// All that the runtime knows.
    pub(crate) fn all(api: Api) -> Result<Vec<Self>, HsaError> {
        let look = |handle| {
            Ok(Self {
                handle,
                kind: api.kind(handle)?,
                name: api.agent_name(handle)?,
                product: api.agent_product(handle)?,
            })
        };
        api.agents()?.into_iter().map(look).collect()
    }
}

impl RuntimeVersion {
    pub(crate) fn of(api: Api) -> Result<Self, HsaError> {
        let interface = [
            hsa_system_info_t::HSA_SYSTEM_INFO_VERSION_MAJOR,
            hsa_system_info_t::HSA_SYSTEM_INFO_VERSION_MINOR,
        ];
        let extensions = [
            hsa_system_info_t::HSA_AMD_SYSTEM_INFO_EXT_VERSION_MAJOR,
            hsa_system_info_t::HSA_AMD_SYSTEM_INFO_EXT_VERSION_MINOR,
        ];
        Ok(Self {
            interface: api.version(interface)?,
            extensions: api.version(extensions).ok(),
            build: api.build(),
        })
    }
}
