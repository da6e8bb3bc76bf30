package import Wire

extension Opcode {
  /// Whether the operation is only for the operators' socket, which its number tells.
  package var isOperators: Bool { rawValue >= 0x0100 }

  /// The operations that need a second operator by default: those that cannot be undone, that let something leave the machine,
  /// or that decide over everything else. One person alone can suspend a key at once; resuming or ending it takes two.
  package static let approvedByDefault: Set<Opcode> = [
    .exportKey, .attachCertificate, .activateKey, .retireKey, .compromiseKey, .destroyKey, .resumeKey, .swapPolicy, .backUp,
  ]

  /// Whether a request can wait for approval: not harmless queries, opening or closing the key store, or the requests that approving needs.
  package var canNeedApproval: Bool {
    ![.ping, .describe, .who, .status, .unlock, .submitShare, .shareProgress, .lock, .approve, .listRequests].contains(self)
  }
}
