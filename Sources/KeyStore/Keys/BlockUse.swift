internal import Crypto

/// The three header fields that say what a wrapped key is for.
struct BlockUse: Hashable, Sendable {
  let usage: HeaderCode
  let algorithm: KeyBlockAlgorithm
  let mode: ModeOfUse

  init(_ usage: HeaderCode, _ algorithm: KeyBlockAlgorithm, _ mode: ModeOfUse) {
    (self.usage, self.algorithm, self.mode) = (usage, algorithm, mode)
  }

  init(_ header: KeyBlockHeader) { self.init(header.usage, header.algorithm, header.mode) }

  /// `K3 E X`.
  var text: String { "\(usage) \(Unicode.Scalar(algorithm.rawValue)) \(Unicode.Scalar(mode.rawValue))" }
}
