"""Two runs of nearly the same snippet: what corresponds (`align`), what differs (`compare`), said in rows
(`differences`), and the changes that are worth such a run (`proposals`)."""
