internal import CryptoBackend
internal import KeyStore
internal import Policy
internal import SecretMemory
internal import Wire

/// A card number that this daemon sealed before, so that the service that hands it over never held it.
enum SealedAccount {
  /// Opens an envelope under the sealing key that it names, which the grant's key patterns must cover. [OP-PROV-5]
  ///
  /// - Parameter context: what it was sealed with besides.
  static func open(
    _ envelope: Span<UInt8>, _ associatedData: Span<UInt8>, _ grant: borrowing Grant, _ context: OperationContext, _ finding: inout Finding
  ) throws(PassError) -> SecretBuffer {
    let opened: SecretBuffer?
    do throws(CryptoError) {
      let envelope = try Envelope(envelope)
      guard let id = KeyID(prefixOf: envelope.keyID), let slot = context.keys.sealingKey(id, at: context.clock()), grant.covers(slot.record.label.text) else {
        throw .authenticationFailed
      }
      finding.furtherKeys = [id]
      opened = try slot.withSymmetricKey { (key) throws(CryptoError) in try envelope.open(key: key, associatedData: associatedData) }
    } catch {
      switch error {
      // An absent key, one out of the grant's reach and a wrong tag look the same.
      case .authenticationFailed, .invalidInput, .invalidKey, .invalidPoint, .invalidCertificate: throw PassError(.rejected(.envelope), .accountEnvelope)
      case .exhausted, .backend: throw PassError(OperationError(error))
      }
    }
    guard let opened else { throw PassError(.rejected(.envelope), .accountEnvelope) }
    return opened
  }
}
