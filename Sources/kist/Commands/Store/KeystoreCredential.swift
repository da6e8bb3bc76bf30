internal import Encoding
internal import KeyStore
internal import SecretMemory
internal import SecretSharing
internal import ShareSplitting
internal import Storage
internal import StoreCare

extension Command {
  static let keystoreCredential = Command(
    name: "keystore credential",
    summary: "make a credential that unlocks a store from its shares",
    usage: """
      Usage: kist keystore credential DIR --credential-out FILE [--share-fd N]...

      Rebuilds the key-encryption key of DIR from shares that the custodians type here
      one after another, without echo. Proves that it opens every key, and writes it,
      32 bytes, to a new file with mode 0600, for systemd-creds(1) or a TPM; destroy
      the file afterwards. DIR is a key store that no daemon has open, or a copy of
      one, and is only read.

        --credential-out FILE  a new file, in memory such as below /run
        --share-fd N           read a share's words from this open descriptor instead;
                               as often as shares are needed
        --json                 answer in JSON

      """,
    options: [.value("credential-out"), .shareDescriptors, .json],
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let (path, file) = (arguments.operands[0], try arguments.required("credential-out"))
    let descriptors = try ShareInput.descriptors(arguments)
    // Before anybody types anything: the store and the file must be usable.
    let copy = try StoreCopy.told(path) { () throws(KeyStoreError) in try StoreCopy(path) }
    if (try? File(file, .read, on: LinuxDisk())) != nil { throw .failed("\(file): there already; it is left as it is") }
    let shares = try ShareInput.gather(descriptors, of: copy, path)
    let kek = try ShareInput.sharing { () throws(SharingError) in try shares.combine() }
    let rebuilt = try StoreCopy.told(path) { () throws(KeyStoreError) in try copy.rebuild(kek: kek) }
    try KeyStorePlace.write(kek, to: file)
    if arguments.has("json") {
      Output.write(.object([.init("keys", .integer(Int64(rebuilt.records.count))), .init("path", .string(file))]))
    } else {
      Output.write("\(file) opens the \(rebuilt.records.count) keys of \(path): seal it with systemd-creds encrypt or in a TPM, then destroy it\n")
    }
  }
}
