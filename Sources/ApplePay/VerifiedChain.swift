import Crypto
package import Format
import Host

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

/// One of Apple's certificates that sign tokens, as the last token under it had it.
package struct SigningCertificate: Hashable, Sendable {
  /// The serial number, an INTEGER in DER.
  package let serial: [UInt8]
  /// When it or the one above it ends.
  package let end: Timestamp
  package fileprivate(set) var lastToken: Timestamp
}

/// The certificates under which verified tokens came. A caller cannot make one up: Apple's root
/// must have signed it.
final class SigningCertificates: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`; by serial number.
  private var seen: [[UInt8]: SigningCertificate] = [:]

  /// How many are remembered; Apple uses few at a time. The one that was quiet longest is dropped
  /// first.
  static let limit = 16

  func note(_ serial: [UInt8], until end: Timestamp, at now: Timestamp) {
    lock.withLock {
      let last = seen[serial]?.lastToken ?? now
      seen[serial] = SigningCertificate(serial: serial, end: end, lastToken: max(last, now))
      guard seen.count > Self.limit,
        let oldest = seen.values.min(by: { $0.lastToken < $1.lastToken })
      else { return }
      seen[oldest.serial] = nil
    }
  }

  /// In the order of their ends.
  var all: [SigningCertificate] {
    lock.withLock { Array(seen.values) }.sorted {
      ($0.end, Hex.encode($0.serial)) < ($1.end, Hex.encode($1.serial))
    }
  }
}

/// A chain that a cache keeps, one for each leaf's certificate.
protocol CacheableChain: Sendable {
  /// The leaf's issuer and serial number, which are the same however its certificate is written.
  var leaf: [UInt8] { get }
  /// This chain with what others have for the same key: Apple certifies one again when its
  /// certificate ends.
  func sharing(with others: some Sequence<Self>) -> Self
}

/// A cache of verified chains, so that each leaf costs its two ECDSA checks and three parses only
/// once.
///
/// Apple signs all tokens of a year with one leaf, and gives all issuers the same one. Only
/// verified chains are kept, at most `capacity` of them; the oldest is dropped first. Validity is
/// checked each time, so no entry goes stale. The certificates of one genuine token can be written
/// in some thirty ways (their order, the root, the other half of each ECDSA signature): the last
/// way takes the place of the one before it, and of no other leaf's.
final class ChainCache<Chain: CacheableChain>: @unchecked Sendable {
  let capacity: Int

  private let lock = Lock()
  // Both are guarded by lock.
  private var chains: [Digest256: Chain] = [:]
  private var order: [Digest256] = []

  init(capacity: Int = 64) { self.capacity = capacity }

  /// The chain of these certificates, verified now or before.
  ///
  /// - Parameter key: SHA-256 over the anchor's fingerprint and the bytes of all certificates.
  func chain<E: Error>(_ key: Digest256, _ verify: () throws(E) -> Chain) throws(E) -> Chain {
    if let known = lock.withLock({ chains[key] }) { return known }
    let verified = try verify()  // outside the lock: a hostile chain holds nobody up
    return lock.withLock { remember(verified, as: key) }
  }

  var count: Int { lock.withLock { chains.count } }
  var all: [Chain] { lock.withLock { Array(chains.values) } }

  private func remember(_ chain: Chain, as key: Digest256) -> Chain {
    if let known = chains[key] { return known }
    let chain = chain.sharing(with: chains.values)
    let earlier =
      order.firstIndex { chains[$0]?.leaf == chain.leaf } ?? (order.count == capacity ? 0 : nil)
    if let earlier { chains[order.remove(at: earlier)] = nil }
    chains[key] = chain
    order.append(key)
    return chain
  }
}
