package import Audit

/// The public key of a witness that cosigns checkpoints (C2SP tlog-cosignature, Ed25519).
package struct WitnessKey: Sendable {
  package let key: NoteKey

  /// Parses `name+hex(key id)+base64(0x04 ‖ public key)`.
  package init(vkey: some StringProtocol) throws(NoteError) { key = try NoteKey(vkey: vkey, .cosignature) }

  /// When this witness says it saw the checkpoint, in seconds since 1970; nil if it has not signed it.
  ///
  /// - Throws: `NoteError.signature` if its line is invalid.
  package func time(of note: CosignedCheckpoint) throws(NoteError) -> UInt64? {
    var latest: UInt64?
    for stamp in note.stamps where key.goes(with: stamp) {
      guard let time = time(of: stamp, over: note.checkpoint) else { throw .signature }
      latest = max(latest ?? 0, time)
    }
    return latest
  }

  /// The time of a valid cosignature: u64 time ‖ 64 bytes of Ed25519.
  package func time(of stamp: NoteStamp, over checkpoint: Checkpoint) -> UInt64? {
    guard key.goes(with: stamp), stamp.signature.count == 72 else { return nil }
    let time = stamp.signature.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    guard time <= UInt64(Int64.max) else { return nil }
    let message = Array("cosignature/v1\ntime \(time)\n".utf8) + checkpoint.text
    let signature = Array(stamp.signature.dropFirst(8))
    return key.verify(signature.span, over: message.span) ? time : nil
  }
}
