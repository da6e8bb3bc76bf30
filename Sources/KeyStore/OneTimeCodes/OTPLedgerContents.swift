import Crypto
import Format
import Host

/// The contents of a ledger file, parsed and authenticated.
package struct OTPLedgerContents {
  static let mark = Array("kist-otp-ledger1".utf8)
  /// Replaces the ledger of a copy: codes that were accepted since must not be accepted again.
  /// [KS-RESTORE-CODES]
  package static let notRestored = Array("kist-otp-not-restored".utf8)
  private static let forgottenAt = mark.count + KeyID.byteCount
  static let headerCount = forgottenAt + 8 + 8 + OTPChain.macSize
  static let lineCount = OTPEntry.byteCount + OTPChain.macSize

  private(set) var subjects: [OTPTag: OTPState] = [:]
  private(set) var entries = 0
  /// The number of changes before the first entry.
  private(set) var forgotten: UInt64 = 0
  private(set) var last: [UInt8]

  /// The number of changes ever made.
  var changes: UInt64 { forgotten + UInt64(entries) }

  /// The size in bytes up to the last complete entry.
  var byteCount: Int { Self.headerCount + entries * Self.lineCount }

  /// - Throws: `KeyStoreError.ledger` for any damage that a crash during the last write does not
  ///   explain.
  init(_ text: [UInt8], _ id: KeyID, _ chain: borrowing OTPChain) throws(KeyStoreError) {
    do throws(CryptoError) {
      last = try chain.first(Array(text.prefix(Self.headerCount - OTPChain.macSize)))
      guard text.starts(with: Self.mark + id.bytes), text.count >= Self.headerCount,
        Array(text[..<Self.headerCount].suffix(OTPChain.macSize)) == last
      else { throw .authenticationFailed }
      forgotten = UInt64(bigEndian: text.span, at: Self.forgottenAt)
      while text.count - byteCount >= Self.lineCount {
        let entry = Array(text[byteCount..<byteCount + OTPEntry.byteCount])
        let mac = try chain.next(after: last, entry)
        guard mac.elementsEqual(text[(byteCount + OTPEntry.byteCount)...].prefix(OTPChain.macSize))
        else { break }
        let read = OTPEntry(entry.span)
        subjects[read.subject] = read.state
        last = mac
        entries += 1
      }
      guard text.count - byteCount <= Self.lineCount else { throw .authenticationFailed }
    } catch {
      throw error == .authenticationFailed ? .ledger(id) : .crypto(error)
    }
  }

  /// The same subjects' file under the keys of a new KEK, which have the same tag key.
  static func resealed(
    _ text: [UInt8], _ id: KeyID, from old: borrowing StoreKeys, to new: borrowing StoreKeys
  ) throws(KeyStoreError) -> [UInt8] {
    guard text != notRestored else { return text }
    let from = try onCrypto(OTPChain(old, id))
    let contents = try OTPLedgerContents(text, id, from)
    do throws(CryptoError) {
      let to = try OTPChain(new, id)
      return try Self.text(of: contents.subjects, after: contents.changes, id, to)
    } catch { throw .crypto(error) }
  }

  /// A new file with one entry for each subject; random bytes in its header make its MACs differ
  /// from every other file's. [KS-LEDGER-HEADER]
  ///
  /// - Parameter changes: the number of changes ever made, at least one for each subject.
  static func text(
    of subjects: [OTPTag: OTPState], after changes: UInt64, _ id: KeyID,
    _ chain: borrowing OTPChain
  ) throws(CryptoError) -> [UInt8] {
    let forgotten = changes - UInt64(subjects.count)
    let header = mark + id.bytes + forgotten.bigEndianBytes + (try Random.bytes(8))
    var mac = try chain.first(header)
    var text = header + mac
    for (subject, state) in subjects {
      let bytes = OTPEntry(subject, state).bytes
      mac = try chain.next(after: mac, bytes)
      text += bytes + mac
    }
    return text
  }
}

/// The chained MACs of one ledger file: each covers the previous one, so that no entry can be
/// changed, moved or removed from the middle.
///
/// HMAC-SHA-256 under keys of this ledger alone, truncated to 16 bytes; the first input byte says
/// what is authenticated. [KS-LEDGER-MAC]
struct OTPChain: ~Copyable, Sendable {
  static let macSize = 16

  private let key: SecretBuffer
  /// The key for subjects' tags, which stays the same when the KEK changes.
  private let tagKey: SecretBuffer
  private let id: KeyID

  init(_ keys: borrowing StoreKeys, _ id: KeyID) throws(CryptoError) {
    let name = id.bytes
    let key = try HMACSHA256.derive(key: keys.ledgers.bytes, name.span)
    let tagKey = try HMACSHA256.derive(key: keys.tags.bytes, name.span)
    self.key = key
    self.tagKey = tagKey
    self.id = id
  }

  func subject(_ name: Span<UInt8>) throws(CryptoError) -> OTPTag {
    let tag = try mac(tagKey, 2, id.bytes, name.array)
    return OTPTag(tag.span)
  }

  /// The first MAC, over the header's 48 bytes.
  func first(_ header: [UInt8]) throws(CryptoError) -> [UInt8] { try mac(key, 0, header, []) }

  func next(after last: [UInt8], _ entry: [UInt8]) throws(CryptoError) -> [UInt8] {
    try mac(key, 1, last, entry)
  }

  private func mac(
    _ key: borrowing SecretBuffer, _ purpose: UInt8, _ first: [UInt8], _ second: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    let message = [purpose] + first + second
    return Array(
      try HMACSHA256.authenticate(key: key.bytes, message.span).bytes.prefix(Self.macSize))
  }
}
