-- A piece of a strftime format: what to_char can render at once, or one directive that needs more.
create type pgbackfill.strftime_piece as (
  template text,
  directive text,
  width integer,
  padding text,
  letter_case text
);

comment on type pgbackfill.strftime_piece is
  'template: for to_char. directive: null, or the letter of strftime. width and padding: to which width the value is filled, and with what. letter_case: ^ or #.';
