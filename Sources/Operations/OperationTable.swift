// Operations: what callers can ask for: a file for each or for twins, one table for all.
// It decodes a body, uses a key through its grant and writes the reply.
// It must not know sockets, frames, the order of checks or when a record is durable.
// Called by Service, by an operation's row in the table.

package import Format
package import Policy

/// One row: how to run an operation, or which control of the daemon it is.
package struct OperationRow: Sendable {
  package enum Runner: Sendable {
    /// Answered without a grant and without a record, since it reveals nothing.
    case probe(Probe)
    /// Needs an unlocked key store.
    case operation(any Operation.Type)
    /// Acts on the daemon itself; carried out by `Service`.
    case control(Control)
  }

  package enum Probe: Sendable {
    /// Whether the daemon answers.
    case ping
    /// Whether it serves [OP-READY-1].
    case ready
  }

  package enum Control: Sendable {
    case status, metrics, unlock, lock, submitShare, shareProgress
  }

  package let opcode: Opcode
  package let run: Runner

  /// Nil for a probe or a control.
  package var operation: (any Operation.Type)? {
    if case .operation(let operation) = run { operation } else { nil }
  }

  /// The most bytes of a request's header and body together: with some to spare, so that a field
  /// that is a little too long is named.
  package var frameCap: Int {
    let body = opcode.largestRequest
    return RequestHeader.byteCount + (body == 0 ? 0 : body + 256)
  }

  package var socket: SocketKind { opcode.isForOperators ? .operators : .services }

  init(_ operation: any Operation.Type) {
    opcode = operation.opcode
    run = .operation(operation)
  }

  init(_ control: Control, _ opcode: Opcode) {
    self.opcode = opcode
    run = .control(control)
  }

  init(_ probe: Probe, _ opcode: Opcode) {
    self.opcode = opcode
    run = .probe(probe)
  }
}

/// The whole attack surface: adding an operation means adding its file and a row here.
package let operationTable: [OperationRow] = [
  OperationRow(.ping, .ping),
  OperationRow(Describe.self),
  OperationRow(ListKeys.self),
  OperationRow(DescribeKey.self),
  OperationRow(RandomBytes.self),
  OperationRow(Who.self),
  OperationRow(AuditDigest.self),
  OperationRow(.ready, .ready),
  OperationRow(VerifyPaymentToken.self),
  OperationRow(OpenPaymentToken.self),
  OperationRow(ProvisionPass.self),
  OperationRow(ProvisionTrace.self),
  OperationRow(SignOTP.self),
  OperationRow(VerifyOTP.self),
  OperationRow(EnrolAuthenticator.self),
  OperationRow(ECDH.self),
  OperationRow(Kdf.self),
  OperationRow(Seal.self),
  OperationRow(Unseal.self),
  OperationRow(Sign.self),
  OperationRow(Verify.self),
  OperationRow(Mac.self),
  OperationRow(VerifyMac.self),
  OperationRow(Unwrap.self),
  OperationRow(ReleaseHandle.self),
  OperationRow(Tokenise.self),
  OperationRow(Detokenise.self),
  OperationRow(OpenEnvelope.self),
  OperationRow(.status, .status),
  OperationRow(.unlock, .unlock),
  OperationRow(.lock, .lock),
  OperationRow(ImportKey.self),
  OperationRow(ReviewLog.self),
  OperationRow(.submitShare, .submitShare),
  OperationRow(.shareProgress, .shareProgress),
  OperationRow(RecordDrill.self),
  OperationRow(.metrics, .metrics),
  OperationRow(RequestCertificate.self),
  OperationRow(ExportKey.self),
  OperationRow(ImportBlock.self),
  OperationRow(GenerateKey.self),
  OperationRow(ActivateKey.self),
  OperationRow(RetireKey.self),
  OperationRow(CompromiseKey.self),
  OperationRow(DestroyKey.self),
  OperationRow(AttachCertificate.self),
  OperationRow(Approve.self),
  OperationRow(ListRequests.self),
  OperationRow(SwapPolicy.self),
  OperationRow(BackUp.self),
  OperationRow(SuspendKey.self),
  OperationRow(ResumeKey.self),
  OperationRow(ResetOTPLockout.self),
]

extension OperationRow {
  /// Whether such a request opens or closes the key store and its log.
  package var movesStore: Bool {
    switch run {
    case .control(.unlock), .control(.lock), .control(.submitShare): true
    case .control, .probe, .operation: false
    }
  }

  /// The row of an opcode, or nil if this version does not know it.
  package static func row(for opcode: UInt16) -> OperationRow? { rows[opcode] }

  /// The most bytes of header and body in a request with this opcode; for an unknown opcode, that
  /// of all requests, so that it is answered [WIRE-7].
  package static func frameCap(for opcode: UInt16) -> Int {
    rows[opcode]?.frameCap ?? RequestHeader.lengths.upperBound
  }

  private static let rows = Dictionary(
    uniqueKeysWithValues: operationTable.map { ($0.opcode.rawValue, $0) })
}
