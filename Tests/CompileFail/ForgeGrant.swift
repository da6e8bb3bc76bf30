// expect: 'Grant' initializer is inaccessible due to 'internal' protection level
import Format
import Policy

func forge(_ coverage: Coverage, _ opcode: Opcode) -> Grant { Grant(coverage, opcode, nil, []) }
