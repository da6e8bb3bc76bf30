// expect: 'Grant' initializer is inaccessible due to 'internal' protection level
import Format
import Policy

func forge(_ covering: CoveringRule, _ opcode: Opcode) -> Grant { Grant(covering, opcode, nil, []) }
