"""Functions for registry records and changes."""

from __future__ import annotations

from .types import OfficialMeta, RecordChange, RegistryMeta, ServerChange, ServerEntry

__all__ = ["is_deleted", "official_meta", "registry_meta"]

_OFFICIAL = "io.modelcontextprotocol.registry/official"


def official_meta(entry: ServerEntry) -> OfficialMeta | None:
    """Return the metadata in the format of the official registry, such as the status."""
    meta = (entry.meta or {}).get(_OFFICIAL)
    return OfficialMeta.from_dict(meta) if isinstance(meta, dict) else None


def registry_meta(entry: ServerEntry) -> RegistryMeta | None:
    """Return the registry's metadata of a server, such as score, tools and flags.

    It is None for deleted servers.
    """
    for name, meta in (entry.meta or {}).items():
        if name != _OFFICIAL and name.endswith("/server") and isinstance(meta, dict):
            return RegistryMeta.from_dict(meta)
    return None


def is_deleted(change: ServerChange | RecordChange) -> bool:
    """Report whether a change is the removal of a server.

    It then has only ``id``, ``status`` and ``changed_at``.
    """
    return change.status == "deleted"
