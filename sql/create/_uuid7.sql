-- A version 7 UUID: ordered by time, so that rows written together lie together in the index, as Airflow's own do.
create or replace function pgbackfill._uuid7()
returns uuid
language sql
volatile
parallel safe
as $$
  -- A version 4 UUID with the milliseconds in its first 48 bits and its version raised from 4 to 7 (bits 52 and 53).
  select pg_catalog.encode(
    pg_catalog.set_bit(
      pg_catalog.set_bit(
        pg_catalog."overlay"(
          pg_catalog.uuid_send(pg_catalog.gen_random_uuid()),
          pg_catalog.substring(
            pg_catalog.int8send(pg_catalog.floor(pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) * 1000)::bigint), 3
          ),
          1, 6
        ),
        52, 1
      ),
      53, 1
    ),
    'hex'
  )::uuid;
$$;

comment on function pgbackfill._uuid7() is 'A new version 7 UUID (RFC 9562), on every supported PostgreSQL.';

revoke all on function pgbackfill._uuid7() from public;
