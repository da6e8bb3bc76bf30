package import Crypto
package import Format

/// Verifies the certificates that Apple gives an issuer against one anchor, and caches verified
/// chains.
package final class ProvisioningVerifier: Sendable {
  private let anchor: TrustAnchor
  private let issuer: ProvisioningIssuer
  private let checksValidity: Bool
  let chains = ChainCache<ProvisioningChain>()

  /// - Parameter checksValidity: whether a certificate must be valid now; Apple's own policy does
  ///   not require it.
  package init(
    anchor: TrustAnchor, issuer: ProvisioningIssuer = .apple, checksValidity: Bool = true
  ) {
    self.anchor = anchor
    self.issuer = issuer
    self.checksValidity = checksValidity
  }

  /// - Parameter certificates: DER, in any order, with or without the root.
  /// - Throws: `ProvisioningError`, its stage from `.certificate` to `.certificateValidity`.
  package func verify(_ certificates: [[UInt8]], now: Timestamp) throws(ProvisioningError)
    -> ProvisioningChain
  {
    let chain = try chains.chain(key(certificates)) { () throws(ProvisioningError) in
      try ProvisioningChain(try Self.parse(certificates), anchor: anchor, issuer: issuer)
    }
    guard !checksValidity || chain.isValid(at: now) else { throw .rejected(.certificateValidity) }
    return chain
  }

  /// Hashes the certificates' digests, so that no two lists of certificates give the same bytes.
  private func key(_ certificates: [[UInt8]]) -> Digest256 {
    SHA256.hash(anchor.fingerprint.bytes + certificates.flatMap { SHA256.hash($0).bytes })
  }

  private static func parse(_ certificates: [[UInt8]]) throws(ProvisioningError) -> [Certificate] {
    var all: [Certificate] = []
    for der in certificates {
      do throws(CryptoError) { all.append(try Certificate(der: der)) } catch {
        throw ProvisioningError(error, at: .certificate)
      }
    }
    return all
  }
}

/// The key for which Apple wants a pass sealed; only a chain that meets all rules gives one.
///
/// Source: Apple, Security framework, `SecPolicyCreateApplePayIssuerEncryption`, which pins the
/// intermediate's name and the leaf's marker; we check the rest of the chain as for payment tokens.
package struct ProvisioningChain: CacheableChain {
  /// The leaf's key: 65 bytes 04 ‖ X ‖ Y on P-256.
  package let recipient: [UInt8]
  let leaf: [UInt8]
  /// When leaf and intermediate are both valid, both ends included.
  private let validFrom, validUntil: Timestamp

  func sharing(with _: some Sequence<Self>) -> Self { self }

  package func isValid(at moment: Timestamp) -> Bool { validFrom <= moment && moment <= validUntil }

  /// Picks the leaf by its marker, whatever the order, and checks the chain anew. [OP-PROV-2]
  ///
  /// A root among the certificates is ignored if it is the anchor's own, and never trusted.
  ///
  /// - Throws: the first check that failed, from `.leafMarker` to `.leafCurve`.
  init(_ all: [Certificate], anchor: TrustAnchor, issuer: ProvisioningIssuer)
    throws(ProvisioningError)
  {
    let chain = all.filter { SHA256.hash($0.der) != anchor.fingerprint }
    let leaves = chain.filter { $0.hasExtension(.appleIssuerEncryptionLeaf) }
    guard leaves.count == 1, let leaf = leaves.first else { throw .rejected(.leafMarker) }
    let others = chain.filter { $0 !== leaf }
    guard others.count == 1, let intermediate = others.first else { throw .rejected(.chainLength) }
    try Self.check(intermediate, issuer, anchor)
    try Self.check(leaf, under: intermediate)
    guard leaf.publicKey.kind == .p256, let point = leaf.publicKey.point else {
      throw .rejected(.leafCurve)
    }
    recipient = point
    self.leaf = leaf.issuerDER + leaf.serialDER
    validFrom = max(leaf.notBefore, intermediate.notBefore)
    validUntil = min(leaf.notAfter, intermediate.notAfter)
  }

  private static func check(
    _ intermediate: Certificate, _ issuer: ProvisioningIssuer, _ anchor: TrustAnchor
  ) throws(ProvisioningError) {
    guard issuer.marker.map(intermediate.hasExtension) ?? true else {
      throw .rejected(.intermediateMarker)
    }
    guard issuer.commonName.map({ intermediate.subjectCommonName == $0 }) ?? true else {
      throw .rejected(.intermediateName)
    }
    guard intermediate.isIssuer(under: anchor) else { throw .rejected(.chain) }
    let known = [OID.basicConstraints, .keyUsage] + (issuer.marker.map { [$0] } ?? [])
    guard intermediate.criticalExtensionOIDs.allSatisfy(known.contains) else {
      throw .rejected(.criticalExtension)
    }
  }

  /// The leaf's marker is critical: software that does not know it must not use the certificate
  /// (RFC 5280 §4.2).
  private static func check(_ leaf: Certificate, under intermediate: Certificate)
    throws(ProvisioningError)
  {
    guard !leaf.isCA, leaf.issuerDER == intermediate.subjectDER,
      leaf.isSigned(by: intermediate.publicKey)
    else { throw .rejected(.chain) }
    // Unlike a signer's, this certificate must have the extension: it must say that its key may
    // encipher keys.
    guard leaf.keyUsage?.contains(.keyEncipherment) == true else { throw .rejected(.keyUsage) }
    let known: [OID] = [.basicConstraints, .keyUsage, .appleIssuerEncryptionLeaf]
    guard leaf.criticalExtensionOIDs.allSatisfy(known.contains) else {
      throw .rejected(.criticalExtension)
    }
  }
}

