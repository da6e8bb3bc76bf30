package import TestSupport

/// One thing that happens in a history. It holds all that it needs, so that a history can be told,
/// shortened and repeated.
package enum Act: Hashable, Sendable {
  /// A new token is opened, which was signed so many seconds before true time; with a retry key or
  /// without.
  case open(age: Int64, canRetry: Bool)
  /// A new token, which was signed so many seconds before true time, for requests that come
  /// together.
  case mint(age: Int64, canRetry: Bool)
  /// One of the requests to open a token is sent, once more or for the first time; -1 is the last
  /// token's.
  case openAgain(Int)
  /// Requests that several callers make at once.
  indirect case together([Act])
  /// A new token is opened for an envelope that opens once.
  case seal
  /// An account number is sealed into an envelope that opens once.
  case tokenise
  /// One of the envelopes is opened, with its retry key or without.
  case openEnvelope(Int, canRetry: Bool = false)
  /// A key with a limit of uses is used.
  case use
  /// A user with a daily quota asks for random bytes.
  case draw
  /// A one-time code is made and verified.
  case code
  /// A code is made, and not verified yet.
  case newCode
  /// One of the codes that are new or were right is tried; -1 is the last.
  case codeAgain(Int)
  /// A shared secret is agreed on, behind a handle of the connection.
  case agree
  /// A key is derived of the secret behind one of the handles; -1 is the last.
  case derive(Int)
  /// The key behind one of the handles makes a code, over its own connection or another.
  case useHandle(Int, isOwn: Bool)
  case releaseHandle(Int)
  /// A key is imported, which serves at once or waits, and ends after so many seconds by the
  /// machine's clock.
  case importKey(isActive: Bool, lifetime: Int64?)
  case useImported(Int)
  /// What comes next for one of the imported keys.
  case advance(Int)
  /// The key whose state changes is used.
  case work
  case change(Change)
  /// Somebody approves the last request to destroy the key: another person, or the one who made it.
  case approve(own: Bool)
  /// The policy is swapped for one that lets the user with the quota draw, or not.
  case swap(grants: Bool)
  case lock
  /// The store is opened with the KEK, as a credential gives it.
  case unlock
  /// One of the custodians hands in their share.
  case submitShare(Int)
  /// While nothing runs, people change the store at a ceremony.
  case hold(Ceremony)
  /// Time passes, in seconds.
  case wait(Int64)
  /// The machine's clock is set to so many seconds ahead of true time.
  case setClock(Int64)
  case stop
  /// The process is killed, and power lost in this way.
  case kill(SimulatedDisk.Crash)
  case start
  /// The call that changes the disk so many calls from now fails.
  case fail(call: Int, SimulatedDisk.Fault, errno: Int32)
  /// The disk has room for so many bytes.
  case fill(Int)
  case makeRoom
  /// Somebody moves the log's oldest segment away, unless it is the last.
  case loseSegment
  /// As many of the oldest segments are pruned as nobody needs any more, or compressed.
  case prune, compress
  /// An auditor keeps the log's newest checkpoint elsewhere.
  case keepCheckpoint
  /// The log is verified with one of the kept checkpoints, -1 being the last: with itself, or as if
  /// the log had another history since before it.
  case audit(Int, isForked: Bool)
  case backUp
  /// The store is lost, and one of the backups is restored.
  case restore(Int)
  /// The host is lost with its log, and one of the backups is restored on another.
  case move(Int)
  /// While nothing runs, an earlier version of files takes their place.
  case putBack(Piece, Int)
  case remove(Piece)

  /// What an operator does to a key's state.
  package enum Change: CaseIterable, Sendable {
    case suspend, resume, retire, compromise, destroy
  }

  /// What an operator does to an imported key, one after the other.
  package enum Step: Sendable {
    case activate, retire

    var next: Step? {
      switch self {
      case .activate: .retire
      case .retire: nil
      }
    }
  }

  /// What people change at a ceremony: the key whose state changes is destroyed; the KEK is
  /// replaced, and its shares are dealt anew; a store that came from a backup is vouched for.
  package enum Ceremony: CaseIterable, Sendable {
    case destroy, rotateKEK, vouch
  }

  /// Files that somebody tampers with.
  package enum Piece: CaseIterable, Sendable {
    case counters, ledgers, recollection, checkpoint, store
  }
}

