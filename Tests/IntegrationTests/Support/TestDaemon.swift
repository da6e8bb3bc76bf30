import Audit
import Ceremony
import Crypto
import Format
import Foundation
import Host
import KeyStore
import KistClient
import TestSupport

/// A real `kistd` on a throw-away directory, with keys and policy of the test's choosing.
final class TestDaemon: @unchecked Sendable {
  struct MerchantKey {
    var label: String
    var role: KeyRole
    let pem: String
    var merchant: String
  }

  /// A key that is no merchant's.
  struct IssuerKey {
    let label: String
    let role: KeyRole
    /// The key's data as `import-key` takes it.
    let data: [UInt8]
    var otp: OTPAttributes?
    var notAfter: Timestamp?
  }

  struct Options {
    var kind = StoreKind.rehearsal
    /// What the configuration takes the store for; nil for what it is.
    var configuredKind: StoreKind?
    var passphrase: String?
    var usesCredential = true
    /// Local users, any two of whom open the store with their shares of its KEK; they are let in
    /// with the group `operator`.
    var custodians: [String] = []
    /// DER of the root in `[sandbox]`; nil for Apple's.
    var root: [UInt8]?
    var clock: String?
    var keys: [MerchantKey] = []
    /// Labels of new keys of 32 bytes, with their roles.
    var symmetricKeys: [(label: String, role: KeyRole)] = []
    var issuerKeys: [IssuerKey] = []
    /// The body of `policy.d/10-test.toml`; nil grants everything to the user who runs the tests.
    var policy: String?
    /// Of the audit log, such as `1MiB`.
    var segmentSize = "64MiB"
    /// Below this the log's disk is nearly full.
    var lowSpace = "1MiB"
    var arenaSize = "16MiB"
    var allowsMlockFallback = true
    /// Of the services' socket.
    var mode = "0600"
    var extra = ""
    /// Whether it has a directory for backups, `backups`.
    var backups = false
    /// The host's name in a fleet, whose key is `fleetKey`; nil for in none.
    var fleet: String?
    /// Who may be its kist-claimd.
    var fleetUser = getuid()
    var environment: [String: String] = [:]
    /// What starts the daemon in its own place; nil for nothing.
    var launcher: [String] = []
  }

  let directory: URL
  /// The words of each custodian's share.
  private(set) var sheets: [String] = []
  private let process = Process()
  private let errors = Pipe()
  private let environment: [String: String]
  private let launcher: [String]
  /// Whether the directory goes with this daemon.
  private var ownsDirectory = true

  var services: Endpoint { Endpoint(path: directory.path + "/run/kist.sock") }
  var operators: Endpoint { Endpoint(path: directory.path + "/run/admin.sock") }
  var claims: String { directory.path + "/run/claims.sock" }
  var auditDirectory: String { directory.path + "/audit" }
  var pid: Int32 { process.processIdentifier }

  /// The same on all hosts of this run.
  static let fleetKey = (0..<32).map { _ in UInt8.random(in: 0...255) }

  init(_ options: Options = Options()) throws {
    guard TestArena.ready else { throw Failure("no arena") }
    var options = options
    if options.fleet != nil {
      options.issuerKeys.append(IssuerKey(label: "fleet/claims", role: .fleet, data: Self.fleetKey))
    }
    environment = options.environment
    launcher = options.launcher
    directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-it-" + UUID().uuidString.prefix(8))
    try Self.makeDirectories(in: directory)
    if !options.custodians.isEmpty {
      for path in [directory.path, directory.path + "/run"] { unsafe chmod(path, 0o711) }
    }
    sheets = try Self.makeStore(in: directory, options)
    try Self.write(
      options.policy ?? Self.everything,
      to: directory.appendingPathComponent("policy.d/10-test.toml"))
    try writeConfiguration(options)
    try start()
  }

  deinit {
    // Until it has ended, it may make files in what is removed.
    if process.isRunning { killHard() }
    if ownsDirectory { try? FileManager.default.removeItem(at: directory) }
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// Starts the daemon on what the directory holds, and waits until it answers and has no
  /// connection any more.
  func start() throws {
    let next = process.isRunning || process.processIdentifier != 0 ? nil : process
    guard let next else { throw Failure("start twice: make another TestDaemon with `restarted`") }
    next.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    next.arguments =
      launcher + [Self.executable("kistd").path, "--config", directory.path + "/kist.toml"]
    next.standardError = errors
    next.environment = Processor.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
      .merging(environment) { $1 }
    try next.run()
    try eventually {
      if let socket = try? RawSocket(services), socket.send(RawSocket.frame(.ping)),
        try socket.reply() != nil
      {
        socket.finishSending()
        // A place or a descriptor that this connection still had could be one too few for a test.
        return try socket.reply() == nil
      }
      guard next.isRunning else {
        throw Failure("kistd ended with \(next.terminationStatus): \(readErrors())")
      }
      return false
    }
  }

  /// Stops with SIGTERM and returns the exit code.
  @discardableResult func stop() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }

  func killHard() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Waits for it to end by itself.
  func wait() { process.waitUntilExit() }

