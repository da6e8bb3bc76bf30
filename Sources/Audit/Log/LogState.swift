import Crypto
import Format

/// The state of a log after a record: the next record is checked against it, or made from it.
package struct LogState {
  package private(set) var tree: Frontier
  /// The leaf hash of the last record, or the genesis value.
  private(set) var previous: Digest256
  /// Whether the last record is the `stop` of an orderly shutdown, or there is no record.
  private(set) var isStopped = true
  /// The oldest sequence that the log last stated; nil if it never did.
  private(set) var oldest: UInt64?
  /// The latest time of any record, which need not be the last one's, for the clock may have been
  /// set back.
  private(set) var newest: RecordTime?

  /// The state before the first record.
  init(genesis: Digest256) {
    tree = Frontier()
    previous = genesis
  }

  /// The state before a segment, as its first record claims it; a root signed later proves the
  /// claim.
  package init(beforeSegment line: Span<UInt8>, chainFields: ChainFields, first: UInt64)
    throws(Misfit)
  {
    let hashes = chainFields.frontier.compactMap { Digest256(hexDigits: line.extracting($0)) }
    guard chainFields.role == .segment, hashes.count == chainFields.frontier.count,
      let tree = Frontier(size: first, hashes: hashes),
      let place = chainFields.previous, let previous = Digest256(hexDigits: line.extracting(place))
    else { throw Misfit(.segment) }
    self.tree = tree
    self.previous = previous
    newest = chainFields.newest
  }

  /// Checks that the line is the log's next record, and appends it.
  mutating func append(_ line: Span<UInt8>, chainFields: ChainFields) throws(Misfit) {
    guard chainFields.sequence == tree.size else { throw Misfit(.sequence) }
    guard let place = chainFields.previous, previous.isSpelled(by: line.extracting(place)) else {
      throw Misfit(.chain)
    }
    if chainFields.role == .segment { try checkFrontier(line, chainFields) }
    append(leaf: TreeHash.leaf(line))
    oldest = chainFields.oldest ?? oldest
    if let time = chainFields.time { note(time: time) }
    isStopped = chainFields.role == .stop
  }

  mutating func append(leaf: Digest256) {
    tree.append(leaf)
    previous = leaf
  }

  mutating func note(time: RecordTime) { newest = max(newest ?? time, time) }

  /// Remembers that the next record will state this oldest sequence.
  mutating func note(oldest: UInt64) { self.oldest = oldest }

  private func checkFrontier(_ line: Span<UInt8>, _ chainFields: ChainFields) throws(Misfit) {
    guard chainFields.frontier.count == tree.hashes.count else { throw Misfit(.segment) }
    for (place, hash) in zip(chainFields.frontier, tree.hashes)
    where !hash.isSpelled(by: line.extracting(place)) {
      throw Misfit(.segment)
    }
  }
}

/// A line that is not the next one of its log, and why.
package struct Misfit: Error {
  let what: Tampering
  init(_ what: Tampering) { self.what = what }
}

extension Digest256 {
  /// Reads exactly 64 lower-case digits.
  init?(hexDigits: Span<UInt8>) {
    for i in hexDigits.indices where (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(hexDigits[i])
    { return nil }
    guard let bytes = Hex.decode(hexDigits) else { return nil }
    self.init(bytes)
  }
}
