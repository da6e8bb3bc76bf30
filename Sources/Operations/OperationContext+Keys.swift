internal import Audit
internal import Crypto
internal import Format
internal import KeyStore
internal import Policy

// Shared by the operations that change the key store.
extension OperationContext {
  /// The people who make a change: the caller and whoever approved it.
  var persons: Persons { Persons(asked: grant.caller.person, approved: approval?.by) }

  /// Durably makes a key, as `change`, whose label the grant covers. [OP-IMPORT-2]
  func make(
    _ kind: Event.KeyChange, _ label: String, into reply: inout MessageWriter, _ new: (Persons) throws(KeyStoreError) -> KeyImport
  ) throws(OperationError) {
    // What is no label at all is rejected with the key's other values.
    guard KeyLabel(label) == nil || grant.covers(label) else { throw .noSuchKey }
    try change(kind, into: &reply) { () throws(KeyStoreError) in
      let new = try new(persons)
      if let certificate = new.certificate { try check(certificate, new.role) }
      return try keys.importKey(new, at: now, anchor: daemon.anchor()).id
    }
  }

  /// Durably changes one key, adds the change to the record, and writes the key's description to the reply.
  func change(_ kind: Event.KeyChange, into reply: inout MessageWriter, _ body: () throws(KeyStoreError) -> KeyID) throws(OperationError) {
    let id: KeyID
    do throws(KeyStoreError) { id = try body() } catch { throw OperationError(error) }
    guard let record = keys.record(for: id) else { throw .fault }
    finding.change = Finding.Change(kind: kind, key: KeyTarget(id: id, label: record.label.text), persons: persons)
    let description = KeyDescription(record, certificate: keys.certificate(of: id)?.der, listing: false)
    try reply.write(description)
  }
}

extension Certificate {
  convenience init(offered der: Span<UInt8>) throws(KeyStoreError) {
    do throws(CryptoError) { try self.init(der: der) } catch { throw KeyStoreError(refusing: error) }
  }
}

extension KeyStoreError {
  /// Maps a failure to parse a key or certificate.
  init(refusing error: CryptoError) { self = error == .exhausted ? .crypto(error) : .importRefused(.algorithm) }
}

extension Timestamp {
  /// Parses a request's seconds since 1970; nil for zero.
  init?(requested seconds: UInt64) {
    guard seconds > 0 else { return nil }
    self.init(seconds: Int64(clamping: min(seconds, 253_402_300_799)))
  }
}