extension Act: CustomStringConvertible {
  package var description: String {
    switch self {
    case .open(let age, let canRetry):
      "open a token signed \(age) s ago" + (canRetry ? ", with a retry key" : "")
    case .mint(let age, let canRetry):
      "make a token signed \(age) s ago" + (canRetry ? ", with a retry key" : "")
    case .openAgain(let number): "open again, token \(number)"
    case .together(let acts): "at once: " + acts.map(\.description).joined(separator: " | ")
    case .seal: "open a token for an envelope"
    case .tokenise: "seal an account number"
    case .openEnvelope(let number, let canRetry):
      "open envelope \(number)" + (canRetry ? ", with a retry key" : "")
    case .use: "use the limited key"
    case .draw: "draw on the quota"
    case .code: "make a code and verify it"
    case .newCode: "make a code"
    case .codeAgain(let number): "verify again, code \(number)"
    case .agree: "agree on a secret"
    case .derive(let number): "derive a key, handle \(number)"
    case .useHandle(let number, let isOwn):
      (isOwn ? "use a handle" : "use another connection's handle") + ", \(number)"
    case .releaseHandle(let number): "release handle \(number)"
    case .importKey(let isActive, let lifetime):
      "import a key" + (isActive ? "" : " that waits") + (lifetime.map { ", for \($0) s" } ?? "")
    case .useImported(let number): "use imported key \(number)"
    case .advance(let number): "activate or retire imported key \(number)"
    case .work: "use the key"
    case .change(let change): "\(change) the key"
    case .approve(let own): own ? "approve the own request" : "approve the request"
    case .swap(let grants): grants ? "grant the draws" : "withdraw the draws"
    case .lock: "lock"
    case .unlock: "unlock"
    case .submitShare(let number): "hand in share \(number)"
    case .hold(let ceremony): "hold a ceremony: \(ceremony)"
    case .wait(let seconds): "wait \(seconds) s"
    case .setClock(let offset): "set the clock to \(offset) s ahead"
    case .stop: "stop"
    case .kill(let crash): "kill, the disk \(crash)"
    case .start: "start"
    case .fail(let call, let fault, let errno):
      "call \(call) from now fails: \(fault), errno \(errno)"
    case .fill(let bytes): "the disk has \(bytes) bytes left"
    case .makeRoom: "the disk has room again"
    case .loseSegment: "the oldest segment is moved away"
    case .prune: "prune the log"
    case .compress: "compress the log"
    case .keepCheckpoint: "keep the newest checkpoint"
    case .audit(let number, let isForked):
      "verify " + (isForked ? "a fork of the log" : "the log") + ", checkpoint \(number)"
    case .backUp: "back up"
    case .restore(let number): "restore backup \(number)"
    case .move(let number): "restore backup \(number) on another host, without the log"
    case .putBack(let piece, let number): "put back the \(piece) of start \(number)"
    case .remove(let piece): "remove the \(piece)"
    }
  }
}

extension [Act] {
  /// The history of a seed.
  package static func made(of seed: UInt64, count: Int) -> [Act] {
    var generator = SplitMix64(seed: seed)
    var acts: [Act] = []
    while acts.count < count { acts += some(&generator) }
    return acts
  }

  /// One act, or a few that belong together.
  private static func some(_ generator: inout SplitMix64) -> [Act] {
    switch Int.random(in: 0..<163, using: &generator) {
    case ..<18:
      [
        .open(
          age: Int64.random(in: -20...260, using: &generator),
          canRetry: Bool.random(using: &generator))
      ]
    case ..<30: [.openAgain(Int.random(in: 0..<8, using: &generator))]
    case ..<33: [.seal]
    case ..<36: [.tokenise]
    case ..<43:
      [
        .openEnvelope(
          Int.random(in: 0..<6, using: &generator), canRetry: Bool.random(using: &generator))
      ]
    case ..<49: [.use]
    case ..<55: [.draw]
    case ..<60: [.code]
    case ..<64: [.codeAgain(Int.random(in: 0..<8, using: &generator))]
    case ..<68: [.work]
    case ..<72: [.change(Act.Change.allCases.randomElement(using: &generator) ?? .suspend)]
    case ..<75: [.change(.destroy), .approve(own: Int.random(in: 0..<4, using: &generator) == 0)]
    case ..<77: swaps(&generator)
    case ..<78: [.lock]
    case ..<79: [.lock, .submitShare(0), .submitShare(Int.random(in: 0..<3, using: &generator))]
    case ..<80: [.submitShare(Int.random(in: 0..<3, using: &generator))]
    case ..<82: [.unlock]
    case ..<92: [.wait(waits.randomElement(using: &generator) ?? 1)]
    case ..<96: [.setClock(offsets.randomElement(using: &generator) ?? 0)]
    case ..<100: [.backUp]
    case ..<103: [fault(within: 6, &generator)]
    case ..<105: [.fill(Int.random(in: 0..<20_000, using: &generator))]
    case ..<107: [.makeRoom]
    case ..<109: [.loseSegment]
    case ..<112: [Bool.random(using: &generator) ? .prune : .compress]
    case ..<124: atOnce(&generator)
    case ..<127: [.agree, .derive(-1), .useHandle(-1, isOwn: true)]
    case ..<128: [.derive(Int.random(in: 0..<6, using: &generator))]
    case ..<131:
      [
        .useHandle(
          Int.random(in: -3..<3, using: &generator),
          isOwn: Int.random(in: 0..<4, using: &generator) > 0)
      ]
    case ..<132: [.releaseHandle(Int.random(in: -3..<3, using: &generator))]
    case ..<134:
      [
        .importKey(
          isActive: Bool.random(using: &generator),
          lifetime: lifetimes.randomElement(using: &generator) ?? nil), .useImported(-1),
      ]
    case ..<136: [.useImported(Int.random(in: 0..<6, using: &generator))]
    case ..<138: [.advance(Int.random(in: -2..<2, using: &generator)), .useImported(-1)]
    case ..<140: fullDisk(&generator)
    case ..<142: toAndFro(&generator)
    case ..<143: restoring(&generator)
    case ..<147: auditing(&generator)
    case ..<148: moment(&generator)
    default: end(&generator) + whileDown(&generator) + [.start]
    }
  }

