internal import Wire

extension Decoded {
  /// The messages of the primitives.
  static func primitive(_ name: String, _ bytes: Span<UInt8>, _ listing: inout Listing, _ writer: inout MessageWriter) throws {
    let body = MessageReader(bytes)
    switch name {
    case "EcdhRequest":
      let message = try ECDHRequest(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "EcdhReply":
      let message = try ECDHReply(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "OtherInfo":
      let message = try OtherInfo(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "KdfRequest":
      let message = try KDFRequest(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "KdfReply":
      let message = try KDFReply(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "SealRequest":
      let message = try SealRequest(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "SealReply":
      let message = try SealReply(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "UnsealRequest":
      let message = try UnsealRequest(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "UnsealReply":
      let message = try UnsealReply(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "SignRequest":
      let message = try SignRequest(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "SignReply":
      let message = try SignReply(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "VerifyRequest":
      let message = try VerifyRequest(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "MacRequest":
      let message = try MACRequest(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "MacReply":
      let message = try MACReply(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "VerifyMacRequest":
      let message = try VerifyMACRequest(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "UnwrapRequest":
      let message = try UnwrapRequest(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "UnwrapReply":
      let message = try UnwrapReply(body)
      listing.add(message)
      try message.encode(into: &writer)
    case "ReleaseHandleRequest":
      let message = try ReleaseHandleRequest(body)
      listing.add(message)
      try message.encode(into: &writer)
    default: try standIn(name, bytes, &listing, &writer)
    }
  }
}

extension Listing {
  mutating func add(_ message: borrowing ECDHRequest) {
    bytes("peer", message.peer)
    flag("release", message.release)
  }

  mutating func add(_ message: borrowing ECDHReply) {
    bytes("handle", message.handle)
    bytes("shared_secret", message.sharedSecret)
  }

  mutating func add(_ message: borrowing OtherInfo) {
    bytes("algorithm_id", message.algorithmID)
    bytes("party_u_info", message.partyUInfo)
    bytes("party_v_info", message.partyVInfo)
    bytes("supp_pub_info", message.suppPubInfo)
    bytes("supp_priv_info", message.suppPrivInfo)
  }

  mutating func add(_ message: borrowing KDFRequest) {
    bytes("handle", message.handle)
    number("derivation", message.derivation.rawValue)
    number("count", message.count)
    bytes("info", message.info)
    let otherInfo = message.otherInfo
    if !otherInfo.isEmpty { nested("other_info") { $0.add(otherInfo) } }
    bytes("salt", message.salt)
    flag("release", message.release)
  }

  mutating func add(_ message: borrowing KDFReply) {
    bytes("handle", message.handle)
    bytes("derived_key", message.derivedKey)
  }

  mutating func add(_ message: borrowing SealRequest) {
    bytes("handle", message.handle)
    bytes("iv", message.iv)
    bytes("plaintext", message.plaintext)
    bytes("associated_data", message.associatedData)
  }

  mutating func add(_ message: borrowing SealReply) {
    bytes("sealed", message.sealed)
  }

  mutating func add(_ message: borrowing UnsealRequest) {
    bytes("handle", message.handle)
    bytes("iv", message.iv)
    bytes("sealed", message.sealed)
    bytes("associated_data", message.associatedData)
  }

  mutating func add(_ message: borrowing UnsealReply) {
    bytes("plaintext", message.plaintext)
  }

  mutating func add(_ message: borrowing SignRequest) {
    number("scheme", message.scheme.rawValue)
    flag("digested", message.digested)
    bytes("message", message.message)
  }

  mutating func add(_ message: borrowing SignReply) {
    bytes("signature", message.signature)
  }

  mutating func add(_ message: borrowing VerifyRequest) {
    number("scheme", message.scheme.rawValue)
    flag("digested", message.digested)
    bytes("message", message.message)
    bytes("signature", message.signature)
  }

  mutating func add(_ message: borrowing MACRequest) {
    bytes("handle", message.handle)
    number("algorithm", message.algorithm?.rawValue ?? 0)
    number("length", message.length)
    bytes("message", message.message)
  }

  mutating func add(_ message: borrowing MACReply) {
    bytes("mac", message.mac)
  }

  mutating func add(_ message: borrowing VerifyMACRequest) {
    bytes("handle", message.handle)
    number("algorithm", message.algorithm?.rawValue ?? 0)
    number("length", message.length)
    bytes("message", message.message)
    bytes("mac", message.mac)
  }

  mutating func add(_ message: borrowing UnwrapRequest) {
    bytes("wrapped_key", message.wrappedKey)
  }

  mutating func add(_ message: borrowing UnwrapReply) {
    bytes("handle", message.handle)
  }

  mutating func add(_ message: borrowing ReleaseHandleRequest) {
    bytes("handle", message.handle)
  }
}
