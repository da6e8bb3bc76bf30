// TokenDiagnosis: what is wrong with a payment token, in words, without a key.
// It repeats the checks of `ApplePay` one by one, and says what to do.
// The daemon must not link it: callers learn nothing of why a token was refused.

package import ApplePay
package import Crypto
package import Format
import KistClient

/// What can be said about a payment token without any key: the certificate it was made for, and
/// everything that is wrong with it.
package struct TokenDiagnosis: Sendable {
  /// nil if the text is no token.
  package private(set) var version: ApplePayTokenVersion?
  /// SHA-256 of the SubjectPublicKeyInfo that the token was made for.
  package private(set) var publicKeyHash: Digest256?
  /// The common names of the certificates in the signature, unverified.
  package private(set) var signers: [String] = []
  /// The signing time that the signature states; proven only if `isSigned`.
  package private(set) var signingTime: Timestamp?
  /// Whether the signature is good, whatever its age.
  package private(set) var isSigned = false
  /// How each given certificate relates to the token, in the given order.
  package private(set) var certificates: [CertificateFinding] = []
  /// In the order in which the daemon would find them.
  package private(set) var problems: [TokenProblem] = []
  package private(set) var notes: [TokenNote] = []

  /// How a token is judged.
  package struct Conditions: Sendable {
    /// The time at which it is to be opened.
    package let now: Timestamp
    /// How many seconds the signing time may be before or after that.
    package let window: UInt32
    package let anchor: TrustAnchor

    package init(now: Timestamp, window: UInt32, anchor: TrustAnchor) {
      self.now = now
      self.window = window
      self.anchor = anchor
    }
  }

  /// - Parameters:
  ///   - text: the token as an app, a page or a log has it; see `ApplePayTokenJSON`.
  ///   - merchants: the certificates for which it may have been made.
  /// - Throws: `CryptoError.exhausted` or `.backend`, which say nothing about the token.
  package init(_ text: Span<UInt8>, merchants: [Certificate], _ conditions: Conditions)
    throws(CryptoError)
  {
    let json: ApplePayTokenJSON
    do throws(ApplePayTokenFlaws) { json = try ApplePayTokenJSON(examining: text) } catch {
      problems = Self.problems(of: text, error)
      return
    }
    version = json.version
    publicKeyHash = Digest256(json.publicKeyHash.span)
    problems = TokenSizes.problems(of: json)
    readSigner(json)
    try verify(json, conditions)
    try examineKeySource(json)
    compare(merchants, conditions.now)
  }
}

extension TokenDiagnosis {
  /// Every reason why the text is no token, or has fields of sizes that Apple never uses; does not
  /// check the signature.
  package static func problems(ofForm text: Span<UInt8>) -> [TokenProblem] {
    do throws(ApplePayTokenFlaws) {
      return TokenSizes.problems(of: try ApplePayTokenJSON(examining: text))
    } catch { return problems(of: text, error) }
  }

  /// Where there is nothing of a token, each member that it lacks says nothing.
  private static func problems(of text: Span<UInt8>, _ flaws: ApplePayTokenFlaws) -> [TokenProblem]
  {
    if text.indices.allSatisfy({ [0x09, 0x0A, 0x0D, 0x20].contains(text[$0]) }) {
      return [.nothing]
    }
    let members: [ApplePayTokenMember] = [.version, .data, .signature, .header]
    return members.allSatisfy { flaws.all.contains(.missing($0)) }
      ? [.otherJSON] : flaws.all.map { .text($0) }
  }

  /// Reads the signature's contents, verified or not.
  private mutating func readSigner(_ json: ApplePayTokenJSON) {
    guard let signed = try? SignedData(json.signature.span) else { return }
    var certificates = signed.certificates
    while !certificates.isAtEnd, let element = try? certificates.next(),
      let certificate = try? Certificate(der: element.encoded)
    {
      signers.append(certificate.subjectCommonName ?? "")
    }
    signingTime = (try? SignedAttributes(signed.signedAttributes))?.signingTime
    if signers.contains(where: { $0.hasSuffix("-SANDBOX") }) { notes.append(.appleSandbox) }
  }

  private mutating func verify(_ json: ApplePayTokenJSON, _ conditions: Conditions)
    throws(CryptoError)
  {
    let verifier = PaymentTokenVerifier(anchor: conditions.anchor)
    guard let stage = try json.refusal(by: verifier, at: conditions.now) else {
      isSigned = true
      if let signingTime { checkAge(of: signingTime, conditions) }
      return
    }
    // Wrong sizes were reported already. To find what they hide, check the same token with the
    // sizes corrected.
    if stage == .format {
      let hidden = try TokenSizes.corrected(json).refusal(by: verifier, at: conditions.now)
      // Apple signed other bytes than the corrected ones, so their digest says nothing.
      if let hidden, hidden != .format, hidden != .messageDigest {
        problems.append(.signature(hidden))
      }
      return
    }
    if stage == .messageDigest, !json.applicationData.isEmpty {
      let without = try json.refusal(by: verifier, at: conditions.now, applicationData: [])
      if without == nil { return problems.append(.unsignedApplicationData) }
    }
    problems.append(.signature(stage))
  }

  private mutating func checkAge(of signingTime: Timestamp, _ conditions: Conditions) {
    let age = conditions.now.seconds - signingTime.seconds
    guard age.magnitude > UInt64(conditions.window) else { return }
    problems.append(
      age > 0
        ? .stale(seconds: age, window: conditions.window)
        : .fromTheFuture(seconds: -age, window: conditions.window))
  }

