import Format
import KeyStore

/// `export-key`: exports a key for a holder of an exchange key, in an X9.143 block [OP-EXPORT-1].
enum ExportKey: Operation {
  static let opcode = Opcode.exportKey

  /// The exchange key; nil if there is none.
  static func matter(_ request: borrowing ExportKeyRequest, _ keys: KeyStore)
    -> PendingRequests.Matter?
  {
    guard let id = KeyID(prefixOf: request.exchangeKey.span), let record = keys.record(for: id),
      record.role == .keyExchange
    else { return nil }
    return .exchange(id, label: record.label.text, checkValue: record.check.value)
  }

  static func run(
    _ request: borrowing ExportKeyRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let slot = try context.key()
    guard let id = KeyID(prefixOf: request.exchangeKey.span) else { throw .noSuchKey }
    // Exporting makes new data, so as for sealing, the exchange key's state must be active.
    let kek = try context.furtherKey(id, of: .keyExchange, serving: .seal)
    let block = try onKeys(slot.block(under: kek))
    context.finding.furtherKeys.append(kek.record.id)
    try reply.write(ExportKeyReply(block: String(decoding: block, as: UTF8.self)))
  }
}
