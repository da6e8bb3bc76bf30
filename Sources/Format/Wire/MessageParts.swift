// What the daemon and its operators' command say of messages and values beyond their fields.

extension OtherInfo {
  package var isEmpty: Bool { count == 0 }

  /// Bytes of the whole.
  package var count: Int {
    algorithmID.count + partyUInfo.count + partyVInfo.count + suppPubInfo.count + suppPrivInfo.count
  }
}

extension OTPParameters {
  package var isEmpty: Bool { self == OTPParameters() }
}

extension VerifyMACRequest {
  /// What the code must be of.
  package var authenticated: MACRequest {
    @_lifetime(copy self)
    get {
      var request = MACRequest()
      request.handle = handle
      request.algorithm = algorithm
      request.length = length
      request.message = message
      return request
    }
  }
}

extension OpenPaymentTokenReply {
  package static let signingTimeNumber: UInt32 = 18

  /// The fields that are there.
  package var fields: ReleasedFields {
    var present: [ReleasedField] = []
    for field in ReleasedField.allCases
    where field == .amount ? amount != nil : !self[field].isEmpty { present.append(field) }
    return ReleasedFields(present)
  }
}

extension MetricsReply {
  package mutating func add(
    _ metric: Metric, _ value: some BinaryInteger, _ labels: [String] = [], bound: UInt64 = 0
  ) {
    var figure = Figure()
    figure.metric = metric
    figure.labels = labels
    figure.bound = bound
    figure.value = UInt64(clamping: value)
    figures.append(figure)
  }

  /// At least as many bytes as it takes.
  package var room: Int {
    figures.reduce(0) { $0 + 40 + $1.labels.reduce(0) { $0 + $1.utf8.count } }
  }
}

extension Rejection {
  package init(stage: Stage, field: PassField? = nil, releasedField: ReleasedField? = nil) {
    self.stage = stage
    self.field = field
    self.releasedField = releasedField
  }
}

extension Malformation {
  package init(_ error: WireError) { why = error.description }
}

extension Busy {
  /// Where nothing is known.
  package static let forASecond = Busy(waiting: 1_000_000_000)

  /// - Parameter nanoseconds: until the caller's limits allow the request; rounded up.
  package init(waiting nanoseconds: Int64) {
    let milliseconds = nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 > 0 ? 1 : 0)
    retryAfter = min(
      max(Int(milliseconds), Caps.retryAfter.lowerBound), Caps.retryAfter.upperBound)
  }
}

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
