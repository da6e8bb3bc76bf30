internal import Crypto
package import Host

/// Activation values inside other texts.
package enum ActivationText {
  package static func base64(_ value: Span<UInt8>) throws(ActivationError) -> SecretBuffer {
    do throws(CryptoError) {
      var text = try SecretWriter(capacity: (value.count + 2) / 3 * 4)
      text.addBase64(value)
      return try text.contents()
    } catch { throw ActivationError(error) }
  }
}
