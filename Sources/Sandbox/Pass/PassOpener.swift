import Crypto
package import Format
import Host
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
    self.pki = pki
    self.now = now
    self.networks = networks
  }

  /// - Parameter asksNetworks: whether the networks check activation data and encrypted number.
  /// - Throws: `SandboxError.pass`, for the first check that failed.
  package func open(_ sealed: SealedPassJSON, asksNetworks: Bool = true) throws(SandboxError)
    -> OpenedPass
  {
    let members = try members(of: sealed)
    guard isSignedByPhone(members) else { throw .pass(.nonce) }
    let check = NetworkCheck(members, networks, now: now)
    guard asksNetworks else {
      return OpenedPass(
        members: members, activation: .unchecked(sealed.activationData), encryptedNumber: nil)
    }
    let number: VisaValue?
    do throws(NetworkFault) { number = try check.encryptedNumber() } catch {
      throw .pass(.encryptedNumber(error))
    }
    do throws(NetworkFault) {
      return OpenedPass(
        members: members, activation: try check.activation(sealed.activationData, number),
        encryptedNumber: number?.text)
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

  /// EV_ECC_v2: SP 800-56A r1 §5.8.1 with the ephemeral public key as PartyV; AES-256-GCM with an
  /// IV of zeros, which this key alone makes safe.
  private func decrypt(_ sealed: SealedPassJSON) throws(CryptoError) -> SecretBuffer {
    let data = sealed.encryptedPassData
    let point = sealed.ephemeralPublicKey
    guard data.count > AESGCM.tagSize else { throw .invalidInput }
    let z = try pki.leaf.key.agree(with: point.span)
    let otherInfo = [0x0D] + Array("id-aes256-GCM".utf8) + Array("Apple".utf8) + point
    let key = try OneStepKDF.sha256(z: z.bytes, otherInfo: otherInfo.span)
    let iv = [UInt8](repeating: 0, count: 12)
    return try AESGCM.open(
      key: key.bytes, iv: iv.span, ciphertext: data.span.extracting(droppingLast: AESGCM.tagSize),
      tag: data.span.extracting(last: AESGCM.tagSize))
  }

  private func isSignedByPhone(_ members: PassMembers) -> Bool {
    guard let nonce = members["nonce"].flatMap({ Hex.decode($0) }),
      let signature = members["nonceSignature"].flatMap({ Hex.decode($0) })
    else { return false }
    return pki.phone.certificate.publicKey.verify(signature: signature.span, message: nonce.span)
  }
}

extension OpenedPass.Activation {
  static func unchecked(_ value: [UInt8]) -> Self {
    value.isEmpty ? .none : .unchecked(String(decoding: value, as: UTF8.self))
  }
}

/// A pass as Apple and the payment network see it; test data, so nothing here is secret.
package struct OpenedPass: Equatable, Sendable {
  package enum Activation: Equatable, Sendable {
    case none
    /// The value as it came.
    case unchecked(String)
    /// The value as it came, and what the network found in it.
    case checked(String, text: String)
  }

  package let members: PassMembers
  package let activation: Activation
  /// What Visa found in the encrypted number; nil if there is none, or it was not looked at.
  package let encryptedNumber: String?

  package var json: CanonicalJSON {
    let activation: CanonicalJSON? =
      switch activation {
      case .none: nil
      case .unchecked(let value): ["checked": false, "value": value]
      case .checked(let value, let text):
        ["checked": true, "text": text, "value": value]
      }
    return [
      "activation": activation, "encrypted_number": encryptedNumber, "pass": members.json,
    ]
  }
}

/// The payment data of a pass: texts by name, those of one of Apple's configurations.
///
/// Source: Apple, "Getting Started with Apple Pay In-App Provisioning", table 9-1.
package struct PassMembers: Equatable, Sendable {
  private let values: [String: String]

  package subscript(_ name: String) -> String? { values[name] }

  /// MMYY, from the expiration's MM/YY.
  var expiry: String? { values["expiration"].map { $0.filter { $0 != "/" } } }

  package var json: CanonicalJSON { .object(values.map { .init($0.key, .string($0.value)) }) }

  /// - Throws: `.notObject` or `.members`.
  init(_ text: Span<UInt8>) throws(PassFault) {
    do throws(JSONReaderError) { values = try Self.texts(text) } catch { throw .notObject }
    let names = Set(values.keys)
    guard
      Self.configurations.contains(where: {
        $0.needed.isSubset(of: names) && names.isSubset(of: $0.needed.union($0.possible))
      })
    else { throw .members }
  }

  private static let configurations: [(needed: Set<String>, possible: Set<String>)] = [
    (["primaryAccountNumber", "expiration", "name", "nonce", "nonceSignature"], ["productType"]),
    (["primaryAccountIdentifier", "nonce", "nonceSignature"], ["productType"]),
    (
      [
        "encryptedPrimaryAccountNumber", "networkName", "primaryAccountNumberPrefix", "nonce",
        "nonceSignature",
      ], ["name", "productType"]
    ),
  ]

  private static func texts(_ text: Span<UInt8>) throws(JSONReaderError) -> [String: String] {
    let json = try JSONReader(text)
    return try json.texts(of: json.root)
  }
}

extension JSONReader {
  /// The members of an object of public texts.
  func texts(of object: Value) throws(JSONReaderError) -> [String: String] {
    var members = try members(of: object)
    var found: [String: String] = [:]
    while let member = try members.next() {
      found[try text(of: member.name)] = try text(of: member.value)
    }
    return found
  }

  private func text(of string: Value) throws(JSONReaderError) -> String {
    var bytes = [UInt8](repeating: 0, count: try decodedCount(of: string))
    var span = bytes.mutableSpan
    _ = try decode(string, into: &span)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Why a pass that an issuer's host made would not be added to a phone.
package enum PassFault: Error, Equatable {
  /// The ephemeral public key is no point of P-256.
  case ephemeralKey
  /// Sealed for another key, or changed.
  case ciphertext
  /// What was sealed is not an object of texts in JSON.
  case notObject
  /// The members are those of none of Apple's configurations.
  case members
  /// The nonce is not one that this phone has signed.
  case nonce
  case activation(NetworkFault)
  case encryptedNumber(NetworkFault)
}

/// Why a payment network would not take a value.
package enum NetworkFault: Error, Equatable {
  /// Neither Visa's form nor Mastercard's.
  case form
  /// Made under a key that the sandbox's network does not have.
  case key
  /// It does not decrypt under the key that it names.
  case decryption
  /// It is about another card or nonce than the pass.
  case contradiction
  /// Not signed by the issuer's key, or over another number or expiry.
  case signature
  /// No longer valid, or valid for longer than Mastercard allows.
  case time
}
