"""Tests of the layout."""