  /// The moment at which the daemon stands when it is started again.
  func setClock(_ moment: String) throws {
    let file = directory.appendingPathComponent("kist.toml")
    let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    try Self.write(
      lines.map { $0.hasPrefix("clock = ") ? "clock = \"\(moment)\"" : $0 }.joined(separator: "\n"),
      to: file)
  }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// Has it take its files anew, as the unit's ExecReload= does; what kistd says of it.
  @discardableResult func reload() throws -> (code: Int32, text: String) {
    try beside(["--reload", String(process.processIdentifier)])
  }

  /// Has it take anew who is who, as the unit does when those files change, and waits until it says
  /// so.
  @discardableResult func takeAccounts() throws -> (code: Int32, text: String) {
    let said = try beside(["--accounts"])
    guard said.code == 0 else { return said }
    // It says a line once a second at most.
    usleep(1_000_000)
    signal(SIGURG)
    _ = errors(until: "event=accounts-read")
    return said
  }

  private func beside(_ words: [String]) throws -> (code: Int32, text: String) {
    let own = Process()
    let pipe = Pipe()
    own.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let inside =
      launcher.isEmpty ? [] : ["nsenter", "--mount", "--target", String(process.processIdentifier)]
    own.arguments =
      inside + [Self.executable("kistd").path, "--config", directory.path + "/kist.toml"] + words
    own.standardError = pipe
    try own.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    own.waitUntilExit()
    return (own.terminationStatus, text)
  }

  /// Another daemon on the same directory, which this one gives up.
  func restarted() throws -> TestDaemon {
    let next = try TestDaemon(continuing: directory)
    ownsDirectory = false
    return next
  }

  private init(continuing directory: URL) throws {
    self.directory = directory
    environment = [:]
    launcher = []
    try start()
  }

  /// Everything it has written to standard error, once it has ended.
  func readErrors() -> String {
    String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }

  /// What it writes to standard error until a line with this text has come.
  func errors(until mark: String) -> String {
    var text = ""
    while !text.contains(mark) || !text.hasSuffix("\n") {
      let more = errors.fileHandleForReading.availableData
      guard !more.isEmpty else { break }
      text += String(decoding: more, as: UTF8.self)
    }
    return text
  }

  /// The log's records so far, from the one with this sequence on.
  func records(from sequence: UInt64 = 0) throws -> [Record] {
    var records: [Record] = []
    try LogReader(LogDirectory(auditDirectory)).forEachRecord(from: sequence) { record, _ in
      records.append(record)
      return true
    }
    return records
  }

  func record(_ sequence: UInt64) throws -> Record {
    guard let record = try records().first(where: { $0.sequence == sequence }) else {
      throw Failure("no record \(sequence)")
    }
    return record
  }

  /// A product of this build.
  static func executable(_ name: String) -> URL {
    Bundle.main.executableURL?.deletingLastPathComponent().appendingPathComponent(name)
      ?? URL(fileURLWithPath: name)
  }

  static func write(_ text: String, to url: URL) throws {
    try Data(text.utf8).write(to: url)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
  }
}

extension TestDaemon {
  static var everything: String {
    """
    [[grant]]
    id = "everything"
    users = [\(getuid())]
    operations = ["describe", "random", "list-keys", "describe-key", "verify-payment-token", "open-payment-token", "status", "unlock", "lock", "import-key"]
    keys = ["merchant/*"]
    release = [\(ReleasedFields.nameable.subtracting(ReleasedFields([.surrogate, .envelope])).fields.map { "\"\($0.name)\"" }.joined(separator: ", "))]
    stages = true
    """
  }

