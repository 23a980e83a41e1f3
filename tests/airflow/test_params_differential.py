"""A conf is refused in SQL exactly where Airflow 3.3.2 itself refuses it, for random params and confs."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from random import Random, SystemRandom
from typing import Any

import psycopg
import pytest
from params.cases import UNKNOWN_KEYWORDS, draw_case
from params.rules import RULES
from psycopg import Connection
from support.airflow import RELEASES, SCRIPTS, Airflow

CASES = 750  # of four confs each

# Why SQL may leave a param to Airflow; anything else that it does not decide is a failure.
LEFT_TO_AIRFLOW = {
    "a keyword": f'its schema has the keyword "({"|".join(map(re.escape, UNKNOWN_KEYWORDS))})"',
    "a pattern": "its schema has the pattern ",
    "a format": ' may or may not be a "(time|uuid|regex|date-time|duration|hostname|idn-hostname|uri)" to Airflow',
    "letters of other scripts": r"its pattern has \\d, \\w or \\s and the text is not all ASCII",
    "arrays with booleans": "it has arrays with booleans where elements must be unique",
}


@dataclass(frozen=True)
class Verdict:
    """What SQL says: a conf passes, or an SQLSTATE and a message refuse it."""

    sqlstate: str | None = None
    message: str = ""


def airflow_answers(airflow: Airflow, cases: list[str]) -> list[dict[str, Any]]:
    printed = subprocess.run(
        [airflow.python, str(SCRIPTS / "validate_conf.py")],
        input="".join(f"{case}\n" for case in cases),
        env=airflow.env,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    answers = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    assert len(answers) == len(cases)
    return answers


def our_verdict(conn: Connection[Any], params: Any, conf: str) -> Verdict:
    try:
        conn.execute(
            "select pgbackfill._check_conf(jsonb_populate_record(null::pgbackfill.serialized_dag, %s), %s)",
            [json.dumps({"dag_id": "case", "dag": {"params": params}}), conf],
        )
    except psycopg.Error as error:
        return Verdict(error.sqlstate, error.diag.message_primary or "")
    return Verdict()


def confs_of(conn: Connection[Any], case: str) -> list[str]:
    """Each conf of a case as its own JSON text, which still has the digits that the case has."""
    rows = conn.execute("select e::text from jsonb_array_elements(%s::jsonb -> 'confs') e", [case]).fetchall()
    return [conf for (conf,) in rows]


def left_to_airflow(verdict: Verdict) -> str | None:
    """The kind of what SQL cannot decide."""
    kinds = [kind for kind, reason in LEFT_TO_AIRFLOW.items() if re.search(reason, verdict.message)]
    return kinds[0] if verdict.sqlstate == "PB014" and kinds else None


def outcome(conn: Connection[Any], answer: dict[str, Any], conf: str, error: str | None) -> str | None:
    """In a word, how both decide a conf, or null where they differ."""
    ours = our_verdict(conn, answer["params"], conf)
    if ours.sqlstate == "PB014":
        kind = left_to_airflow(ours)
        return kind and f"left to Airflow: {kind}"
    if ours.sqlstate is None and error is not None and not answer["schedulable"]:
        # No DAG with a schedule has such defaults; of those that SQL cannot check it takes them to be right.
        given = our_verdict(conn, answer["params"], json.dumps({**answer["defaults"], **json.loads(conf)}))
        return "a default that no DAG with a schedule has" if left_to_airflow(given) else None
    if ours.sqlstate not in (None, "PB009") or (ours.sqlstate is None) != (error is None):
        return None
    return "refused" if error else "accepted"


def test_random_params_and_confs(conn: Connection[Any], airflow_332: Airflow) -> None:
    seed = int(os.environ.get("PGBACKFILL_TEST_SEED") or SystemRandom().randrange(2**32))
    print(f"PGBACKFILL_TEST_SEED={seed}")
    random = Random(seed)
    # As text of jsonb, which is what Airflow reads from the database.
    drawn = [draw_case(random).as_json(random) for _ in range(CASES)]
    cases = [str(row[0]) for text in drawn for row in conn.execute("select %s::jsonb::text", [text])]

    outcomes: Counter[str] = Counter()
    different = []
    for case, answer in zip(cases, airflow_answers(airflow_332, cases), strict=True):
        for conf, error in zip(confs_of(conn, case), answer["errors"], strict=True):
            word = outcome(conn, answer, conf, error)
            outcomes[word or "different"] += 1
            if word is None:
                ours = our_verdict(conn, answer["params"], conf)
                different.append(f"{json.loads(case)['params']}\n  conf   {conf}\n  ours   {ours}\n  theirs {error}")

    print("\n".join(f"{count:6} {word}" for word, count in outcomes.most_common()))
    assert not different, f"{len(different)} differ (seed {seed}):\n" + "\n".join(different[:10])
    assert outcomes["accepted"] > 0.15 * outcomes.total()
    assert sum(count for word, count in outcomes.items() if word.startswith("left")) < 0.15 * outcomes.total()


@pytest.mark.parametrize("airflow", RELEASES, indirect=True)
def test_the_fixed_table_is_airflows(airflow: Airflow) -> None:
    """Of every release: those before 3.2 refuse the same when they write the first run."""
    for rule, answer in zip(RULES, airflow_answers(airflow, [rule.as_json() for rule in RULES]), strict=True):
        for value, error in zip([*rule.good, *rule.bad], answer["errors"], strict=True):
            assert (error is None) == (value in rule.good), f"{rule.schema} {value}: {error}"
