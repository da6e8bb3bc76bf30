internal import Crypto
package import Format

/// Verifies the certificates that Apple gives an issuer against one anchor, and caches verified chains.
package final class ProvisioningVerifier: Sendable {
  private let anchor: TrustAnchor
  private let issuer: ProvisioningIssuer
  private let checksValidity: Bool
  let chains = ChainCache<ProvisioningChain>()

  /// - Parameter checksValidity: whether a certificate must be valid now; Apple's own policy does not require it.
  package init(anchor: TrustAnchor, issuer: ProvisioningIssuer = .apple, checksValidity: Bool = true) {
    (self.anchor, self.issuer, self.checksValidity) = (anchor, issuer, checksValidity)
  }

  /// - Parameter certificates: DER, in any order, with or without the root.
  /// - Throws: `ProvisioningError`, its stage from `.certificate` to `.certificateValidity`.
  package func verify(_ certificates: [[UInt8]], now: Timestamp) throws(ProvisioningError) -> ProvisioningChain {
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
      do throws(CryptoError) { all.append(try Certificate(der: der)) } catch { throw ProvisioningError(error, at: .certificate) }
    }
    return all
  }
}
