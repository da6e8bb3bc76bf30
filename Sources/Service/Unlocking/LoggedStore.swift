internal import Audit
internal import CryptoBackend
internal import KeyStore
internal import Policy
internal import Wire

/// What happened to the key store after its manifest was written, by the audit log's account.
struct LoggedStore {
  private(set) var lives: [KeyID: LoggedLife] = [:]
  /// The highest number of a KEK and of a register of custodians.
  private(set) var shares = (kekNumber: 0, registers: 0)
  /// The digests of copies made by requests and at ceremonies.
  private(set) var copies: Set<Digest256> = []
  private var ceremonies: Set<Entry> = []

  /// Identifies a ceremony's change: one step makes at most one kind of change to a key.
  private struct Entry: Hashable {
    let root: String?
    let operation: String
    let key: KeyID?
  }

  mutating func add(_ record: Record) {
    lives.add(record)
    if record.opcode == .backUp, record.status == .ok, let backup = record.inputs.backup { copies.insert(backup.digest) }
    guard record.eventText("ceremony") != nil else { return }
    ceremonies.insert(Entry(root: record.eventText("root"), operation: record.operation, key: record.key))
    let number = record.eventNumber("number").map { Int(clamping: $0) } ?? 0
    switch record.operation {
    case "key-store-resealed": shares.kekNumber = max(shares.kekNumber, number)
    case "key-store-reshared": shares.registers = max(shares.registers, number)
    case "key-store-copied": if let digest = record.eventText("digest").flatMap({ Digest256(hex: $0) }) { copies.insert(digest) }
    default: break
    }
  }

  /// Whether a ceremony's change is already in the log.
  func has(_ event: Event) -> Bool {
    guard case .ceremony(_, let facts) = event else { return false }
    return ceremonies.contains(Entry(root: facts.transcript.root.hex, operation: event.name, key: event.target?.id))
  }
}

extension [KeyID: LoggedLife] {
  /// Adds the change of a key's state that a record tells of.
  fileprivate mutating func add(_ record: Record) {
    guard let key = record.key, let change = Event.KeyChange(rawValue: record.operation) else { return }
    var life = self[key] ?? LoggedLife()
    switch change {
    case .imported, .generated: life.enter(.preActive, at: record.time)
    case .certified: return
    case .activated: life.enter(.active, at: record.time)
    case .suspended: life.enter(.suspended, at: record.time)
    case .resumed: life.resume()
    case .retired: life.enter(.retired, at: record.time)
    case .compromised: life.enter(.compromised, at: record.time)
    case .destroyed: life.enter(.destroyed, at: record.time)
    }
    self[key] = life
  }
}

extension Event {
  /// The event that records a change made at a ceremony.
  init(_ change: CeremonyChange, of keys: KeyStore) {
    let reference = change.ceremony
    let facts = CeremonyFacts(
      name: reference.name, step: reference.step, people: reference.people,
      transcript: TreeHead(size: reference.transcript.size, root: reference.transcript.root))
    func target(_ id: KeyID) -> KeyTarget { KeyTarget(id: id, label: keys.record(for: id)?.label.text ?? "") }
    let act: CeremonyAct =
      switch change.kind {
      case .imported(let id): .key(.imported, target(id))
      case .generated(let id): .key(.generated, target(id))
      case .certified(let id): .key(.certified, target(id))
      case .entered(let state, let id): .key(KeyChange(state), target(id))
      case .reshared(let number): .reshared(number)
      case .resealed(let number): .resealed(number)
      case .copied(let digest): .copied(digest)
      case .restored(let digest): .restored(digest)
      }
    self = .ceremony(act, facts)
  }
}

extension Event.KeyChange {
  /// - Parameter state: the state that a key entered; every key begins pre-active.
  fileprivate init(_ state: KeyState) {
    switch state {
    case .preActive: self = .imported
    case .active: self = .activated
    case .suspended: self = .suspended
    case .retired: self = .retired
    case .compromised: self = .compromised
    case .destroyed: self = .destroyed
    }
  }
}
