package import CryptoBackend
internal import Encoding
package import Wire

/// The step of a ceremony in which people change a store.
package struct CeremonyReference: Hashable, Sendable {
  /// The ceremony's id, followed from the second sitting on by `/` and the sitting's number.
  package let name: String
  /// The kind of step.
  package let step: String
  /// The people who answer for it: the administrator and those who read the values back.
  package let people: [String]
  /// The transcript's size and root when the step began.
  package let transcript: AuditAnchor

  package init(name: String, step: String, people: [String], transcript: AuditAnchor) {
    (self.name, self.step, self.people, self.transcript) = (name, step, people, transcript)
  }
}

/// A change made at a ceremony that is not in an audit log yet. [KS-UNRECORDED]
package struct CeremonyChange: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case imported(KeyID), generated(KeyID), certified(KeyID)
    case entered(KeyState, KeyID)
    /// The KEK was split anew, under this number of the custodians' register.
    case reshared(Int)
    /// Everything was resealed under a new KEK, which has this number.
    case resealed(Int)
    /// A copy with this digest was made.
    case copied(Digest256)
    /// The store was restored from this copy, even if the log knows of later shares or another KEK.
    case restored(Digest256)
  }

  package let kind: Kind
  package let ceremony: CeremonyReference
}

extension Manifest {
  /// Adds what a ceremony changed, by comparison with the earlier manifest.
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
    // A key that is destroyed at one stroke was retired on the way, which whoever follows its life in the log must know.
    let passed: [CeremonyChange.Kind] = new.state == .destroyed && old.retired == nil && new.retired != nil ? [.entered(.retired, new.id)] : []
    return (old.certificate == new.certificate ? [] : [.certified(new.id)]) + (old.state == new.state ? [] : passed + [.entered(new.state, new.id)])
  }
}

extension KeyStore {
  /// From now on notes every change as made at this ceremony; nil ends that.
  package func takePart(in ceremony: CeremonyReference?) { self.ceremony.change { $0 = ceremony } }

  /// The changes made at ceremonies that the audit log must still record.
  package var unrecorded: [CeremonyChange] { table.value.manifest.unrecorded }

  /// Notes that a copy of the store was made at a ceremony.
  package func note(copy digest: Digest256) throws(KeyStoreError) { try note(.copied(digest)) }

  /// Accepts, for the people at a ceremony, that the store came from a copy, even if the log knows of later shares or another KEK.
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
