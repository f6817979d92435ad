"""The tests, one folder per package of gradviz, plus architecture (the rules) and stories (what a user does)."""
