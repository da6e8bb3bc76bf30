"""kist_services.renew by a clock that is ahead: later.py DAYS, then its own words. kistd's clock is not."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from typing import Any

from kist_services import renew


def clock(days: float) -> type[datetime]:
    class Clock(datetime):
        @classmethod
        def now(cls, zone: Any = None) -> Any:
            return datetime.now(zone) + timedelta(days)

    return Clock


if __name__ == "__main__":
    setattr(renew, "datetime", clock(float(sys.argv.pop(1))))
    sys.exit(renew.main())
