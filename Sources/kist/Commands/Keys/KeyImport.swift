import Ceremony
import Crypto
import Format
import Host
import KeyStore
import KistClient

extension Command {
  static let keyImport = Command(
    name: "key import",
    summary: "import a key from a file",
    usage: """
      Usage: kist key import FILE --label LABEL --role ROLE [OPTIONS]

      FILE is PEM or DER of PKCS#8 (also under PBES2), SEC1 or PKCS#1, or PKCS#12 as
      Keychain exports it; - is standard input. Key and certificate must match, and
      the merchant identifier in the certificate must be SHA-256 of its subject's
      UID; otherwise nothing is sent to the daemon. A symmetric key is one line of
      hexadecimal. The key of a partner to whom grants release (release_to) is the
      partner's certificate or public key, PEM or DER, with role partner-encryption-ec
      or -rsa, or a shared key with -aes. With --under, FILE is an X9.143 (TR-31) key
      block from another HSM.

        --label LABEL         such as merchant/acme/processing-2026
        --role ROLE           merchant-processing-ec, merchant-processing-rsa,
                              merchant-identity-rsa, or another role: a wrong one
                              prints the list
        --certificate FILE    the key's certificate, PEM or DER, if FILE has none
        --under LABEL|ID      the key of role key-exchange, or key-exchange-tdea, that
                              the sender made the block under
        --exportable          allow export under a key-exchange key; for a key from a
                              block, only if the block's header allows it
        --merchant-id ID      such as merchant.com.acme; needed without a certificate
        --passphrase-fd N     read the file's passphrase from this open descriptor,
                              one line (default: asked for without echo, if needed)
        --not-after MOMENT    when the key ends (default: its certificate's end)
        --jwe-members TEXT    partner-encryption: members of its JWEs' headers, such
                              as 'kid=acquirer-1 typ=JOSE iat=number'
        --key-set ID          otp-visa: Visa's key set, such as 123456.1
        --key-alias NAME      otp-mastercard: the key's name at MDES
        --digits N, --hash H  otp-hotp, otp-totp: 6 to 8 digits; sha1, sha256 or
                              sha512 (default: 6, sha1)
        --step SECONDS        otp-totp (default: 30)
        --window N            how far a code may be off (default: 10 counters,
                              1 time step)
        --failures N          wrong codes before a lock-out (default: 5)
        --lockout SECONDS     how long the first one lasts (default: 900)
        --pre-active          keep the key unused until it is activated
        --json                answer in JSON
        --socket PATH         the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                              /run/kist/admin.sock)
        --timeout S           give up after so many seconds (default: 120)

      Example:
        kist key import acme.p12 --label merchant/acme/processing-2026 \\
          --role merchant-processing-ec
        kist key import visa.kb --under bank/exchange-2027 --role otp-visa \\
          --label issuer/visa-2027 --key-set 123456.1 \\
          --not-after 2028-12-31T00:00:00Z

      """,
    options: [
      "label", "role", "certificate", "merchant-id",
      .passphraseDescriptor, "not-after",
      "jwe-members", "key-set", "key-alias", "digits",
      "hash", "step", "window", "failures",
      "lockout",
      "under", .flag("exportable"), .flag("pre-active"), .json,
    ], daemon: .patientOperators,
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let wish = try ImportWish(arguments)
    let (key, sequence) =
      arguments.value("under") == nil
      ? try importFile(wish, arguments) : try importBlock(wish, arguments)
    if arguments.has("json") { return Output.write(key.json(now: .now)) }
    Output.write(key.text(now: .now))
    if let sequence { Output.write("imported (audit record \(sequence))\n") }
  }

  private static func importFile(_ wish: ImportWish, _ arguments: Arguments) throws(CommandFailure)
    -> (Key, UInt64?)
  {
    let file = try contents(wish, arguments)
    let daemon = try Daemon(arguments)
    let value = try check(of: file.key.bytes, for: wish.role)
    let issuer =
      file.certificate.isEmpty
      ? ""
      : wish.role.isPublic
        ? "the certificate is a CA's, not for encryption or over, "
        : "the certificate is none of Apple's (see merchant_issuers in kist.toml(5)), "
    let meaning =
      issuer + "it takes none of these values, or the label or the key is one that you may not see"
    return try daemon.ask(
      daemon.client.importKey(
        wish, privateKey: file.key.bytes, certificate: file.certificate.span,
        activate: !arguments.has("pre-active")),
      rejectedMeans: meaning,
      meaning: { (refusal) throws(CommandFailure) in try conflict(wish, value, refusal, daemon) })
  }

  private static func importBlock(_ wish: ImportWish, _ arguments: Arguments) throws(CommandFailure)
    -> (Key, UInt64?)
  {
    let path = arguments.operands[0]
    let daemon = try Daemon(arguments)
    let kek = try daemon.key(named: arguments.required("under"))
    let file = try BlockFile(path, for: wish.role, under: kek)
    let certificate = try wish.certificate(forBlockIn: path)?.der ?? []
    let meaning = """
      at key-block: it was made under another key, was changed, or [key_exchange] old_blocks does not name its version; \
      else the key is in the store or was, its certificate is another's, or its header forbids what is asked for
      """
    return try daemon.ask(
      daemon.client.importKey(
        wish, privateKey: file.text.span, certificate: certificate.span,
        activate: !arguments.has("pre-active"), under: kek.id),
      rejectedMeans: meaning,
      meaning: { (refusal) throws(CommandFailure) in try conflict(wish, nil, refusal, daemon) })
  }

