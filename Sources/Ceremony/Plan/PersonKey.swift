internal import Audit
internal import Crypto
package import Review

/// The public key for somebody's signature of a transcript's checkpoint.
package enum PersonKey: Sendable {
  /// `ssh-keygen -Y sign`, namespace `ceremony`.
  case ssh(SSHPublicKey)
  /// A signature line of the note (C2SP tlog-cosignature).
  case cosigner(WitnessKey)

  /// Parses a line of an `authorized_keys` file, or `name+hex(key id)+base64(0x04 ‖ public key)`; nil for anything else.
  package init?(_ text: String) {
    if let key = SSHPublicKey(text) {
      self = .ssh(key)
    } else if let key = try? WitnessKey(vkey: text) {
      self = .cosigner(key)
    } else {
      return nil
    }
  }

  /// The raw Ed25519 key, which shows that two spellings are one key.
  var raw: [UInt8] {
    switch self {
    case .ssh(let key): key.raw
    case .cosigner(let key): Array(key.key.spki.suffix(32))
    }
  }

  /// How scripts name it.
  package var text: String {
    switch self {
    case .ssh(let key): "ssh-ed25519 " + key.fingerprint
    case .cosigner(let key): key.key.vkey
    }
  }
}
