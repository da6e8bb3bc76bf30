package import Audit
import Crypto
package import Format
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

  package init(
    _ grant: consuming Grant, _ daemon: DaemonContext, _ rules: Rules, _ handles: HandleTable
  ) {
    self.grant = grant
    self.daemon = daemon
    self.rules = rules
    self.handles = handles
  }

  /// Gives the grant back, for the record.
  package consuming func ended() -> Grant { grant }

  package var keys: KeyStore { daemon.keys }

  var now: Timestamp { daemon.clock() }

  /// The key that the grant names; counts one use of it if its uses are limited, unless the request
  /// was carried out before.
  ///
  /// - Throws: `.noSuchKey` if its role, state or period do not serve the operation;
  ///   `.rejected(.invocations)`.
  func key() throws(OperationError) -> KeySlot {
    do throws(KeyStoreError) {
      return try keys.key(for: grant, at: now, isCounted: !retry.isRepetition, noteUse)
    } catch { throw OperationError(lending: error) }
  }

  /// A second key, named in the request's body; otherwise as `key()`.
  func furtherKey(_ id: KeyID, of role: KeyRole, serving opcode: Opcode) throws(OperationError)
    -> KeySlot
  {
    do throws(KeyStoreError) {
      return try keys.furtherKey(id, of: role, serving: opcode, for: grant, at: now, noteUse)
    } catch { throw OperationError(lending: error) }
  }

  /// Notes a counted use of a key, which is given back if nothing comes of it.
  var noteUse: (KeyID) -> Void {
    let finding = finding
    let keys = keys
    return { finding.reservations.add(.use($0, keys)) }
  }

  /// The freshness window for a key's tokens: its own, its merchant's or the general one, but no
  /// longer than the replay guard remembers.
  func window(for record: KeyRecord) -> UInt32 { daemon.window(for: record, rules) }
}

extension DaemonContext {
  func window(for record: KeyRecord, _ rules: Rules) -> UInt32 {
    min(
      record.freshnessWindow.map { UInt32(clamping: $0) }
        ?? rules.freshness.window(of: record.merchant), replays.window)
  }
}

/// What an operation adds to the audit record besides who, what and when; nothing else of a request
/// reaches the log.
package final class Finding {
  /// Keyed digests and numbers from the request; recorded even if the operation fails.
  package var inputs = Inputs() { didSet { hasInputs = true } }
  private var hasInputs = false
  /// `inputs`; nil if nothing was noted, which most requests need not compare to know.
  package var notedInputs: Inputs? { hasInputs ? inputs : nil }
  /// The fields of an opened token that were released.
  package var released = ReleasedFields()
  /// The secrets of a primitive that were released.
  package var secrets = ReleasedSecrets()

  /// Other keys whose material was used, besides the request's own.
  package var furtherKeys: [KeyID] = []

  /// What the request took and did not keep yet.
  package var reservations = Reservations()

  /// A change of a key's state.
  package var change: Change?

  package struct Change: Sendable {
    package let kind: Event.KeyChange
    package let key: KeyTarget
    package let persons: Persons
  }

  package init() {}

  /// Notes what a request is claimed by, which of its openings on this host was the first, and
  /// which host was before.
  package func note(_ retry: Retry, _ claim: ClaimState) {
    if let first = retry.first { inputs.retryOf = first.sequence }
    guard let found = claim.found else { return }
    note(found.claim)
    inputs.retryHost = claim.elsewhere?.host
  }

  func note(_ claim: Claim) { inputs.claim = Digest256(claim.digest) }

  /// Refuses a request that requires a field which is not among these, and says which [OP-OPEN-10].
  func demand(_ required: ReleasedFields, of released: ReleasedFields) throws(OperationError) {
    guard let missing = required.subtracting(released).fields.first else { return }
    inputs.required = missing
    inputs.sealed = []
    throw .rejected(.notReleased)
  }
}

// Shared by the operations that change the key store.

extension OperationContext {
  /// The people who make a change: the caller and whoever approved it.
  var persons: Persons { Persons(asked: grant.caller.person, approved: approval?.by) }

  /// Durably makes a key, as `change`, whose label the grant covers. [OP-IMPORT-2]
  func make(
    _ kind: Event.KeyChange, _ label: String, into reply: inout MessageWriter,
    _ new: (Persons) throws(KeyStoreError) -> KeyImport
  ) throws(OperationError) {
    // What is no label at all is rejected with the key's other values.
    guard KeyLabel(label) == nil || grant.covers(label) else { throw .noSuchKey }
    try change(kind, into: &reply) { () throws(KeyStoreError) in
      let new = try new(persons)
      if let certificate = new.certificate { try check(certificate, new.role) }
      return try keys.importKey(new, at: now, anchor: daemon.anchor()).id
    }
  }

  /// Durably changes one key, adds the change to the record, and writes the key's description to
  /// the reply.
  func change(
    _ kind: Event.KeyChange, into reply: inout MessageWriter,
    _ body: () throws(KeyStoreError) -> KeyID
  ) throws(OperationError) {
    let id = try onKeys(body())
    guard let record = keys.record(for: id) else { throw .fault }
    finding.change = Finding.Change(
      kind: kind, key: KeyTarget(id: id, label: record.label.text), persons: persons)
    let description = KeyDescription(
      record, certificate: keys.certificate(of: id)?.der, listing: false)
    try reply.write(description)
  }
}

extension Certificate {
  convenience init(offered der: Span<UInt8>) throws(KeyStoreError) {
    do throws(CryptoError) { try self.init(der: der) } catch {
      throw KeyStoreError(refusing: error)
    }
  }
}

extension KeyStoreError {
  /// Maps a failure to parse a key or certificate.
  init(refusing error: CryptoError) {
    self = error == .exhausted ? .crypto(error) : .importRefused(.algorithm)
  }
}

extension Timestamp {
  /// Parses a request's seconds since 1970; nil for zero.
  init?(requested seconds: UInt64) {
    guard seconds > 0 else { return nil }
    self.init(seconds: Int64(clamping: min(seconds, 253_402_300_799)))
  }
}