/// Identifies the intermediate that issues Apple's encryption leaves; Apple may start to use
/// another.
package struct ProvisioningIssuer: Hashable, Sendable {
  /// nil for any.
  package let commonName: String?
  /// The marker extension; nil for none.
  package let marker: OID?

  package init(commonName: String?, marker: OID?) {
    self.commonName = commonName
    self.marker = marker
  }

  /// Apple Worldwide Developer Relations CA - G2, valid to 2029-05-06.
  package static let apple = ProvisioningIssuer(
    commonName: "Apple Worldwide Developer Relations CA - G2",
    marker: .appleIssuerEncryptionIntermediate)
}

/// Why no pass was provisioned.
package enum ProvisioningError: Error, Equatable {
  /// The caller's data, or Apple's certificates as the caller supplied them.
  case rejected(ProvisioningRejection)
  /// The arena is full.
  case exhausted
  /// OpenSSL refused something that must work: our own fault.
  case backend
}

/// The check at which a pass was rejected, in the order of the checks.
package enum ProvisioningRejection: Equatable, Sendable {
  /// The configuration needs this member and the caller gave none.
  case missing(PassMember)
  /// The configuration has no such member, or it was given in two forms.
  case surplus(PassMember)
  /// The member's value is malformed.
  case value(PassMember)
  /// What was supplied as a certificate is none.
  case certificate
  /// Not exactly one certificate with the marker of Apple's encryption leaf.
  case leafMarker
  /// Not exactly one certificate besides leaf and root.
  case chainLength
  case intermediateMarker
  case intermediateName
  /// Leaf, intermediate and pinned root do not sign one another.
  case chain
  /// The leaf's key may not encipher keys.
  case keyUsage
  /// A critical extension that is not enforced here.
  case criticalExtension
  /// The leaf's key is not on P-256.
  case leafCurve
  case certificateValidity
}

extension ProvisioningError {
  init(_ error: CryptoError, at stage: ProvisioningRejection) {
    switch error {
    case .invalidKey, .invalidPoint, .invalidInput, .authenticationFailed, .invalidCertificate:
      self = .rejected(stage)
    case .exhausted: self = .exhausted
    case .backend: self = .backend
    }
  }

  /// The meaning of a failure that cannot be the caller's fault.
  init(_ error: CryptoError) { self = error == .exhausted ? .exhausted : .backend }
}