  /// Which of the keys that this caller may see conflicts with the new one.
  private static func conflict(
    _ wish: ImportWish, _ check: [UInt8]?, _ refusal: ClientError.Refusal, _ daemon: Daemon
  ) throws(CommandFailure) -> String? {
    guard refusal.status == Status.rejected.name else { return nil }
    let keys = try daemon.visibleKeys
    if let taken = keys.first(where: { $0.label == wish.label.text }) {
      return "the label \(taken.label) is taken, by a key that is \(taken.state)"
    }
    guard let here = keys.first(where: { $0.checkValue == check }) else { return nil }
    return "the key is here already, as \(here.label), which is \(here.state)"
  }

  /// The value by which the daemon recognises a private key; nil for a symmetric key, which may
  /// have several labels.
  private static func check(of data: Span<UInt8>, for role: KeyRole) throws(CommandFailure)
    -> [UInt8]?
  {
    guard role.symmetricAlgorithm == nil else { return nil }
    do throws(CryptoError) {
      let material = try KeyMaterial(keyData: data, for: role)
      guard let algorithm = material.algorithm(in: role) else { return nil }
      return try material.check(algorithm).value
    } catch { throw .failed("the key cannot be used") }
  }

  private static func contents(_ wish: ImportWish, _ arguments: Arguments) throws(CommandFailure)
    -> ImportedFile
  {
    let path = arguments.operands[0]
    if wish.role.isPublic {
      let (key, certificate) = try wish.partnersKey(in: path)
      let spki = key.spki
      return ImportedFile(
        key: try onMemory(SecretBuffer(copying: spki.span)), certificate: certificate?.der ?? [])
    }
    guard wish.role.symmetricAlgorithm == nil else {
      return ImportedFile(key: try symmetricKey(path, for: wish.role), certificate: [])
    }
    let found = try KeyFile.read(path, arguments)
    let certificate = try wish.certificate(for: found, in: path)
    return ImportedFile(key: try found.serialisedKey(), certificate: certificate?.der ?? [])
  }

  /// One line of hexadecimal, decoded in secret memory.
  private static func symmetricKey(_ path: String, for role: KeyRole) throws(CommandFailure)
    -> SecretBuffer
  {
    let digits = try Input(path: path).secretLine(limit: 256)
    guard let key = try onCrypto(SecretHex.decode(digits.bytes)) else {
      throw .failed("\(path): no key in hexadecimal digits")
    }
    guard let sizes = role.symmetricAlgorithm?.byteCounts, !sizes.contains(key.count) else {
      return key
    }
    let allowed =
      sizes.count == 1 ? "\(sizes.lowerBound)" : "\(sizes.lowerBound) to \(sizes.upperBound)"
    throw .failed(
      "\(path): the key is too \(key.count < sizes.lowerBound ? "short" : "long"): \(key.count) bytes; one of role \(role.rawValue) has \(allowed)"
    )
  }
}

/// A key in the daemon's form, with its certificate's DER, or none.
private struct ImportedFile: ~Copyable {
  let key: SecretBuffer
  let certificate: [UInt8]
}

/// A key block from another HSM, checked as far as its header allows without the key.
struct BlockFile {
  /// The block's characters.
  let text: [UInt8]

  /// - Throws: an explanation of what the daemon would only reject.
  init(_ path: String, for role: KeyRole, under kek: Key) throws(CommandFailure) {
    let whole = try Input(path: path).contents(limit: 10_000)
    let text = Array(whole.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
    guard
      whole.dropFirst(text.count).allSatisfy({
        $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")
      })
    else {
      throw .failed("\(path): more than one line")
    }
    let header: KeyBlockHeader
    do throws(KeyBlockError) {
      header = try KeyBlockHeader.parse(text.span, allowing: Set(KeyBlockVersion.allCases)).header
    } catch {
      throw .failed("\(path): no X9.143 (TR-31) key block of version A to D")
    }
    try Self.check(header, path, role, kek)
    self.text = text
  }

  private static func check(_ header: KeyBlockHeader, _ path: String, _ role: KeyRole, _ kek: Key)
    throws(CommandFailure)
  {
    let version = String(UnicodeScalar(header.version.rawValue))
    let exchange: KeyRole = header.version == .d ? .keyExchange : .keyExchangeTDEA
    guard kek.role == exchange.rawValue else {
      throw .failed(
        "\(kek.label): a key of role \(kek.role); a block of version \(version) must be under one of role \(exchange.rawValue)"
      )
    }
    guard kek.state == "active" else { throw .failed("\(kek.label): the key is \(kek.state)") }
    if let claimed = header.optionalBlock(.protectionKeyCheckValue)?.data.dropFirst(2),
      !agrees(claimed, with: kek.checkText)
    {
      let claimed = String(decoding: claimed, as: UTF8.self)
      throw .failed(
        "\(path): the block was made under a key with the check value \(claimed); that of \(kek.label) is \(kek.checkText)"
      )
    }
    guard role.takes(header) else {
      let use =
        "\(header.usage) \(UnicodeScalar(header.algorithm.rawValue)) \(UnicodeScalar(header.mode.rawValue))"
      throw .failed(
        "\(path): the block's header says \(use), which does not fit the role \(role.rawValue)")
    }
  }

  /// Some programs write the first three bytes of a check value, some five.
  private static func agrees(_ claimed: ArraySlice<UInt8>, with check: String) -> Bool {
    check.utf8.starts(with: claimed) || claimed.starts(with: check.utf8)
  }
}
