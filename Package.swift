// swift-tools-version: 6.2
import PackageDescription

// The layer diagram in executable form: a target may import only what stands in its row, and rows
// point strictly down.  `make check` builds with `--explicit-target-dependency-import-check error`.

/// Suites that start the programs, which a sanitizer does not see; `scripts/sanitized.sh` leaves
/// them out.
let startingPrograms = ["IntegrationTests", "CLITests", "SandboxTests"]
let isSanitized = Context.environment["SANITIZED"] == "1"

/// `make fuzz` builds everything under libFuzzer's coverage and ASan; nothing else sets this.
let isFuzzing = Context.environment["FUZZ"] == "1"
let fuzzed: [SwiftSetting] = isFuzzing ? [.unsafeFlags(["-sanitize=fuzzer,address"])] : []
let fuzzedC = isFuzzing ? ["-fsanitize=fuzzer-no-link,address"] : []

let strict: [SwiftSetting] =
  fuzzed + [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]

/// For the modules that hand out slices of a buffer somebody else owns.
let spans: [SwiftSetting] =
  strict + [
    .enableExperimentalFeature("Lifetimes"),
    .enableExperimentalFeature("SuppressedAssociatedTypes"),
  ]

func layer(_ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = strict)
  -> Target
{
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(
    name: name, dependencies: dependencies + ["CScratch", "TestSupport"], exclude: exclude,
    swiftSettings: spans)
}

/// The program that `make fuzz` runs; libFuzzer brings its own `main`, so it is not there in other
/// builds.
let fuzzer: [Target] =
  isFuzzing
  ? [
    .executableTarget(
      name: "kist-fuzz", dependencies: ["Crypto", "FuzzTargets", "Host"],
      path: "Tests/Fuzzer",
      swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])])
  ] : []

