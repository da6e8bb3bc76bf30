package import Crypto
package import Format
package import Policy

/// Something that happens to the daemon and not in a request; a closed set, so that no free text
/// can be logged.
package enum Event: Hashable, Sendable {
  case stop
  /// `refused` counts the requests and passphrases that were refused while there was no log to
  /// record them.
  case keyStoreUnlocked(Unlocking, refused: UInt64 = 0)
  case keyStoreLocked
  case keyStoreRestored(Restoring)
  /// At a start, records that should have been read back are missing: all before the sequence
  /// `oldest`, none of which is later than `since`.
  case recordsUnread(oldest: UInt64, since: Timestamp)
  /// A change made at a ceremony, while no daemon had the store open.
  case ceremony(StoreChange, CeremonyFacts)
  /// The store was opened on another machine than before, as announced by `--moved`.
  case keyStoreMoved(from: Digest256, to: Digest256?)
  case policySwap(from: Digest256, to: Digest256)
  /// A reload found a policy that nobody had approved, and refused it.
  case policySwapRefused(from: Digest256, to: Digest256)
  case configurationSwap(from: Digest256, to: Digest256)
  case key(KeyChange, KeyTarget)
  /// A change by a request whose own record the log did not take, told later: who asked for it, and
  /// who approved.
  case late(StoreChange, asked: UInt32, approved: UInt32?)
  /// A key ends in this many whole days; negative if it has ended.
  case keyEnding(KeyTarget, days: Int64)
  /// The wall clock moved by this many microseconds relative to the monotonic one.
  case clockStep(microseconds: Int64)
  case connectionsRefused(RefusedConnections)
  /// What was opened while the fleet's store was away, by this record, is claimed now.
  case openingClaimed(Digest256, opening: UInt64)
  /// Another host has the claim of what was opened while the store was away, by this record of this
  /// host.
  case duplicateOpening(Digest256, opening: UInt64, host: String)

  package enum Unlocking: String, Sendable { case passphrase, credential, quorum }

  /// What the first unlocking of a store that came from a copy found and did.
  package struct Restoring: Hashable, Sendable {
    /// The digest of the copy: KEYSTORE.md [KS-COPY-DIGEST].
    package let digest: Digest256
    package let generation: UInt64
    /// Records of the log that was lost together with the old store, as far as the copy knows; nil
    /// if the log was not lost.
    package var lost: UInt64?
    /// Keys that were made after the copy, by the log's account, and are not in it.
    package var missing: UInt64 = 0
    /// Keys that were suspended, retired, compromised or destroyed after the copy, by the log's
    /// account, and now are again.
    package var moved: UInt64 = 0
    /// Records after the copy that are gone, and which the configuration gave up.
    package var unread: UInt64 = 0

    package init(digest: Digest256, generation: UInt64) {
      self.digest = digest
      self.generation = generation
    }
  }

  package enum KeyChange: String, CaseIterable, Sendable {
    case imported = "key-imported"
    case generated = "key-generated"
    case certified = "key-certified"
    case activated = "key-activated"
    case retired = "key-retired"
    case compromised = "key-compromised"
    case destroyed = "key-destroyed"
    case suspended = "key-suspended"
    case resumed = "key-resumed"
  }
}

/// The policy and configuration that a daemon starts with, as SHA-256 of their canonical text.
package struct StartFacts: Hashable, Sendable {
  package let policy: Digest256
  package let configuration: Digest256

  package init(policy: Digest256, configuration: Digest256) {
    self.policy = policy
    self.configuration = configuration
  }
}

/// What the log records about itself; only `AuditLog` writes these.
enum LogEvent {
  case start(StartFacts)
  /// The log did not end with a `stop`.
  case uncleanStart
  /// The first record of every segment: the tree's frontier before it, the oldest sequence that is
  /// left, and the latest time of any record before it, if that is later than this record's.
  case segment(Frontier, oldest: UInt64, newest: RecordTime?)
  /// Segments from sequence `first` on are gone; `oldest` is the first sequence left.
  case segmentsRemoved(first: UInt64, oldest: UInt64)
  case recovery(TornTail)
  /// The disk is full: nothing is served until `resumed`.
  case full
  case resumed
}

extension Event {
  package var name: String {
    switch self {
    case .stop: RecordName.stop
    case .keyStoreUnlocked: "key-store-unlocked"
    case .keyStoreLocked: "key-store-locked"
    case .keyStoreRestored: "key-store-restored"
    case .recordsUnread: "records-unread"
    case .ceremony(let change, _), .late(let change, _, _): change.name
    case .keyStoreMoved: "key-store-moved"
    case .policySwap: "policy-swap"
    case .policySwapRefused: "policy-swap-refused"
    case .configurationSwap: "configuration-swap"
    case .key(let change, _): change.rawValue
    case .keyEnding: "key-ending"
    case .clockStep: "clock-step"
    case .connectionsRefused: "connections-refused"
    case .openingClaimed: RecordName.openingClaimed
    case .duplicateOpening: RecordName.duplicateOpening
    }
  }

  package var target: KeyTarget? {
    switch self {
    case .key(_, let target), .keyEnding(let target, _), .ceremony(.key(_, let target), _),
      .late(.key(_, let target), _, _):
      target
    case .stop, .keyStoreUnlocked, .keyStoreLocked, .keyStoreRestored, .ceremony, .late,
      .keyStoreMoved, .recordsUnread, .policySwap, .policySwapRefused,
      .configurationSwap, .clockStep, .connectionsRefused, .openingClaimed, .duplicateOpening:
      nil
    }
  }

