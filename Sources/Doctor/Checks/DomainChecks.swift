internal import Format

/// The domain-association file of a merchant's web site, which Apple compares with its own copy.
let domainChecks: [CheckUp.Check] = [checkDomains]

@Sendable private func checkDomains(_ host: Host) -> [Finding] {
  host.surroundings.domainAssociations.compactMap { named in
    let text = named.content
    let again = "Download it from Apple again and serve it as it is, without a newline at its end."
    guard let other = text.firstIndex(where: { !isDigit($0) }) else {
      guard let plain = Hex.decode(text.span), isAssociation(plain) else {
        return Finding(.domainAssociationSize, named.name, "The file has \(text.count) bytes and is cut short or empty.", cure: again)
      }
      return nil
    }
    return Finding(
      .domainAssociationChanged, named.name, "Byte \(other + 1) of the file is not a hexadecimal digit, and Apple's file has only those.", cure: again)
  }
}

private func isDigit(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): true
  default: false
  }
}

/// Apple's file is the hexadecimal of a JSON object.
private func isAssociation(_ text: [UInt8]) -> Bool {
  guard let reader = try? JSONReader(text.span) else { return false }
  return reader.root.kind == .object
}
