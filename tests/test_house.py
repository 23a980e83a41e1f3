"""The rules of the house, where a tool can see them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pglast
import pytest
from pgbackfill.errors import BY_SQLSTATE
from pglast import ast
from pglast.enums import ObjectType

ROOT = Path(__file__).resolve().parent.parent
SQL = ROOT / "sql"
FILES = sorted(SQL.rglob("*.sql"))
OURS = {"sql", "migrations", "pylib", "tests", "bench", "docs", ".ci"}
NOT_OURS = {"__pycache__", ".git", ".venv", ".airflow", ".postgresql", "build", "dist"}

every_file = pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(SQL)))


def statements(file: Path) -> list[Any]:
    return [raw.stmt for raw in pglast.parse_sql(file.read_text(encoding="utf-8"))]


def created(file: Path) -> Any:
    """The one object that the file creates; None for a step of a migration or a repair that creates none."""
    first = statements(file)[0]
    return None if isinstance(first, (ast.DoStmt, ast.SelectStmt)) else first


def name_of(node: Any) -> str:
    match node:
        case ast.CreateFunctionStmt():
            schema, name = (part.sval for part in node.funcname)
        case ast.ViewStmt():
            schema, name = node.view.schemaname, node.view.relname
        case ast.CompositeTypeStmt():
            schema, name = node.typevar.schemaname, node.typevar.relname
        case ast.CreateTrigStmt():
            return str(node.trigname)
        case _:
            raise AssertionError(f"a file of sql/ creates no {type(node).__name__}")
    assert schema == "pgbackfill"
    return str(name)


def options_of(function: Any) -> dict[str, Any]:
    return {option.defname: option.arg for option in function.options}


def is_public(node: Any) -> bool:
    return not name_of(node).startswith("_")


FUNCTIONS = [f for f in FILES if isinstance(created(f), ast.CreateFunctionStmt)]


@every_file
def test_it_starts_with_a_sentence(file: Path) -> None:
    first = file.read_text(encoding="utf-8").splitlines()[0]
    assert re.fullmatch(r"-- \S.*[.]", first), first


@every_file
def test_it_holds_one_object_then_its_comment_then_its_revoke(file: Path) -> None:
    node, *rest = statements(file)
    kinds = [type(statement) for statement in rest]
    match node:
        case _ if created(file) is None:
            assert kinds == []
        case ast.CreateFunctionStmt() | ast.ViewStmt():
            assert kinds == [ast.CommentStmt, ast.GrantStmt]
        case _:
            assert kinds == [ast.CommentStmt]


@every_file
def test_it_is_named_after_its_object(file: Path) -> None:
    node = created(file)
    assert node is None or name_of(node) == file.stem.partition(".")[0]


@every_file
def test_every_grant_is_a_revoke_from_public(file: Path) -> None:
    for statement in statements(file):
        if isinstance(statement, ast.GrantStmt):
            assert not statement.is_grant
            assert [role.rolename for role in statement.grantees] == [None]
            assert statement.privileges is None  # all of them
            assert statement.objtype in (ObjectType.OBJECT_FUNCTION, ObjectType.OBJECT_TABLE)


@every_file
def test_its_body_is_right(file: Path) -> None:
    node = statements(file)[0]
    language = options_of(node)["language"].sval if isinstance(node, ast.CreateFunctionStmt) else None
    if language == "sql":
        (body,) = options_of(node)["as"]
        assert pglast.parse_sql(body.sval)
    elif language == "plpgsql" or isinstance(node, ast.DoStmt):
        # The parser has no catalog: it takes any type of `public` for a composite one, and knows no array of those.
        text = re.sub(r"\bpgbackfill\.(\w+)(\[\])?", r"public.\1", file.read_text(encoding="utf-8"))
        assert pglast.parse_plpgsql(text)


@every_file
def test_it_is_lower_case_and_ends_its_lines(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert not re.search(r"[ \t]+$", text, re.MULTILINE)
    assert "\t" not in text
    code = re.sub(r"--.*|'(?:[^']|'')*'", "", text)
    assert re.findall(r"\b(?:SELECT|FROM|WHERE|CREATE|BEGIN|END|INSERT|UPDATE|DELETE|RETURN)\b", code) == []


@pytest.mark.parametrize("file", FUNCTIONS, ids=lambda f: f.stem)
def test_a_public_function_runs_as_its_owner_and_all_names_are_pinned(file: Path) -> None:
    function = created(file)
    if not is_public(function):
        return
    assert options_of(function)["security"].boolval
    # From PostgreSQL 18 on, a session's time zone can give the name UTC another meaning.
    assert "set search_path = pg_catalog, pg_temp\nset timezone = 'UTC'\n" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("file", FUNCTIONS, ids=lambda f: f.stem)
def test_a_helpers_parameters_cannot_be_mistaken_for_columns(file: Path) -> None:
    function = created(file)
    names = [p.name for p in function.parameters or () if p.mode.name in ("FUNC_PARAM_IN", "FUNC_PARAM_DEFAULT")]
    assert is_public(function) or all(name.startswith("p_") for name in names)


def test_no_function_has_two_signatures_but_register_dag_one_for_each_type_of_schedule() -> None:
    names = [name_of(node) for node in map(created, FILES) if node is not None]
    assert {name for name in names if names.count(name) > 1} == {"register_dag"}


def test_every_file_is_installed_by_a_revision_or_run_by_a_repair() -> None:
    revisions = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "migrations" / "versions").glob("*.py"))
    other = "".join((ROOT / "pylib/pgbackfill" / p).read_text("utf-8") for p in ("objects.py", "cli/repair.py"))
    installed = re.findall(r'"([a-z]+/[\w.]+)"', revisions + other)
    assert set(installed) == {str(f.relative_to(SQL).with_suffix("")) for f in FILES}


def test_the_sqlstates_are_the_same_everywhere() -> None:
    raised = {code for f in FILES for code in re.findall(r"errcode = '(PB\d{3})'", f.read_text(encoding="utf-8"))}
    mapped = set(BY_SQLSTATE)
    documented = set(re.findall(r"\b(PB\d{3}|55P03)\b", (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")))
    assert raised | {"55P03"} == mapped == documented


def test_the_sqlstates_that_a_comment_names_exist() -> None:
    for file in FILES:
        for code in re.findall(r"\bPB\w*\d\w*", file.read_text(encoding="utf-8")):
            assert code in BY_SQLSTATE, f"{file.relative_to(SQL)}: {code}"


def text_files() -> Iterator[Path]:
    for path in ROOT.iterdir():
        if path.is_file():
            yield path
        elif path.name in OURS:
            yield from (p for p in path.rglob("*") if p.is_file() and not NOT_OURS & set(p.parts))


def test_no_file_names_a_package_index() -> None:
    index = re.compile(rb"p[y]pi\.(org|python)|python[h]osted|(extra|default)-[i]ndex|index-[u]rl\s*=")
    assert [p for p in text_files() if index.search(p.read_bytes())] == []


@pytest.mark.parametrize("file", ["requirements.lock", "tests/support/postgresql.lock"])
def test_a_lock_file_pins_every_package_by_hash(file: str) -> None:
    lock = (ROOT / file).read_text(encoding="utf-8")
    assert "://" not in lock
    requirements = [r for r in re.sub(r" *#.*", "", lock).replace("\\\n", " ").splitlines() if r.strip()]
    assert requirements
    for requirement in requirements:
        assert re.match(r"[a-z0-9.-]+==[^ ]+ .*--hash=sha256:[0-9a-f]{64}", requirement), requirement
