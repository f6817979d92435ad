import datetime
from datetime import datetime as dt, timedelta

d = datetime.date(2024, 2, 28) + timedelta(days=2)
print(
    d,
    d.strftime("%d %b %Y"),
    d.isoformat(),
    d.weekday(),
    d.year,
    dt(2024, 1, 1, 12, 30).isoformat(),
    dt.strptime("2024-05-06", "%Y-%m-%d").day,
)
print(
    timedelta(hours=1, minutes=30),
    timedelta(seconds=90).total_seconds(),
    dt(2024, 1, 2) - dt(2024, 1, 1),
    dt(2024, 1, 1) < dt(2024, 1, 2),
)
print(
    f"{dt(2024, 3, 4, 5, 6, 7):%Y%m%d-%H%M%S}",
    dt.now().year >= 2024,
    datetime.datetime.now(datetime.timezone.utc).tzname(),
)
