internal import Crypto
package import Format
internal import Host
package import KistClient

/// Opens what an issuer's host answers a phone, as Apple and the payment networks do.
///
/// It shares no code with the sealing of passes, so that neither hides a mistake of the other.
package struct PassOpener: ~Copyable {
  private let pki: TestProvisioningPKI
  private let networks: TestNetworks
  private let now: Timestamp

  /// - Parameter now: by the sandbox's clock.
  package init(_ pki: TestProvisioningPKI, _ networks: consuming TestNetworks, now: Timestamp) {
    (self.pki, self.now) = (pki, now)
    self.networks = networks
  }

  /// - Parameter asksNetworks: whether the networks check activation data and encrypted number.
  /// - Throws: `SandboxError.pass`, for the first check that failed.
  package func open(_ sealed: SealedPassJSON, asksNetworks: Bool = true) throws(SandboxError) -> OpenedPass {
    let members = try members(of: sealed)
    guard isSignedByPhone(members) else { throw .pass(.nonce) }
    let check = NetworkCheck(members, networks, now: now)
    guard asksNetworks else { return OpenedPass(members: members, activation: .unchecked(sealed.activationData), encryptedNumber: nil) }
    let number: VisaValue?
    do throws(NetworkFault) { number = try check.encryptedNumber() } catch { throw .pass(.encryptedNumber(error)) }
    do throws(NetworkFault) {
      return OpenedPass(members: members, activation: try check.activation(sealed.activationData, number), encryptedNumber: number?.text)
    } catch { throw .pass(.activation(error)) }
  }

  private func members(of sealed: SealedPassJSON) throws(SandboxError) -> PassMembers {
    let data: SecretBuffer
    do throws(CryptoError) { data = try decrypt(sealed) } catch {
      switch error {
      case .invalidPoint: throw .pass(.ephemeralKey)
      case .authenticationFailed, .invalidInput: throw .pass(.ciphertext)
      case .invalidKey, .invalidCertificate, .exhausted, .backend: throw .crypto(error)
      }
    }
    do throws(PassFault) { return try PassMembers(data.bytes) } catch { throw .pass(error) }
  }

  /// EV_ECC_v2: SP 800-56A r1 §5.8.1 with the ephemeral public key as PartyV; AES-256-GCM with an IV of zeros, which this key alone makes safe.
  private func decrypt(_ sealed: SealedPassJSON) throws(CryptoError) -> SecretBuffer {
    let (data, point) = (sealed.encryptedPassData, sealed.ephemeralPublicKey)
    guard data.count > AESGCM.tagSize else { throw .invalidInput }
    let z = try pki.leaf.key.agree(with: point.span)
    let otherInfo = [0x0D] + Array("id-aes256-GCM".utf8) + Array("Apple".utf8) + point
    let key = try OneStepKDF.sha256(z: z.bytes, otherInfo: otherInfo.span)
    let iv = [UInt8](repeating: 0, count: 12)
    return try AESGCM.open(
      key: key.bytes, iv: iv.span, ciphertext: data.span.extracting(droppingLast: AESGCM.tagSize), tag: data.span.extracting(last: AESGCM.tagSize))
  }

  private func isSignedByPhone(_ members: PassMembers) -> Bool {
    guard let nonce = members["nonce"].flatMap({ Hex.decode($0) }), let signature = members["nonceSignature"].flatMap({ Hex.decode($0) }) else { return false }
    return pki.phone.certificate.publicKey.verify(signature: signature.span, message: nonce.span)
  }
}

extension OpenedPass.Activation {
  static func unchecked(_ value: [UInt8]) -> Self { value.isEmpty ? .none : .unchecked(String(decoding: value, as: UTF8.self)) }
}
