// Settings: what kistd has read and checked for kistd-keys: configuration, policy, accounts, and the frame in which they travel.
// It knows the form of each value, and refuses a frame that it would not write itself.
// It must not know TOML, files, or how the daemon acts on a setting.
// kistd, kist and the tests make frames; kistd-keys alone opens one, before it has a key.

package import Format

/// All that `kistd-keys` is told: the message `SettingsFrame` of `proto/settings.proto`.
package struct SettingsFrame: Message, Sendable {
  package var configuration = DaemonConfiguration()
  private var grants: [GrantForm] = []
  package var accounts = AccountTable()

  package init() {}

  package init(_ configuration: DaemonConfiguration, _ policy: Policy, _ accounts: AccountTable) {
    (self.configuration, self.accounts) = (configuration, accounts)
    grants = policy.rules.map(GrantForm.init)
  }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.message(1, "configuration", "DaemonConfiguration", &configuration, atMost: 1 << 24)
    try visitor.messages(2, "grants", "GrantForm", &grants, atMost: 1 << 20, count: 65_536)
    try visitor.message(3, "accounts", "AccountTable", &accounts, atMost: 1 << 24)
  }

  /// The policy that the grants make, in their order.
  ///
  /// - Throws: `.badValue` for what no policy files could have had.
  package func policy() throws(WireError) -> Policy {
    let rules = try grants.map { (grant) throws(WireError) in try grant.rule() }
    do throws(PolicyError) { return try Policy(rules) } catch { throw .badValue(2) }
  }

  /// In the runtime directory, for a reload.
  package static let fileName = "settings"

  /// Of a whole frame, in bytes.
  package static let byteLimit = 1 << 25
}

extension Message {
  /// The message in its one form.
  ///
  /// - Throws: `.tooLong` above `SettingsFrame.byteLimit`, and for what no reader would take.
  package func encoded() throws(WireError) -> [UInt8] {
    var size = 1 << 16
    while true {
      var bytes = [UInt8](repeating: 0, count: size)
      do throws(WireError) {
        let count = try written(into: bytes.mutableSpan)
        return Array(bytes.prefix(count))
      } catch {
        guard case .tooLong = error, size < SettingsFrame.byteLimit else { throw error }
        size *= 2
      }
    }
  }

  private func written(into place: consuming MutableSpan<UInt8>) throws(WireError) -> Int {
    var writer = MessageWriter(place)
    try encode(into: &writer)
    return writer.count
  }

  /// - Throws: also for bytes that say the same as others would.
  package init(canonical bytes: [UInt8]) throws(WireError) {
    try self.init(MessageReader(bytes.span))
    guard try encoded() == bytes else { throw .badValue(1) }
  }
}
