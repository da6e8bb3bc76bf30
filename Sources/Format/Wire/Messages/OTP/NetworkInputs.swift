/// What the values of payment networks are made from: at most one is there.
package struct NetworkInputs: ~Escapable {
  package enum Network: Sendable { case none, visa, mastercard, both }

  // Spelt out, since the short form would set them before `init` does.
  package var visa: Optional<VisaInput>
  package var mastercard: Optional<MastercardInput>

  @_lifetime(immortal) package init() { (visa, mastercard) = (nil, nil) }

  // Not inlined: Swift 6.3 ends with an internal error over a switch on it in a build for fuzzing.
  @inline(never) package var network: Network {
    switch (visa == nil, mastercard == nil) {
    case (true, true): .none
    case (false, true): .visa
    case (true, false): .mastercard
    case (false, false): .both
    }
  }

  @_lifetime(self: copy self, copy visitor)
  mutating func visit(_ visitor: inout some Visitor, visa visaNumber: UInt32, mastercard mastercardNumber: UInt32) throws(WireError) {
    try visitor.message(visaNumber, "visa", "VisaInput", &visa, atMost: Self.cap)
    try visitor.message(mastercardNumber, "mastercard", "MastercardInput", &mastercard, atMost: Self.cap)
  }

  /// Bytes of one.
  package static let cap = 256
}
