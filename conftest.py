"""Lessons and exercise sheets are tests: see tests/lesson_collector.py."""

pytest_plugins = ["lesson_collector"]
