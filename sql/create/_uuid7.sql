-- A version 7 UUID: ordered by time, so that rows written together lie together in the index, as Airflow's own do.
create or replace function pgbackfill._uuid7()
returns uuid
language sql
volatile
parallel restricted
as $$
  -- 48 bits of milliseconds, the version, 12 bits; then the variant and 62 bits. They are not secrets, only unlike others: those of
  -- two sessions with one setseed(), too, by the process id.
  select pg_catalog.encode(
    pg_catalog.int8send(
      pg_catalog.floor(pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) * 1000)::bigint * 65536
      + 28672
      + pg_catalog.floor(pg_catalog.random() * 4096)::bigint
    )
    || pg_catalog.int8send(
      -9223372036854775808 | ((pg_catalog.random() * 4611686018427387904)::bigint # pg_catalog.pg_backend_pid())
    ),
    'hex'
  )::uuid;
$$;

comment on function pgbackfill._uuid7() is 'A new version 7 UUID (RFC 9562), on every supported PostgreSQL.';

revoke all on function pgbackfill._uuid7() from public;
