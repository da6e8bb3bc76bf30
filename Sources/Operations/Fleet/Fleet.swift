package import Format
package import KeyStore

/// This host's part in a fleet: one for as long as the daemon runs.
package struct Fleet: Sendable {
  /// This host's name.
  package let host: String
  /// The label of the key of role `fleet`.
  package let key: KeyLabel
  /// The labels of the keys whose codes by counter are made and checked here. [FLEET-F6]
  package let homeKeys: Set<String>
  package let store: any FleetStore

  package init(host: String, key: KeyLabel, homeKeys: Set<String> = [], store: any FleetStore) {
    (self.host, self.key, self.homeKeys, self.store) = (host, key, homeKeys, store)
  }

  /// Makes the digests of claims; nil while the store has no active key for that, which is as good as no store.
  func digests(_ keys: KeyStore, at now: Timestamp) -> ClaimDigests? { keys.fleetKey(labelled: key, at: now).map { ClaimDigests($0) } }
}

extension DaemonContext {
  /// Whether nothing can be claimed now.
  package var isStoreAway: Bool { fleet.map { $0.store.isAway || $0.digests(keys, at: clock()) == nil } ?? false }

  /// Claims under the fleet's key, as `FleetStore.claim`.
  package func claim(_ claims: [Claim]) -> [ClaimHolding]? {
    guard let fleet, let key = fleet.digests(keys, at: clock()) else { return nil }
    return fleet.store.claim(claims, under: key.check)
  }
}

extension OperationContext {
  /// In a fleet, refuses codes by counter where their key is not at home. [FLEET-F6]
  func checkHome(of slot: KeySlot, _ code: OTPCode) throws(OperationError) {
    guard let fleet = daemon.fleet, code.step == nil, !fleet.homeKeys.contains(slot.record.label.text) else { return }
    throw .rejected(.otpHome)
  }
}
