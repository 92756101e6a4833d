-- Events of saved searches (view.changed) are gone. Endpoints with other types keep those. One
-- that had chosen nothing else is disabled: no list of types means all types.
DROP TABLE webhook_members;
DROP TABLE webhook_views;
UPDATE webhook_endpoints SET events = NULL,
    disabled_why = CASE WHEN disabled_at IS NULL THEN 'events' ELSE disabled_why END,
    disabled_at = coalesce(disabled_at, now())
WHERE events = '{view.changed}';
UPDATE webhook_endpoints SET events = array_remove(events, 'view.changed')
WHERE 'view.changed' = ANY (events);
DELETE FROM server_events WHERE type = 'view.changed';
