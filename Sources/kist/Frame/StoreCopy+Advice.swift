internal import CryptoBackend
internal import Encoding
internal import KeyStore
internal import Storage
internal import Wire

extension StoreCopy {
  /// What the work with the copy at `path` gives; what is wrong with it is told to the operator.
  static func told<R>(_ path: String, _ work: () throws(KeyStoreError) -> R) throws(CommandFailure) -> R {
    do throws(KeyStoreError) { return try work() } catch { throw .failed("\(path): \(error.ofCopy)") }
  }
}

extension KeyStoreError {
  /// What keeps the keys of a copy from being rebuilt, in words.
  fileprivate var ofCopy: String {
    switch self {
    case .absent: "there is no key store"
    case .cutOff: "there is no manifest: making this copy was cut off, so make another"
    case .otherCopy: "it is another copy, or was changed"
    case .strays: "it has files that are none of a copy's"
    case .inUse: "a process has this key store open; take a copy of it"
    case .wrongKEK: "the shares give another key than this key store's"
    case .manifestForm, .manifestAuthentication: "its manifest is not what a key store of this version wrote under this key"
    case .custodians: "custodians.json is not what was written under this key"
    case .passphraseFile: "kek.json is not what a key store of this version wrote"
    case .key(let id, let fault): "key \(Hex.encode(id.bytes)) cannot be rebuilt: \(fault.text)"
    case .auditKeys: "the keys of its audit log are not all there"
    case .storage(.disk(let error)): SystemError.text(error.errno)
    case .storage(.exhausted), .crypto(.exhausted): "no memory for secrets is left"
    case .crypto: "a cryptographic operation failed"
    case .present, .storage, .changedOnDisk, .noPassphrase, .wrongPassphrase, .credential, .wrongKind, .unknownKey, .wrongRole, .wrongState,
      .importRefused, .requestRefused, .exportRefused, .counter, .invocationsUsedUp, .ledger, .ledgerFull, .restoredMark, .codesNotRestored:
      "it cannot be read"
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
