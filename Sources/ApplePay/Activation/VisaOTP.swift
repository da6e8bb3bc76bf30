import Crypto
package import Format
package import Host

/// A string of Visa Token Service: `TYPE-1-FK-KEYSET--TDEA-HEX`.
///
/// Type, version 1, fixed key, the key set's identifier, no ephemeral key, algorithm, encrypted
/// text in upper-case hex.
package struct VisaOTP: Sendable {
  /// Bytes of the longest string.
  package static let cap = 512

  private let type: VisaType
  private let keySet: String

  /// - Parameter keySet: such as `123456.1`.
  package init(_ type: VisaType, keySet: String) {
    self.type = type
    self.keySet = keySet
  }

  /// `nonce=HEX;authcode=CODE` under `key`.
  ///
  /// - Parameters:
  ///   - nonce: the bytes that Apple gave, 1 to 64.
  ///   - code: 1 to 32 letters and digits.
  ///   - key: 16 bytes.
  package func activation(nonce: Span<UInt8>, code: Span<UInt8>, key: Span<UInt8>)
    throws(ActivationError) -> SecretBuffer
  {
    guard !type.isAccount, (1...64).contains(nonce.count), (1...32).contains(code.count),
      ConstantTime.areLettersAndDigits(code)
    else { throw .input }
    return try make(key) { text in
      text.add("nonce=")
      text.addHex(nonce)
      text.add(";authcode=")
      text.add(code)
    }
  }

  /// `pan=PAN;expiry=MMYY;datetime=yyyyMMddHHmmss` (UTC) under `key`.
  package func account(
    number: Span<UInt8>, expiry: Span<UInt8>, at now: Timestamp, key: Span<UInt8>
  ) throws(ActivationError) -> SecretBuffer {
    guard type.isAccount, AccountNumber.isOne(number), AccountNumber.isExpiry(expiry) else {
      throw .input
    }
    return try make(key) { text in
      text.add("pan=")
      text.add(number)
      text.add(";expiry=")
      text.add(expiry)
      text.add(";datetime=")
      text.add(open: now.wholeSeconds.filter(\.isNumber))
    }
  }

  /// Two-key TDEA in CBC mode with a zero IV.
  private func make(_ key: Span<UInt8>, _ write: (inout SecretWriter) -> Void)
    throws(ActivationError) -> SecretBuffer
  {
    do throws(CryptoError) {
      var text = try SecretWriter(capacity: 256)
      write(&text)
      let block = try VDSPBlock.wrap(text.bytes)
      let iv: InlineArray<8, UInt8> = InlineArray(repeating: 0)
      let ciphertext = try BlockCipher.tripleDES.encrypt(
        key: key, iv: iv.span, plaintext: block.bytes)
      var otp = try SecretWriter(capacity: Self.cap)
      otp.add(open: "\(type.code)-1-FK-\(keySet)--TDEA-")
      otp.addHex(ciphertext.span, upperCase: true)
      return try otp.contents()
    } catch { throw ActivationError(error) }
  }
}

/// How a text is padded before encryption for Visa; nothing else depends on this format.
///
/// Two spaces, four random printable characters, the text's length in decimal, the text, `!` up to
/// a multiple of 8.
///
/// Source: the "VDSP formatting" of public implementations (drvpereira/applepay-crypto,
/// `VisaPayloadEncryption`), one of them in full; its length agrees with samples that Fiserv
/// publishes. Visa's own specification is not public: if it differs, change this function.
enum VDSPBlock {
  static func wrap(_ text: Span<UInt8>) throws(CryptoError) -> SecretBuffer {
    var block = try SecretWriter(capacity: 6 + 4 + text.count + 7)
    block.add("  ")
    for _ in 0..<4 { block.add(try printable()) }
    block.add(open: String(text.count))
    block.add(text)
    while !block.count.isMultiple(of: 8) { block.add(UInt8(ascii: "!")) }
    return try block.contents()
  }

  /// One of the 94 printable characters, each as likely as the others.
  private static func printable() throws(CryptoError) -> UInt8 {
    while true {
      let byte = try Random.secret(count: 1)
      if byte.bytes[0] < 188 { return 33 + byte.bytes[0] % 94 }
    }
  }
}

extension VisaType {
  /// In Visa's strings.
  package var code: String {
    switch self {
    case .mbpac: "MBPAC"
    case .mbpad: "MBPAD"
    case .mpac: "MPAC"
    case .mpad: "MPAD"
    }
  }

  /// Whether the text is about the card, not the activation.
  package var isAccount: Bool { self == .mbpad || self == .mpad }
}
