"""The meaning of a trace in words: the current step (`explain`, `contributions`), the formula of a gradient
(`formulas`), why a gradient is missing (`reasons`), why an error happened (`errors`), and all of it as JSON
(`jsonable`)."""
