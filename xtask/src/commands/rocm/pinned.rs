//! The packages of Debian 12 that hold ROCm 5.2.3, by version and SHA-256.
//!
//! The digests are those of the index that Debian signs for its release `bookworm`. A package has a second
//! row where a point release replaced it and mirrors may serve either.

/// One build of one package.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Pinned {
    /// Its name.
    pub(super) package: &'static str,
    /// Its version, as Debian writes it.
    pub(super) version: &'static str,
    /// The digest of its file, in lower-case hexadecimal.
    pub(super) sha256: &'static str,
}

/// What programs run with. Not the C and C++ libraries, nor the compression libraries: the host has them.
pub(super) const LIBRARIES: &[Pinned] = &[
    pinned(
        "libhsa-runtime64-1",
        "5.2.3-3",
        "9b633756945b16124376b274dbc681e4022c2b9704b8bdfa04637b09c7bfad93",
    ),
    pinned(
        "libhsakmt1",
        "5.2.3+dfsg-1",
        "8e57a5762878b520d1e81a424b63fb592ce78167a9f7259e8ae91178a02e2e58",
    ),
    pinned(
        "libamdhip64-5",
        "5.2.3-8",
        "e89c3757b6ca16b7a03374a0a42402ab19e9e7000251d47379838be965330ebd",
    ),
    pinned(
        "libhiprtc-builtins5",
        "5.2.3-8",
        "1815bdf13f07105681feb44d403ccc55110b03552fc590dc1d79a0b93092e0f8",
    ),
    pinned(
        "libamd-comgr2",
        "5.2.3-2",
        "196d9e70442e78ec49dd18752acc886f500de8c9a646f6d81cb1348a7ea5c19a",
    ),
    pinned(
        "libllvm15",
        "1:15.0.6-4+b1",
        "9f0751109ba89e65b1313a4f3e34a29977a0db6fa30ed475e2c6bd555fa9e866",
    ),
    pinned(
        "libdrm-amdgpu1",
        "2.4.114-1+b1",
        "b75a71e96f1faac0f131ac657e09efcbe8968eef62cc34b8abfcff2ff9f0cccd",
    ),
    pinned(
        "libdrm2",
        "2.4.114-1+b1",
        "be18fb670797ba32da9628cf3e8acd83160d8db8c8dd842501dd8e401c3b5371",
    ),
    pinned(
        "libelf1",
        "0.188-2.1",
        "619add379c606b3ac6c1a175853b918e6939598a83d8ebadf3bdfd50d10b3c8c",
    ),
    pinned(
        "libnuma1",
        "2.0.16-1",
        "639e1ab6bd66ead40db8a22c332d7199679fa22db261cac34444eb8eb4c17dda",
    ),
    pinned(
        "libedit2",
        "3.1-20221030-2",
        "1cf14abf2716d3279db12d0657a5737cf70074a1e71d3bdf73206625e3c89ce6",
    ),
    pinned(
        "libbsd0",
        "0.11.7-2",
        "bb31cc8b40f962a85b2cec970f7f79cc704a1ae4bad24257a822055404b2c60b",
    ),
    pinned("libmd0", "1.0.4-2", "03539fd30c509e27101d13a56e52eda9062bdf1aefe337c07ab56def25a13eab"),
    pinned(
        "libffi8",
        "3.4.4-1",
        "6d9f6c25c30efccce6d4bceaa48ea86c329a3432abb360a141f76ac223a4c34a",
    ),
    pinned(
        "libtinfo6",
        "6.4-4",
        "072d908f38f51090ca28ca5afa3b46b2957dc61fe35094c0b851426859a49a51",
    ),
    pinned(
        "libz3-4",
        "4.8.12-3.1",
        "6221ca25ad5abcfbe1965801029d85a88b4775320384b4b716de8fab7a4d2f7a",
    ),
    pinned(
        "libxml2",
        "2.9.14+dfsg-1.3~deb12u6",
        "4460e39dda10a815881374217cde08474747cfa018358cd8612c14b390eff53b",
    ),
    pinned(
        "libxml2",
        "2.9.14+dfsg-1.3~deb12u5",
        "261ad120adf02d9bdef3f47c486e016bfd410cdb1ada9730a8f9a6add0857bd6",
    ),
    pinned(
        "libicu72",
        "72.1-3+deb12u1",
        "f7f6f99c6d7b025914df2447fc93e11d22c44c0c8bdd8b6f36691c9e7ddcef88",
    ),
];

/// What programs, or bindings, are built with.
pub(super) const HEADERS: &[Pinned] = &[
    pinned(
        "libhsa-runtime-dev",
        "5.2.3-3",
        "7b5d021c2718818d597cd9439581757931ecdc8e346c1f5e7aab664793b53fb0",
    ),
    pinned(
        "libamdhip64-dev",
        "5.2.3-8",
        "1f87b72e5aa86025c6cb96312c75ee7f549c42475f4bc51049ab7b67cc4e762e",
    ),
    pinned(
        "libhsakmt-dev",
        "5.2.3+dfsg-1",
        "8d2e7c610884318030d0b23032a30ba17c4f7fbb91680d793c0735b1d243a3ca",
    ),
    pinned(
        "libdrm-dev",
        "2.4.114-1+b1",
        "073e7ac28672c7fb55141cf39ba1daa25667bd578c76dc43eb4f911b8d3a259a",
    ),
];

const fn pinned(package: &'static str, version: &'static str, sha256: &'static str) -> Pinned {
    Pinned { package, version, sha256 }
}
