package import CryptoBackend
internal import KeyBlock
package import Storage
package import Wire

/// Why a key store could not be opened, read or changed.
package enum KeyStoreError: Error, Equatable, Sendable {
  /// There is no manifest where the store should be.
  case absent
  /// There is a store where one was to be made.
  case present
  /// There are files, but no manifest, which comes last: making a copy, or a store of one, was cut off. [KS-COPY-ORDER]
  case cutOff
  /// A copy is not the one of that digest. [KS-COPY-DIGEST]
  case otherCopy
  /// The audit log knows of changes that this store has not, and nothing says that it came from a copy. [KS-OLDER]
  case olderThanLog
  /// `restored.json` is not what was written, or the files are not those of the copy that it names. [KS-RESTORE-MARK]
  case restoredMark
  /// Neither the configuration nor a request on the record names the copy that the store came from. [KS-RESTORE-MARK]
  case restoredUnnamed
  /// The copy that the store came from is older than the KEK or the shares that the log knows of. [KS-RESTORE-SHARES]
  case olderShares
  /// The store was last opened on another machine. [KS-MACHINE]
  case otherMachine
  /// The key's ledger of codes was not taken from the copy that the store came from. [KS-RESTORE-CODES]
  case codesNotRestored(KeyID)
  /// The key's ledger of codes is absent, or older than the manifest or the audit log says. [KS-LEDGER-OLDER]
  case ledgerOlder(KeyID)
  /// A copy has files that its manifest does not name. [KS-RESTORE]
  case strays
  /// Another process has the store open. [KS-LOCK]
  case inUse
  /// The disk failed. After a failed change the store must be opened anew before it is trusted.
  case storage(StorageError)
  /// The manifest is not canonical, complete and of this version. [KS-MANIFEST-FORM]
  case manifestForm
  /// The manifest was not written under this KEK. [KS-MANIFEST-MAC]
  case manifestAuthentication
  /// The manifest is not the one this process read or wrote last. [KS-MANIFEST-SAME]
  case changedOnDisk
  /// The KEK's check value is not the manifest's. [KS-UNLOCK-KCV]
  case wrongKEK
  /// The store has no passphrase. [KS-UNLOCK-PASSPHRASE]
  case noPassphrase
  /// The passphrase does not open `kek.json`. [KS-UNLOCK-PASSPHRASE]
  case wrongPassphrase
  /// `kek.json` is not well-formed, or asks for more work than is sensible. [KS-UNLOCK-PASSPHRASE]
  case passphraseFile
  /// `custodians.json` is absent where there was one, not well-formed, not written under this KEK or not the newest; or nobody could be
  /// registered so. [KS-CUSTODIANS]
  case custodians
  /// A credential is not 32 bytes. [KS-UNLOCK-CREDENTIAL]
  case credential
  /// The store is of this kind, and the other was expected. [KS-KIND]
  case wrongKind(StoreKind)
  /// A key file is not what the manifest says.
  case key(KeyID, KeyFault)
  /// The audit keys are missing, or there is more than one active of a role. [KS-AUDIT-KEYS]
  case auditKeys
  /// No key has that id.
  case unknownKey
  /// The key's role has no business with the operation. [KS-USE-ROLE]
  case wrongRole
  /// The key's state does not allow it. [KS-STATE-USE] [KS-STATE-ORDER]
  case wrongState(KeyState)
  case importRefused(ImportRefusal)
  /// Apple certifies no such key, or the subject cannot be written. [KS-CSR-KEY] [KS-CSR-SUBJECT]
  case requestRefused
  /// The key may not leave, or not under this key. [KS-EXPORTABLE] [KS-EXCHANGE-KEY]
  case exportRefused
  /// A ledger of one-time codes is not what was written, or a write of it failed. [KS-LEDGER]
  case ledger(KeyID)
  /// A ledger has no room for another subject. [KS-LEDGER]
  case ledgerFull
  /// A key's counter file is damaged, or not this store's. [KS-COUNTER]
  case counter(KeyID)
  /// A key has been used as often as one may be. [KS-COUNTER]
  case invocationsUsedUp
  case crypto(CryptoError)
}

/// What is wrong with one key's files.
package enum KeyFault: Hashable, Sendable {
  /// The key block is not there. [KS-KEY-BLOCK]
  case blockMissing
  /// Its SHA-256 is not the manifest's. [KS-KEY-BLOCK]
  case blockDigest
  /// It does not unwrap under the KBPK. [KS-KEY-BLOCK]
  case block
  /// Its header does not say what the role's must. [KS-KEY-HEADER]
  case header
  /// Its key data is no key of the algorithm, or another key than the record's. [KS-KEY-CHECK]
  case material
  /// The certificate is missing, has another SHA-256, or certifies another key. [KS-KEY-CERTIFICATE]
  case certificate
}

/// Why a key, or its certificate, was not taken in.
package enum ImportRefusal: Error, Hashable, Sendable {
  /// [KS-IMPORT-LABEL]
  case labelTaken
  /// This key is in the store, or was: an id is never given twice. [KS-IMPORT-ID]
  case keyPresent
  /// The role takes no such key. [KS-IMPORT-ALGORITHM]
  case algorithm
  /// The store makes its audit keys itself. [KS-IMPORT-ROLE]
  case role
  /// The certificate is for another key. [KS-IMPORT-CERTIFICATE]
  case certificateKey
  /// The certificate's merchant extension is missing or is not the hash of its subject's UID. [KS-IMPORT-MERCHANT]
  case merchantExtension
  /// The identifier given is not the certificate's. [KS-IMPORT-MERCHANT]
  case merchantMismatch
  /// Neither a certificate nor an identifier says whose the key is. [KS-IMPORT-MERCHANT]
  case merchantMissing
  /// A key that is no merchant's came with a certificate, an identifier or a freshness window. [KS-IMPORT-MERCHANT]
  case notMerchants
  /// Outside 1...86,400 seconds. [KS-IMPORT-WINDOW]
  case freshnessWindow
  /// The block does not open under this key: it is malformed, was changed, was made under another key, or is of a version
  /// that may not come. [KS-IMPORT-BLOCK]
  case block
  /// Its header does not allow what the role is for. [KS-IMPORT-USE]
  case blockUse
  /// Its header says that it may not leave, and here it is to. [KS-IMPORT-EXPORTABLE]
  case exportability
  /// The period of use ends before it begins. [KS-PERIOD]
  case period
  /// Not 1 to 2^53 - 1. [KS-USE-LIMIT]
  case useLimit
  /// The key has a certificate, or is in a state that needs none. [KS-ATTACH]
  case certificatePresent
  /// The attributes for one-time values are missing, surplus or not those of the role. [KS-OTP]
  case otp
}
