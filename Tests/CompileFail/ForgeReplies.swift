// expect: 'Replies' initializer is inaccessible due to 'internal' protection level
// expect: missing arguments for parameters #1, #2, 'at', 'hasRecords' in call
import Service

func forge() -> Replies { Replies() }
