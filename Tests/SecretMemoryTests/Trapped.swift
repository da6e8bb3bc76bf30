import Glibc
import Testing

#if arch(x86_64)
  let trapped = ExitTest.Condition.signal(SIGILL)
#else
  let trapped = ExitTest.Condition.signal(SIGTRAP)
#endif
