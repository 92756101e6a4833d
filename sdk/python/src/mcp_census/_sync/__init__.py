"""The client for threads; scripts/unasync.py generates it from _async."""
