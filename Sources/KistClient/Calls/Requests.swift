package import Format

// Requests in one expression, for those who make them; the daemon only reads requests.

extension ApproveRequest {
  package init(request: String) {
    self.init()
    self.request = request
  }
}

extension AttachCertificateRequest {
  @_lifetime(copy certificate)
  package init(certificate: Span<UInt8>) {
    self.init()
    self.certificate = certificate
  }
}

extension DrilledKey {
  package init(id: [UInt8], checkValue: [UInt8]) {
    self.init()
    self.id = id
    self.checkValue = checkValue
  }
}

extension ExportKeyRequest {
  package init(exchangeKey: [UInt8]) {
    self.init()
    self.exchangeKey = exchangeKey
  }
}

extension GenerateKeyRequest {
  package init(label: String, role: String) {
    self.init()
    self.label = label
    self.role = role
  }
}

extension ListKeysRequest {
  package init(prefix: String = "", after: String = "", pattern: String = "") {
    self.init()
    self.prefix = prefix
    self.after = after
    self.pattern = pattern
  }
}

extension RandomRequest {
  package init(count: Int) {
    self.init()
    self.count = count
  }
}

extension RecordDrillRequest {
  package init(generation: UInt64, kek: [UInt8], keys: [DrilledKey]) {
    self.init()
    self.generation = generation
    self.kek = kek
    self.keys = keys
  }
}

extension ReleaseHandleRequest {
  @_lifetime(copy handle)
  package init(handle: Span<UInt8>) {
    self.init()
    self.handle = handle
  }
}

extension SubmitShareRequest {
  @_lifetime(copy share)
  package init(share: Span<UInt8>) {
    self.init()
    self.share = share
  }
}

extension SwapPolicyRequest {
  package init(policyHash: [UInt8]) {
    self.init()
    self.policyHash = policyHash
  }
}

extension UnlockRequest {
  @_lifetime(copy passphrase)
  package init(passphrase: Span<UInt8>) {
    self.init()
    self.passphrase = passphrase
  }
}

extension UnwrapRequest {
  @_lifetime(copy wrappedKey)
  package init(wrappedKey: Span<UInt8>) {
    self.init()
    self.wrappedKey = wrappedKey
  }
}