  /// The ephemeral key is signed, so an invalid one came from the signer.
  private mutating func examineKeySource(_ json: ApplePayTokenJSON) throws(CryptoError) {
    guard case .ephemeralPublicKey(let spki) = json.keySource,
      !problems.contains(.size(.ephemeralPublicKey, spki.count))
    else { return }
    do throws(CryptoError) {
      if try PublicKey(spki: spki).kind != .p256 { problems.append(.ephemeralKey) }
    } catch {
      if error.isOurs { throw error }
      problems.append(.ephemeralKey)
    }
  }

  private mutating func compare(_ merchants: [Certificate], _ now: Timestamp) {
    guard let publicKeyHash else { return }
    certificates = merchants.map { CertificateFinding($0, tokenFor: publicKeyHash) }
    guard !merchants.isEmpty else { return }
    let own = certificates.filter(\.isTokens)
    guard !own.isEmpty else { return problems.append(.otherCertificate) }
    if own.allSatisfy({ $0.purpose == .identity }) { problems.append(.identityCertificate) }
    if version == .ecV1, own.allSatisfy({ $0.merchant == .inconsistent }) {
      problems.append(.merchantIdentifier)
    }
    guard let signingTime else { return }
    if own.allSatisfy({ !$0.isValid(at: signingTime) }) {
      notes.append(.certificateNotValid(at: signingTime))
    }
  }
}

extension ApplePayTokenJSON {
  /// The first check of Apple's signature that the token fails, freshness aside; nil if it passes
  /// all.
  fileprivate func refusal(
    by verifier: PaymentTokenVerifier, at now: Timestamp, applicationData: [UInt8]? = nil
  ) throws(CryptoError) -> TokenRejection? {
    let none: [UInt8] = []
    let bound = applicationData ?? self.applicationData
    do throws(TokenError) {
      switch keySource {
      case .ephemeralPublicKey(let key):
        let token = try PaymentToken(
          version: version, data: data.span, signature: signature.span,
          ephemeralPublicKey: key.span, wrappedKey: none.span,
          publicKeyHash: publicKeyHash.span, transactionID: transactionID.span,
          applicationData: bound.span)
        _ = try verifier.verify(token, now: now, window: .max)
      case .wrappedKey(let key):
        let token = try PaymentToken(
          version: version, data: data.span, signature: signature.span,
          ephemeralPublicKey: none.span, wrappedKey: key.span,
          publicKeyHash: publicKeyHash.span, transactionID: transactionID.span,
          applicationData: bound.span)
        _ = try verifier.verify(token, now: now, window: .max)
      }
      return nil
    } catch {
      switch error {
      case .rejected(let stage): return stage
      case .exhausted: throw .exhausted
      case .backend: throw .backend
      }
    }
  }
}

extension CryptoError {
  fileprivate var isOurs: Bool {
    switch self {
    case .exhausted, .backend: true
    case .invalidKey, .invalidPoint, .invalidInput, .authenticationFailed, .invalidCertificate:
      false
    }
  }
}

/// Which fields of a token have sizes that Apple never uses.
enum TokenSizes {
  static func problems(of json: ApplePayTokenJSON) -> [TokenProblem] {
    var fields: [(ApplePayTokenMember, Int, Bool)] = [
      (.data, json.data.count, PaymentToken.Sizes.data.contains(json.data.count)),
      (
        .signature, json.signature.count,
        PaymentToken.Sizes.signature.contains(json.signature.count)
      ),
      (
        .publicKeyHash, json.publicKeyHash.count,
        json.publicKeyHash.count == PaymentToken.Sizes.digest
      ),
      (
        .transactionID, json.transactionID.count,
        json.transactionID.count == PaymentToken.Sizes.digest
      ),
      (
        .applicationData, json.applicationData.count,
        [0, PaymentToken.Sizes.digest].contains(json.applicationData.count)
      ),
    ]
    switch json.keySource {
    case .ephemeralPublicKey(let key):
      fields.append(
        (.ephemeralPublicKey, key.count, key.count == PaymentToken.Sizes.ephemeralPublicKey))
    case .wrappedKey(let key):
      fields.append((.wrappedKey, key.count, key.count == PaymentToken.Sizes.wrappedKey))
    }
    return fields.filter { !$0.2 }.map { .size($0.0, $0.1) }
  }

  /// The token with every field cut, or padded with zeros, to a size that Apple uses; the signature
  /// is unchanged.
  static func corrected(_ json: ApplePayTokenJSON) -> ApplePayTokenJSON {
    let digest = PaymentToken.Sizes.digest...PaymentToken.Sizes.digest
    var corrected = json
    corrected.keySource =
      switch json.keySource {
      case .ephemeralPublicKey(let key):
        .ephemeralPublicKey(
          fitted(
            key, to: PaymentToken.Sizes.ephemeralPublicKey...PaymentToken.Sizes.ephemeralPublicKey))
      case .wrappedKey(let key):
        .wrappedKey(fitted(key, to: PaymentToken.Sizes.wrappedKey...PaymentToken.Sizes.wrappedKey))
      }
    corrected.data = fitted(json.data, to: PaymentToken.Sizes.data)
    corrected.publicKeyHash = fitted(json.publicKeyHash, to: digest)
    corrected.transactionID = fitted(json.transactionID, to: digest)
    if !json.applicationData.isEmpty {
      corrected.applicationData = fitted(json.applicationData, to: digest)
    }
    return corrected
  }

  private static func fitted(_ bytes: [UInt8], to sizes: ClosedRange<Int>) -> [UInt8] {
    Array(bytes.prefix(sizes.upperBound))
      + [UInt8](repeating: 0, count: max(0, sizes.lowerBound - bytes.count))
  }
}
