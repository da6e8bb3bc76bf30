// expect: 'Replies' initializer is inaccessible due to 'internal' protection level
// expect: missing argument for parameter #1 in call
import Service

func forge() -> Replies { Replies() }
