internal import Crypto
internal import Format
internal import KeyStore
internal import KistClient

/// A key block from another HSM, checked as far as its header allows without the key.
struct BlockFile {
  /// The block's characters.
  let text: [UInt8]

  /// - Throws: an explanation of what the daemon would only reject.
  init(_ path: String, for role: KeyRole, under kek: Key) throws(CommandFailure) {
    let whole = try Input(path: path).contents(limit: 10_000)
    let text = Array(whole.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
    guard whole.dropFirst(text.count).allSatisfy({ $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) else {
      throw .failed("\(path): more than one line")
    }
    let header: KeyBlockHeader
    do throws(KeyBlockError) {
      header = try KeyBlockHeader.parse(text.span, allowing: Set(KeyBlockVersion.allCases)).header
    } catch {
      throw .failed("\(path): no X9.143 (TR-31) key block of version A to D")
    }
    try Self.check(header, path, role, kek)
    self.text = text
  }

  private static func check(_ header: KeyBlockHeader, _ path: String, _ role: KeyRole, _ kek: Key) throws(CommandFailure) {
    let version = String(UnicodeScalar(header.version.rawValue))
    let exchange: KeyRole = header.version == .d ? .keyExchange : .keyExchangeTDEA
    guard kek.role == exchange.rawValue else {
      throw .failed("\(kek.label): a key of role \(kek.role); a block of version \(version) must be under one of role \(exchange.rawValue)")
    }
    guard kek.state == "active" else { throw .failed("\(kek.label): the key is \(kek.state)") }
    if let claimed = header.optionalBlock(.protectionKeyCheckValue)?.data.dropFirst(2), !agrees(claimed, with: kek.checkText) {
      let claimed = String(decoding: claimed, as: UTF8.self)
      throw .failed("\(path): the block was made under a key with the check value \(claimed); that of \(kek.label) is \(kek.checkText)")
    }
    guard role.takes(header) else {
      let use = "\(header.usage) \(UnicodeScalar(header.algorithm.rawValue)) \(UnicodeScalar(header.mode.rawValue))"
      throw .failed("\(path): the block's header says \(use), which does not fit the role \(role.rawValue)")
    }
  }

  /// Some programs write the first three bytes of a check value, some five.
  private static func agrees(_ claimed: ArraySlice<UInt8>, with check: String) -> Bool { check.utf8.starts(with: claimed) || claimed.starts(with: check.utf8) }
}
