internal import Crypto
internal import Format
internal import Host

/// What a manifest says about changes of the KEK. [KS-KEK-NUMBER]
package struct Resealing: Equatable, Sendable {
  /// How many times the KEK was changed, at least once.
  let number: Int
  /// The ledgers' tag key as a key block under the KBPK. Ledgers hold subjects' tags but not their names, so a new KEK must keep the old tag
  /// key. [KS-LEDGER-MAC]
  private let tagKey: [UInt8]

  init(number: Int, tagKey: Span<UInt8>, kbpk: Span<UInt8>) throws(CryptoError) {
    self.number = number
    let (use, check) = (Self.use, try KeyCheckValue.aes(kbpk))
    do throws(KeyBlockError) {
      let header = try KeyBlockHeader(
        usage: use.usage, algorithm: use.algorithm, mode: use.mode, optionalBlocks: [.hmac(HashAlgorithm.sha256), .check(ofProtectionKey: check)])
      self.tagKey = try KeyBlock.wrap(key: tagKey, header: header, kbpk: kbpk)
    } catch { throw error.crypto(or: .backend) }
  }

  /// Unwraps the tag key, 32 bytes.
  ///
  /// - Throws: `CryptoError.authenticationFailed` for a block of another use or under another KBPK.
  func tagKey(kbpk: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    do throws(KeyBlockError) {
      let opened = try KeyBlock.unwrap(tagKey.span, kbpk: kbpk)
      if BlockUse(opened.header) == Self.use, opened.key.count == 32 { return opened.takeKey() }
    } catch { throw error.crypto(or: .authenticationFailed) }
    throw .authenticationFailed
  }

  var json: CanonicalJSON {
    ["number": .integer(Int64(number)), "tag_key": .string(String(decoding: tagKey, as: UTF8.self))]
  }

  init(_ json: CanonicalJSON) throws(CanonicalJSONError) {
    var fields = try CanonicalJSONFields(json)
    let (number, tagKey) = (try fields.integer("number"), try fields.string("tag_key"))
    try fields.end()
    guard Self.numbers.contains(number), tagKey.utf8.count <= KeyBlock.longest else { throw .schema }
    (self.number, self.tagKey) = (Int(number), Array(tagKey.utf8))
  }

  private static let use = KeyRole.auditDigest.blockUse
  private static let numbers: ClosedRange<Int64> = 1...999_999
}
