package import Policy
package import Wire

/// One thing Kist does for a caller, with what it takes to call it safely.
///
/// An operation is one file and one row of `operationTable`. It reads its body itself, strictly; it reaches a key only
/// through its grant; and whatever it writes to the reply leaves only with an audit receipt.
package protocol Operation: SendableMetatype {
  static var opcode: Opcode { get }
  /// The most bytes its request's body may have.
  static var bodyCap: Int { get }
  /// The most bytes its reply's body can have.
  static var replyCap: Int { get }
  /// The most bytes the reply to a request with a body of `bodyCount` bytes can have, where that is less.
  static func replyCap(forBodyOf bodyCount: Int) -> Int

  /// Why the request would be refused whoever approved it, so that no second person is asked; nil where nothing speaks against it.
  static func refusal(_ grant: borrowing Grant, _ context: OperationContext) -> Stage?

  /// - Parameter finding: what the audit record will say besides who, what and when; kept when this throws.
  static func run(
    _ body: consuming MessageReader, _ grant: borrowing Grant, _ context: OperationContext, into reply: inout MessageWriter,
    finding: inout Finding
  ) throws(OperationError)
}

extension Operation {
  package static func replyCap(forBodyOf bodyCount: Int) -> Int { replyCap }
  package static func refusal(_ grant: borrowing Grant, _ context: OperationContext) -> Stage? { nil }
}

/// Which socket an operation can be asked for on.
package enum SocketKind: Sendable, Equatable {
  case services
  case operators
}
