package import Crypto
import Format
package import Policy

/// In which step of which ceremony something was done.
package struct CeremonyFacts: Hashable, Sendable {
  /// The name in the origin of its transcript, after `ceremony/`.
  package let name: String
  package let step: String
  /// The people who answer for the step.
  package let people: [String]
  /// The transcript's tree head when the step began.
  package let transcript: TreeHead

  package init(name: String, step: String, people: [String], transcript: TreeHead) {
    self.name = name
    self.step = step
    self.people = people
    self.transcript = transcript
  }
}

/// What was changed in the key store.
package enum StoreChange: Hashable, Sendable {
  case key(Event.KeyChange, KeyTarget)
  /// The KEK was split anew, under this number of the custodians' register.
  case reshared(Int)
  /// The store was resealed under a new KEK, which has this number.
  case resealed(Int)
  /// A copy with this digest was made.
  case copied(Digest256)
  /// The store was restored from the copy with this digest.
  case restored(Digest256)

  var name: String {
    switch self {
    case .key(let change, _): change.rawValue
    case .reshared: "key-store-reshared"
    case .resealed: "key-store-resealed"
    case .copied: "key-store-copied"
    case .restored: "key-store-put-back"
    }
  }

  /// The copy's digest.
  fileprivate var digest: Digest256? {
    switch self {
    case .copied(let digest), .restored(let digest): digest
    case .key, .reshared, .resealed: nil
    }
  }

  /// The number of the register or of the KEK.
  fileprivate var number: Int? {
    switch self {
    case .reshared(let number), .resealed(let number): number
    case .key, .copied, .restored: nil
    }
  }
}

extension CeremonyFacts {
  func write(with act: StoreChange, into writer: inout CanonicalJSONWriter) {
    writer.member("ceremony", name)
    writer.member("digest", act.digest?.hex)
    writer.member("number", act.number.map(Int64.init))
    writer.name("people")
    writer.array { writer in
      for person in people {
        writer.element()
        writer.string(person)
      }
    }
    writer.member("root", transcript.root.hex)
    writer.member("size", transcript.size)
    writer.member("step", step)
  }
}

extension Record {
  /// A text member of the record's event.
  package func eventText(_ name: String) -> String? {
    guard case .string(let text)? = event.first(where: { $0.name == name })?.value else {
      return nil
    }
    return text
  }

  /// A number member of the record's event.
  package func eventNumber(_ name: String) -> Int64? {
    guard case .integer(let number)? = event.first(where: { $0.name == name })?.value else {
      return nil
    }
    return number
  }
}