  /// Seldom a moment 30 years ahead, after which the model takes much: else a quarter passes.
  private static func moment(_ generator: inout SplitMix64) -> [Act] {
    Int.random(in: 0..<4, using: &generator) == 0
      ? [.setClock(946_080_000), .use, .setClock(0)] : [.wait(7_776_000), .prune]
  }

  /// What several callers do at once, of which only so much may succeed; now and then while the
  /// disk fails.
  private static func atOnce(_ generator: inout SplitMix64) -> [Act] {
    let callers = Int.random(in: 2...3, using: &generator)
    let number = Int.random(in: 0..<6, using: &generator)
    let failing =
      Int.random(in: 0..<6, using: &generator) == 0 ? [fault(within: 4, &generator)] : []
    func all(_ act: Act) -> [Act] { failing + [.together([Act](repeating: act, count: callers))] }
    switch Int.random(in: 0..<10, using: &generator) {
    case ..<3:
      return [
        .mint(
          age: Int64.random(in: 0...260, using: &generator),
          canRetry: Bool.random(using: &generator))
      ] + all(.openAgain(-1))
    case 3: return [.tokenise] + all(.openEnvelope(-1, canRetry: Bool.random(using: &generator)))
    case 4: return all(.openEnvelope(number, canRetry: Bool.random(using: &generator)))
    case 5: return all(.use)
    case 6: return all(.draw)
    case 7: return [.newCode] + all(.codeAgain(-1))
    case 8:
      let change = Act.Change.allCases.randomElement(using: &generator) ?? .suspend
      return failing + [.together([.change(change)] + [Act](repeating: .work, count: callers - 1))]
    default:
      return failing + [.together([.lock, .use, .draw].shuffled(using: &generator)), .unlock]
    }
  }

  /// The disk is full while things are asked for of which each can be had once, and they are asked
  /// for again.
  private static func fullDisk(_ generator: inout SplitMix64) -> [Act] {
    let numbers = -8...(-1)
    switch Int.random(in: 0..<3, using: &generator) {
    case 0:
      return [Act](repeating: .mint(age: 0, canRetry: Bool.random(using: &generator)), count: 8)
        + twice(numbers.map { .openAgain($0) })
    case 1:
      let canRetry = Bool.random(using: &generator)
      return [Act](repeating: .tokenise, count: 8)
        + twice(numbers.map { .openEnvelope($0, canRetry: canRetry) })
    default: return twice([.work, .draw, .use, .work, .draw, .work, .draw, .work, .draw])
    }
  }

  /// With a full disk, and with room again.
  private static func twice(_ acts: [Act]) -> [Act] { [.fill(0)] + acts + [.makeRoom] + acts }

  /// The clock is set over midnight and back, with an end of the daemon between, and the quota is
  /// drawn on each time.
  private static func toAndFro(_ generator: inout SplitMix64) -> [Act] {
    let draws = [Act](repeating: .draw, count: Int.random(in: 2...5, using: &generator))
    let (there, back) =
      Bool.random(using: &generator) ? (90_000, 0) : (0, -90_000) as (Int64, Int64)
    return [.setClock(there)] + draws + end(&generator) + [.setClock(back), .start, .draw]
      + end(&generator) + [.setClock(there), .start]
      + [Act](repeating: .draw, count: 5)
  }

