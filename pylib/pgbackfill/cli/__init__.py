"""The command `pgbackfill`."""

from pgbackfill.cli.app import main

__all__ = ["main"]
