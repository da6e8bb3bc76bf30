/// What the values of payment networks are made from: at most one is there.
package struct NetworkInputs: ~Escapable {
  package enum Network: Sendable { case none, visa, mastercard, both }

  // Spelt out, since the short form would set them before `init` does.
  package var visa: Optional<VisaInput>
  package var mastercard: Optional<MastercardInput>

  @_lifetime(immortal) package init() {
    visa = nil
    mastercard = nil
  }

  @_lifetime(copy visa, copy mastercard)
  fileprivate init(visa: VisaInput?, mastercard: MastercardInput?) {
    self.visa = visa
    self.mastercard = mastercard
  }

  // Not inlined: Swift 6.3 ends with an internal error over a switch on it in a build for fuzzing.
  @inline(never) package var network: Network {
    switch (visa == nil, mastercard == nil) {
    case (true, true): .none
    case (false, true): .visa
    case (true, false): .mastercard
    case (false, false): .both
    }
  }
}

extension ProvisionPassRequest {
  package var network: NetworkInputs {
    @_lifetime(copy self)
    get { NetworkInputs(visa: visa, mastercard: mastercard) }
  }
}

extension SignOTPRequest {
  package var network: NetworkInputs {
    @_lifetime(copy self)
    get { NetworkInputs(visa: visa, mastercard: mastercard) }
  }
}
