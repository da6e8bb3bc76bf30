import Audit
import Crypto
import Format
import Host
import KeyStore
import Policy

/// The custodians' shares, from the first one until the store is unlocked or their window ends.
///
/// Guarded by the service's `transition`. Records of what custodians do are kept here until there
/// is a log.
final class Quorum {
  /// In nanoseconds: how long shares are kept after the first, and how long a user with too many
  /// failures is locked out.
  let window: Int64
  private(set) var shares: ShareCollection?
  /// Which user submitted which share.
  private(set) var submitters: [UInt32: ShareFingerprint] = [:]
  private(set) var deadline: MonotonicTime?
  private var failures: [UInt32: (count: Int, until: Int64)] = [:]
  private var records = Batch()
  /// Whether a thread is waiting for the window's end.
  var isWatched = false

  init(window: Int64) { self.window = window }

  private static let failureLimit = 5
  private static let recordLimit = 64

  /// How many shares of each group are present, by the group's number.
  var present: [Int: Int] {
    Dictionary(uniqueKeysWithValues: (shares?.groups ?? []).map { ($0.group, $0.present) })
  }

  var isComplete: Bool { shares?.isComplete ?? false }

  func has(_ header: ShareHeader) -> Bool { shares?.headers.contains(header) ?? false }

  /// Adds a share; the first one opens the window.
  func add(
    _ share: borrowing Share, _ fingerprint: ShareFingerprint, from uid: UInt32,
    at now: MonotonicTime
  ) throws(SharingError) {
    if shares == nil {
      shares = try ShareCollection(share)
      deadline = MonotonicTime(nanoseconds: now.nanoseconds + window)
    } else {
      try shares?.add(share)
    }
    submitters[uid] = fingerprint
  }

  /// The secret that the shares recover; the shares are wiped even on failure.
  func combine() throws(SharingError) -> SecretBuffer? {
    defer { wipe() }
    return try shares?.combine()
  }

  func wipe() {
    shares = nil
    submitters = [:]
    deadline = nil
  }

  func fail(_ uid: UInt32, at now: MonotonicTime) {
    failures[uid] = ((failures[uid]?.count ?? 0) + 1, now.nanoseconds + window)
  }

  /// Whether the user has failed five times, the last time within the window.
  func isCooling(_ uid: UInt32, at now: MonotonicTime) -> Bool {
    guard let failed = failures[uid] else { return false }
    guard failed.until > now.nanoseconds else {
      failures[uid] = nil
      return false
    }
    return failed.count >= Self.failureLimit
  }

  var hasRoomForRecords: Bool { records.count < Self.recordLimit }

  /// Keeps a record until there is a log.
  func note(_ attempt: consuming Attempt) { records.add(attempt) }

  /// The kept records, to be committed now; forgets all failures as well.
  func takeRecords() -> Batch {
    failures = [:]
    var taken = Batch()
    swap(&taken, &records)
    return taken
  }

  deinit { records.abandon() }
}

extension Service {
  enum Submission {
    case taken
    /// It was the last share needed; carries the audit sequence of its record.
    case unlocked(UInt64)
    case refused(Stage)
  }

  /// Takes a custodian's share, and opens the key store with the last one that is needed
  /// [OP-SHARE-1].
  func submit(share bytes: Span<UInt8>, for facts: RequestFacts, _ grant: consuming Grant)
    throws(UnlockError) -> Submission
  {
    transition.lock()
    defer { transition.unlock() }
    let store = try lockedStore()
    let now = settings.monotonicClock()
    expireShares(at: now)
    guard !quorum.isCooling(facts.caller.person, at: now) else {
      unrecorded.add()
      return .refused(.shareCoolDown)
    }
    var (inputs, fault) = try take(bytes, from: facts.caller.person, store, at: now)
    inputs.submitted = settings.clock()
    var keys: KeyStore?
    if fault == nil, quorum.isComplete {
      let submitters = quorum.submitters
      keys = try open(store)
      if keys == nil { fault = .shareCombination }
      // Until now the register was unauthenticated: check the holders again with the one that the
      // KEK proves [OP-SHARE-7].
      if let register = keys?.custodians, !submitters.allSatisfy({ isHolder($0, of: $1, register) })
      {
        (keys, fault) = (nil, .shareRegister)
      }
      if keys == nil { for uid in submitters.keys { quorum.fail(uid, at: now) } }
    } else if fault != nil {
      quorum.fail(facts.caller.person, at: now)
    }
    let outcome: Outcome = fault.map { .rejected($0) } ?? .done(released: [])
    // There is no log yet [OP-SHARE-5]: if the record does not come to it, the number does.
    unrecorded.add()
    if quorum.hasRoomForRecords {
      quorum.note(Attempt(facts, allowed: grant, outcome, inputs: inputs))
    }
    if let keys { return .unlocked(try enter(try begin(keys), .quorum, Batch())) }
    return fault.map { .refused($0) } ?? .taken
  }

