package import Crypto
package import KeyStore

extension CustodianRegister {
  /// The register of a split whose shares were just handed out.
  ///
  /// - Parameters:
  ///   - shares: all of them.
  ///   - holders: one for each share, in the shares' order.
  /// - Throws: `KeyStoreError.custodians` unless each share has a holder of its own.
  package init(_ shares: borrowing ShareCollection, holders: [Custodian], kek: KeyCheckValue) throws(KeyStoreError) {
    guard shares.headers.count == holders.count else { throw .custodians }
    var groups: [Group] = []
    for group in shares.groups {
      var holdings: [Holding] = []
      for (row, header) in shares.headers.enumerated() where header.group == group.group {
        do throws(SharingError) {
          let share = try shares.share(row)
          holdings.append(Holding(fingerprint: share.fingerprint, holder: holders[row]))
        } catch { throw .custodians }
      }
      groups.append(Group(threshold: group.threshold, holdings: holdings))
    }
    let split = shares.headers[0].split
    try self.init(split: split.identifier, groupThreshold: split.groupThreshold, groups: groups, kek: kek)
  }
}
