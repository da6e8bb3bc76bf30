package import Crypto
package import Format
package import Host

/// Why a key store could not be opened, read or changed.
package enum KeyStoreError: Error, Equatable, Sendable {
  /// There is no manifest where the store should be.
  case absent
  /// There is already a store in this place.
  case present
  /// There are files but no manifest, which is written last: making or restoring a copy was interrupted. [KS-COPY-ORDER]
  case cutOff
  /// The copy does not have the expected digest. [KS-COPY-DIGEST]
  case otherCopy
  /// The audit log knows of changes that this store lacks, and nothing says that the store came from a copy. [KS-OLDER]
  case olderThanLog
  /// `restored.json` is not what was written, or the files are not those of the copy that it names. [KS-RESTORE-MARK]
  case restoredMark
  /// Neither the configuration nor a recorded request names the copy that the store came from. [KS-RESTORE-MARK]
  case restoredUnnamed
  /// The store came from a copy, and nothing may change before a daemon or a ceremony's step `restore` has accepted that. [KS-RESTORE-MARK]
  case restoredUnopened
  /// Records of the log from this one on are missing, and the store came from a copy that is older. [KS-RESTORE-STATE]
  case restoredUnread(from: UInt64)
  /// The copy that the store came from is older than the KEK or the shares that the log knows of. [KS-RESTORE-SHARES]
  case olderShares
  /// The store was last opened on another machine. [KS-MACHINE]
  case otherMachine
  /// The key's ledger of codes was not restored with the copy that the store came from. [KS-RESTORE-CODES]
  case codesNotRestored(KeyID)
  /// The key's ledger of codes is absent, or older than the manifest or the audit log says. [KS-LEDGER-OLDER]
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
  /// `custodians.json` is missing, malformed, not the newest or not written under this KEK; or the register to be written is impossible.
  /// [KS-CUSTODIANS]
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
  /// Apple does not certify such a key, or the subject cannot be encoded. [KS-CSR-KEY] [KS-CSR-SUBJECT]
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
  /// The certificate is missing, has another SHA-256, or certifies another key. [KS-KEY-CERTIFICATE]
  case certificate
}

/// Why a key or certificate was not imported.
package enum ImportRefusal: Error, Hashable, Sendable {
  /// Another key might make the manifest larger than what is read. [KS-ROOM]
  case storeFull
  /// Another key has the label. [KS-IMPORT-LABEL]
  case labelTaken
  /// This key is in the store already, or was: an id is never used twice. [KS-IMPORT-ID]
  case keyPresent
  /// The role does not allow such a key, or a partner's RSA modulus is none. [KS-IMPORT-ALGORITHM] [KS-IMPORT-PUBLIC]
  case algorithm
  /// Audit keys are made by the store itself. [KS-IMPORT-ROLE]
  case role
  /// The certificate is for another key. [KS-IMPORT-CERTIFICATE]
  case certificateKey
  /// The certificate's merchant extension is missing or is not the hash of its subject's UID. [KS-IMPORT-MERCHANT]
  case merchantExtension
  /// The certificate is none of Apple's, or in a sandbox none of its root's. [KS-ATTACH-ISSUER]
  case issuer
  /// The given identifier differs from the certificate's. [KS-IMPORT-MERCHANT]
  case merchantMismatch
  /// Neither a certificate nor an identifier names the merchant. [KS-IMPORT-MERCHANT]
  case merchantMissing
  /// The certificate is a CA's, or its key is not for encryption. [KS-IMPORT-PUBLIC]
  case certificateUse
  /// Members of a JWE's header were given for a key that makes none, or they are none. [KS-JWE-MEMBERS]
  case jweMembers
  /// The role has no merchants, but a certificate, an identifier or a freshness window was given. [KS-IMPORT-MERCHANT]
  case notMerchants
  /// Outside 1...86,400 seconds. [KS-IMPORT-WINDOW]
  case freshnessWindow
  /// The block does not open under this key: it is malformed, was changed, was made under another key, or is of a version that
  /// is not allowed. [KS-IMPORT-BLOCK]
  case block
  /// The block's header does not allow what the role needs. [KS-IMPORT-USE]
  case blockUse
  /// The block's header forbids exporting the key further, but the request wants it exportable. [KS-IMPORT-EXPORTABLE]
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
