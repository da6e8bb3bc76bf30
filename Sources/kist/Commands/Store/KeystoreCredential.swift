import Ceremony
import Crypto
import Doctor
import Format
import Glibc
import Host
import KeyStore

extension Command {
  static let keystoreCredential = Command(
    name: "keystore credential",
    summary: "make a credential that unlocks a store from its shares, or compare one",
    usage: """
      Usage: kist keystore credential DIR --credential-out FILE [--share-fd N]...
             kist keystore credential DIR --compare FILE

      Rebuilds the key-encryption key of DIR from shares that the custodians type here
      one after another, without echo. Proves that it opens every key, and writes it,
      32 bytes, to a new file with mode 0600, for systemd-creds(1) or a TPM; destroy
      the file afterwards. DIR is a key store that no daemon has open, or a copy of
      one, and is only read.

        --credential-out FILE  a new file, in memory such as below /run
        --compare FILE         make nothing, and say whether this credential is the
                               store's key, even while a daemon has the store open;
                               a name without a slash is a credential of systemd's.
                               Exit code 65 if it is not
        --share-fd N           read a share's words from this open descriptor instead;
                               as often as shares are needed
        --json                 answer in JSON

      """,
    options: ["credential-out", "compare", .shareDescriptors, .json],
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    if let credential = arguments.value("compare") {
      return try compare(credential, with: arguments.operands[0])
    }
    let path = arguments.operands[0]
    let file = try arguments.required("credential-out")
    let descriptors = try ShareInput.descriptors(arguments)
    // Before anybody types anything: the store and the file must be usable.
    let copy = try StoreCopy.told(path, StoreCopy(path))
    if (try? File(file, .read, on: LinuxDisk())) != nil {
      throw .failed("\(file): there already; it is left as it is")
    }
    let shares = try ShareInput.gather(descriptors, of: copy, path)
    let kek = try ShareInput.sharing(shares.combine())
    let rebuilt = try StoreCopy.told(path, copy.rebuild(kek: kek))
    try KeyStorePlace.write(kek, to: file)
    arguments.answer(
      ["keys": rebuilt.records.count, "path": file],
      "\(file) opens the \(rebuilt.records.count) keys of \(path): seal it with systemd-creds encrypt or in a TPM, then destroy it\n"
    )
  }

  /// Nothing of the credential but this leaves the process.
  private static func compare(_ credential: String, with path: String) throws(CommandFailure) {
    let folder =
      unsafe getenv("CREDENTIALS_DIRECTORY").map { unsafe String(cString: $0) + "/" } ?? ""
    let file = credential.contains("/") ? credential : folder + credential
    let copy = try StoreCopy.told(path, StoreCopy(path, on: StoreInUse()))
    let kek: SecretBuffer
    do throws(KeyStoreError) { kek = try KeyEncryptionKey.read(credential: file) } catch {
      guard error == .credential else { throw .failed("\(file): \(error.text)") }
      throw CommandFailure(
        code: CredentialTrial.otherKeyCode, "\(file): not of 32 bytes, as a key-encryption key is")
    }
    let check: KeyCheckValue
    do throws(CryptoError) { check = try KeyCheckValue.aes(kek.bytes) } catch {
      throw .secretMemory
    }
    guard check == copy.claimedKEK else {
      throw CommandFailure(code: CredentialTrial.otherKeyCode, "\(file): not the key of \(path)")
    }
    Output.write("\(file) is the key of \(path)\n")
  }
}
