// expect: 'Grant' initializer is inaccessible due to 'internal' protection level
import Policy
import Wire

func forge(_ coverage: Coverage, _ opcode: Opcode) -> Grant { Grant(coverage, opcode, nil, []) }
