import CLinux
import Crypto
import Format
import Glibc
import Host
import KeyStore
import Operations
import Policy

/// What kistd has told: settings, the policy and who is who, decoded and checked together, so that
/// a reload takes all or nothing.
struct LoadedSettings: Sendable {
  let configuration: DaemonConfiguration
  let policy: Policy
  let accounts: AccountTable

  /// - Parameter descriptor: the sealed memory in which kistd left the frame; it is closed.
  init(descriptor: Int32) throws(StartFailure) {
    defer { close(descriptor) }
    guard kist_is_sealed(descriptor) == 1 else {
      throw StartFailure(.usage, "kistd starts kistd-keys; see kistd(8)")
    }
    try self.init(SettingsFile.contents(descriptor, "the settings"))
  }

  init(_ frame: [UInt8]) throws(StartFailure) {
    do throws(WireError) {
      let frame = try SettingsFrame(canonical: frame)
      configuration = frame.configuration
      policy = try frame.policy()
      accounts = frame.accounts
    } catch {
      throw StartFailure(
        .badData,
        "kistd's settings are none: \(error.description); is it of another version? After an upgrade restart the daemon"
      )
    }
  }

  /// The part that can change while the daemon runs.
  func rules() throws(StartFailure) -> Rules {
    let hash: Digest256
    do throws(WireError) { hash = SHA256.hash(try configuration.encoded()) } catch {
      throw StartFailure(.software, "the settings have no form: \(error.description)")
    }
    return Rules(
      policy, freshness: windows(configuration.applePay.freshnessWindow, \.freshnessWindow),
      retry: windows(configuration.applePay.retryWindow, \.retryWindow), standInKeys: standInKeys,
      oldBlocks: oldBlocks,
      opensLocally: Set(configuration.merchants.lazy.filter(\.opensLocally).map(\.identifier)),
      configurationHash: hash)
  }

  /// Whether a grant asks for the caller's unit or executable.
  var asksForProcess: Bool { policy.rules.contains(where: \.callers.asksForProcess) }

  /// How callers are identified.
  var identity: PeerIdentity {
    PeerIdentity(slices: Set(configuration.slices), accounts: accounts, policy)
  }

  private var oldBlocks: Set<KeyBlockVersion> {
    Set(
      configuration.keyExchange.oldBlocks.compactMap { $0.utf8.first.flatMap(KeyBlockVersion.init) }
    )
  }

  private var standInKeys: StandInKeys {
    let all = configuration.merchants.map { merchant in
      let envelopes = merchant.envelopeKey.flatMap { KeyLabel($0) }.map {
        StandInKeys.Envelopes(
          key: $0, lifetime: merchant.envelopeLifetime.wholeSeconds,
          openOnce: merchant.envelopeOpensOnce)
      }
      let surrogateKey = merchant.surrogateKey.flatMap { KeyLabel($0) }
      return (
        merchant.identifier,
        StandInKeys.Merchant(
          surrogateKey: surrogateKey, surrogateFormat: merchant.surrogateFormat,
          envelopes: envelopes)
      )
    }
    return StandInKeys(merchants: Dictionary(all) { first, _ in first })
  }

  private func windows(_ general: Duration, _ own: (MerchantConfiguration) -> Duration?)
    -> MerchantWindows
  {
    let merchants = configuration.merchants.compactMap { merchant in
      own(merchant).map { (merchant.identifier, $0.wholeSeconds) }
    }
    return MerchantWindows(
      general: general.wholeSeconds, merchants: Dictionary(merchants) { first, _ in first })
  }
}

/// What kistd hands over to a daemon that runs: a file of root's or the daemon's user in the
/// runtime directory.
enum SettingsFile {
  static func read(_ name: String, in directory: String) throws(StartFailure) -> [UInt8] {
    let path = directory + "/" + name
    let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw StartFailure(
        .configuration,
        "\(path): \(SystemError.text(errno)); kistd --reload writes it, and then tells the daemon")
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      [0, geteuid()].contains(status.st_uid),
      status.st_mode & (S_IWGRP | S_IWOTH) == 0
    else {
      throw StartFailure(
        .noPermission, "\(path): others than root and the daemon's user could have written it")
    }
    return try contents(descriptor, path)
  }

  static func contents(_ descriptor: Int32, _ name: String) throws(StartFailure) -> [UInt8] {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_size <= SettingsFrame.byteLimit else {
      throw StartFailure(.badData, "\(name): too long")
    }
    var bytes = [UInt8](repeating: 0, count: status.st_size)
    guard unsafe pread(descriptor, &bytes, bytes.count, 0) == bytes.count else {
      throw StartFailure(.badData, "\(name): \(SystemError.text(errno))")
    }
    return bytes
  }
}
