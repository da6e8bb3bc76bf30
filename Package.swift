// swift-tools-version: 6.2
import PackageDescription

// The layer diagram in executable form: a target may import only what stands in its row, and rows
// point strictly down.  `make check` builds with `--explicit-target-dependency-import-check error`.

/// Suites that start the programs, which a sanitizer does not see; `scripts/sanitized.sh` leaves them out.
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
let spans: [SwiftSetting] = strict + [.enableExperimentalFeature("Lifetimes"), .enableExperimentalFeature("SuppressedAssociatedTypes")]

func layer(_ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = strict) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies + ["CScratch", "TestSupport"], exclude: exclude, swiftSettings: spans)
}

/// The program that `make fuzz` runs; libFuzzer brings its own `main`, so it is not there in other builds.
let fuzzer: [Target] =
  isFuzzing
  ? [
    .executableTarget(
      name: "kist-fuzz", dependencies: ["CryptoBackend", "FuzzTargets", "SecretMemory"], path: "Tests/Fuzzer",
      swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])], linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])])
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
    .systemLibrary(name: "CSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .target(name: "CToml", cxxSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"] + fuzzedC)]),

    // 1: memory, pure formats, the wire
    layer("SecretMemory", ["CConstantTime", "CLinux"], spans),
    layer("Threads", ["CLinux", "SecretMemory"], spans),
    layer("Encoding", ["CConstantTime"], spans),
    layer("Storage", ["CLinux", "SecretMemory"], spans),
    layer("Wire", ["Encoding"], spans),
    layer("ClaimWire", ["Encoding"], spans),
    layer("Supervision", ["CLinux", "Encoding", "Threads"]),

    // 2: policy is pure; cryptography knows no policy
    layer("Policy", ["Encoding", "Threads", "Wire"]),
    layer("CryptoBackend", ["CConstantTime", "CLinux", "COpenSSL", "CSodium", "SecretMemory", "Threads", "Encoding"], spans),
    layer("Settings", ["ClaimWire", "Encoding", "Policy", "Wire"], spans),
    layer("Configuration", ["ClaimWire", "CLinux", "CToml", "Encoding", "Policy", "Settings", "Storage", "Supervision", "Wire"]),

    // 3: formats that need cryptography
    layer("KeyBlock", ["CConstantTime", "CryptoBackend", "SecretMemory", "Encoding"]),
    layer("SecretSharing", ["CConstantTime", "CryptoBackend", "SecretMemory", "Encoding"], spans),
    layer("ApplePay", ["CConstantTime", "CryptoBackend", "SecretMemory", "Threads", "Encoding"], spans),
    layer("KeyStore", ["KeyBlock", "CryptoBackend", "SecretMemory", "SecretSharing", "Threads", "Encoding", "Policy", "Storage", "Wire"]),
    layer("Audit", ["CryptoBackend", "SecretMemory", "Threads", "Encoding", "Policy", "Storage", "Wire"], spans),

    // 4, 5: what a key can do; one request from bytes to receipt
    layer(
      "Operations",
      ["ApplePay", "Audit", "ClaimWire", "CryptoBackend", "Encoding", "KeyStore", "Policy", "SecretMemory", "Threads", "Wire", "KeyBlock"], spans),
    layer(
      "Service",
      [
        "ApplePay", "Audit", "ClaimWire", "CryptoBackend", "Encoding", "KeyStore", "Operations", "Policy", "SecretMemory", "SecretSharing", "Storage",
        "Threads", "Wire",
      ], spans),

    // 6: sockets, threads, hardening
    layer(
      "Server",
      [
        "ApplePay", "Audit", "ClaimWire", "CLinux", "CSeccomp", "CryptoBackend", "Encoding", "KeyBlock", "KeyStore", "Operations", "Policy",
        "SecretMemory", "Service", "Settings", "Storage", "Supervision", "Threads", "Wire",
      ],
      spans),

    // 6, in `kist-claimd` alone: the network, and no key
    // who holds which claim, in PostgreSQL
    layer("ClaimStore", ["CPostgreSQL", "ClaimWire", "Encoding", "Threads"], spans),
    // between `claims.sock` and the store
    layer("ClaimService", ["ClaimStore", "ClaimWire", "CLinux", "Configuration", "Encoding", "Storage", "Supervision", "Threads"], spans),

    // 6, in `kist` alone: what the daemon never calls is not linked into the process that holds keys
    // keys as people bring them: files under passphrases, PEM, components
    layer("KeyIntake", ["CConstantTime", "COpenSSL", "CryptoBackend", "Encoding", "KeyBlock", "SecretMemory"], spans),
    // stores are made, copies of them proved and restored
    layer("StoreCare", ["CryptoBackend", "Encoding", "KeyBlock", "KeyStore", "SecretMemory", "SecretSharing", "Storage", "Wire"]),
    // shares are dealt, have words, and are sorted as they come back
    layer("ShareSplitting", ["CConstantTime", "CryptoBackend", "Encoding", "SecretMemory", "SecretSharing"], spans),
    // payment tokens and passes in the JSON of Apple's frameworks
    layer("TokenJSON", ["Encoding"], spans),
    // what auditors check and take away
    layer("Evidence", ["Audit", "CChild", "CryptoBackend", "Encoding", "Storage"], spans),
    // what people who review a log look for
    layer("AuditReview", ["Audit", "CLinux", "CryptoBackend", "Encoding", "Policy", "Storage", "Wire"], spans),
    // a share as a QR code
    layer("QRCode", ["CryptoBackend", "SecretMemory"], spans),
    // key ceremonies, offline
    layer(
      "Ceremony",
      [
        "Audit", "Configuration", "CryptoBackend", "Encoding", "Evidence", "KeyBlock", "KeyIntake", "KeyStore", "QRCode", "SecretMemory",
        "SecretSharing", "ShareSplitting", "Storage", "StoreCare", "Wire",
      ], spans),
    layer("KistClient", ["CLinux", "Encoding", "SecretMemory", "TokenJSON", "Wire"], spans),
    layer(
      "Sandbox", ["Audit", "Configuration", "CryptoBackend", "Encoding", "KeyStore", "SecretMemory", "Settings", "Storage", "StoreCare", "TokenJSON"], spans),
    layer("PolicyReview", ["Audit", "Configuration", "Encoding", "Policy", "Threads", "Wire"]),
    layer("TokenDiagnosis", ["ApplePay", "CryptoBackend", "Encoding", "TokenJSON"], spans),
    // what watching programs are told
    layer("Monitoring", ["Encoding", "Wire"]),
    // what is wrong with a host
    layer(
      "Doctor",
      [
        "ApplePay", "Audit", "AuditReview", "CAttributes", "Configuration", "CryptoBackend", "Encoding", "Evidence", "KeyStore", "Monitoring", "Policy",
        "PolicyReview", "Settings", "Storage", "StoreCare", "Supervision", "Threads",
        "TokenDiagnosis", "Wire",
      ], spans),

    // 7: arguments, nothing else
    .executableTarget(name: "kistd", dependencies: ["CLinux", "Configuration", "Policy", "Settings", "Storage", "Supervision", "Wire"], swiftSettings: strict),
    .executableTarget(name: "kistd-keys", dependencies: ["Server", "Supervision"], swiftSettings: strict),
    .executableTarget(
      name: "kist-claimd", dependencies: ["ClaimService", "ClaimStore", "Configuration", "Storage", "Supervision", "Threads", "Wire"], swiftSettings: strict),
    .executableTarget(
      name: "kist",
      dependencies: [
        "ApplePay", "Audit", "AuditReview", "CChild", "CClock", "Ceremony", "CLinux", "Configuration", "CryptoBackend", "Doctor", "Encoding", "Evidence",
        "KeyBlock",
        "KeyIntake", "KeyStore", "KistClient", "Monitoring", "Policy", "PolicyReview", "Sandbox", "SecretMemory", "SecretSharing", "Settings", "ShareSplitting",
        "Storage", "StoreCare", "Supervision", "Threads",
        "TokenDiagnosis", "TokenJSON", "Wire",
      ],
      swiftSettings: strict),

    // The Swift example of clients/README.md.
    .executableTarget(name: "first-example", dependencies: ["KistClient"], path: "clients/swift", swiftSettings: strict),

    .target(
      name: "TestSupport", dependencies: ["CLinux", "SecretMemory", "SecretSharing", "Storage", "CryptoBackend", "Encoding", "Threads", "Wire"],
      path: "Tests/TestSupport",
      swiftSettings: spans),
    // Every test's temporary files.
    .target(name: "CScratch", path: "Tests/Scratch", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"] + fuzzedC)]),
    .target(
      name: "ServiceHarness",
      dependencies: [
        "ApplePay", "Audit", "ClaimWire", "CryptoBackend", "Encoding", "KeyBlock", "KeyStore", "KistClient", "Operations", "Policy", "Sandbox", "SecretMemory",
        "SecretSharing", "Service", "ShareSplitting", "Storage", "StoreCare", "TestSupport", "Threads", "TokenJSON", "Wire",
      ], path: "Tests/ServiceHarness", swiftSettings: spans),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "ApplePay", "Audit", "AuditReview", "Ceremony", "ClaimWire", "CLinux", "Configuration", "CryptoBackend", "Encoding", "Evidence", "KeyBlock",
        "KeyIntake",
        "KeyStore", "KistClient", "Operations", "Policy", "SecretMemory", "SecretSharing", "Server", "Service", "Settings", "ServiceHarness", "ShareSplitting",
        "Storage",
        "TestSupport", "TokenJSON", "Wire",
      ], path: "Tests/FuzzTargets", swiftSettings: spans),
    // Histories that a seed makes up, against a model written from proto/.
    .target(
      name: "Simulation",
      dependencies: [
        "Audit", "CryptoBackend", "Encoding", "Evidence", "KeyBlock", "KeyStore", "KistClient", "Operations", "Policy", "Sandbox", "SecretMemory", "Service",
        "ServiceHarness", "Storage", "StoreCare", "TestSupport", "Wire",
      ], path: "Tests/Simulation", swiftSettings: spans),
    // Stands before the system's locks; linked into nothing but the simulation's program.
    .target(
      name: "CInterleaving", dependencies: ["COpenSSL"], path: "Tests/Interleaving", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"] + fuzzedC)]),
    .executableTarget(
      name: "kist-sim",
      dependencies: [
        "Audit", "CInterleaving", "CryptoBackend", "Encoding", "KeyIntake", "KistClient", "Operations", "Policy", "SecretMemory", "Server", "ServiceHarness",
        "Simulation", "Storage", "TestSupport", "Wire",
      ], path: "Tests/SimulationProgram",
      swiftSettings: strict),
    tests("SimulationTests", ["ServiceHarness", "Simulation"]),
    // What the residue tests look at another process's memory with, and what they know it finds something in.
    .executableTarget(name: "scan-memory", path: "Tests/Scanner", cSettings: [.unsafeFlags(["-O2", "-Wall", "-Wextra", "-Werror"])]),
    .executableTarget(name: "sample-stacks", path: "Tests/StackSampler", cSettings: [.unsafeFlags(["-O2", "-Wall", "-Wextra", "-Werror"])]),
    .executableTarget(
      name: "stack-probe", dependencies: ["CryptoBackend", "KeyIntake", "SecretMemory", "Storage", "Threads"], path: "Tests/StackProbe", swiftSettings: strict),
    // `make ct` runs it under valgrind, and measures it.
    .executableTarget(
      name: "constant-time",
      dependencies: [
        "ApplePay", "CConstantTime", "CryptoBackend", "Encoding", "KeyBlock", "KeyIntake", "SecretMemory", "SecretSharing", "ShareSplitting", "TestSupport",
        "Threads",
      ],
      path: "Tests/ConstantTime", exclude: ["valgrind.supp"], swiftSettings: spans),
    tests("FuzzTests", ["FuzzTargets"], exclude: ["Corpora"]),
    tests("SecretMemoryTests", ["SecretMemory", "Threads", "CLinux"]),
    tests("EncodingTests", ["Encoding"]),
    tests("StorageTests", ["Storage", "SecretMemory"]),
    tests("WireTests", ["KistClient", "Wire", "Encoding"]),
    tests("ClaimWireTests", ["ClaimWire", "Encoding"]),
    tests("ClaimServiceTests", ["ClaimService", "ClaimStore", "ClaimWire", "Configuration", "Encoding", "Threads"]),
    tests("PolicyTests", ["Policy", "PolicyReview", "Wire", "Encoding"]),
    tests("CryptoBackendTests", ["CryptoBackend", "KeyIntake", "SecretMemory", "Encoding"]),
    tests("SettingsTests", ["Configuration", "Encoding", "Policy", "Settings", "Wire"]),
    tests("ConfigurationTests", ["Configuration", "Encoding", "Policy", "Settings", "Supervision", "Wire"]),
    tests(
      "CLITests",
      [
        "kist", "kistd", "kistd-keys", "scan-memory", "Audit", "Configuration", "CryptoBackend", "Encoding", "Evidence", "KeyBlock", "KeyIntake", "KeyStore",
        "KistClient", "Policy",
        "Sandbox",
        "SecretMemory", "SecretSharing", "ShareSplitting", "Supervision", "Wire",
      ],
      exclude: ["Fixtures"]),
    tests("KeyBlockTests", ["KeyBlock", "CryptoBackend", "SecretMemory", "Encoding"]),
    tests("KeyIntakeTests", ["KeyIntake", "KeyBlock", "CryptoBackend", "SecretMemory", "Encoding"]),
    tests("TokenJSONTests", ["TokenJSON", "Encoding"]),
    tests("SecretSharingTests", ["SecretSharing", "ShareSplitting", "CryptoBackend", "SecretMemory", "Encoding"]),
    tests("QRCodeTests", ["QRCode", "CryptoBackend"]),
    tests("ApplePayTests", ["ApplePay", "CryptoBackend", "KeyIntake", "Sandbox", "SecretMemory", "Threads", "TokenJSON", "Encoding"], exclude: ["Fixtures"]),
    tests(
      "KeyStoreTests",
      ["KeyStore", "KeyBlock", "CryptoBackend", "SecretMemory", "SecretSharing", "ShareSplitting", "Encoding", "Policy", "Storage", "StoreCare", "Wire"]),
    tests("AuditTests", ["Audit", "AuditReview", "CryptoBackend", "Evidence", "SecretMemory", "Threads", "Encoding", "Policy", "Storage", "Wire"]),
    tests("EvidenceTests", ["Evidence", "Audit", "CryptoBackend", "SecretMemory", "Encoding", "Policy", "Storage", "Wire"]),
    tests(
      "CeremonyTests",
      [
        "Ceremony", "Audit", "Configuration", "CryptoBackend", "Encoding", "Evidence", "KeyBlock", "KeyIntake", "KeyStore", "SecretMemory", "SecretSharing",
        "ShareSplitting", "Storage", "StoreCare", "Wire",
      ]),
    tests("AuditReviewTests", ["AuditReview", "Audit", "CryptoBackend", "SecretMemory", "Encoding", "Policy", "Storage", "Wire"]),
    tests(
      "ServiceTests",
      [
        "Service", "ServiceHarness", "AuditReview", "ClaimWire", "Evidence", "Sandbox", "Storage", "StoreCare", "Operations", "ApplePay", "Audit", "KeyBlock",
        "KeyStore", "KistClient", "Monitoring",
        "CryptoBackend", "SecretMemory", "SecretSharing", "ShareSplitting", "Threads", "Encoding", "Policy", "Wire",
      ]),
    tests(
      "IntegrationTests",
      [
        "kist", "kistd", "kistd-keys", "sample-stacks", "scan-memory", "stack-probe", "ClaimWire", "CLinux", "KistClient", "Storage", "StoreCare", "Sandbox",
        "Audit",
        "AuditReview",
        "Evidence", "KeyBlock",
        "KeyIntake",
        "KeyStore",
        "CryptoBackend", "SecretMemory", "SecretSharing", "ShareSplitting", "Threads", "Encoding", "Policy", "Wire",
      ],
      exclude: [
        "Support/oracle_tokens.py", "Support/activate.py", "Support/oracle_issuer.py", "Support/without_call.py", "Support/flood.py",
        "Support/asks.py", "Support/deaf.py", "Support/hold.py", "Support/linger.py", "Support/submit.py", "Support/uprobe.py",
      ]),
    tests("MonitoringTests", ["Monitoring", "Encoding", "Wire"]),
    tests("PolicyReviewTests", ["PolicyReview", "Audit", "Configuration", "CryptoBackend", "Encoding", "Policy", "Storage", "Wire"]),
    tests(
      "DoctorTests",
      [
        "Doctor", "Audit", "CAttributes", "Configuration", "CryptoBackend", "Encoding", "Evidence", "KeyStore", "Policy", "SecretMemory", "Settings", "Storage",
        "StoreCare", "Supervision", "Wire",
      ]),
    tests("TokenDiagnosisTests", ["TokenDiagnosis", "ApplePay", "CryptoBackend", "KeyIntake", "SecretMemory", "TokenJSON", "Encoding"]),
    tests(
      "ServerTests",
      [
        "Server", "ClaimWire", "Operations", "Settings", "Policy", "Storage", "CLinux", "Encoding", "SecretMemory", "Supervision", "Threads", "Wire",
      ]),
    tests(
      "SandboxTests",
      [
        "kist", "kistd", "kistd-keys", "Sandbox", "ApplePay", "Audit", "Configuration", "CryptoBackend", "Encoding", "KeyBlock", "KeyStore", "Policy",
        "PolicyReview",
        "SecretMemory", "Settings", "Storage", "TokenJSON", "Wire",
      ]),
  ].filter { !isSanitized || !startingPrograms.contains($0.name) } + fuzzer,
  cxxLanguageStandard: .cxx17
)
