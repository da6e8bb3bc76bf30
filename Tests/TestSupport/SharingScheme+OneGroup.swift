package import Crypto

extension SharingScheme {
  /// A scheme with a single group.
  package init(_ threshold: Int, of count: Int) throws(SharingError) {
    try self.init(groupThreshold: 1, groups: [Group(threshold, of: count)])
  }
}
