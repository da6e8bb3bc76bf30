import Audit
import Format
import KeyStore
import Policy

/// An operation that durably changes a key's state, and returns the key's description.
protocol KeyLifeOperation: Operation {
  /// The new state; nil for the state before a suspension.
  static var next: KeyState? { get }
  static var change: Event.KeyChange { get }
}

extension KeyLifeOperation {

  /// No approval is asked for if the key's state refuses the change anyway. [OP-STATE-2]
  static func refusal(_ context: borrowing OperationContext) -> Stage? {
    guard let id = context.grant.key else { return nil }
    return context.keys.canMove(id, to: next, at: context.now) ? nil : .keyState
  }

  static func run(
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
  static let opcode = Opcode.activateKey
  static let next: KeyState? = .active
  static let change = Event.KeyChange.activated
}

/// `retire-key`: the key makes nothing new, but still opens what was made for it.
enum RetireKey: KeyLifeOperation {
  static let opcode = Opcode.retireKey
  static let next: KeyState? = .retired
  static let change = Event.KeyChange.retired
}

/// `suspend-key`: the emergency stop; the key serves nothing any more. [OP-STATE-3]
enum SuspendKey: KeyLifeOperation {
  static let opcode = Opcode.suspendKey
  static let next: KeyState? = .suspended
  static let change = Event.KeyChange.suspended
}

/// `resume-key`: returns a suspended key to its previous state.
enum ResumeKey: KeyLifeOperation {
  static let opcode = Opcode.resumeKey
  static let next: KeyState? = nil
  static let change = Event.KeyChange.resumed
}

/// `compromise-key`: marks a key as known to others.
enum CompromiseKey: KeyLifeOperation {
  static let opcode = Opcode.compromiseKey
  static let next: KeyState? = .compromised
  static let change = Event.KeyChange.compromised
}

/// `destroy-key`: deletes the key for good; its record stays.
enum DestroyKey: KeyLifeOperation {
  static let opcode = Opcode.destroyKey
  static let next: KeyState? = .destroyed
  static let change = Event.KeyChange.destroyed
}
