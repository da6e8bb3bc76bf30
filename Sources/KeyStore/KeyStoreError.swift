package import Crypto
package import Format
package import Host

/// Why a key store could not be opened, read or changed.
package enum KeyStoreError: Error, Equatable {
  /// There is no manifest where the store should be.
  case absent
  /// There is already a store in this place.
  case present
  /// There are files but no manifest, which is written last: making or restoring a copy was
  /// interrupted. [KS-COPY-ORDER]
  case cutOff
  /// The copy does not have the expected digest. [KS-COPY-DIGEST]
  case otherCopy
  /// The audit log knows of changes that this store lacks, and nothing says that the store came
  /// from a copy. [KS-OLDER]
  case olderThanLog
  /// `restored.json` is not what was written, or the files are not those of the copy that it names.
  /// [KS-RESTORE-MARK]
  case restoredMark
  /// Neither the configuration nor a recorded request names the copy that the store came from.
  /// [KS-RESTORE-MARK]
  case restoredUnnamed
  /// The store came from a copy, and nothing may change before a daemon or a ceremony's step
  /// `restore` has accepted that. [KS-RESTORE-MARK]
  case restoredUnopened
  /// Records of the log from this one on are missing, and the store came from a copy that is older.
  /// [KS-RESTORE-STATE]
  case restoredUnread(from: UInt64)
  /// The copy that the store came from is older than the KEK or the shares that the log knows of.
  /// [KS-RESTORE-SHARES]
  case olderShares
  /// The store was last opened on another machine. [KS-MACHINE]
  case otherMachine
  /// The key's ledger of codes was not restored with the copy that the store came from.
  /// [KS-RESTORE-CODES]
  case codesNotRestored(KeyID)
  /// The key's ledger of codes is absent, or older than the manifest or the audit log says.
  /// [KS-LEDGER-OLDER]
  case ledgerOlder(KeyID)
  /// A copy contains files that its manifest does not name. [KS-RESTORE]
  case strays
  /// Another process has the store open. [KS-LOCK]
  case inUse
  /// The disk failed. After a failed change, open the store anew before trusting it.
  case storage(StorageError)
  /// The manifest is not canonical, complete and of this version. [KS-MANIFEST-FORM]
  case manifestForm
  /// The manifest was not written under this KEK. [KS-MANIFEST-MAC]
  case manifestAuthentication
  /// The manifest is not the one that this process last read or wrote. [KS-MANIFEST-SAME]
  case changedOnDisk
  /// The store was locked meanwhile.
  case closed
  /// The KEK's check value is not the manifest's. [KS-UNLOCK-KCV]
  case wrongKEK
  /// The store cannot be unlocked with a passphrase. [KS-UNLOCK-PASSPHRASE]
  case noPassphrase
  /// The passphrase does not open `kek.json`. [KS-UNLOCK-PASSPHRASE]
  case wrongPassphrase
  /// `kek.json` is not well-formed, or demands too much work. [KS-UNLOCK-PASSPHRASE]
  case passphraseFile
  /// `former.ids` is not what the manifest says. [KS-FORMER]
  case formerKeys
  /// `custodians.json` is missing, malformed, not the newest or not written under this KEK; or the
  /// register to be written is impossible. [KS-CUSTODIANS]
  case custodians
  /// The credential is not 32 bytes. [KS-UNLOCK-CREDENTIAL]
  case credential
  /// The store is of this kind, but the other one was expected. [KS-KIND]
  case wrongKind(StoreKind)
  /// A key's file does not match the manifest.
  case key(KeyID, KeyFault)
  /// There is not exactly one active key of each audit role. [KS-AUDIT-KEYS]
  case auditKeys
  /// No key has this id.
  case unknownKey
  /// The key's role does not serve the operation. [KS-USE-ROLE]
  case wrongRole
  /// The key's state does not allow this. [KS-STATE-USE] [KS-STATE-ORDER]
  case wrongState(KeyState)
  case importRefused(ImportRefusal)
  /// Apple does not certify such a key, or the subject cannot be encoded. [KS-CSR-KEY]
  /// [KS-CSR-SUBJECT]
  case requestRefused
  /// The key may not be exported, or not under this key. [KS-EXPORTABLE] [KS-EXCHANGE-KEY]
  case exportRefused
  /// A ledger of one-time codes is damaged, or a write of it failed. [KS-LEDGER]
  case ledger(KeyID)
  /// A ledger has no room for another subject. [KS-LEDGER]
  case ledgerFull
  /// A key's counter file is damaged, or not this store's. [KS-COUNTER]
  case counter(KeyID)
  /// The key has reached its limit of uses. [KS-COUNTER]
  case invocationsUsedUp
  case crypto(CryptoError)
}

/// What is wrong with the files of one key.
package enum KeyFault: Hashable, Sendable {
  /// The key block is missing. [KS-KEY-BLOCK]
  case blockMissing
  /// The block's SHA-256 differs from the manifest's. [KS-KEY-BLOCK]
  case blockDigest
  /// The block does not unwrap under the KBPK. [KS-KEY-BLOCK]
  case block
  /// The block's header does not match the record. [KS-KEY-HEADER]
  case header
  /// The key data is not of the record's algorithm, or is another key. [KS-KEY-CHECK]
  case material
  /// The certificate is missing, has another SHA-256, or certifies another key.
  /// [KS-KEY-CERTIFICATE]
  case certificate
}

