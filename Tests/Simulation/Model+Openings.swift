/// Tokens and envelopes.
extension Model {
  mutating func open(_ number: Int, _ outcome: Outcome, _ time: Int64, _ clock: Int64) throws(Surprise) {
    try answered(outcome)
    let token = tokens[number]
    guard isAnswered(outcome) else {
      if outcome != .down, token.state == .untried { tokens[number].state = .unsure }
      return
    }
    let distance = abs(clock - token.signed)
    if outcome.isOK {
      if token.state == .opened { throw Surprise("token \(number) is opened twice") }
      if distance > Self.window { throw Surprise("token \(number) is opened \(distance) s from its signing") }
      tokens[number].state = .opened
      return
    }
    guard outcome == .said("replay") || outcome == .said("signing-time") else { throw Surprise("a true token is \(outcome)") }
    let mustOpen = token.state == .untried && distance < Self.window && time > doubtful
    if mustOpen { throw Surprise("token \(number) is fresh, was never opened, and is refused") }
  }

  mutating func openEnvelope(_ number: Int, _ outcome: Outcome, _ clock: Int64) throws(Surprise) {
    try answered(outcome)
    let envelope = envelopes[number]
    guard isAnswered(outcome) else {
      if outcome != .down, envelope.state == .untried { envelopes[number].state = .unsure }
      return
    }
    let isExpired = clock >= envelope.made + Self.envelopeLifetime
    if outcome.isOK {
      if envelope.state == .opened { throw Surprise("envelope \(number) opens twice") }
      if isExpired { throw Surprise("envelope \(number) opens after its expiry") }
      envelopes[number].state = .opened
      return
    }
    guard outcome == .said("envelope-used") || outcome == .said("expired") else { throw Surprise("a true envelope is \(outcome)") }
    let mustOpen = envelope.state == .untried && !isExpired && !envelope.isDoubtful
    if mustOpen { throw Surprise("envelope \(number) was never opened, lasts, and is refused: \(outcome)") }
  }
}
