import Crypto
import Format
import Host
import KeyStore

/// A card number that this daemon sealed earlier, so that the service that sends it never held it
/// in clear.
enum SealedAccount {
  /// Opens an envelope with the sealing key that it names; the grant's key patterns must cover that
  /// key. [OP-PROV-5]
  ///
  /// - Parameter associatedData: the associated data that it was sealed with.
  static func open(
    _ envelope: Span<UInt8>, _ associatedData: Span<UInt8>, _ context: borrowing OperationContext
  ) throws(PassError) -> SecretBuffer {
    do throws(OperationError) { return try opened(envelope, associatedData, context) } catch {
      switch error {
      // An absent key, one that the grant does not cover and a wrong tag must look the same.
      case .noSuchKey, .rejected(.envelope): throw PassError(.rejected(.envelope), .accountEnvelope)
      case .rejected, .wire, .busy, .fault: throw PassError(error, .accountEnvelope)
      }
    }
  }

  /// Turns a surrogate back with the key that it names, which the grant must cover, too.
  /// [OP-PROV-7]
  ///
  /// - Throws: `.rejected(.standIn)` also for an absent key and one that the grant does not cover.
  static func open(_ surrogate: borrowing AccountSurrogate, _ context: borrowing OperationContext)
    throws(OperationError) -> SecretBuffer
  {
    guard let id = KeyID(prefixOf: surrogate.key) else { throw .rejected(.standIn) }
    let merchant = try MerchantIdentifier(parameter: surrogate.merchantIdentifier)
    do throws(OperationError) {
      let slot = try context.furtherKey(id, of: .surrogate, serving: .detokenise)
      context.finding.furtherKeys.append(id)
      return try slot.pan(
        ofSurrogate: surrogate.surrogate, merchant,
        context.rules.standInKeys.surrogateFormat(of: merchant))
    } catch {
      if case .noSuchKey = error { throw .rejected(.standIn) }
      throw error
    }
  }

  static func opened(
    _ bytes: Span<UInt8>, _ associatedData: Span<UInt8>, _ context: borrowing OperationContext
  ) throws(OperationError) -> SecretBuffer {
    let envelope: Envelope
    do throws(CryptoError) { envelope = try Envelope(bytes) } catch { throw .rejected(.envelope) }
    guard let id = KeyID(prefixOf: envelope.keyID) else { throw .rejected(.envelope) }
    let slot = try context.furtherKey(id, of: .sealing, serving: .unseal)
    context.finding.furtherKeys.append(id)
    let opened: SecretBuffer?
    do throws(CryptoError) {
      opened = try slot.withSymmetricKey { (key) throws(CryptoError) in
        try envelope.open(key: key, associatedData: associatedData)
      }
    } catch {
      throw error == .exhausted || error == .backend ? OperationError(error) : .rejected(.envelope)
    }
    guard let opened else { throw .noSuchKey }
    return opened
  }
}
