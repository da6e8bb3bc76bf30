package import Crypto
import Format
package import Host

/// The cost parameters of Argon2id for one passphrase.
package struct PassphraseCost: Hashable, Sendable {
  package let passes: Int
  /// In bytes, whole KiB only: Argon2id ignores the rest, and each key must have just one encoding.
  package let memory: Int

  /// Three passes over 64 MiB: the second choice of RFC 9106 §4.
  package static let standard = PassphraseCost(trusted: 3, 64 << 20)

  /// Nil outside 1...16 passes over 8 KiB...1 GiB, since a file with more could stall the daemon.
  package init?(passes: Int, memory: Int) {
    guard (1...16).contains(passes), (8 << 10...1 << 30).contains(memory),
      memory.isMultiple(of: 1024)
    else { return nil }
    self.init(trusted: passes, memory)
  }

  private init(trusted passes: Int, _ memory: Int) {
    self.passes = passes
    self.memory = memory
  }
}

/// `kek.json`: the KEK as a `K0 A B` key block under Argon2id(passphrase, salt). [KS-KEK-FILE]
package struct PassphraseFile: Equatable {
  let cost: PassphraseCost
  let salt: [UInt8]
  let block: String

  package init(cost: PassphraseCost, salt: [UInt8], block: String) {
    self.cost = cost
    self.salt = salt
    self.block = block
  }

  /// - Throws: `KeyStoreError.wrongPassphrase`.
  func unwrap(passphrase: Span<UInt8>) throws(KeyStoreError) -> SecretBuffer {
    let key = try onCrypto(Self.derive(passphrase, salt, cost))
    do throws(KeyBlockError) {
      let opened = try KeyBlock.unwrap(Array(block.utf8).span, kbpk: key.bytes)
      guard BlockUse(opened.header) == Self.use else { throw .header(.usage) }
      return opened.takeKey()
    } catch {
      switch error {
      case .mac: throw .wrongPassphrase
      case .crypto(let error): throw .crypto(error)
      case .length, .version, .header, .optionalBlock, .hex, .keyLength, .kbpk:
        throw .passphraseFile
      }
    }
  }

  package static let saltCount = 16
  private static let use = BlockUse(.keyEncryption, .aes, .encryptDecrypt)

  package static func derive(_ passphrase: Span<UInt8>, _ salt: [UInt8], _ cost: PassphraseCost)
    throws(CryptoError) -> SecretBuffer
  {
    try Argon2id.derive(
      passphrase: passphrase, salt: salt.span, opsLimit: cost.passes, memoryLimit: cost.memory,
      count: 32)
  }
}

extension PassphraseFile {
  private static let format = "kist-kek/v1"

  package var serialised: [UInt8] {
    let file: CanonicalJSON = [
      "block": block, "format": Self.format, "kdf": "argon2id", "memory": cost.memory,
      "passes": cost.passes, "salt": Hex.encode(salt),
    ]
    return file.serialised
  }

  /// - Throws: `KeyStoreError.passphraseFile`.
  init(parsing text: [UInt8]) throws(KeyStoreError) {
    do throws(CanonicalJSONError) {
      var fields = try CanonicalJSONFields(
        try CanonicalJSON(parsing: text.span, byteLimit: StoreFile.passphrase.limit))
      guard try fields.string("format") == Self.format, try fields.string("kdf") == "argon2id"
      else { throw .schema }
      block = try fields.string("block")
      let memory = try fields.integer("memory")
      let passes = try fields.integer("passes")
      guard let cost = PassphraseCost(passes: Int(passes), memory: Int(memory)) else {
        throw .schema
      }
      self.cost = cost
      salt = try fields.string("salt", as: Hex.decode)
      guard salt.count == Self.saltCount else { throw .schema }
      try fields.end()
    } catch {
      throw .passphraseFile
    }
    guard serialised == text else { throw .passphraseFile }
  }
}
