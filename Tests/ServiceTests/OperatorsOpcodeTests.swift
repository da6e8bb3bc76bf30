import Format
import Policy
import Operations
import Testing

@Suite struct OperatorsOpcodeTests {
  @Test("the operators' socket has the numbers from 0x0100 on, and no others") func numbers() {
    for row in operationTable {
      #expect((row.socket == .operators) == row.opcode.isForOperators, "\(row.opcode.name)")
    }
  }
}
