/// Tokens and envelopes.
extension Model {
  mutating func open(_ number: Int, _ outcome: Outcome, _ time: Int64, _ clock: Int64)
    throws(Surprise)
  {
    try answered(outcome)
    let token = tokens[number]
    guard isAnswered(outcome) else {
      if isInCompany, isGivenBack(outcome) { inHand.tokens.insert(number) }
      guard outcome != .down, token.state != .opened, !isGivenBack(outcome) else { return }
      tokens[number].state = .unsure
      tokens[number].tries.append(clock)
      return
    }
    let distance = abs(clock - token.signed)
    let inWindow = token.tries.map { abs(clock - $0) <= Self.retryWindow }
    if outcome.isOK {
      if token.signed > Self.certificatesEnd {
        throw Surprise(
          "token \(number) is opened, and was signed after the end of its certificates")
      }
      let isRetry = token.canRetry && inWindow.contains(true)
      if token.state == .opened, !isRetry { throw Surprise("token \(number) is opened twice") }
      if distance > Self.window, !isRetry {
        throw Surprise("token \(number) is opened \(distance) s from its signing")
      }
      if token.state != .opened { tokens[number].tries.append(clock) }
      tokens[number].state = .opened
      return
    }
    if token.signed > Self.certificatesEnd {
      let isRefused = outcome == .said("certificate-validity") || outcome == .said("replay")
      guard isRefused else { throw Surprise("a token signed after its certificates is \(outcome)") }
      return
    }
    // Its first opening is in hand. [OP-OPEN-13]
    if outcome == .said("busy"), isInCompany, token.canRetry { return }
    guard outcome == .said("replay") || outcome == .said("signing-time") else {
      throw Surprise("a true token is \(outcome)")
    }
    guard time > doubtful, !inHand.tokens.contains(number) else { return }
    let isFresh = distance < Self.window
    switch token.state {
    case .untried:
      if isFresh { throw Surprise("token \(number) is fresh, was never opened, and is refused") }
    case .unsure:
      if token.canRetry, isFresh, !inWindow.contains(false) {
        throw Surprise("the reply of token \(number) was lost, and the payment with it")
      }
    case .opened:
      if token.canRetry, !inWindow.contains(false) {
        throw Surprise("token \(number) was opened, and the same request is refused")
      }
    }
  }

  /// Enters an envelope that a token gave.
  mutating func seal(_ token: Int, _ time: Int64, _ clock: Int64) {
    let made = envelopes.first { $0.token == token }?.made ?? clock
    // Where an earlier reply was lost, an envelope may be older than anybody knows.
    envelopes.append((token, made, time <= doubtful || tokens[token].tries.count != 1))
  }

  mutating func openEnvelope(_ asked: EnvelopeTry, _ outcome: Outcome) throws(Surprise) {
    try answered(outcome)
    let number = asked.envelope
    let envelope = envelopes[asked.envelope]
    let state = payments[envelope.token] ?? .untried
    guard isAnswered(outcome) else {
      if isInCompany, isGivenBack(outcome) { inHand.payments.insert(envelope.token) }
      guard outcome != .down, state != .opened, !isGivenBack(outcome) else { return }
      payments[envelope.token] = .unsure
      tries[envelope.token, default: []].append(asked)
      return
    }
    let isExpired = asked.clock >= envelope.made + Self.envelopeLifetime
    let earlier = tries[envelope.token, default: []]
    let repeats = earlier.map { asked.canRetry && $0.isRepeated(by: number, at: asked.clock) }
    if outcome.isOK {
      let isRetry = repeats.contains(true)
      if state == .opened, !isRetry {
        throw Surprise("envelope \(number) opens, and one of the same payment was opened")
      }
      if isExpired, !isRetry { throw Surprise("envelope \(number) opens after its expiry") }
      payments[envelope.token] = .opened
      // Nobody else has opened it, then.
      tries[envelope.token] =
        earlier.filter { $0.envelope == number && $0.canRetry && asked.canRetry }
        + (state == .opened ? [] : [asked])
      return
    }
    // Its first opening is in hand. [OP-OPEN-13]
    if outcome == .said("busy"), isInCompany, asked.canRetry { return }
    guard outcome == .said("envelope-used") || outcome == .said("expired") else {
      throw Surprise("a true envelope is \(outcome)")
    }
    guard !envelope.isDoubtful, !inHand.payments.contains(envelope.token) else { return }
    switch state {
    case .untried:
      if !isExpired {
        throw Surprise("envelope \(number) was never opened, lasts, and is refused: \(outcome)")
      }
    case .unsure:
      if !isExpired, !repeats.contains(false) {
        throw Surprise("the reply of envelope \(number) was lost, and the payment with it")
      }
    case .opened:
      if !repeats.contains(false) {
        throw Surprise("envelope \(number) was opened, and the same request is refused")
      }
    }
  }
}