/// Why a key or certificate was not imported.
package enum ImportRefusal: Error, Hashable {
  /// Another key might make the manifest larger than what is read. [KS-ROOM]
  case storeFull
  /// Another key has the label. [KS-IMPORT-LABEL]
  case labelTaken
  /// This key is in the store already, or was: an id is never used twice. [KS-IMPORT-ID]
  case keyPresent
  /// The role does not allow such a key, or a partner's RSA modulus is none. [KS-IMPORT-ALGORITHM]
  /// [KS-IMPORT-PUBLIC]
  case algorithm
  /// Audit keys are made by the store itself. [KS-IMPORT-ROLE]
  case role
  /// The certificate is for another key. [KS-IMPORT-CERTIFICATE]
  case certificateKey
  /// The certificate's merchant extension is missing or is not the hash of its subject's UID.
  /// [KS-IMPORT-MERCHANT]
  case merchantExtension
  /// The certificate is none of Apple's, or in a sandbox none of its root's. [KS-ATTACH-ISSUER]
  case issuer
  /// The given identifier differs from the certificate's. [KS-IMPORT-MERCHANT]
  case merchantMismatch
  /// Neither a certificate nor an identifier names the merchant. [KS-IMPORT-MERCHANT]
  case merchantMissing
  /// The certificate is a CA's, or its key is not for encryption. [KS-IMPORT-PUBLIC]
  case certificateUse
  /// Members of a JWE's header were given for a key that makes none, or they are none.
  /// [KS-JWE-MEMBERS]
  case jweMembers
  /// The role has no merchants, but a certificate, an identifier or a freshness window was given.
  /// [KS-IMPORT-MERCHANT]
  case notMerchants
  /// Outside 1...86,400 seconds. [KS-IMPORT-WINDOW]
  case freshnessWindow
  /// The block does not open under this key: it is malformed, was changed, was made under another
  /// key, or is of a version that is not allowed. [KS-IMPORT-BLOCK]
  case block
  /// The block's header does not allow what the role needs. [KS-IMPORT-USE]
  case blockUse
  /// The block's header forbids exporting the key further, but the request wants it exportable.
  /// [KS-IMPORT-EXPORTABLE]
  case exportability
  /// The period of use ends before it begins. [KS-PERIOD]
  case period
  /// Not 1 to 2^53 - 1. [KS-USE-LIMIT]
  case useLimit
  /// The key already has a certificate, or is in a state that needs none. [KS-ATTACH]
  case certificatePresent
  /// The attributes for one-time values are missing, superfluous or do not fit the role. [KS-OTP]
  case otp
}

extension KeyStoreError {
  /// What is wrong with a key store or a request to it, in words that follow its name.
  package var text: String {
    switch self {
    case .absent: "there is no key store"
    case .present: "there is a key store already; it is left as it is"
    case .cutOff:
      "it has no manifest: it is not a key store, or is left from an interrupted copy or restore"
    case .otherCopy: "it is not the copy with that digest, or was changed"
    case .strays: "it has files that do not belong to a copy"
    case .restoredMark: "restored.json is not what was written, or does not fit the other files"
    case .restoredUnnamed:
      "neither the audit log nor backup.restored of kist.toml names the copy that it was made from"
    case .restoredUnopened:
      "it was put back from a backup, and no daemon has opened it yet: start kistd and unlock it first"
    case .restoredUnread(let first):
      "it was put back from a backup, and the audit log's records from \(first) on are not all there"
    case .olderShares:
      "it is a copy from before the KEK was changed or shared anew: only the step restore of a ceremony may put it back"
    case .otherMachine:
      "it was last opened on another machine: start kistd with --moved, once, if it is no longer open there"
    case .olderThanLog: "it is older than its audit log"
    case .codesNotRestored(let id):
      "the ledger of key \(Hex.encode(id.bytes)) was not taken from the copy that the store was made of"
    case .ledgerOlder(let id):
      "the ledger of key \(Hex.encode(id.bytes)) is absent, or older than the audit log says"
    case .inUse: "a process has this key store open"
    case .storage(let error): error.text
    case .manifestForm, .manifestAuthentication:
      "its manifest is not what a key store of this version wrote under this key"
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
    case .wrongState(let state):
      "the key is \(state.rawValue), or counts as such by its period of use"
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
    case .storeFull:
      "the key store is full: set key_store.destroyed_retention, so that destroyed keys make room"
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
    case .notMerchants:
      "the key is not a merchant's, and has no certificate, merchant or freshness window"
    case .freshnessWindow: "a freshness window is 1 to 86,400 seconds"
    case .block: "the key block is under another key, or is not what was sent"
    case .blockUse: "the key block says that its key is for something else"
    case .exportability: "the key cannot be exported: its key block or its role forbids it"
    case .period:
      "the period of use is over, or ends before it begins, or a partner's key has no end to come, or a later one than its certificate"
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

// Each runs code of another module, and tells its error as the key store's.

func onCrypto<R: ~Copyable>(_ body: @autoclosure () throws(CryptoError) -> R) throws(KeyStoreError)
  -> R
{
  do throws(CryptoError) { return try body() } catch { throw .crypto(error) }
}

func onDisk<R: ~Copyable>(_ body: @autoclosure () throws(DiskError) -> R) throws(KeyStoreError) -> R
{
  do throws(DiskError) { return try body() } catch { throw .storage(.disk(error)) }
}
