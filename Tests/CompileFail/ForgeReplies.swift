// expect: 'Replies' cannot be constructed because it has no accessible initializers
// expect: missing arguments for parameters #1, 'closes' in call
import Service

func forge() -> Replies { Replies() }
