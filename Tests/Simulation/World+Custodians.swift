import Audit
import Crypto
import Format
import Policy
import Host
import KeyStore
import Operations
import ServiceHarness
import TestSupport

extension World {
  /// The KEK that the store says it has.
  func claimedKEK() -> SplitKEK {
    let claimed = try? LockedKeyStore.open("/state/keys", on: disk).claimedKEK
    return scene.keks.first { $0.register.kek == claimed } ?? scene.keks[0]
  }

  func submitShare(_ number: Int) throws -> Outcome {
    try call(
      .submitShare, .none, SplitKEK.body(kek.parts[number]),
      from: SplitKEK.user(UInt32(number + 1)), on: .operators)
  }

  func hold(_ ceremony: Act.Ceremony) throws -> Outcome {
    guard service == nil else { return .nothing }
    let name = "ceremony-\(snapshots.count)-\(held.count)"
    do throws(KeyStoreError) {
      let kek = claimedKEK()
      let store = try LockedKeyStore.open("/state/keys", on: disk).unlock(
        kek: secret(kek.bytes), expecting: .rehearsal)
      store.takePart(
        in: CeremonyReference(
          name: name, step: "\(ceremony)", people: ["alice", "bob"],
          transcript: AuditAnchor(size: 7, root: SHA256.hash(Array(name.utf8)))))
      switch ceremony {
      case .destroy: try store.destroy(working, at: scene.clock.now, anchor: store.anchor)
      case .rotateKEK:
        guard
          let next = scene.keks.first(where: {
            $0.register.kek != kek.register.kek && !replaced.contains($0.register.kek)
          })
        else { return .nothing }
        replaced.insert(kek.register.kek)
        _ = try store.reseal(under: secret(next.bytes), custodians: next.register)
      case .vouch:
        guard store.restoredMark != nil else { return .nothing }
        try store.noteRestoring()
      }
    } catch { return .refused("\(error)") }
    held.append(name)
    return .done
  }

  private func secret(_ bytes: [UInt8]) throws(KeyStoreError) -> SecretBuffer {
    do { return try TestService.secret(bytes) } catch { throw .crypto(.exhausted) }
  }
}
