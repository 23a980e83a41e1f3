"""`python -m pgbackfill` is the command `pgbackfill`."""

from pgbackfill.cli import main

main(prog_name="pgbackfill")
