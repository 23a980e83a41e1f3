"""Unpacking what was built or fetched."""

from __future__ import annotations

import tarfile
from pathlib import Path


def unpack(archive: tarfile.TarFile, folder: Path) -> None:
    """Nothing lands outside `folder`, as far as this Python can see to it: early 3.10 and 3.11 have no filter."""
    archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
    archive.extractall(folder)
