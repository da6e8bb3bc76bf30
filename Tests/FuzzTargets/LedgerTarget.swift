import Crypto
import Format
import Host

@testable internal import KeyStore

/// A ledger of one-time codes and a file of invocations: whole entries get their MACs, or mutation
/// would never pass the first.
enum LedgerTarget: FuzzTarget {
  static let name = "ledger"
  static let byteLimit = 2048
  private static let id = KeyID(high: 1, low: 2)
  private static let kek = [UInt8](repeating: 0x33, count: 32)

  static func seeds() throws -> [[UInt8]] {
    let entry = OTPEntry(OTPTag([UInt8](repeating: 3, count: 16).span), OTPState()).bytes
    let keys = try StoreKeys(kek: kek.span)
    return [
      [], entry, entry + entry, entry + entry.prefix(20),
      try CounterFile(reserved: 4096).serialised(for: id, keys),
    ]
  }

  static func run(_ input: [UInt8]) throws {
    let keys = try StoreKeys(kek: kek.span)
    if let counter = try? CounterFile(parsing: input, of: id, keys) {
      try promise(
        try counter.serialised(for: id, keys) == input, "a counter encodes to other bytes")
    }
    let chain = try OTPChain(keys, id)
    _ = try? OTPLedgerContents(input, id, chain)
    try readBack(input, chain)
  }

  /// The input's whole entries with the MACs they need, and the rest behind them as a crash would
  /// leave it.
  private static func readBack(_ input: [UInt8], _ chain: borrowing OTPChain) throws {
    let count = input.count / OTPEntry.byteCount
    let header = OTPLedgerContents.mark + id.bytes + [UInt8](repeating: 9, count: 16)
    var mac = try chain.first(header)
    var text = header + mac
    var states: [OTPTag: OTPState] = [:]
    for index in 0..<count {
      let bytes = Array(input[index * OTPEntry.byteCount..<(index + 1) * OTPEntry.byteCount])
      mac = try chain.next(after: mac, bytes)
      text += bytes + mac
      let entry = OTPEntry(bytes.span)
      states[entry.subject] = entry.state
    }
    let whole = text.count
    text += input.dropFirst(count * OTPEntry.byteCount)
    let contents = try OTPLedgerContents(text, id, chain)
    try promise(
      contents.entries == count && contents.byteCount == whole,
      "a ledger has \(contents.entries) entries of \(count)")
    try promise(contents.subjects == states, "a ledger's subjects stand elsewhere")
  }
}
