-- Whether a text is of a format; null where that depends on what is installed beside Airflow, or SQL does not know.
create or replace function pgbackfill._conforms_to_format(p_text text, p_format text)
returns boolean
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  return case p_format
    -- jsonschema checks these by itself.
    when 'date' then pgbackfill._is_iso_date(p_text)
    when 'email' then strpos(p_text, '@') > 0
    when 'idn-email' then strpos(p_text, '@') > 0
    when 'ipv4' then pgbackfill._is_ipv4(p_text)
    when 'ipv6' then pgbackfill._is_ipv6(p_text)
    when 'regex' then nullif(pgbackfill._portable_regex(p_text) is not null, false)
    when 'time' then case  -- strptime's %H:%M:%S, which takes the digits of all scripts
      when octet_length(p_text) = length(p_text)
        then p_text ~ '^(2[0-3]|[01]?[0-9]):[0-5]?[0-9]:[0-5]?[0-9]$'
    end
    when 'uuid' then pgbackfill._is_uuid(p_text)
    -- These only where another package is installed, so no text is certainly wrong.
    when 'date-time' then nullif(
      pgbackfill._is_iso_date(left(p_text, 10))
        and substr(p_text, 11) ~* '^T([01][0-9]|2[0-3])(:[0-5][0-9]){2}([.][0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$',
      false
    )
    when 'duration' then nullif(
      p_text ~ '^P([0-9]+W|(?=[0-9T])([0-9]+Y)?([0-9]+M)?([0-9]+D)?(T(?=[0-9])([0-9]+H)?([0-9]+M)?([0-9]+S)?)?)$',
      false
    )
    when 'hostname' then nullif(length(p_text) < 200 and p_text ~ '^[a-z0-9]{1,40}(-[a-z0-9]{1,20})?([.][a-z][a-z0-9]{0,60})+$', false)
    when 'idn-hostname' then nullif(length(p_text) < 200 and p_text ~ '^[a-z0-9]{1,60}([.][a-z0-9]{1,60})*$', false)
    when 'uri' then nullif(p_text ~ '^[a-z][a-z0-9]{1,20}://[a-z0-9._-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*/?$', false)
    when 'json-pointer' then nullif(p_text ~ '^(/[A-Za-z0-9_-]+)*$', false)
    else case
      when p_format not in ('color', 'iri', 'iri-reference', 'relative-json-pointer', 'uri-reference', 'uri-template') then true
    end
  end;
end
$$;

comment on function pgbackfill._conforms_to_format(text, text) is
  'What the FormatChecker of Airflow''s Python says, whichever of its optional packages are there. True for a format that it never knows. Null: undecided.';

revoke all on function pgbackfill._conforms_to_format(text, text) from public;
