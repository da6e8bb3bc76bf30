import Audit
import Ceremony
import Crypto
import Format
import Glibc
import Host
import KistClient
import Operations
import Policy
import Server

/// What must be freed, wiped or given back where its owner ends. The optimiser of a release build
/// has lost a `deinit` before, where generic types were nested, and in a debug build nothing of
/// that shows.
enum Ends {
  private struct Failure: Error {}

  /// Each way in which an owner can end, and whether nothing of it was left.
  static var rows: [(name: String, holds: () throws -> Bool)] {
    [
      (
        "a secret, at the end of its scope",
        { try isFreed { _ = try SecretBuffer(count: 4096).count } }
      ),
      (
        "a secret, by a throw past it",
        {
          try isFreed {
            do {
              let secret = try SecretBuffer(count: 4096)
              if secret.count > 0 { throw Failure() }
            } catch is Failure {}
          }
        }
      ),
      (
        "a secret that another replaces, and one that is taken out",
        { try isFreed { try Box().use() } }
      ),
      (
        "a key that OpenSSL has, and what it was made from",
        {
          try isFreed {
            let key = try PrivateKey.generate(.p256)
            _ = key.publicKey.point?.count
          }
        }
      ),
      ("a key's file, with all that OpenSSL made of it", { try isFreed { try openKeyFile() } }),
      (
        "a key's file that its passphrase does not open",
        { try isFreed { try openKeyFile(passphrase: "y") } }
      ),
      ("a file, at the end of its scope, and by a throw past it", { try isClosed(whatReadsAFile) }),
      ("a listener with its socket's file, and a client", { try isClosed(whatListens) }),
      ("pages of memory, and those that larger ones replace", isUnmapped),
      (
        "a reservation, at the end of its scope",
        { try isGivenBack { (request: inout Reservations) in } }
      ),
      (
        "a reservation, by a throw past it",
        { try isGivenBack { (request: inout Reservations) in throw Failure() } }
      ),
      (
        "a reservation that its batch took over",
        { try isGivenBack { (request: inout Reservations) in Batch().take(&request) } }
      ),
      (
        "a reservation of a request that failed",
        {
          try isGivenBack { (request: inout Reservations) in
            request.end(.failed(.busy))
            throw Failure()
          }
        }
      ),
      (
        "one that succeeded, and whose batch was dropped",
        { try isGivenBack { (request: inout Reservations) in request.end(.done(released: [])) } }
      ),
    ]
  }

  /// Frees everything in all ways that there are.
  private final class Box {
    private var secret: SecretBuffer?

    func use() throws {
      secret = try SecretBuffer(count: 4096)
      secret = try SecretBuffer(count: 8192)
      if let taken = secret.take() { _ = taken.count }
      secret = try SecretBuffer(count: 4096)
    }
  }

  /// As a batch holds what its requests took.
  private final class Batch {
    private var reservations: Reservations? = Reservations()

    func take(_ request: inout Reservations) {
      reservations?.add(&request, at: 1)
      reservations = nil
    }
  }

  private static func isFreed(_ body: () throws -> Void) throws -> Bool {
    // What is made once stays, and OpenSSL keeps its last 16 errors.
    for _ in 0..<16 { try body() }
    let before = SecretArena.usage.used
    for _ in 0..<8 { try body() }
    return SecretArena.usage.used == before
  }

  /// A P-256 key under the passphrase x, as `openssl pkcs12 -export -nocerts` wrote it.
  private static let keyFile = Base64.decode(
    """
    MIIBfgIBAzCCATQGCSqGSIb3DQEHAaCCASUEggEhMIIBHTCCARkGCSqGSIb3DQEHAaCCAQoEggEG\
    MIIBAjCB/wYLKoZIhvcNAQwKAQKgge8wgewwVwYJKoZIhvcNAQUNMEowKQYJKoZIhvcNAQUMMBwE\
    CId4BTTg5KC/AgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQ4px++vr+q2zVXOzrqqvu\
    QQSBkApGih5HlsMUBmtGjfKu7vPfzTWzDmQk0s6FgmSOMJLTReIF7+ylkjTb/uEZYLYs6gG+832v\
    l40Wk8L83dXvLgZn0kVsYXd0pbgnnipk0ggdMCI1qw8aCTeyCupUGOxinlwfKDLQoBcsO+x7KyBw\
    Q4y+NyhwKsDDT5UW/QXLB1CR+8KOjAdj+kdDLa3ewmiJSDBBMDEwDQYJYIZIAWUDBAIBBQAEIB8J\
    XJLjmhiJRrY5dR2aoaMGXdDgi/qO+nXheydpiHHcBAjnsmPzTBGplwICCAA=
    """)

  private static func openKeyFile(passphrase: String = "x") throws {
    guard let keyFile else { throw Failure() }
    let word = Array(passphrase.utf8)
    let found = try? PrivateKeyFile.decode(keyFile.span, passphrase: word.span)
    guard (found?.key?.kind == .p256) == (passphrase == "x") else { throw Failure() }
  }

  /// Whether the lowest free descriptor is the same afterwards.
  private static func isClosed(_ body: (_ isThrown: Bool) throws -> Void) throws -> Bool {
    func lowest() -> Int32 {
      let copy = dup(STDIN_FILENO)
      close(copy)
      return copy
    }
    let before = lowest()
    for isThrown in [false, true] {
      do { try body(isThrown) } catch is Failure {}
    }
    return before >= 0 && lowest() == before
  }

  private static func whatReadsAFile(_ isThrown: Bool) throws {
    let file = try File("/proc/self/status", .read, on: LinuxDisk())
    if isThrown { throw Failure() }
    _ = try file.isNamed("/")
  }

  private static let socket = "/tmp/kist-ends-\(getpid())"

  private static func whatListens(_ isThrown: Bool) throws {
    // Of the round before.
    guard unsafe access(socket, F_OK) != 0 else { return }
    let listener = try Listener.bind(path: socket, owner: nil, group: nil, mode: 0o600)
    let client = try Client(Endpoint(path: socket))
    if isThrown { throw Failure() }
    try client.reconnect()
    listener.stop()
  }

  /// Whether the process has no more memory mapped afterwards, whose pages nobody touched.
  private static func isUnmapped() throws -> Bool {
    func mapped() throws -> Int {
      var text = [UInt8](repeating: 0, count: 64)
      var span = text.mutableSpan
      _ = try File("/proc/self/statm", .read, on: LinuxDisk()).read(into: &span, at: 0)
      return Int(String(decoding: text.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)) ?? 0
    }
    let size = 64 << 20
    let before = try mapped()
    for _ in 0..<4 {
      var pages = try PageBuffer(zeros: size)
      try pages.append([1].span)
    }
    return try mapped() - before < size / PageBuffer.pageSize
  }

  private static func isGivenBack(_ body: (inout Reservations) throws -> Void) throws -> Bool {
    let now = Timestamp(seconds: 1_750_000_000)
    let transaction = KeyedDigest(SHA256.hash([1]))
    let replays = ReplayGuard(
      window: 300, lead: 300, capacity: 8, complete: now.adding(seconds: -3600))
    do {
      var request = Reservations()
      guard replays.reserve(transaction, signedAt: now, now: now, into: &request) == .reserved,
        replays.knows(transaction)
      else { return false }
      try body(&request)
    } catch is Failure {}
    return !replays.knows(transaction)
  }
}
