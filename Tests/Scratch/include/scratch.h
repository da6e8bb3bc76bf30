// Nothing to call: before the tests begin, TMPDIR becomes a directory of this process's own, and it is removed when they have ended.
#pragma once
