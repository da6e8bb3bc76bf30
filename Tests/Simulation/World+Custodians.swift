internal import Audit
internal import CryptoBackend
internal import KeyStore
internal import Operations
internal import SecretMemory
internal import ServiceHarness
internal import TestSupport
internal import Wire

extension World {
  /// The KEK that the store says it has.
  func claimedKEK() -> SplitKEK {
    let claimed = try? LockedKeyStore.open("/state/keys", on: disk).claimedKEK
    return scene.keks.first { $0.register.kek == claimed } ?? scene.keks[0]
  }

  func submitShare(_ number: Int) throws -> Outcome {
    try call(.submitShare, .none, SplitKEK.body(kek.sheets[number]), from: SplitKEK.user(UInt32(number + 1)), on: .operators)
  }

  func hold(_ ceremony: Act.Ceremony) throws -> Outcome {
    guard service == nil else { return .nothing }
    let name = "ceremony-\(snapshots.count)-\(held.count)"
    do throws(KeyStoreError) {
      let kek = claimedKEK()
      let store = try LockedKeyStore.open("/state/keys", on: disk).unlock(kek: secret(kek.bytes), expecting: .rehearsal)
      store.takePart(
        in: CeremonyReference(name: name, step: "\(ceremony)", people: ["alice", "bob"], transcript: AuditAnchor(size: 7, root: SHA256.hash([]))))
      switch ceremony {
      case .destroy: try destroyWorking(in: store)
      case .rotateKEK:
        guard let next = scene.keks.first(where: { $0.register.kek != kek.register.kek && !replaced.contains($0.register.kek) }) else { return .nothing }
        replaced.insert(kek.register.kek)
        _ = try store.reseal(under: secret(next.bytes), custodians: next.register)
      }
    } catch { return .refused("\(error)") }
    held.append(name)
    return .done
  }

  private func destroyWorking(in store: KeyStore) throws(KeyStoreError) {
    let (now, anchor) = (scene.clock.now, store.anchor)
    if store.record(for: working)?.state == .suspended { try store.resume(working, anchor: anchor) }
    if store.record(for: working)?.state == .active { try store.setState(.retired, of: working, at: now, anchor: anchor) }
    try store.setState(.destroyed, of: working, at: now, anchor: anchor)
  }

  private func secret(_ bytes: [UInt8]) throws(KeyStoreError) -> SecretBuffer {
    do { return try TestService.secret(bytes) } catch { throw .crypto(.exhausted) }
  }
}
