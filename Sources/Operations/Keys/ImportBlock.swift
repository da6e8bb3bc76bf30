internal import Audit
internal import Crypto
internal import Format
internal import Host
internal import KeyStore

/// `import-block`: imports a key that another HSM sent in a key block under an exchange key [OP-BLOCK-1].
enum ImportBlock: Operation {
  package static let opcode = Opcode.importBlock
  package static let bodyCap = ImportKey.bodyCap
  package static let replyCap = ImportKey.replyCap

  package static func opensWayOut(_ request: borrowing ImportKeyRequest) -> Bool { ImportKey.opensWayOut(request) }

  package static func run(_ request: borrowing ImportKeyRequest, _ context: borrowing OperationContext, into reply: inout MessageWriter) throws(OperationError)
  {
    let kek = try context.key()
    try context.make(.imported, request.label, into: &reply) { persons throws(KeyStoreError) in
      let opened = try kek.open(block: request.privateKey, allowing: context.rules.oldBlocks)
      return try KeyImport(request, keyData: opened.key.bytes, from: opened.header, by: persons)
    }
  }
}
