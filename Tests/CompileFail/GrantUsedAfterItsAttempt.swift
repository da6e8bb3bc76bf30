// expect: 'grant' consumed more than once
import Audit
import Format
import Policy

func twice(_ request: RequestFacts, _ grant: consuming Grant, _ batch: inout Batch) {
  batch.add(Attempt(request, allowed: grant, .rejected(.chain)))
  batch.add(Attempt(request, allowed: grant, .rejected(.chain)))
}
