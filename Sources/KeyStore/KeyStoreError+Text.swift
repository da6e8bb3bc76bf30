internal import Crypto
internal import Format
internal import Host

extension KeyStoreError {
  /// What is wrong with a key store or a request to it, in words that follow its name.
  package var text: String {
    switch self {
    case .absent: "there is no key store"
    case .present: "there is a key store already; it is left as it is"
    case .cutOff: "it has no manifest: it is not a key store, or is left from an interrupted copy or restore"
    case .otherCopy: "it is not the copy with that digest, or was changed"
    case .strays: "it has files that do not belong to a copy"
    case .restoredMark: "restored.json is not what was written, or does not fit the other files"
    case .restoredUnnamed: "neither the audit log nor backup.restored of kist.toml names the copy that it was made from"
    case .restoredUnopened: "it was put back from a backup, and no daemon has opened it yet: start kistd and unlock it first"
    case .restoredUnread(let first): "it was put back from a backup, and the audit log's records from \(first) on are not all there"
    case .olderShares: "it is a copy from before the KEK was changed or shared anew: only the step restore of a ceremony may put it back"
    case .otherMachine: "it was last opened on another machine: start kistd with --moved, once, if it is no longer open there"
    case .olderThanLog: "it is older than its audit log"
    case .codesNotRestored(let id): "the ledger of key \(Hex.encode(id.bytes)) was not taken from the copy that the store was made of"
    case .ledgerOlder(let id): "the ledger of key \(Hex.encode(id.bytes)) is absent, or older than the audit log says"
    case .inUse: "a process has this key store open"
    case .storage(let error): error.text
    case .manifestForm, .manifestAuthentication: "its manifest is not what a key store of this version wrote under this key"
    case .changedOnDisk: "its manifest was changed by somebody else meanwhile"
    case .closed: "it was locked meanwhile"
    case .wrongKEK: "that is not this key store's key"
    case .noPassphrase: "it has no passphrase"
    case .wrongPassphrase: "the passphrase is wrong"
    case .passphraseFile: "kek.json is not what a key store of this version wrote"
    case .custodians: "custodians.json is not what was written under this key, or not the newest"
    case .formerKeys: "former.ids is not what was written"
    case .credential: "it does not have the 32 bytes of a key-encryption key"
    case .wrongKind(let kind): "it is of kind \(kind.rawValue), but must be of the other kind"
    case .key(let id, let fault): "key \(Hex.encode(id.bytes)): \(fault.text)"
    case .auditKeys: "the keys of its audit log are not all there, or no caller may change them"
    case .unknownKey: "no key has this label"
    case .wrongRole: "the key's role is for something else"
    case .wrongState(let state): "the key is \(state.rawValue), or counts as such by its period of use"
    case .importRefused(let refusal): refusal.text
    case .requestRefused: "Apple certifies no such key, or the subject is not valid"
    case .exportRefused: "the key may not be exported, or the other is not an exchange key"
    case .ledger(let id): "the ledger of key \(Hex.encode(id.bytes)) is not what was written"
    case .ledgerFull: "the ledger of the key is full"
    case .counter(let id): "the counter of key \(Hex.encode(id.bytes)) is not what was written"
    case .invocationsUsedUp: "the key was used as often as it may be"
    case .crypto(let error): error.text
    }
  }
}

extension ImportRefusal {
  fileprivate var text: String {
    switch self {
    case .storeFull: "the key store is full: set key_store.destroyed_retention, so that destroyed keys make room"
    case .labelTaken: "a key has this label, or a destroyed one that is still listed"
    case .keyPresent: "it has or had this key"
    case .algorithm: "the role takes no such key, or OpenSSL finds its RSA modulus to be none"
    case .role: "a store makes its audit keys itself"
    case .certificateKey: "the certificate is another key's"
    case .certificateUse: "the certificate is a CA's, or not for encryption"
    case .jweMembers: "only a partner's key takes members of a JWE's header, as name=value"
    case .merchantExtension: "the certificate does not say whose it is as Apple's do"
    case .issuer: "the certificate is not one of Apple's"
    case .merchantMismatch: "the certificate is another merchant's"
    case .merchantMissing: "nothing says which merchant's key it is"
    case .notMerchants: "the key is not a merchant's, and has no certificate, merchant or freshness window"
    case .freshnessWindow: "a freshness window is 1 to 86,400 seconds"
    case .block: "the key block is under another key, or is not what was sent"
    case .blockUse: "the key block says that its key is for something else"
    case .exportability: "the key cannot be exported: its key block or its role forbids it"
    case .period: "the period of use is over, or ends before it begins, or a partner's key has no end to come, or a later one than its certificate"
    case .useLimit: "a number of uses is 1 to 2^53 - 1"
    case .certificatePresent: "the key has this certificate, or needs none any more"
    case .otp: "what keys for one-time values need is missing, or is not the role's"
    }
  }
}

extension KeyFault {
  fileprivate var text: String {
    switch self {
    case .blockMissing: "its key block is missing"
    case .blockDigest: "its key block is not the one that the manifest names"
    case .block: "its key block does not open"
    case .header: "its key block is for another use"
    case .material: "its key block holds another key"
    case .certificate: "its certificate is missing or another one"
    }
  }
}
