internal import Audit
internal import Format
internal import KeyStore
internal import Policy

/// An operation that durably changes a key's state, and returns the key's description.
protocol KeyLifeOperation: Operation {
  /// The new state; nil for the state before a suspension.
  static var next: KeyState? { get }
  static var change: Event.KeyChange { get }
}

extension KeyLifeOperation {
  package static var bodyCap: Int { 0 }
  package static var replyCap: Int { 16 * 1024 }

  /// No approval is asked for if the key's state refuses the change anyway. [OP-STATE-2]
  package static func refusal(_ context: borrowing OperationContext) -> Stage? {
    guard let id = context.grant.key else { return nil }
    return context.keys.canMove(id, to: next, at: context.now) ? nil : .keyState
  }

  package static func run(
    _ request: borrowing NoFields, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    guard let id = context.grant.key else { throw .noSuchKey }
    let persons = context.persons
    try context.change(change, into: &reply) { () throws(KeyStoreError) in
      if let next {
        try context.keys.setState(
          next, of: id, at: context.now, by: persons, anchor: context.daemon.anchor())
      } else {
        try context.keys.resume(id, by: persons, anchor: context.daemon.anchor())
      }
      return id
    }
  }
}

/// `activate-key`
enum ActivateKey: KeyLifeOperation {
  package static let opcode = Opcode.activateKey
  package static let next: KeyState? = .active
  package static let change = Event.KeyChange.activated
}

/// `retire-key`: the key makes nothing new, but still opens what was made for it.
enum RetireKey: KeyLifeOperation {
  package static let opcode = Opcode.retireKey
  package static let next: KeyState? = .retired
  package static let change = Event.KeyChange.retired
}

/// `suspend-key`: the emergency stop; the key serves nothing any more. [OP-STATE-3]
enum SuspendKey: KeyLifeOperation {
  package static let opcode = Opcode.suspendKey
  package static let next: KeyState? = .suspended
  package static let change = Event.KeyChange.suspended
}

/// `resume-key`: returns a suspended key to its previous state.
enum ResumeKey: KeyLifeOperation {
  package static let opcode = Opcode.resumeKey
  package static let next: KeyState? = nil
  package static let change = Event.KeyChange.resumed
}

/// `compromise-key`: marks a key as known to others.
enum CompromiseKey: KeyLifeOperation {
  package static let opcode = Opcode.compromiseKey
  package static let next: KeyState? = .compromised
  package static let change = Event.KeyChange.compromised
}

/// `destroy-key`: deletes the key for good; its record stays.
enum DestroyKey: KeyLifeOperation {
  package static let opcode = Opcode.destroyKey
  package static let next: KeyState? = .destroyed
  package static let change = Event.KeyChange.destroyed
}
