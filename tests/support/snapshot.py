"""What a database looks like, as far as a migration can change it."""

from __future__ import annotations

from typing import Any

from psycopg import Connection

CATALOG = """
select 'function' as kind, p.oid::regprocedure::text as name,
  pg_get_functiondef(p.oid) || ' acl=' || coalesce(p.proacl::text, '') || ' comment=' || coalesce(obj_description(p.oid, 'pg_proc'), '') as definition
from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname = any (%(schemas)s) and p.prokind = 'f'
union all
select 'relation', c.oid::regclass::text,
  format('%%s acl=%%s comment=%%s view=%%s', c.relkind, c.relacl, obj_description(c.oid, 'pg_class'),
    case when c.relkind = 'v' then pg_get_viewdef(c.oid) end)
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = any (%(schemas)s) and c.relkind in ('r', 'v', 'S', 'c')
union all
select 'column', format('%%s.%%I', a.attrelid::regclass, a.attname),
  format('%%s notnull=%%s default=%%s comment=%%s', format_type(a.atttypid, a.atttypmod), a.attnotnull,
    (select pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d where d.adrelid = a.attrelid and d.adnum = a.attnum),
    col_description(a.attrelid, a.attnum))
from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
where n.nspname = any (%(schemas)s) and c.relkind in ('r', 'v', 'c') and a.attnum > 0 and not a.attisdropped
union all
select 'index', i.indexrelid::regclass::text, format('%%s valid=%%s ready=%%s', pg_get_indexdef(i.indexrelid), i.indisvalid, i.indisready)
from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
where n.nspname = any (%(schemas)s)
union all
select 'constraint', format('%%s.%%I', o.conrelid::regclass, o.conname), pg_get_constraintdef(o.oid)
from pg_constraint o join pg_namespace n on n.oid = o.connamespace
where n.nspname = any (%(schemas)s) and o.contype <> 'n'
union all
select 'trigger', format('%%s.%%I', t.tgrelid::regclass, t.tgname),
  pg_get_triggerdef(t.oid) || ' enabled=' || t.tgenabled::text || ' comment=' || coalesce(obj_description(t.oid, 'pg_trigger'), '')
from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
where n.nspname = any (%(schemas)s) and not t.tgisinternal
union all
select 'type', t.oid::regtype::text, coalesce(obj_description(t.oid, 'pg_type'), '') || ' acl=' || coalesce(t.typacl::text, '')
from pg_type t join pg_namespace n on n.oid = t.typnamespace
where n.nspname = any (%(schemas)s) and t.typtype = 'c'
union all
select 'schema', n.nspname, format('acl=%%s comment=%%s', n.nspacl, obj_description(n.oid, 'pg_namespace'))
from pg_namespace n
where n.nspname = any (%(schemas)s)
"""


def catalog_snapshot(conn: Connection[Any], *, host_schema: str = "public") -> dict[tuple[str, str], str]:
    """Every function, view, trigger, index, column, constraint, type, grant and comment of both schemas."""
    rows = conn.execute(CATALOG, {"schemas": [host_schema, "pgbackfill"]}).fetchall()
    return {(kind, name): definition for kind, name, definition in rows}


def row_counts(conn: Connection[Any], schemas: tuple[str, ...] = ("public", "pgbackfill")) -> dict[str, int]:
    """How many rows each table holds."""
    tables = conn.execute(
        "select format('%%I.%%I', schemaname, tablename) from pg_tables where schemaname = any (%s) order by 1",
        [list(schemas)],
    ).fetchall()
    counts = {}
    for (table,) in tables:
        row = conn.execute(f"select count(*) from {table}").fetchone()
        assert row is not None
        counts[table] = row[0]
    return counts
