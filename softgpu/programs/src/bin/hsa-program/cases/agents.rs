//! What the machine has.

use ringfence_softgpu_programs::{
    case::setting,
    hsa::{Kind, Runtime, Use, World, sys},
};

/// Names, pools, instruction set, flush registers: as the settings say.
pub(crate) fn agents() {
    let runtime = Runtime::start();
    for agent in runtime.agents() {
        println!("{:?} {} {:?}", agent.kind(), agent.name(), agent.product());
        for pool in agent.pools() {
            let (purpose, size, allocates) = (pool.purpose(), pool.size(), pool.allocates());
            println!("  {purpose:?}: {} MiB, allocates: {allocates}", size >> 20);
            assert!(size > 0, "an empty pool");
        }
    }
    let world = World::new(&runtime);
    let count = setting("GPUS").map_or(1, |count| count.parse().expect("a number"));
    assert_eq!(world.gpus.len(), count, "GPU agents");
    let cpus = runtime.agents().iter().filter(|agent| agent.kind() == Kind::Cpu).count();
    assert!(cpus >= 1, "no CPU agent");
    assert!(world.fine.allocates(), "the host's memory may not be allocated");

    let name = setting("GFX").unwrap_or_else(|| "gfx90a".to_owned());
    let host_reaches = setting("LARGE_BAR").is_none_or(|bar| bar == "yes");
    let megabytes = setting("VRAM_MIB").map(|size| size.parse::<u64>().expect("a number"));
    for gpu in &world.gpus {
        let agent = &gpu.agent;
        assert_eq!(agent.name(), name);
        let isa = agent.isa();
        println!("{isa}");
        assert!(isa.starts_with(&format!("amdgcn-amd-amdhsa--{name}")), "{isa}");
        use sys::{hsa_agent_info_t as standard, hsa_amd_agent_info_s as amd};
        let units = agent.amd_number(amd::HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT);
        let wave = agent.number(standard::HSA_AGENT_INFO_WAVEFRONT_SIZE);
        let longest = agent.number(standard::HSA_AGENT_INFO_QUEUE_MAX_SIZE);
        println!("{units} compute units, waves of {wave}, queues of up to {longest} packets");
        assert!(units > 0 && longest >= 1024);
        assert_eq!(wave, if name.starts_with("gfx9") { 64 } else { 32 });
        assert_eq!(gpu.vram.purpose(), Use::CoarseGrained);
        assert!(gpu.vram.allocates());
        if let Some(megabytes) = megabytes {
            assert_eq!(gpu.vram.size() >> 20, megabytes);
        }
        let access = gpu.vram.access(&world.cpu);
        let never = sys::hsa_amd_memory_pool_access_t::HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
        assert_eq!(access != never, host_reaches, "the host's access to VRAM: {access:?}");
        let hdp = agent.hdp();
        println!("{hdp:?}");
        assert!(!hdp.HDP_MEM_FLUSH_CNTL.is_null() && !hdp.HDP_REG_FLUSH_CNTL.is_null());
    }
}
