-- What the value of a JSON Schema keyword must look like; null for a keyword that SQL does not know.
create or replace function pgbackfill._keyword_shape(p_keyword text)
returns text
language sql
immutable
as $$
  select case
    when p_keyword in ('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum') then 'number'
    when p_keyword = 'multipleOf' then 'positive number'
    when p_keyword in (
      'minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains', 'minProperties', 'maxProperties'
    ) then 'count'
    when p_keyword in ('type', 'pattern') then p_keyword
    when p_keyword = 'format' then 'string'
    when p_keyword = 'required' then 'names'
    when p_keyword = 'dependentRequired' then 'names by name'
    when p_keyword = 'const' then 'anything'
    when p_keyword = 'enum' then 'array'
    when p_keyword = 'uniqueItems' then 'boolean'
    when p_keyword in ('items', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else') then 'schema'
    when p_keyword in ('prefixItems', 'allOf', 'anyOf', 'oneOf') then 'schemas'
    when p_keyword in ('properties', 'dependentSchemas') then 'schemas by name'
    when p_keyword = 'patternProperties' then 'schemas by pattern'
    -- Annotations: they refuse no value. The second line is what Airflow's forms read.
    when p_keyword in ('default', 'examples', 'title', 'description', '$comment', 'deprecated', 'readOnly', 'writeOnly',
                       'description_md', 'section', 'values_display', 'custom_html_form', 'contentEncoding', 'contentMediaType')
      then case
        when p_keyword in ('title', 'description', '$comment', 'contentEncoding', 'contentMediaType') then 'string'
        when p_keyword in ('deprecated', 'readOnly', 'writeOnly') then 'boolean'
        when p_keyword = 'examples' then 'array'
        else 'anything'
      end
    when p_keyword = '$schema' then 'dialect'
  end;
$$;

comment on function pgbackfill._keyword_shape(text) is 'One word for what JSON Schema 2020-12 wants as the value of a keyword. Null: jsonschema may know the keyword, SQL does not.';

revoke all on function pgbackfill._keyword_shape(text) from public;
