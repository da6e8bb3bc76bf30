internal import Wire

extension Decoded {
  static func standIn(_ name: String, _ bytes: Span<UInt8>, _ listing: inout Listing, _ writer: inout MessageWriter) throws {
    let body = MessageReader(bytes)
    switch name {
    case "TokeniseRequest":
      let message = try TokeniseRequest(body)
      listing.text("pan", message.pan)
      listing.text("merchant_identifier", message.merchantIdentifier)
      listing.bytes("transaction_id", message.transactionID)
      listing.number("lifetime", message.lifetime)
      try message.encode(into: &writer)
    case "TokeniseReply":
      let message = try TokeniseReply(body)
      listing.text("surrogate", message.surrogate)
      listing.bytes("pan_envelope", message.panEnvelope)
      try message.encode(into: &writer)
    case "DetokeniseRequest":
      let message = try DetokeniseRequest(body)
      listing.text("surrogate", message.surrogate)
      listing.bytes("pan_envelope", message.panEnvelope)
      listing.text("merchant_identifier", message.merchantIdentifier)
      listing.bytes("transaction_id", message.transactionID)
      try message.encode(into: &writer)
    case "DetokeniseReply":
      let message = try DetokeniseReply(body)
      listing.text("pan", message.pan)
      try writer.bytes(DetokeniseReply.panField, message.pan)
    default: try issuer(name, bytes, &listing, &writer)
    }
  }
}
