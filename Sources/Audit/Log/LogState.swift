internal import CryptoBackend
internal import Encoding

/// Where a log stands after a record: what the next one is checked against, or made from.
struct LogState {
  private(set) var tree: Frontier
  /// The leaf hash of the last record, or the genesis value.
  private(set) var previous: Digest256
  /// The last record is the `stop` of a daemon that shut down in order, or there is none.
  private(set) var isStopped = true
  /// The oldest sequence there was when the log last said so; nil of logs that never did.
  private(set) var oldest: UInt64?

  /// The state before the first record.
  init(genesis: Digest256) { (tree, previous) = (Frontier(), genesis) }

  /// The state that a segment's first record claims for the records before it; a root signed later proves it.
  init(beforeSegment line: Span<UInt8>, spine: Spine, first: UInt64) throws(Misfit) {
    let hashes = spine.frontier.compactMap { Digest256(hexDigits: line.extracting($0)) }
    guard spine.role == .segment, hashes.count == spine.frontier.count, let tree = Frontier(size: first, hashes: hashes),
      let place = spine.previous, let previous = Digest256(hexDigits: line.extracting(place))
    else { throw Misfit(.segment) }
    (self.tree, self.previous) = (tree, previous)
  }

  /// Takes the next record of the log.
  mutating func append(_ line: Span<UInt8>, spine: Spine) throws(Misfit) {
    guard spine.sequence == tree.size else { throw Misfit(.sequence) }
    guard let place = spine.previous, Spine.digits(place, of: line, are: previous) else { throw Misfit(.chain) }
    if spine.role == .segment { try checkFrontier(line, spine) }
    append(leaf: TreeHash.leaf(line))
    oldest = spine.oldest ?? oldest
    isStopped = spine.role == .stop
  }

  mutating func append(leaf: Digest256) {
    tree.append(leaf)
    previous = leaf
  }

  /// The next record will say that the log begins there.
  mutating func note(oldest: UInt64) { self.oldest = oldest }

  private func checkFrontier(_ line: Span<UInt8>, _ spine: Spine) throws(Misfit) {
    guard spine.frontier.count == tree.hashes.count else { throw Misfit(.segment) }
    for (place, hash) in zip(spine.frontier, tree.hashes) where !Spine.digits(place, of: line, are: hash) {
      throw Misfit(.segment)
    }
  }
}

/// A line that is not the next of its log.
struct Misfit: Error {
  let what: Tampering
  init(_ what: Tampering) { self.what = what }
}

extension Digest256 {
  /// Reads exactly 64 lower-case digits.
  init?(hexDigits: Span<UInt8>) {
    for i in hexDigits.indices where (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(hexDigits[i]) { return nil }
    guard let bytes = Hex.decode(hexDigits) else { return nil }
    self.init(bytes)
  }
}
