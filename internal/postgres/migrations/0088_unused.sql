-- The counts that were written into partitions of events are summed by day, as all others.
INSERT INTO event_days AS d (server_id, date, view, api_hit, impression, health_check,
    install_click, badge_view)
SELECT server_id, date, sum(count) FILTER (WHERE event = 'view'),
    sum(count) FILTER (WHERE event = 'api_hit'), sum(count) FILTER (WHERE event = 'impression'),
    sum(count) FILTER (WHERE event = 'health_check'),
    sum(count) FILTER (WHERE event = 'install_click'),
    sum(count) FILTER (WHERE event = 'badge_view')
FROM events e WHERE EXISTS (SELECT 1 FROM servers s WHERE s.id = e.server_id)
GROUP BY server_id, date
ON CONFLICT (server_id, date) DO UPDATE SET
    view = nullif(coalesce(d.view, 0) + coalesce(excluded.view, 0), 0),
    api_hit = nullif(coalesce(d.api_hit, 0) + coalesce(excluded.api_hit, 0), 0),
    impression = nullif(coalesce(d.impression, 0) + coalesce(excluded.impression, 0), 0),
    health_check = nullif(coalesce(d.health_check, 0) + coalesce(excluded.health_check, 0), 0),
    install_click = nullif(coalesce(d.install_click, 0) + coalesce(excluded.install_click, 0), 0),
    badge_view = nullif(coalesce(d.badge_view, 0) + coalesce(excluded.badge_view, 0), 0);
DROP TABLE events;

-- Secrets of webhook endpoints are derived, also those of generation 0.
ALTER TABLE webhook_endpoints DROP COLUMN secret, DROP COLUMN old_secret;
