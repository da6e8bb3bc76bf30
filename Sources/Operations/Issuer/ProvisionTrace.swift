import ApplePay
import Crypto
import Format
import Host

/// `provision-trace`: all intermediate values of one encryption, to compare with Apple's
/// `encryptionlog.txt` (§XI of Apple's guide).
///
/// The caller supplies the ephemeral private key and sees the content key, so it works only in a
/// rehearsal, and it uses no stored key. [OP-TRACE-1]
enum ProvisionTrace: Operation {
  static let opcode = Opcode.provisionTrace

  static func run(
    _ request: borrowing ProvisionTraceRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    guard context.daemon.isRehearsal else { throw .noSuchKey }
    let steps = try steps(request)
    let hash: Digest256
    let encrypted: [UInt8]
    do throws(CryptoError) {
      hash = SHA256.hash(try PublicKey(point: request.recipient, on: .p256).spki)
      encrypted = try steps.seal(request.passData)
    } catch { throw OperationError(error) }
    var answer = ProvisionTraceReply()
    answer.publicKeyHash = hash.span
    answer.ephemeralPublicKey = steps.ephemeralPublicKey.span
    answer.sharedSecret = steps.sharedSecret.bytes
    answer.otherInfo = steps.otherInfo.span
    answer.sharedKey = steps.sharedKey.bytes
    answer.encryptedPassData = encrypted.span
    try reply.write(answer)
  }

  private static func steps(_ request: borrowing ProvisionTraceRequest) throws(OperationError)
    -> ProvisioningSteps
  {
    do throws(CryptoError) {
      return try ProvisioningSteps(
        ephemeral: EphemeralKey(scalar: request.ephemeralPrivateKey), recipient: request.recipient)
    } catch {
      switch error {
      case .invalidKey, .invalidPoint: throw .rejected(.keyAgreement)
      case .invalidInput, .authenticationFailed, .invalidCertificate, .exhausted, .backend:
        throw OperationError(error)
      }
    }
  }
}
