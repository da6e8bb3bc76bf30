/// An object identifier, stored as its DER contents.
package struct OID: Hashable, Sendable {
  /// Base-128 arcs without tag and length.
  package let contents: [UInt8]

  package init(contents: [UInt8]) { self.contents = contents }

  /// From the dotted form, of at least two arcs. The first two are encoded as one (X.690 §8.19.4).
  package init(_ dotted: String) {
    let arcs = dotted.split(separator: ".").compactMap { UInt32($0) }
    contents = ([arcs[0] * 40 + arcs[1]] + arcs.dropFirst(2)).flatMap(Self.base128)
  }

  private static func base128(_ arc: UInt32) -> [UInt8] {
    var septets = [UInt8(arc & 0x7F)]
    var rest = arc >> 7
    while rest > 0 {
      septets.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
      rest >>= 7
    }
    return septets
  }
}

extension OID: CustomStringConvertible {
  /// The dotted form, exact for arcs of up to 64 bits.
  package var description: String {
    var arcs: [UInt64] = []
    var arc: UInt64 = 0
    for byte in contents {
      arc = arc << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 {
        arcs.append(arc)
        arc = 0
      }
    }
    guard let joined = arcs.first else { return "" }
    let top = min(joined / 40, 2)
    return ([top, joined - top * 40] + arcs.dropFirst()).map(String.init).joined(separator: ".")
  }
}

// RFC 5280
extension OID {
  package static let basicConstraints = OID("2.5.29.19")
  package static let keyUsage = OID("2.5.29.15")
}

// Apple's certificate extensions
extension OID {
  /// The leaf that signs payment tokens.
  package static let appleTokenSigningLeaf = OID("1.2.840.113635.100.6.29")
  /// Apple Application Integration CA - G3, which issues those leaves.
  package static let appleTokenSigningIntermediate = OID("1.2.840.113635.100.6.2.14")
  /// The hash of the merchant identifier, in merchant certificates.
  package static let appleMerchantIdentifier = OID("1.2.840.113635.100.6.32")
  /// The leaf that issuers encrypt provisioning data to.
  package static let appleIssuerEncryptionLeaf = OID("1.2.840.113635.100.6.39")
  /// Apple Worldwide Developer Relations CA - G2, which issues those leaves.
  package static let appleIssuerEncryptionIntermediate = OID("1.2.840.113635.100.6.2.15")
}
