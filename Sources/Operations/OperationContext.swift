package import Audit
internal import Format
package import KeyStore
package import Policy

/// What an operation works with besides its body. It is borrowed, never copied.
package struct OperationContext: ~Copyable {
  package let grant: Grant
  /// The same for all requests.
  package let daemon: DaemonContext
  /// Those in force when the request began.
  package let rules: Rules
  /// The secrets of the request's connection.
  package let handles: HandleTable
  /// The second person's part in the request; nil if no approval was needed.
  package var approval: Approval?
  /// Whether the request may have been carried out before.
  package var retry = Retry.none
  /// What the record will add, even if the operation fails.
  package let finding = Finding()
  /// What the fleet's store made of the request.
  package var claim = ClaimState.alone
  /// Runs what waits for others, while other connections are served.
  package var waiting: @Sendable (() -> Void) -> Void = { $0() }

  package init(_ grant: consuming Grant, _ daemon: DaemonContext, _ rules: Rules, _ handles: HandleTable) {
    self.grant = grant
    (self.daemon, self.rules, self.handles) = (daemon, rules, handles)
  }

  /// Gives the grant back, for the record.
  package consuming func ended() -> Grant { grant }

  package var keys: KeyStore { daemon.keys }

  var now: Timestamp { daemon.clock() }

  /// The key that the grant names; counts one use of it if its uses are limited, unless the request was carried out before.
  ///
  /// - Throws: `.noSuchKey` if its role, state or period do not serve the operation; `.rejected(.invocations)`.
  func key() throws(OperationError) -> KeySlot {
    do throws(KeyStoreError) {
      return try keys.key(for: grant, at: now, isCounted: !retry.isRepetition, noteUse)
    } catch { throw OperationError(lending: error) }
  }

  /// A second key, named in the request's body; otherwise as `key()`.
  func furtherKey(_ id: KeyID, of role: KeyRole, serving opcode: Opcode) throws(OperationError) -> KeySlot {
    do throws(KeyStoreError) {
      return try keys.furtherKey(id, of: role, serving: opcode, for: grant, at: now, noteUse)
    } catch { throw OperationError(lending: error) }
  }

  /// Notes a counted use of a key, which is given back if nothing comes of it.
  var noteUse: (KeyID) -> Void {
    let (finding, keys) = (finding, keys)
    return { finding.reservations.add(.use($0, keys)) }
  }

  /// The freshness window for a key's tokens: its own, its merchant's or the general one, but no longer than the replay guard remembers.
  func window(for record: KeyRecord) -> UInt32 { daemon.window(for: record, rules) }
}

extension DaemonContext {
  func window(for record: KeyRecord, _ rules: Rules) -> UInt32 {
    min(record.freshnessWindow.map { UInt32(clamping: $0) } ?? rules.freshness.window(of: record.merchant), replays.window)
  }
}