  /// How many shares are present and needed, but not whose they are [OP-SHARE-6].
  var shareProgress: ShareProgressReply {
    transition.lock()
    defer { transition.unlock() }
    var reply = ShareProgressReply()
    let now = settings.monotonicClock()
    expireShares(at: now)
    switch life.current {
    case .serving, .auditUnavailable: reply.unlocked = true
    case .locking, .failed, .stopped: break
    case .locked(let store):
      // If the register cannot be read, no shares are asked for.
      guard let register = try? store.custodians() else { break }
      let present = quorum.present
      let count = present.values.reduce(0, +)
      reply.present = UInt32(count)
      reply.needed = UInt32(count + register.missing(with: present))
      guard let deadline = quorum.deadline else { break }
      reply.until = UInt64(
        clamping: settings.clock().seconds + (deadline.nanoseconds - now.nanoseconds)
          / 1_000_000_000)
    }
    return reply
  }

  /// Wipes shares whose window has ended, even if no request comes [OP-SHARE-4].
  private func sweepShares() {
    transition.lock()
    defer { transition.unlock() }
    quorum.isWatched = false
    let now = settings.monotonicClock()
    expireShares(at: now)
    watchShares(at: now)
  }

  /// Schedules the wipe at the window's end; only one thread waits at a time, however many windows
  /// open. Call with `transition` held.
  private func watchShares(at now: MonotonicTime) {
    guard !quorum.isWatched, let deadline = quorum.deadline else { return }
    quorum.isWatched = true
    settings.after(deadline.nanoseconds - now.nanoseconds) { [weak self] in self?.sweepShares() }
  }

  /// Call with `transition` held.
  private func expireShares(at now: MonotonicTime) {
    guard let deadline = quorum.deadline, deadline.nanoseconds <= now.nanoseconds else { return }
    wipeShares()
  }

  /// Call with `transition` held.
  func wipeShares() {
    guard quorum.deadline != nil else { return }
    quorum.wipe()
    settings.report(.sharesWiped)
  }

  /// Checks a share, in this order: its form, the register, the shares already present
  /// [OP-SHARE-2].
  private func take(
    _ bytes: Span<UInt8>, from uid: UInt32, _ store: LockedKeyStore, at now: MonotonicTime
  ) throws(UnlockError) -> (inputs: Inputs, fault: Stage?) {
    let register = try onStore(store.custodians())
    var inputs = Inputs()
    do throws(SharingError) {
      let share = try Share(bytes: bytes)
      let fingerprint = share.fingerprint
      inputs.share = fingerprint.bytes
      guard let register else { return (inputs, .shareRegister) }
      guard share.header.split.identifier == register.split, register.holder(of: fingerprint) != nil
      else { throw .otherSplit }
      guard isHolder(uid, of: fingerprint, register) else { return (inputs, .shareHolder) }
      guard !quorum.has(share.header) else { throw .duplicate }
      guard quorum.submitters[uid] == nil else { return (inputs, .shareHolderTwice) }
      try quorum.add(share, fingerprint, from: uid, at: now)
      let present = quorum.present
      let count = present.values.reduce(0, +)
      watchShares(at: now)
      settings.report(.shareTaken(present: count, needed: count + register.missing(with: present)))
      return (inputs, nil)
    } catch {
      switch error {
      case .crypto(let error): throw .crypto(error)
      case .unknownWord, .wordCount, .checksum, .header, .exponent, .secretSize, .scheme:
        return (inputs, .shareForm)
      case .otherSplit: return (inputs, .shareSplit)
      case .duplicate: return (inputs, .shareDuplicate)
      case .tooMany: return (inputs, .shareSurplus)
      case .tooFew, .digest: return (inputs, .shareCombination)
      }
    }
  }

  /// Whether the register names this local user as the holder of the share with this fingerprint.
  private func isHolder(
    _ uid: UInt32, of fingerprint: ShareFingerprint, _ register: CustodianRegister
  ) -> Bool {
    guard Principal(id: uid).namesSomebody, let holder = register.holder(of: fingerprint) else {
      return false
    }
    return settings.userID(holder.user) == uid
  }

  /// Combines and wipes the shares and opens the store; the KEK does not outlive this call
  /// [OP-SHARE-3].
  ///
  /// - Returns: nil if they do not recover the store's KEK.
  private func open(_ store: LockedKeyStore) throws(UnlockError) -> KeyStore? {
    let kek: SecretBuffer
    do throws(SharingError) {
      guard let combined = try quorum.combine() else { return nil }
      kek = combined
    } catch {
      if case .crypto(let error) = error { throw .crypto(error) }
      return nil
    }
    do throws(KeyStoreError) {
      return try store.unlock(kek: kek, expecting: settings.configuration.kind)
    } catch {
      guard error == .wrongKEK else { throw .store(error) }
      return nil
    }
  }
}
