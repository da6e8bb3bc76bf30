import Audit
import Crypto
import Format
import KeyStore
import Operations
import Policy

/// What happened to the key store after its manifest was written, by the audit log's account.
struct LoggedStore {
  private(set) var lives: [KeyID: LoggedLife] = [:]
  /// The highest number of a KEK and of a register of custodians.
  private(set) var shares = (kekNumber: 0, registers: 0)
  /// The digests of copies made by requests and at ceremonies.
  private(set) var copies: Set<Digest256> = []
  /// How many records since are missing.
  var unread: UInt64 = 0
  /// The first record that was read, if some before it are missing.
  var first: UInt64 = 0
  private var ceremonies: Set<Entry> = []
  /// Which records tell of each change by a request, in their order.
  private var requested: [Entry: [UInt64]] = [:]

  /// Identifies a change: one step of a ceremony makes at most one kind of change to a key.
  private struct Entry: Hashable {
    /// Of the ceremony's transcript; nil for a request's change.
    let root: String?
    let operation: String
    let key: KeyID?
  }

  /// Notes which change by a request a record tells of.
  mutating func note(_ record: Record) {
    guard Event.KeyChange(rawValue: record.operation) != nil, record.eventText("ceremony") == nil
    else { return }
    requested[Entry(root: nil, operation: record.operation, key: record.key), default: []].append(
      record.sequence)
  }

  mutating func add(_ record: Record) {
    lives.add(record)
    if record.status == .ok, let backup = record.inputs.backup { copies.insert(backup.digest) }
    guard record.eventText("ceremony") != nil else { return }
    ceremonies.insert(
      Entry(root: record.eventText("root"), operation: record.operation, key: record.key))
    let number = record.eventNumber("number").map { Int(clamping: $0) } ?? 0
    switch record.operation {
    case "key-store-resealed": shares.kekNumber = max(shares.kekNumber, number)
    case "key-store-reshared": shares.registers = max(shares.registers, number)
    case "key-store-copied":
      if let digest = record.eventText("digest").flatMap({ Digest256(hex: $0) }) {
        copies.insert(digest)
      }
    default: break
    }
  }

  /// The events that tell of those changes of which the log has no record. [KS-UNRECORDED]
  func missing(of keys: KeyStore) -> [Event] {
    var requested = requested
    return keys.unrecorded.compactMap { change in
      let event = Event(change, of: keys)
      switch change.origin {
      case .ceremony(let ceremony):
        return ceremonies.contains(
          Entry(root: ceremony.transcript.root.hex, operation: event.name, key: event.target?.id))
          ? nil : event
      case .request(_, let size):
        // Those who took the records away found them old: this one was written meanwhile, or no
        // later one would be.
        guard size >= first else { return nil }
        let entry = Entry(root: nil, operation: event.name, key: event.target?.id)
        guard let place = requested[entry]?.firstIndex(where: { $0 >= size }) else { return event }
        requested[entry]?.remove(at: place)
        return nil
      }
    }
  }
}

extension [KeyID: LoggedLife] {
  /// Adds the change of a key's state that a record tells of.
  fileprivate mutating func add(_ record: Record) {
    guard let key = record.key, let change = Event.KeyChange(rawValue: record.operation) else {
      return
    }
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
  /// The event that records a change after the fact.
  init(_ change: UnrecordedChange, of keys: KeyStore) {
    let what = StoreChange(change.kind, of: keys)
    switch change.origin {
    case .ceremony(let ceremony):
      let transcript = TreeHead(size: ceremony.transcript.size, root: ceremony.transcript.root)
      self = .ceremony(
        what,
        CeremonyFacts(
          name: ceremony.name, step: ceremony.step, people: ceremony.people, transcript: transcript)
      )
    case .request(let persons, _):
      self = .late(what, asked: persons.asked, approved: persons.approved)
    }
  }
}

extension StoreChange {
  fileprivate init(_ kind: UnrecordedChange.Kind, of keys: KeyStore) {
    func target(_ id: KeyID) -> KeyTarget {
      KeyTarget(id: id, label: keys.record(for: id)?.label.text ?? "")
    }
    self =
      switch kind {
      case .imported(let id): .key(.imported, target(id))
      case .generated(let id): .key(.generated, target(id))
      case .certified(let id): .key(.certified, target(id))
      case .entered(let state, let id): .key(Event.KeyChange(state), target(id))
      case .resumed(let id): .key(.resumed, target(id))
      case .reshared(let number): .reshared(number)
      case .resealed(let number): .resealed(number)
      case .copied(let digest): .copied(digest)
      case .restored(let digest): .restored(digest)
      }
  }
}

extension UnrecordedChange.Kind {
  init(_ change: Finding.Change) {
    let id = change.key.id
    self =
      switch change.kind {
      case .imported: .imported(id)
      case .generated: .generated(id)
      case .certified: .certified(id)
      case .activated: .entered(.active, id)
      case .suspended: .entered(.suspended, id)
      case .resumed: .resumed(id)
      case .retired: .entered(.retired, id)
      case .compromised: .entered(.compromised, id)
      case .destroyed: .entered(.destroyed, id)
      }
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
