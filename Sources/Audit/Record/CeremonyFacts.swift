package import CryptoBackend
internal import Encoding
package import Policy

/// The sitting of a ceremony in which something was done.
package struct CeremonyFacts: Hashable, Sendable {
  /// As the origin of its transcript has it, after `ceremony/`.
  package let name: String
  package let step: String
  /// Who answers for it.
  package let people: [String]
  /// Where the transcript stood when the step began.
  package let transcript: TreeHead

  package init(name: String, step: String, people: [String], transcript: TreeHead) {
    (self.name, self.step, self.people, self.transcript) = (name, step, people, transcript)
  }
}

/// What a ceremony changed.
package enum CeremonyAct: Hashable, Sendable {
  case key(Event.KeyChange, KeyTarget)
  /// The KEK was split anew; with the number of its register of custodians.
  case reshared(Int)
  /// The store was sealed under a new KEK; with its number.
  case resealed(Int)
  /// A copy was made, of that digest.
  case copied(Digest256)
  /// The store was made of the copy of that digest.
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

  /// Of the copy.
  fileprivate var digest: Digest256? {
    switch self {
    case .copied(let digest), .restored(let digest): digest
    case .key, .reshared, .resealed: nil
    }
  }

  /// Of the register or the KEK.
  fileprivate var number: Int? {
    switch self {
    case .reshared(let number), .resealed(let number): number
    case .key, .copied, .restored: nil
    }
  }
}

extension CeremonyFacts {
  func write(with act: CeremonyAct, into writer: inout CanonicalJSONWriter) {
    writer.name("ceremony")
    writer.string(name)
    if let digest = act.digest {
      writer.name("digest")
      writer.string(digest.hex)
    }
    if let number = act.number {
      writer.name("number")
      writer.integer(Int64(number))
    }
    writer.name("people")
    writer.array { writer in
      for person in people {
        writer.element()
        writer.string(person)
      }
    }
    writer.name("root")
    writer.string(transcript.root.hex)
    writer.name("size")
    writer.integer(Int64(clamping: transcript.size))
    writer.name("step")
    writer.string(step)
  }
}

extension Record {
  /// A text that an event says under a name.
  package func eventText(_ name: String) -> String? {
    guard case .string(let text)? = event.first(where: { $0.name == name })?.value else { return nil }
    return text
  }

  /// A number that an event says under a name.
  package func eventNumber(_ name: String) -> Int64? {
    guard case .integer(let number)? = event.first(where: { $0.name == name })?.value else { return nil }
    return number
  }
}
