import Crypto
import Doctor
import Format
import Foundation
import KeyStore
import Testing

extension FindingRow {
  static let storeRows: [FindingRow] = [
    FindingRow("store-missing", 1, "There is no key store") { try $0.remove(keys) },
    FindingRow("store-cut-off", 1, "The key store has no manifest") {
      try $0.remove(keys + "/manifest.json")
    },
    FindingRow(
      "store-damaged", 1,
      "The key store cannot be read: its manifest is not what a key store of this version wrote"
    ) {
      try $0.write(keys + "/manifest.json", "{}")
    },
    FindingRow(
      "store-kind", 1, "The key store is of kind production, and kist.toml is for rehearsal",
      others: ["rehearsal"]
    ) {
      try $0.append(
        configuration, "\n[sandbox]\nrehearsal = true\ntrust_anchor = \"/tmp/root.cer\"\n")
    },
    FindingRow("store-restored", 3, "no daemon has recorded that yet") { host in
      try host.write(keys + "/restored.json", "{}")
      try host.chmod(keys + "/restored.json", 0o600)
      try host.chown(keys + "/restored.json", FalseHost.kist)
    },
    FindingRow("store-filling", 3, "The key store has 76 % of what it may have") {
      let former =
        #""former":{"count":800000,"sha256":"\#(String(repeating: "0", count: 64))"},"generation""#
      try $0.edit(keys + "/manifest.json", #""generation""#, former)
    },
    FindingRow("credential-missing", 1, "There is no credential at /run/kek") {
      try $0.edit(configuration, "# credential = \"kist-kek\"", "credential = \"/run/kek\"")
    },
    FindingRow("credential-size", 1, "The credential has 31 bytes") { host in
      try host.edit(configuration, "# credential = \"kist-kek\"", "credential = \"/run/kek\"")
      try host.write("/run/kek", [UInt8](repeating: 0, count: 31))
      try host.chmod("/run/kek", 0o600)
      try host.chown("/run/kek", FalseHost.kist)
    },
    FindingRow(
      "credential-not-loaded", 1,
      "unlocks with the credential kist-kek, and kistd.service loads none of that name"
    ) {
      try $0.edit(configuration, "# credential = \"kist-kek\"", "credential = \"kist-kek\"")
    },
    FindingRow(
      "credential-wrong", 1,
      "The credential is not the key of this key store, so kistd would not start"
    ) { host in
      try host.loadCredential()
      host.surroundings.tryCredential = { _ in .otherKey }
    },
    FindingRow("credential-not-given", 1, "so it would not start: Failed to decrypt") { host in
      try host.loadCredential()
      host.surroundings.tryCredential = { _ in .notGiven("Failed to decrypt") }
    },
  ]

  static let keyRows: [FindingRow] = [
    FindingRow("key-ended", 1, "The key ended on 2026-11-20 and makes nothing new") { host in
      try host.change { try $0.addSymmetric("shop/sealing", until: TestLog.day(-2)) }
    },
    FindingRow("key-ending", 3, "The key ends on 2026-12-02") { host in
      try host.change { try $0.addSymmetric("shop/sealing", until: TestLog.day(10)) }
    },
    FindingRow("key-suspended", 3, "The key is suspended since 2026-11-21 and serves nothing") {
      host in
      try host.change {
        try $0.setState(
          .suspended, of: $0.addSymmetric("shop/sealing").id, at: TestLog.day(-1),
          anchor: .beginning)
      }
    },
    FindingRow("key-used-up", 1, "The key was used 95 times and may be used 100 times") { host in
      try host.change {
        $0.restore(
          uses: 95, lastUse: TestLog.day(-1),
          for: try $0.addSymmetric("shop/sealing", useLimit: 100).id)
      }
    },
    FindingRow(
      "key-not-quiet", 3, "Tokens still come under the retired key, the last on 2026-11-21"
    ) { host in
      try host.rotate { store, old in
        try store.setState(.retired, of: old, at: TestLog.day(0), anchor: .beginning)
      }
    },
    FindingRow(
      "key-quiet", 3,
      "No token has come under the key for 11 days, and merchant/acme/processing-2028 has taken over"
    ) { host in
      host.surroundings.now = TestLog.day(10)
      try host.rotate { _, _ in }
    },
    FindingRow("key-ungranted", 3, "No grant lets a service open tokens with the key") {
      try $0.editAll(services, "merchant/acme/*", "merchant/acne/*")
    },
    FindingRow("stand-in-key-missing", 1, "kist.toml names the key merchant/acme/surrogate-2026") {
      try $0.edit(configuration, "# surrogate_key", "surrogate_key")
    },
    FindingRow(
      "merchant-unknown", 3,
      "kist.toml has settings for merchant.com.amce, and no key is of that merchant"
    ) {
      try $0.edit(configuration, "\"merchant.com.acme\"", "\"merchant.com.amce\"")
    },
    FindingRow(
      "surrogate-like-pan", 3, "Surrogates of merchant.com.acme can be taken for card numbers"
    ) {
      try $0.edit(
        configuration, "# surrogate_format = {", "surrogate_format = { luhn = \"any\" } # {")
    },
    FindingRow(
      "surrogate-leaves-out", 3,
      "PANs of 15 digits, as American Express has, have no surrogate in the format of merchant.com.acme"
    ) {
      try $0.edit(configuration, "# surrogate_format = {", "surrogate_format = { first = 6 } # {")
    },
    FindingRow("merchant-only-rsa", 3, "The only processing key of merchant.com.china is RSA") {
      host in
      try host.change {
        let key = try TestStore.rsa.get()
        try $0.add(
          "merchant/acme/china", key, role: .merchantProcessingRSA,
          certificate: TestStore.certificate(for: key.publicKey, merchant: "merchant.com.china"))
      }
    },
  ]

  static let certificateRows: [FindingRow] = [
    FindingRow("certificate-missing", 1, "cannot be read: No such file or directory") {
      try $0.remove($0.certificatePath())
    },
    FindingRow("certificate-changed", 1, "is not what the key store wrote") {
      try $0.write($0.certificatePath(), [0x30, 0])
    },
    FindingRow(
      "certificate-purpose", 1,
      "The certificate is for merchant identity, and the key merchant/acme/rsa has the role merchant-processing-rsa"
    ) {
      host in
      try host.change {
        let key = try TestStore.rsa.get()
        try $0.add(
          "merchant/acme/rsa", key, role: .merchantProcessingRSA,
          certificate: TestStore.certificate(
            for: key.publicKey, purpose: "Apple Pay Merchant Identity:"))
      }
    },
    FindingRow("certificate-ended", 1, "The certificate ended on 2026-11-20") {
      try $0.certified(until: TestLog.day(-2))
    },
    FindingRow("certificate-ending", 3, "The certificate ends on 2026-12-12") {
      try $0.certified(until: TestLog.day(20))
    },
    FindingRow("certificate-not-begun", 1, "The certificate begins on 2026-11-24") {
      try $0.certified(from: TestLog.day(2))
    },
    FindingRow("certificate-without-key", 1, "No key of the store is the one that it certifies") {
      host in
      let certificate = try TestStore.certificate(for: PrivateKey.generate(.p256).publicKey)
      host.surroundings.certificates = [.init("other.cer", certificate)]
    },
    FindingRow(
      "certificate-merchant", 1,
      "It certifies merchant/acme/next for merchant.com.acne, and the key was made for merchant.com.acme"
    ) { host in
      let key = try host.addWaitingKey()
      host.surroundings.certificates = [
        .init(
          "next.cer", try TestStore.certificate(for: key.publicKey, merchant: "merchant.com.acne"))
      ]
    },
    FindingRow(
      "certificate-inconsistent", 1,
      "Its merchant extension is not the SHA-256 of its subject's UID"
    ) { host in
      let key = try host.addWaitingKey()
      host.surroundings.certificates = [
        .init(
          "next.cer",
          try TestStore.certificate(for: key.publicKey, extensionOf: "merchant.com.acne"))
      ]
    },
    FindingRow("certificate-rsa", 1, "It is for an RSA key, and merchant/acme/next is an EC key") {
      host in
      _ = try host.addWaitingKey()
      host.surroundings.certificates = [
        .init("next.cer", try TestStore.certificate(for: TestStore.rsa.get().publicKey))
      ]
    },
    FindingRow("issuer-invalid", 1, "is not a CA's certificate signed by Apple Root CA - G3") {
      host in
      try host.edit(
        configuration, "# merchant_issuers = [\"/etc/kist/AppleWWDRCA-G9.cer\"]",
        "merchant_issuers = [\"/etc/kist/ca.cer\"]")
      try host.write(
        "/etc/kist/ca.cer", TestStore.certificate(for: PrivateKey.generate(.p256).publicKey).der)
    },
    FindingRow(
      "issuer-ending", 1, "The CA's certificate ends on 2029-05-06",
      others: ["certificate-ended", "drill-stale", "review-stale"]
    ) { host in
      try host.edit(
        configuration, "# merchant_issuers = [\"/etc/kist/AppleWWDRCA-G9.cer\"]",
        "merchant_issuers = [\"/etc/kist/ca.cer\"]")
      let published = URL(fileURLWithPath: FalseHost.packaging + "/../keys/AppleWWDRCA-G2.cer")
      try host.write("/etc/kist/ca.cer", [UInt8](Data(contentsOf: published)))
      host.surroundings.now = try #require(Timestamp("2029-04-20T00:00:00Z"))
    },
    FindingRow("domain-association-changed", 1, "Byte 3 of the file is not a hexadecimal digit") {
      $0.surroundings.domainAssociations = [.init("association", Array("7b\u{0A}".utf8))]
    },
    FindingRow("domain-association-size", 1, "The file has 6 bytes and is cut short or empty") {
      $0.surroundings.domainAssociations = [.init("association", Array("7b2270".utf8))]
    },
  ]
}

extension FalseHost {
  /// A second key takes over; both have opened tokens.
  fileprivate func rotate(_ more: (KeyStore, KeyID) throws -> Void) throws {
    try change { store in
      let key = try PrivateKey.generate(.p256)
      let new = try store.add(
        "merchant/acme/processing-2028", key,
        certificate: TestStore.certificate(for: key.publicKey), at: TestLog.day(-3))
      store.recordUses(of: [new.id], at: TestLog.day(0))
      try more(store, store.id(TestStore.label).id)
    }
  }

