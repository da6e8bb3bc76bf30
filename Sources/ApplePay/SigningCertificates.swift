package import Format
import Host

/// One of Apple's certificates that sign tokens, as the last token under it had it.
package struct SigningCertificate: Hashable, Sendable {
  /// The serial number, an INTEGER in DER.
  package let serial: [UInt8]
  /// When it or the one above it ends.
  package let end: Timestamp
  package fileprivate(set) var lastToken: Timestamp
}

/// The certificates under which verified tokens came. A caller cannot make one up: Apple's root
/// must have signed it.
final class SigningCertificates: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`; by serial number.
  private var seen: [[UInt8]: SigningCertificate] = [:]

  /// How many are remembered; Apple uses few at a time. The one that was quiet longest is dropped
  /// first.
  static let limit = 16

  func note(_ serial: [UInt8], until end: Timestamp, at now: Timestamp) {
    lock.withLock {
      let last = seen[serial]?.lastToken ?? now
      seen[serial] = SigningCertificate(serial: serial, end: end, lastToken: max(last, now))
      guard seen.count > Self.limit,
        let oldest = seen.values.min(by: { $0.lastToken < $1.lastToken })
      else { return }
      seen[oldest.serial] = nil
    }
  }

  /// In the order of their ends.
  var all: [SigningCertificate] {
    lock.withLock { Array(seen.values) }.sorted {
      ($0.end, Hex.encode($0.serial)) < ($1.end, Hex.encode($1.serial))
    }
  }
}