  /// The policy changes; now and then a quota comes back on a day of which the first records are
  /// gone.
  private static func swaps(_ generator: inout SplitMix64) -> [Act] {
    guard Int.random(in: 0..<4, using: &generator) == 0 else {
      return [.swap(grants: Bool.random(using: &generator)), .draw]
    }
    let traffic = [Act](repeating: .open(age: 0, canRetry: false), count: 16)
    return [.swap(grants: false)] + traffic + [.wait(5400)] + traffic + [
      Bool.random(using: &generator) ? .prune : .compress
    ]
      + [.swap(grants: true), .draw]
  }

  /// Keys change after a backup, which is restored when the log's records of that are old.
  private static func restoring(_ generator: inout SplitMix64) -> [Act] {
    let changes = Act.Change.allCases.shuffled(using: &generator).prefix(
      Int.random(in: 1...2, using: &generator))
    let traffic = [Act](repeating: .open(age: 0, canRetry: false), count: 6)
    return [.backUp] + changes.map(Act.change) + [.advance(-1), .use] + traffic + [.wait(691_200)]
      + traffic
      + [Bool.random(using: &generator) ? .prune : .compress] + end(&generator) + [.restore(-1)]
      + (Int.random(in: 0..<4, using: &generator) == 0
        ? [.hold(Act.Ceremony.allCases.randomElement(using: &generator) ?? .destroy)] : [])
      + [.start, .work, .useImported(-1)]
  }

  /// The log is compared with an older checkpoint, after the records of that time were removed, or
  /// not.
  private static func auditing(_ generator: inout SplitMix64) -> [Act] {
    let audit = Act.audit(
      Int.random(in: -2...(-1), using: &generator), isForked: Bool.random(using: &generator))
    guard Bool.random(using: &generator) else { return [.keepCheckpoint, audit] }
    let traffic = [Act](repeating: .open(age: 0, canRetry: false), count: 6)
    return [.keepCheckpoint] + traffic + [.wait(691_200)] + traffic + [
      Int.random(in: 0..<4, using: &generator) == 0 ? .loseSegment : .prune, audit,
    ]
  }

  /// Among others a quarter, and, rarely, past the end of all certificates.
  private static let waits: [Int64] =
    [1, 1, 30, 110, 200, 310, 700, 1300, 43_200, 86_400, 691_200].flatMap {
      [Int64](repeating: $0, count: 6)
    } + [7_776_000, 7_776_000, 800_000_000]
  private static let lifetimes: [Int64?] = [nil, nil, 30, 700, 86_400, 7_776_000]
  private static let offsets: [Int64] = [0, 0, 0, 60, -60, 400, -400, 3600, -3600, 90_000, -90_000]

  private static func fault(within calls: Int, _ generator: inout SplitMix64) -> Act {
    let fault = SimulatedDisk.Fault.allCases.randomElement(using: &generator) ?? .torn
    // EIO, ENOSPC, EROFS.
    return .fail(
      call: Int.random(in: 0..<calls, using: &generator), fault,
      errno: [5, 28, 30].randomElement(using: &generator) ?? 5)
  }

  private static func end(_ generator: inout SplitMix64) -> [Act] {
    Bool.random(using: &generator)
      ? [.stop]
      : [.kill(SimulatedDisk.Crash.allCases.randomElement(using: &generator) ?? .losesUnsynced)]
  }

  private static func whileDown(_ generator: inout SplitMix64) -> [Act] {
    let number = Int.random(in: 0..<6, using: &generator)
    let piece = Act.Piece.allCases.randomElement(using: &generator) ?? .store
    switch Int.random(in: 0..<15, using: &generator) {
    case 14: return [.move(number)]
    case 7:
      let ceremony = Act.Ceremony.allCases.randomElement(using: &generator) ?? .destroy
      return (Int.random(in: 0..<3, using: &generator) == 0 ? [fault(within: 40, &generator)] : [])
        + [.hold(ceremony)]
    case 0: return [.putBack(piece, number)]
    case 1: return [.remove(piece)]
    case 2:
      // As many ceremonies as people hold before they think of the daemon.
      let ceremonies = (0..<Int.random(in: 0...2, using: &generator)).compactMap { _ in
        Act.Ceremony.allCases.randomElement(using: &generator)
      }
      return [.restore(number)] + ceremonies.map(Act.hold)
    case 3: return [.setClock(offsets.randomElement(using: &generator) ?? 0)]
    case 4: return [.loseSegment]
    case 5: return [.wait(waits.randomElement(using: &generator) ?? 1)]
    case 6: return [fault(within: 20, &generator)]
    default: return []
    }
  }
}