  fileprivate func certificatePath() throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: root + FindingRow.keys)
    return FindingRow.keys + "/" + (try #require(names.first { $0.hasSuffix(".cer") }))
  }

  /// A key of the same merchant that waits for its certificate.
  fileprivate func addWaitingKey() throws -> PrivateKey {
    let key = try PrivateKey.generate(.p256)
    try change {
      try $0.add("merchant/acme/next", key, merchant: TestStore.merchant, activates: false)
    }
    return key
  }

  /// A further key with such a certificate.
  fileprivate func certified(
    from: Timestamp = TestLog.day(-10), until: Timestamp = TestLog.day(300)
  ) throws {
    try change {
      let key = try PrivateKey.generate(.p256)
      try $0.add(
        "merchant/acme/more", key,
        certificate: TestStore.certificate(for: key.publicKey, from: from, until: until))
    }
  }

  fileprivate func editAll(_ path: String, _ old: String, _ new: String) throws {
    try write(path, text(path).replacingOccurrences(of: old, with: new))
  }
}

extension FalseHost {
  /// As 'By a systemd credential' in UNLOCK.md does it.
  func loadCredential() throws {
    try edit(FindingRow.configuration, "# credential = \"kist-kek\"", "credential = \"kist-kek\"")
    try write(
      "/etc/systemd/system/kistd.service.d/unlock.conf",
      "[Service]\nLoadCredentialEncrypted=kist-kek:/etc/credstore.encrypted/kist-kek\n")
    try write("/etc/credstore.encrypted/kist-kek", "sealed")
  }
}
