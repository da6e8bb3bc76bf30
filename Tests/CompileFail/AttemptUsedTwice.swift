// expect: 'attempt' consumed more than once
import Audit

func twice(_ attempt: consuming Attempt) {
  var batch = Batch()
  batch.add(attempt)
  batch.add(attempt)
}
