// expect: 'Receipt' initializer is inaccessible due to 'internal' protection level
import Audit

func forge() -> Receipt { Receipt(firstSequence: 1, count: 1) }
