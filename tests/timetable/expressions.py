"""Random cron expressions of any syntax, some of them garbled."""

from __future__ import annotations

from random import Random

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
PRESETS = ["@hourly", "@daily", "@weekly", "@monthly", "@quarterly", "@yearly", "@midnight", "@annually"]


def draw_expression(random: Random) -> tuple[str, float]:
    """A cron expression, and about how many slots it makes a day."""
    kind = random.random()
    if kind < 0.03:
        return random.choice(PRESETS), 1

    minute, minutes = draw_field(random, 0, 59, star=0.15)
    hour, hours = draw_field(random, 0, 23, star=0.4)
    day, days = draw_day(random)
    month, months = draw_field(random, 1, 12, names=MONTHS, star=0.75)
    weekday, weekdays = draw_weekday(random)
    fields = [minute, hour, day, month, weekday]
    slots_a_day = minutes * hours * max(days / 31, weekdays / 7) * months / 12
    if kind > 0.95:
        second, seconds = draw_field(random, 0, 59, star=0.05)
        fields.append(second)
        slots_a_day *= seconds
    expression = " ".join(fields)
    if random.random() < 0.1:
        expression = expression.upper()
    if random.random() < 0.04:
        expression = garble(random, expression)
    return expression, max(slots_a_day, 0.03)


def garble(random: Random, expression: str) -> str:
    """The expression with one character too few, too many, or another."""
    at = random.randrange(len(expression))
    typed: str = random.choice(["", *"0123579*/-,#L?w "])
    return expression[:at] + typed + expression[at + random.randint(0, 1) :]


def draw_day(random: Random) -> tuple[str, float]:
    """A day-of-month field and about how many days of a month it allows."""
    kind = random.random()
    if kind < 0.5:
        return random.choice(["*", "*", "*", "?"]), 31
    if kind < 0.6:
        return random.choice(["L", "L,15", "29", "30", "31", "29,31", "28-L", "1-31", "1-30,L", "*,5", "31,L"]), 2
    if kind < 0.65:
        return f"{random.randint(1, 31)}W", 1
    return draw_field(random, 1, 31, star=0)


def draw_weekday(random: Random) -> tuple[str, float]:
    """A day-of-week field and about how many days of a week it allows."""
    kind = random.random()
    if kind < 0.55:
        return random.choice(["*", "*", "*", "?"]), 7
    if kind < 0.63:
        items = [
            f"{random.choice([*WEEKDAYS, *'01234567'])}#{random.randint(1, 5)}" for _ in range(random.randint(1, 2))
        ]
        return ",".join(items), 0.3
    if kind < 0.67:
        return f"L{random.randint(0, 7)}", 0.25
    if kind < 0.7:
        return f"{random.choice(WEEKDAYS)}-{random.choice(WEEKDAYS)}#{random.randint(1, 5)}", 1
    if kind < 0.72:
        return random.choice(["0-6", "1-7", "7", "0,7", "*,3", "sun-sun", "6-7", "5-1"]), 4
    return draw_field(random, 0, 7, names=WEEKDAYS, star=0)


def draw_field(random: Random, low: int, high: int, star: float, names: list[str] | None = None) -> tuple[str, float]:
    """A field of values from `low` to `high` and about how many of them it allows."""
    if random.random() < star:
        return "*", high - low + 1
    items = [draw_item(random, low, high, names) for _ in range(random.choice([1, 1, 1, 1, 2, 3]))]
    return ",".join(text for text, _ in items), sum(count for _, count in items)


def draw_item(random: Random, low: int, high: int, names: list[str] | None) -> tuple[str, float]:
    """A value, range or step."""

    def value() -> str:
        number = random.randint(low, high)
        if names and random.random() < 0.4:
            return names[(number - low) % len(names)]
        return f"{number:02}" if random.random() < 0.03 else str(number)

    step = random.choice([1, 2, 3, 5, 7, 10, 15, 20, 30, 40])
    count = max((high - low + 1) / step, 1)
    kind = random.random()
    if kind < 0.45:
        return value(), 1
    if kind < 0.65:
        return f"*/{step}", count
    if kind < 0.8:
        return f"{value()}-{value()}", (high - low + 1) / 2
    if kind < 0.92:
        return f"{value()}-{value()}/{step}", count
    return f"{value()}/{step}", count
