-- What is wrong with a text by one keyword.
create or replace function pgbackfill._string_fault(p_value jsonb, p_keyword text, p_operand jsonb, p_path text)
returns text
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_text constant text := p_value #>> '{}';
  v_operand constant text := p_operand #>> '{}';
  v_conforms boolean;
  v_reason text;
begin
  if p_keyword = 'minLength' and length(v_text) < v_operand::numeric then
    v_reason := format('has fewer than %s characters', v_operand);
  elsif p_keyword = 'maxLength' and length(v_text) > v_operand::numeric then
    v_reason := format('has more than %s characters', v_operand);
  elsif p_keyword = 'pattern' and not pgbackfill._matches_pattern(v_text, v_operand, p_path) then
    v_reason := format('does not match the pattern %s', pgbackfill._shown(p_operand));
  elsif p_keyword = 'format' then
    v_conforms := pgbackfill._conforms_to_format(v_text, v_operand);
    if v_conforms is null then
      perform pgbackfill._cannot_check(p_path, format('%s may or may not be a %s to Airflow', pgbackfill._shown(p_value), pgbackfill._shown(p_operand)));
    elsif not v_conforms then
      v_reason := format('is no %s', pgbackfill._shown(p_operand));
    end if;
  end if;
  return case when v_reason is not null then format('%s: %s %s', p_path, pgbackfill._shown(p_value), v_reason) end;
end
$$;

comment on function pgbackfill._string_fault(jsonb, text, jsonb, text) is 'A fault by length (in code points), pattern or format, or null. PB014 for a text of a format that SQL cannot decide.';

revoke all on function pgbackfill._string_fault(jsonb, text, jsonb, text) from public;
