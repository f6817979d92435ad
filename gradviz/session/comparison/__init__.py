"""Two runs of nearly the same snippet: what corresponds and what differs (`compare`), the differences as rows of text
(`differences`), and changes worth such a run (`proposals`)."""