let package = Package(
  name: "kist",
  products: [
    .executable(name: "kistd", targets: ["kistd"]),
    .executable(name: "kistd-keys", targets: ["kistd-keys"]),
    .executable(name: "kist", targets: ["kist"]),
    .executable(name: "kist-claimd", targets: ["kist-claimd"]),
    .library(name: "KistClient", targets: ["KistClient"]),
  ],
  targets: [
    // 0: C, no logic
    .target(name: "CLinux", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"] + fuzzedC)]),
    .target(name: "CClock", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"] + fuzzedC)]),
    .target(name: "CChild", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"] + fuzzedC)]),
    .systemLibrary(name: "CAttributes"),
    .systemLibrary(name: "CConstantTime"),
    .systemLibrary(
      name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(
      name: "CSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .target(name: "CToml", cxxSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"] + fuzzedC)]),

    // 1: pure formats; what Linux gives: memory, threads, files, the supervisor
    layer("Format", ["CConstantTime"], spans),
    layer("Host", ["CConstantTime", "CLinux", "Format"], spans),

    // 2: policy is pure; cryptography knows no policy
    layer("Policy", ["Format", "Host"], spans),
    layer("Crypto", ["CConstantTime", "CLinux", "COpenSSL", "CSodium", "Format", "Host"], spans),
    layer("Configuration", ["CLinux", "CToml", "Format", "Host", "Policy"]),

    // 3: formats that need cryptography; what stays on the disk
    layer("ApplePay", ["CConstantTime", "Crypto", "Format", "Host"], spans),
    layer("KeyStore", ["Crypto", "Format", "Host", "Policy"]),
    layer("Audit", ["Crypto", "Format", "Host", "Policy"], spans),

    // 4, 5: what a key can do; one request from bytes to receipt
    layer(
      "Operations", ["ApplePay", "Audit", "Crypto", "Format", "Host", "KeyStore", "Policy"], spans),
    layer(
      "Service",
      ["ApplePay", "Audit", "Crypto", "Format", "Host", "KeyStore", "Operations", "Policy"], spans),

    // 6: sockets, threads, hardening
    layer(
      "Server",
      [
        "ApplePay", "Audit", "CLinux", "CSeccomp", "Crypto", "Format", "Host", "KeyStore",
        "Operations", "Policy", "Service",
      ], spans),

    // 6, in `kist` alone: what the daemon never calls is not linked into the process that holds
    // keys
    layer(
      "Review",
      ["Audit", "CChild", "CLinux", "Configuration", "Crypto", "Format", "Host", "Policy"], spans),
    layer(
      "Ceremony",
      [
        "Audit", "CConstantTime", "COpenSSL", "Configuration", "Crypto", "Format", "Host",
        "KeyStore", "Review",
      ], spans),
    layer("KistClient", ["CLinux", "Format", "Host"], spans),
    layer(
      "Sandbox",
      [
        "Audit", "Ceremony", "Configuration", "Crypto", "Format", "Host", "KeyStore", "KistClient",
        "Policy",
      ], spans),
    layer(
      "Doctor",
      [
        "ApplePay", "Audit", "CAttributes", "Ceremony", "Configuration", "Crypto", "Format", "Host",
        "KeyStore", "KistClient", "Policy", "Review",
      ],
      spans),

    // 7: the programs
    .executableTarget(
      name: "kistd", dependencies: ["CLinux", "Configuration", "Format", "Host", "Policy"],
      swiftSettings: strict),
    .executableTarget(name: "kistd-keys", dependencies: ["Host", "Server"], swiftSettings: strict),
    // the network, and no key
    .executableTarget(
      name: "kist-claimd",
      dependencies: ["CLinux", "CPostgreSQL", "Configuration", "Format", "Host"],
      swiftSettings: spans),
    .executableTarget(
      name: "kist",
      dependencies: [
        "ApplePay", "Audit", "CChild", "CClock", "CLinux", "Ceremony", "Configuration", "Crypto",
        "Doctor", "Format", "Host", "KeyStore", "KistClient",
        "Policy", "Review", "Sandbox",
      ],
      swiftSettings: strict),

    // The Swift example of clients/README.md.
    .executableTarget(
      name: "first-example", dependencies: ["KistClient"], path: "clients/swift",
      swiftSettings: strict),

    .target(
      name: "TestSupport", dependencies: ["CLinux", "Host", "Crypto", "Format"],
      path: "Tests/TestSupport",
      swiftSettings: spans),
    // Every test's temporary files.
    .target(
      name: "CScratch", path: "Tests/Scratch",
      cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"] + fuzzedC)]),
    .target(
      name: "ServiceHarness",
      dependencies: [
        "ApplePay", "Audit", "Format", "Crypto", "KeyStore", "KistClient", "Operations", "Policy",
        "Sandbox", "Host", "Service", "Ceremony", "TestSupport",
      ], path: "Tests/ServiceHarness", swiftSettings: spans),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "ApplePay", "Audit", "Review", "Ceremony", "Format", "CLinux", "Configuration", "Crypto",
        "KeyStore", "KistClient", "Operations", "Policy", "Host",
        "Server", "Service", "ServiceHarness", "TestSupport",
      ], path: "Tests/FuzzTargets", swiftSettings: spans),
    // Histories that a seed makes up, against a model written from proto/.
    .target(
      name: "Simulation",
      dependencies: [
        "Audit", "Crypto", "Format", "Review", "KeyStore", "KistClient", "Operations", "Policy",
        "Sandbox", "Host", "Service", "ServiceHarness", "Ceremony",
        "TestSupport",
      ], path: "Tests/Simulation", swiftSettings: spans),
    // Stands before the system's locks; linked into nothing but the simulation's program.
    .target(
      name: "CInterleaving", dependencies: ["COpenSSL"], path: "Tests/Interleaving",
      cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"] + fuzzedC)]),
    .executableTarget(
      name: "kist-sim",
      dependencies: [
        "Audit", "CInterleaving", "Crypto", "Format", "Ceremony", "KistClient", "Operations",
        "Policy", "Host", "Server", "ServiceHarness", "Simulation",
        "TestSupport",
      ], path: "Tests/SimulationProgram",
      swiftSettings: strict),
    tests("SimulationTests", ["ServiceHarness", "Simulation"]),
    // What the residue tests look at another process's memory with, and what they know it finds
    // something in.
    .executableTarget(
      name: "scan-memory", path: "Tests/Scanner",
      cSettings: [.unsafeFlags(["-O2", "-Wall", "-Wextra", "-Werror"])]),
    .executableTarget(
      name: "sample-stacks", path: "Tests/StackSampler",
      cSettings: [.unsafeFlags(["-O2", "-Wall", "-Wextra", "-Werror"])]),
    .executableTarget(
      name: "stack-probe", dependencies: ["Crypto", "Ceremony", "Host"], path: "Tests/StackProbe",
      swiftSettings: strict),
    // `make ct` runs it under valgrind, and measures it.
    .executableTarget(
      name: "constant-time",
      dependencies: [
        "ApplePay", "CConstantTime", "Crypto", "Format", "Ceremony", "Host", "TestSupport",
      ],
      path: "Tests/ConstantTime", exclude: ["valgrind.supp"], swiftSettings: spans),
    tests("FuzzTests", ["FuzzTargets"], exclude: ["Corpora"]),
    tests("SecretMemoryTests", ["Host", "CLinux"]),
    tests("EncodingTests", ["Format"]),
    tests("StorageTests", ["Host"]),
    tests("WireTests", ["KistClient", "Format"]),
    tests("ClaimWireTests", ["Format"]),
    tests("ClaimServiceTests", ["kist-claimd", "Format", "Configuration", "Host"]),
    tests("PolicyTests", ["Policy", "Review", "Format"]),
    tests("CryptoBackendTests", ["Crypto", "Ceremony", "Host", "Format"]),
    tests("SettingsTests", ["Configuration", "Format", "Policy"]),
    tests("ConfigurationTests", ["Configuration", "Format", "Policy", "Host"]),
    tests(
      "CLITests",
      [
        "kist", "kistd", "kistd-keys", "scan-memory", "Audit", "Configuration", "Crypto", "Format",
        "Review", "Ceremony", "KeyStore", "KistClient", "Policy",
        "Sandbox", "Host",
      ],
      exclude: ["Fixtures"]),
    tests("KeyBlockTests", ["Crypto", "Host", "Format"]),
    tests("KeyIntakeTests", ["Ceremony", "Crypto", "Host", "Format"]),
    tests("TokenJSONTests", ["KistClient", "Format"]),
    tests("SecretSharingTests", ["Crypto", "Ceremony", "Host", "Format"]),
    tests("QRCodeTests", ["Ceremony", "Crypto"]),
    tests(
      "ApplePayTests",
      ["ApplePay", "Crypto", "Ceremony", "Sandbox", "Host", "KistClient", "Format"],
      exclude: ["Fixtures"]),
    tests(
      "KeyStoreTests",
      ["KeyStore", "Crypto", "Host", "Ceremony", "Format", "Policy"]),
    tests("AuditTests", ["Audit", "Review", "Crypto", "Host", "Format", "Policy"]),
    tests("EvidenceTests", ["Review", "Audit", "Crypto", "Host", "Format", "Policy"]),
    tests(
      "CeremonyTests",
      ["Ceremony", "Audit", "Configuration", "Crypto", "Format", "Review", "KeyStore", "Host"]),
    tests("AuditReviewTests", ["Review", "Audit", "Crypto", "Host", "Format", "Policy"]),
    tests(
      "ServiceTests",
      [
        "Service", "ServiceHarness", "Review", "Format", "Sandbox", "Host", "Ceremony",
        "Operations", "ApplePay", "Audit", "Crypto", "KeyStore", "KistClient",
        "Doctor", "Policy",
      ]),
    tests(
      "IntegrationTests",
      [
        "kist", "kistd", "kistd-keys", "sample-stacks", "scan-memory", "stack-probe", "Format",
        "CLinux", "KistClient", "Host", "Ceremony", "Sandbox", "Audit",
        "Review", "Crypto", "KeyStore", "Policy",
      ],
      exclude: [
        "Support/oracle_tokens.py", "Support/activate.py", "Support/oracle_issuer.py",
        "Support/without_call.py", "Support/flood.py",
        "Support/asks.py", "Support/deaf.py", "Support/hold.py", "Support/linger.py",
        "Support/submit.py", "Support/uprobe.py",
      ]),
    tests("MonitoringTests", ["Doctor", "Format"]),
    tests(
      "PolicyReviewTests",
      ["Review", "Audit", "Configuration", "Crypto", "Format", "Policy", "Host"]),
    tests(
      "DoctorTests",
      [
        "Doctor", "Audit", "CAttributes", "Configuration", "Crypto", "Format", "Review", "KeyStore",
        "Policy", "Host", "Ceremony",
      ]),
    tests(
      "TokenDiagnosisTests",
      ["Doctor", "ApplePay", "Crypto", "Ceremony", "Host", "KistClient", "Format"]),
    tests(
      "ServerTests",
      ["Server", "Format", "Operations", "Policy", "Host", "CLinux"]),
    tests(
      "SandboxTests",
      [
        "kist", "kistd", "kistd-keys", "Sandbox", "ApplePay", "Audit", "Ceremony", "Configuration",
        "Crypto", "Format", "KeyStore", "Policy", "Review", "Host",
        "KistClient",
      ]),
  ].filter { !isSanitized || !startingPrograms.contains($0.name) } + fuzzer,
  cxxLanguageStandard: .cxx17
)
