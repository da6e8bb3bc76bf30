package import Wire

extension Opcode {
  /// By its number: those of the operators' socket alone.
  package var isOperators: Bool { rawValue >= 0x0100 }

  /// What needs a second operator unless the configuration says otherwise: what cannot be undone, what leaves the machine,
  /// and what decides over all the rest. One person alone can stop a key at once (`suspend-key`); it takes two to let it go on,
  /// and two to end it.
  package static let approvedByDefault: Set<Opcode> = [
    .exportKey, .attachCertificate, .activateKey, .retireKey, .compromiseKey, .destroyKey, .resumeKey, .swapPolicy, .backUp,
  ]

  /// Whether a request can wait for a second person: not one that says nothing, that opens or closes the key store, or that the waiting itself needs.
  package var canNeedApproval: Bool {
    ![.ping, .describe, .who, .status, .unlock, .submitShare, .shareProgress, .lock, .approve, .listRequests].contains(self)
  }
}
