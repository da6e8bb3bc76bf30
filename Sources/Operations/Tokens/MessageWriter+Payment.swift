internal import ApplePay
internal import Format

// An opened payment, written to where it goes: the reply, or an envelope.

extension MessageWriter {
  /// Writes those of these fields that the payment has, in ascending order, and when the token was signed [OP-OPEN-9].
  ///
  /// - Returns: the fields that it has; what is made with other keys is none of them.
  mutating func write(
    _ fields: ReleasedFields, of payment: borrowing PaymentData, _ signingTime: Timestamp
  ) throws(OperationError) -> ReleasedFields {
    var written: [ReleasedField] = []
    for field in fields.fields {
      if try write(field, of: payment) { written.append(field) }
    }
    var seconds = UInt64(clamping: signingTime.seconds)
    do throws(WireError) { try uint64(OpenPaymentTokenReply.signingTimeNumber, "signing_time", &seconds) } catch { throw .fault }
    return ReleasedFields(written)
  }

  /// Returns false if the token does not have the field.
  private mutating func write(_ field: ReleasedField, of payment: borrowing PaymentData) throws(OperationError) -> Bool {
    guard field != .amount else {
      guard let amount = payment.amount else { return false }
      do throws(WireError) { try present(field.number, amount) } catch { throw .fault }
      return true
    }
    guard let source = field.source, let capacity = payment.capacity(for: source) else { return false }
    let written: Result<Void, WireError>
    do throws(TokenError) {
      written = try bytes(field.number, capacity: capacity) { (out) throws(TokenError) in try payment.copy(source, into: &out) }
    } catch { throw OperationError(error) }
    guard case .success = written else { throw .fault }
    return true
  }
}

extension PaymentData {
  /// The most bytes that these fields and the signing time take in a message.
  func capacity(for fields: ReleasedFields) -> Int {
    var sum = 16
    for field in fields.fields {
      if let source = field.source, let value = capacity(for: source) { sum += value + 16 }
    }
    return sum
  }
}

extension ReleasedField {
  /// The field's source in the payment data; nil for what is made with other keys.
  fileprivate var source: PaymentField? { PaymentField(rawValue: rawValue) }
}
