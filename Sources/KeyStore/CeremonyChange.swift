package import CryptoBackend
internal import Encoding
package import Wire

/// The sitting of a ceremony in which people change a store.
package struct CeremonyReference: Hashable, Sendable {
  /// The ceremony's id, from the second sitting on with `/` and its number.
  package let name: String
  /// The kind of step.
  package let step: String
  /// Who answers for it: the administrator, and who read the values back.
  package let people: [String]
  /// Where the transcript stood when the step began.
  package let transcript: AuditAnchor

  package init(name: String, step: String, people: [String], transcript: AuditAnchor) {
    (self.name, self.step, self.people, self.transcript) = (name, step, people, transcript)
  }
}

/// A change that people made at a ceremony, and that no audit log tells of yet. [KS-UNRECORDED]
package struct CeremonyChange: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case imported(KeyID), generated(KeyID), certified(KeyID)
    case entered(KeyState, KeyID)
    /// The KEK was split anew; with the number of its register.
    case reshared(Int)
    /// Everything was sealed under a new KEK; with its number.
    case resealed(Int)
    /// A copy was made.
    case copied(Digest256)
    /// The store was made of that copy, whatever the log knows of.
    case restored(Digest256)
  }

  package let kind: Kind
  package let ceremony: CeremonyReference
}

extension Manifest {
  /// Adds what a ceremony changed since an earlier manifest.
  mutating func note(changesSince old: Manifest, in ceremony: CeremonyReference?) {
    guard let ceremony else { return }
    let before = Dictionary(uniqueKeysWithValues: old.keys.map { ($0.id, $0) })
    for key in keys { note(Self.changes(from: before[key.id], to: key, ceremony), in: ceremony) }
    if kekNumber > old.kekNumber { note([.resealed(kekNumber)], in: ceremony) }
    if registers > old.registers { note([.reshared(registers)], in: ceremony) }
  }

  mutating func note(_ kinds: [CeremonyChange.Kind], in ceremony: CeremonyReference) {
    unrecorded += kinds.map { CeremonyChange(kind: $0, ceremony: ceremony) }
  }

  private static func changes(from old: KeyRecord?, to new: KeyRecord, _ ceremony: CeremonyReference) -> [CeremonyChange.Kind] {
    guard let old else {
      let made: CeremonyChange.Kind = ceremony.step == "generate" ? .generated(new.id) : .imported(new.id)
      return [made] + (new.state == .preActive ? [] : [.entered(new.state, new.id)])
    }
    return (old.certificate == new.certificate ? [] : [.certified(new.id)]) + (old.state == new.state ? [] : [.entered(new.state, new.id)])
  }
}

extension KeyStore {
  /// From now on every change is noted as made at this ceremony; nil ends that.
  package func takePart(in ceremony: CeremonyReference?) { self.ceremony.change { $0 = ceremony } }

  /// What ceremonies changed, and the audit log is to be told.
  package var unrecorded: [CeremonyChange] { table.value.manifest.unrecorded }

  /// Notes that a ceremony made a copy of the store.
  package func note(copy digest: Digest256) throws(KeyStoreError) { try note(.copied(digest)) }

  /// Notes that people at a ceremony made the store of a copy, and want it though the log may know of later shares or another KEK.
  package func noteRestoring() throws(KeyStoreError) {
    guard let mark = try restoredMark(), try !isAccepted(mark) else { return }
    guard try matches(mark) else { throw .restoredMark }
    try accept(mark)
    try note(.restored(mark.digest))
  }

  private func note(_ kind: CeremonyChange.Kind) throws(KeyStoreError) {
    guard let ceremony = ceremony.value else { return }
    try change(anchor) { (manifest, _) in manifest.note([kind], in: ceremony) }
  }
}
