"""The client for asyncio and trio. scripts/unasync.py generates _sync from it."""
