import ApplePay
import Format
import Testing

@testable import Operations

@Suite struct PassMemberTests {
  @Test("[OP-PROV-3] each member of a pass is told by the field of its own name") func fields() {
    for member in PassMember.allCases { #expect(member.field.map { "\($0)" } == "\(member)") }
    let others = PassField.allCases.dropFirst(PassMember.allCases.count)
    #expect(Array(others) == [.accountEnvelope, .activation, .accountSurrogate])
  }
}