  /// The members of the record's `event`.
  func write(into writer: inout CanonicalJSONWriter) {
    switch self {
    case .stop, .keyStoreLocked, .key: break
    case .keyStoreUnlocked(let how, let refused):
      writer.member("by", how.rawValue)
      guard refused > 0 else { break }
      writer.member("refused", refused)
    case .keyStoreRestored(let restoring): Self.write(restoring, into: &writer)
    case .recordsUnread(let oldest, let since):
      writer.member("oldest", oldest)
      writer.member("since", since.description)
    case .ceremony(let act, let facts): facts.write(with: act, into: &writer)
    case .keyStoreMoved(let old, let new):
      Self.writeSwap(old, new ?? SHA256.hash([]), into: &writer)
    case .policySwap(let old, let new), .policySwapRefused(let old, let new):
      Self.writeSwap(old, new, into: &writer)
    case .configurationSwap(let old, let new): Self.writeSwap(old, new, into: &writer)
    case .late(_, let asked, let approved):
      writer.member("approved", approved.map(Int64.init))
      writer.member("asked", Int64(asked))
    case .keyEnding(_, let days):
      writer.member("days", days.clamped)
    case .clockStep(let microseconds):
      writer.member("microseconds", microseconds.clamped)
    case .connectionsRefused(let refused): Self.write(refused, into: &writer)
    case .openingClaimed(let claim, let opening): Self.write(claim, opening, nil, into: &writer)
    case .duplicateOpening(let claim, let opening, let host):
      Self.write(claim, opening, host, into: &writer)
    }
  }
}

extension Event {
  private static func write(_ restoring: Restoring, into writer: inout CanonicalJSONWriter) {
    writer.member("digest", hex: restoring.digest.span)
    if restoring.lost != nil || restoring.unread > 0 {
      writer.name("forgotten")
      writer.bool(true)
    }
    for (name, number) in [
      ("generation", restoring.generation), ("lost", restoring.lost ?? 0),
      ("missing", restoring.missing), ("moved", restoring.moved),
    ] {
      writer.member(name, number)
    }
    if restoring.unread > 0 {
      writer.member("unread", restoring.unread)
    }
  }

  private static func write(_ refused: RefusedConnections, into writer: inout CanonicalJSONWriter) {
    writer.member("count", refused.count)
    for (name, text) in [
      ("first", refused.first.description), ("last", refused.last.description),
      ("reason", refused.kind.reason.rawValue),
      ("socket", refused.kind.socket.rawValue),
    ] {
      writer.member(name, text)
    }
    guard let uid = refused.kind.uid else { return }
    writer.member("uid", Int64(uid))
  }

  private static func write(
    _ claim: Digest256, _ opening: UInt64, _ host: String?, into writer: inout CanonicalJSONWriter
  ) {
    writer.member("claim", hex: claim.span)
    writer.member("host", host)
    writer.member("opening", opening)
  }

  private static func writeSwap(
    _ old: Digest256, _ new: Digest256, into writer: inout CanonicalJSONWriter
  ) {
    writer.member("from", hex: old.span)
    writer.member("to", hex: new.span)
  }
}

extension LogEvent {
  var name: String {
    switch self {
    case .start: RecordName.start
    case .uncleanStart: RecordName.uncleanStart
    case .segment: RecordName.segment
    case .segmentsRemoved: "segments-removed"
    case .recovery: RecordName.recovery
    case .full: "log-full"
    case .resumed: "log-resumed"
    }
  }

  func write(into writer: inout CanonicalJSONWriter) {
    switch self {
    case .uncleanStart, .full, .resumed: break
    case .start(let facts):
      writer.member("configuration", hex: facts.configuration.span)
      writer.member("policy", hex: facts.policy.span)
    case .segment(let frontier, let oldest, let newest):
      writer.name("frontier")
      writer.array { writer in
        for hash in frontier.hashes {
          writer.element()
          writer.hex(hash.span)
        }
      }
      writer.member("newest", newest?.text)
      writer.member("oldest", oldest)
    case .segmentsRemoved(let first, let oldest):
      writer.member("first", first)
      writer.member("oldest", oldest)
    case .recovery(let tail):
      writer.member("bytes", Int64(tail.byteCount))
      writer.member("records", Int64(tail.recordCount))
      writer.member("sha256", hex: tail.digest.span)
    }
  }
}

/// The `op` of records that readers look for.
package enum RecordName {
  static let start = "start"
  static let stop = "stop"
  static let uncleanStart = "unclean-start"
  static let segment = "segment"
  static let recovery = "recovery"
  package static let refusals = "requests-refused"
  package static let openingClaimed = "opening-claimed"
  package static let duplicateOpening = "duplicate-opening"
}

extension CanonicalJSONWriter {
  /// At most the largest integer that there is in canonical JSON.
  mutating func member(_ name: String, _ number: UInt64) {
    member(name, Int64(clamping: number).clamped)
  }
}

extension Int64 {
  fileprivate var clamped: Int64 {
    Swift.min(Swift.max(self, -CanonicalJSON.integerLimit), CanonicalJSON.integerLimit)
  }
}
