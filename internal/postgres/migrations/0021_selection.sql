-- Source code is read of more files than before. Repositories with servers are due
-- within seven days, those with the most stars first; what lies nearer stays.
WITH ranked AS (
    SELECT id, now() + interval '7 days' * (row_number() OVER (ORDER BY wanted DESC, id))
        / (count(*) OVER ()) AS due
    FROM repositories WHERE state = 'server' AND fetched_at IS NOT NULL
)
UPDATE repositories AS r SET due_at = ranked.due,
    turn_at = ranked.due - make_interval(secs => 7200 * log(2, 1 + greatest(r.wanted, 0)::bigint)::float8)
FROM ranked WHERE r.id = ranked.id AND r.due_at > ranked.due;
