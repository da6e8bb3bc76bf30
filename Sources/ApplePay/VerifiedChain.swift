import Crypto
import Format

/// What a certificate chain to the anchor says about the signer; only a chain that meets all rules
/// gives one.
struct VerifiedChain: CacheableChain {
  private(set) var leafKey: LeafKey
  /// The leaf's issuer, a Name in DER.
  let issuer: [UInt8]
  /// The leaf's serial number, an INTEGER in DER.
  let serial: [UInt8]
  /// When leaf and intermediate are both valid, both ends included.
  private let validFrom: Timestamp
  let validUntil: Timestamp

  var leaf: [UInt8] { issuer + serial }

  /// One key has one table.
  func sharing(with others: some Sequence<Self>) -> Self {
    var chain = self
    chain.leafKey = others.first { $0.leafKey.key.spki == leafKey.key.spki }?.leafKey ?? leafKey
    return chain
  }

  func isValid(at moment: Timestamp) -> Bool { validFrom <= moment && moment <= validUntil }

  /// Picks leaf and intermediate by Apple's marker extensions, whatever their order, and checks the
  /// chain anew.
  ///
  /// A root among the certificates is ignored if it is the anchor's own, and never trusted.
  ///
  /// - Throws: `.leafMarker`, `.intermediateMarker`, `.extraCertificate` or `.chain`; `.cms` if
  ///   something is no certificate.
  init(_ certificates: BERReader, anchor: TrustAnchor, _ tables: LeafTables) throws(TokenError) {
    let all = try Self.parse(certificates)
    guard let leaf = all.only(where: { $0.hasExtension(.appleTokenSigningLeaf) }) else {
      throw .rejected(.leafMarker)
    }
    guard let intermediate = all.only(where: { $0.hasExtension(.appleTokenSigningIntermediate) })
    else {
      throw .rejected(.intermediateMarker)
    }
    for other in all where other !== leaf && other !== intermediate {
      guard SHA256.hash(other.der) == anchor.fingerprint else { throw .rejected(.extraCertificate) }
    }
    guard intermediate.isIssuer(under: anchor), intermediate.hasOnlyKnownCriticalExtensions,
      Self.isSigner(leaf, under: intermediate)
    else {
      throw .rejected(.chain)
    }
    leafKey = LeafKey(leaf.publicKey, tables)
    issuer = leaf.issuerDER
    serial = leaf.serialDER
    validFrom = max(leaf.notBefore, intermediate.notBefore)
    validUntil = min(leaf.notAfter, intermediate.notAfter)
  }
}

extension VerifiedChain {
  private static func parse(_ certificates: BERReader) throws(TokenError) -> [Certificate] {
    var certificates = certificates
    var all: [Certificate] = []
    while !certificates.isAtEnd {
      let der: Span<UInt8>
      do throws(BERError) { der = try certificates.next().encoded } catch { throw .rejected(.cms) }
      do throws(CryptoError) { all.append(try Certificate(der: der)) } catch {
        throw TokenError(error, at: .cms)
      }
    }
    return all
  }

  private static func isSigner(_ leaf: Certificate, under intermediate: Certificate) -> Bool {
    !leaf.isCA && leaf.mayBeUsed(for: .digitalSignature)
      && leaf.issuerDER == intermediate.subjectDER
      && leaf.hasOnlyKnownCriticalExtensions && leaf.isSigned(by: intermediate.publicKey)
  }
}

extension Certificate {
  /// A certificate without the extension does not restrict its key (RFC 5280 §4.2.1.3).
  func mayBeUsed(for usage: KeyUsage) -> Bool { keyUsage?.contains(usage) ?? true }

  /// Whether this is the certificate of a CA that the anchor has signed.
  func isIssuer(under anchor: TrustAnchor) -> Bool {
    isCA && mayBeUsed(for: .certificateSigning) && issuerDER == anchor.subject
      && isSigned(by: anchor.publicKey)
  }

  /// Whether every critical extension is one that we enforce (RFC 5280 §4.2). The path length needs
  /// no check, since no CA is below the one intermediate.
  fileprivate var hasOnlyKnownCriticalExtensions: Bool {
    let known: [OID] = [
      .basicConstraints, .keyUsage, .appleTokenSigningLeaf, .appleTokenSigningIntermediate,
    ]
    return criticalExtensionOIDs.allSatisfy(known.contains)
  }
}

extension Array {
  /// The element for which this is true; nil if there is none or more than one.
  fileprivate func only(where isWanted: (Element) -> Bool) -> Element? {
    let found = filter(isWanted)
    return found.count == 1 ? found[0] : nil
  }
}