  private static func makeDirectories(in directory: URL) throws {
    for name in ["", "run", "state", "audit", "backups", "policy.d"] {
      try FileManager.default.createDirectory(
        at: directory.appendingPathComponent(name), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
  }

  private static func makeStore(in directory: URL, _ options: Options) throws -> [String] {
    let kek = try KeyEncryptionKey.generate()
    let now = Timestamp(seconds: 1_700_000_000)
    let state = directory.path + "/state"
    let (locked, sheets) =
      try options.custodians.isEmpty
      ? (create(in: state, kek, options, now), []) : split(in: state, kek, options, now)
    let store = try locked.unlock(kek: kek, expecting: options.kind)
    for key in options.keys { try store.importTest(key, at: now) }
    for (label, role) in options.symmetricKeys { try store.makeTest(label, role, at: now) }
    for key in options.issuerKeys { try store.importTest(key, at: now) }
    var credential = [UInt8](repeating: 0, count: kek.count)
    for i in 0..<kek.count { credential[i] = kek.bytes[i] }
    let url = directory.appendingPathComponent("kek")
    try Data(credential).write(to: url)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    return sheets
  }

  private static func split(
    in state: String, _ kek: borrowing SecretBuffer, _ options: Options, _ now: Timestamp
  ) throws -> (LockedKeyStore, sheets: [String]) {
    let shares = try ShareCollection.split(
      kek.bytes, by: SharingScheme(2, of: options.custodians.count))
    let people = options.custodians.compactMap { Custodian(name: "Custodian " + $0, user: $0) }
    let register = try CustodianRegister(shares, holders: people, kek: KeyCheckValue.aes(kek.bytes))
    return (
      try LockedKeyStore.create(
        "keys", in: state, kek: kek, custodians: register, kind: options.kind, at: now),
      try sheets(shares)
    )
  }

  /// A sheet's share, as it is handed in.
  func share(_ sheet: Int) throws -> [UInt8] {
    let words = Array(sheets[sheet].utf8)
    let share = try Share(words: words.span).bytes()
    return share.bytes.array
  }

  /// Of a split of some other secret; any two of them give it.
  static func foreignSheets() throws -> [String] {
    let secret = [UInt8](repeating: 7, count: 32)
    return try sheets(ShareCollection.split(secret.span, by: SharingScheme(2, of: 2)))
  }

  private static func sheets(_ shares: borrowing ShareCollection) throws -> [String] {
    var sheets: [String] = []
    for row in shares.headers.indices {
      let words = try shares.share(row).words()
      sheets.append(String(decoding: words.bytes.array, as: UTF8.self))
    }
    return sheets
  }

  private static func create(
    in state: String, _ kek: borrowing SecretBuffer, _ options: Options, _ now: Timestamp
  ) throws -> LockedKeyStore {
    guard let passphrase = options.passphrase else {
      return try LockedKeyStore.create("keys", in: state, kek: kek, kind: options.kind, at: now)
    }
    guard let cost = PassphraseCost(passes: 1, memory: 8 << 20) else {
      throw Failure("no such cost")
    }
    let bytes = Array(passphrase.utf8)
    return try LockedKeyStore.create(
      "keys", in: state, kek: kek, passphrase: bytes.span, cost: cost, kind: options.kind, at: now)
  }

  private func writeConfiguration(_ options: Options) throws {
    var text = """
      state_directory = "\(directory.path)/state"
      [service]
      socket = "\(directory.path)/run/kist.sock"
      mode = "\(options.mode)"
      [admin]
      socket = "\(directory.path)/run/admin.sock"
      \(options.custodians.isEmpty ? "" : "group = \"operator\"\nmode = \"0660\"")
      [policy]
      directory = "\(directory.path)/policy.d"
      [audit]
      directory = "\(directory.path)/audit"
      origin = "kist-test"
      segment_size = "\(options.segmentSize)"
      reserve = "2MiB"
      low_space = "\(options.lowSpace)"
      [memory]
      arena_size = "\(options.arenaSize)"
      allow_mlock_fallback = \(options.allowsMlockFallback)

      """
    if options.backups { text += "[backup]\ndirectory = \"\(directory.path)/backups\"\n" }
    if let host = options.fleet {
      // The longest time-out that there is: on a busy machine kist-claimd may be slow to answer.
      text +=
        "[fleet]\nhost = \"\(host)\"\nkey = \"fleet/claims\"\nuser = \(options.fleetUser)\nsocket = \"\(claims)\"\ntimeout = \"10s\"\n"
      text += "home_keys = [\"key/otp-hotp\"]\n"
    }
    if options.usesCredential { text += "[unlock]\ncredential = \"\(directory.path)/kek\"\n" }
    if options.configuredKind ?? options.kind == .rehearsal {
      let root = try options.root ?? [UInt8](Vectors.data("applepay/certs/AppleRootCA-G3.cer"))
      try Data(root).write(to: directory.appendingPathComponent("root.cer"))
      text += "[sandbox]\nrehearsal = true\ntrust_anchor = \"\(directory.path)/root.cer\"\n"
      if let clock = options.clock { text += "clock = \"\(clock)\"\n" }
    }
    try Self.write(text + options.extra, to: directory.appendingPathComponent("kist.toml"))
  }
}

extension KeyStore {
  fileprivate func makeTest(_ text: String, _ role: KeyRole, at now: Timestamp) throws {
    guard let label = KeyLabel(text) else { throw TestDaemon.Failure("\(text) is no label") }
    _ = try importKey(
      KeyImport(label: label, role: role, material: .symmetric(try Random.secret(count: 32))),
      at: now, anchor: .beginning)
  }

  fileprivate func importTest(_ key: TestDaemon.IssuerKey, at now: Timestamp) throws {
    guard let label = KeyLabel(key.label) else {
      throw TestDaemon.Failure("\(key.label) is no label")
    }
    let data = key.data
    _ = try importKey(
      KeyImport(
        label: label, role: key.role, material: KeyMaterial(keyData: data.span, for: key.role),
        notAfter: key.notAfter, otp: key.otp),
      at: now, anchor: .beginning)
  }

  fileprivate func importTest(_ key: TestDaemon.MerchantKey, at now: Timestamp) throws {
    let pem = Array(key.pem.utf8)
    guard let imported = try PrivateKeyFile.decode(pem.span, passphrase: nil).key,
      let label = KeyLabel(key.label)
    else {
      throw TestDaemon.Failure("no key in \(key.label)")
    }
    _ = try importKey(
      KeyImport(
        label: label, role: key.role, material: .privateKey(imported),
        merchant: key.merchant.isEmpty ? nil : MerchantIdentifier(key.merchant)),
      at: now, anchor: .beginning)
  }
}
