internal import CConstantTime
package import Host

extension ConstantTime {
  /// Whether all bytes are zero.
  package static func isZero(_ bytes: Span<UInt8>) -> Bool {
    var seen: UInt8 = 0
    for i in bytes.indices { seen |= bytes[i] }
    // Callers refuse such a key.
    return kist_declassified(seen == 0)
  }
}
