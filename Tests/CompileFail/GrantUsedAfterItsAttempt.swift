// expect: 'grant' consumed more than once
import Audit
import Policy
import Wire

func twice(_ request: RequestFacts, _ grant: consuming Grant, _ batch: inout Batch) {
  batch.add(Attempt(request, allowed: grant, .rejected(.chain)))
  batch.add(Attempt(request, allowed: grant, .rejected(.chain)))
}
