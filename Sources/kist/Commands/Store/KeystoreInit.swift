import Ceremony
import Crypto
import Format
import Host
import KeyStore

extension Command {
  static let keystoreInit = Command(
    name: "keystore init",
    summary: "make a key store under a new key-encryption key",
    usage: """
      Usage: kist keystore init DIR [OPTIONS]

      Makes DIR/keys, where DIR is the daemon's state directory, and protects its
      key-encryption key (KEK) with a passphrase, typed twice without echo. Run it
      as the user that DIR belongs to. There is no way back to the keys without the
      passphrase or the KEK.

        --passphrase-fd N      read the passphrase from this open descriptor
                               instead: one line
        --credential-out FILE  write the KEK itself, 32 bytes, to a new file with
                               mode 0600, for systemd-creds(1); destroy the file
                               afterwards
        --no-passphrase        with --credential-out: only the KEK opens the store
        --rehearsal            for sandboxes; production daemons refuse the store
        --json                 answer in JSON

      Example:
        runuser -u kist -- kist keystore init /var/lib/kist

      """,
    options: [
      .passphraseDescriptor, "credential-out", .flag("no-passphrase"), .flag("rehearsal"),
      .json,
    ],
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    if arguments.has("no-passphrase") {
      guard arguments.value("credential-out") != nil else {
        throw .usage("--no-passphrase needs --credential-out: nothing else would open the store")
      }
      guard arguments.value(Option.passphraseDescriptor.name) == nil else {
        throw .usage("--no-passphrase and --passphrase-fd exclude each other")
      }
    }
    let place = try KeyStorePlace(arguments.operands[0])
    let kek = try newKEK()
    let store = try place.create(kek, arguments)
    if arguments.has("json") {
      Output.write(
        [
          "kek_kcv": String(decoding: store.claimedKEK.hex, as: UTF8.self),
          "kind": store.claimedKind.rawValue, "path": place.path,
        ])
    } else {
      Output.write(text(store, place, arguments.value("credential-out")))
    }
  }

  private static func newKEK() throws(CommandFailure) -> SecretBuffer {
    do throws(CryptoError) { return try KeyEncryptionKey.generate() } catch {
      throw .failed("the kernel gives no random bytes")
    }
  }

  private static func text(_ store: LockedKeyStore, _ place: KeyStorePlace, _ credential: String?)
    -> String
  {
    Table(
      ["key store", "\(place.path) (\(store.claimedKind.rawValue))"],
      ["KEK check value", store.claimedKEK.description],
      credential.map { ["KEK", "\($0): seal it with systemd-creds encrypt, then destroy it"] },
      store.acceptsPassphrase ? ["next", "start kistd, then kist unlock"] : nil
    ).text
  }
}
