from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from python.callers import KINDS, Caller


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def caller(request: Any, dsn: str) -> Iterator[Caller]:
    """The public functions on each kind of connection, not in autocommit."""
    opened: Caller = request.param(dsn)
    yield opened
    opened.close()
