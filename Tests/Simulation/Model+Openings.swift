/// Tokens and envelopes.
extension Model {
  mutating func open(_ number: Int, _ outcome: Outcome, _ time: Int64, _ clock: Int64) throws(Surprise) {
    try answered(outcome)
    let token = tokens[number]
    guard isAnswered(outcome) else {
      guard outcome != .down, token.state != .opened else { return }
      tokens[number].state = .unsure
      tokens[number].tries.append(clock)
      return
    }
    let distance = abs(clock - token.signed)
    let inWindow = token.tries.map { abs(clock - $0) <= Self.retryWindow }
    if outcome.isOK {
      let isRetry = token.canRetry && inWindow.contains(true)
      if token.state == .opened, !isRetry { throw Surprise("token \(number) is opened twice") }
      if distance > Self.window, !isRetry { throw Surprise("token \(number) is opened \(distance) s from its signing") }
      if token.state != .opened { tokens[number].tries.append(clock) }
      tokens[number].state = .opened
      return
    }
    guard outcome == .said("replay") || outcome == .said("signing-time") else { throw Surprise("a true token is \(outcome)") }
    guard time > doubtful else { return }
    let isFresh = distance < Self.window
    switch token.state {
    case .untried: if isFresh { throw Surprise("token \(number) is fresh, was never opened, and is refused") }
    case .unsure:
      if token.canRetry, isFresh, !inWindow.contains(false) { throw Surprise("the reply of token \(number) was lost, and the payment with it") }
    case .opened:
      if token.canRetry, !inWindow.contains(false) { throw Surprise("token \(number) was opened, and the same request is refused") }
    }
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
