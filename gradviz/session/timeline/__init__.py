"""What the timeline draws, as numbers: made once for a trace (`outline`), reduced to the span that is shown
(`zoom`)."""
