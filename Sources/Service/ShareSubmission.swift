internal import Audit
internal import CryptoBackend
internal import Encoding
internal import KeyStore
internal import Operations
internal import Policy
internal import SecretMemory
internal import SecretSharing
internal import Wire

extension Service {
  enum Submission {
    case taken
    /// It was the last that was needed; with the audit sequence of its record.
    case unlocked(UInt64)
    case refused(Stage)
  }

  /// Takes a custodian's share in, and opens the key store with the last that is needed [OP-SHARE-1].
  func submit(share words: Span<UInt8>, for facts: RequestFacts, _ grant: consuming Grant) throws(UnlockError) -> Submission {
    transition.lock()
    defer { transition.unlock() }
    let store = try lockedStore()
    let now = settings.monotonicClock()
    expireShares(at: now)
    guard !quorum.isCooling(facts.caller.person, at: now) else {
      unrecorded.add()
      return .refused(.shareCoolDown)
    }
    var (inputs, fault) = try take(words, from: facts.caller.person, store, at: now)
    inputs.submitted = settings.clock()
    var keys: KeyStore?
    if fault == nil, quorum.isComplete {
      let submitters = quorum.submitters
      keys = try open(store)
      if keys == nil { fault = .shareCombination }
      // What the register said while it could not be believed yet is asked again of the one that the KEK proves [OP-SHARE-7].
      if let register = keys?.custodians, !submitters.allSatisfy({ isHolder($0, of: $1, register) }) { (keys, fault) = (nil, .shareRegister) }
      if keys == nil { for uid in submitters.keys { quorum.fail(uid, at: now) } }
    } else if fault != nil {
      quorum.fail(facts.caller.person, at: now)
    }
    let outcome: Outcome = fault.map { .rejected($0) } ?? .done(released: [])
    // There is no log yet [OP-SHARE-5].
    if quorum.hasRoomForRecords { quorum.note(Attempt(facts, allowed: grant, outcome, inputs: inputs)) } else { unrecorded.add() }
    if let keys { return .unlocked(try enter(try begin(keys), .quorum, Batch())) }
    return fault.map { .refused($0) } ?? .taken
  }

  /// How far the custodians have come; whose shares are there it does not say [OP-SHARE-6].
  var shareProgress: ShareProgressReply {
    transition.lock()
    defer { transition.unlock() }
    var reply = ShareProgressReply()
    let now = settings.monotonicClock()
    expireShares(at: now)
    switch current {
    case .serving, .auditUnavailable: reply.unlocked = true
    case .locking, .failed: break
    case .locked(let store):
      // A register that cannot be read asks for no shares.
      guard let register = try? store.custodians() else { break }
      let present = quorum.present
      let count = present.values.reduce(0, +)
      reply.present = UInt32(count)
      reply.needed = UInt32(count + register.missing(with: present))
      guard let deadline = quorum.deadline else { break }
      reply.until = UInt64(clamping: settings.clock().seconds + (deadline.nanoseconds - now.nanoseconds) / 1_000_000_000)
    }
    return reply
  }

  /// Wipes shares whose window is over, while nobody asks for anything [OP-SHARE-4].
  private func sweepShares() {
    transition.lock()
    defer { transition.unlock() }
    quorum.isWatched = false
    let now = settings.monotonicClock()
    expireShares(at: now)
    watchShares(at: now)
  }

  /// Has the window's end seen to; one thread at a time waits for one, however many windows are opened. With `transition` held.
  private func watchShares(at now: MonotonicTime) {
    guard !quorum.isWatched, let deadline = quorum.deadline else { return }
    quorum.isWatched = true
    settings.after(deadline.nanoseconds - now.nanoseconds) { [weak self] in self?.sweepShares() }
  }

  /// With `transition` held.
  private func expireShares(at now: MonotonicTime) {
    guard let deadline = quorum.deadline, deadline.nanoseconds <= now.nanoseconds else { return }
    wipeShares()
  }

  /// With `transition` held.
  func wipeShares() {
    guard quorum.deadline != nil else { return }
    quorum.wipe()
    settings.report(.sharesWiped)
  }

  /// Judges a share by its words, then by the register, then by what is there, in this order [OP-SHARE-2].
  private func take(
    _ words: Span<UInt8>, from uid: UInt32, _ store: LockedKeyStore, at now: MonotonicTime
  ) throws(UnlockError) -> (inputs: Inputs, fault: Stage?) {
    let register: CustodianRegister?
    do throws(KeyStoreError) { register = try store.custodians() } catch { throw .store(error) }
    var inputs = Inputs()
    do throws(SharingError) {
      let share = try Share(words: words)
      let fingerprint = try share.fingerprint()
      inputs.share = fingerprint.bytes
      guard let register else { return (inputs, .shareRegister) }
      guard share.header.split.identifier == register.split, register.holder(of: fingerprint) != nil else { throw .otherSplit }
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
      case .unknownWord, .wordCount, .header, .exponent, .secretSize, .scheme: return (inputs, .shareWords)
      case .checksum: return (inputs, .shareChecksum)
      case .otherSplit: return (inputs, .shareSplit)
      case .duplicate: return (inputs, .shareDuplicate)
      case .tooMany: return (inputs, .shareSurplus)
      case .tooFew, .digest: return (inputs, .shareCombination)
      }
    }
  }

  /// Whether the register names that local user for the share of that fingerprint.
  private func isHolder(_ uid: UInt32, of fingerprint: ShareFingerprint, _ register: CustodianRegister) -> Bool {
    guard Principal(id: uid).namesSomebody, let holder = register.holder(of: fingerprint) else { return false }
    return settings.userID(holder.user) == uid
  }

  /// Puts the shares together, which wipes them, and opens the store; the KEK goes with this call [OP-SHARE-3].
  ///
  /// - Returns: nil where they do not give the store's KEK.
  private func open(_ store: LockedKeyStore) throws(UnlockError) -> KeyStore? {
    let kek: SecretBuffer
    do throws(SharingError) {
      guard let combined = try quorum.combine() else { return nil }
      kek = combined
    } catch {
      if case .crypto(let error) = error { throw .crypto(error) }
      return nil
    }
    do throws(KeyStoreError) { return try store.unlock(kek: kek, expecting: settings.kind) } catch {
      guard error == .wrongKEK else { throw .store(error) }
      return nil
    }
  }
}
