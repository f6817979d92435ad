"""The numbers behind the timeline: computed once per trace (`outline`), and reduced to the visible span (`zoom`)."""
