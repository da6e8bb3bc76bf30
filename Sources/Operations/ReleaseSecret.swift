internal import SecretMemory
internal import Wire

/// Copies a secret that the grant releases into the reply.
func release(_ secret: borrowing SecretBuffer, as field: Field, into reply: inout MessageWriter) throws(OperationError) {
  do throws(WireError) { try reply.bytes(field, secret.bytes) } catch { throw .fault }
}
