// expect: 'Grant' initializer is inaccessible due to 'internal' protection level
import Policy
import Wire

func forge(_ rule: Rule, _ caller: Caller, _ opcode: Opcode) -> Grant { Grant(rule, caller, opcode, nil) }
