-- Secrets, addresses of mail and the names of users in folders leave what is stored, in the forms
-- that are certain. Repositories are read again, for the others. Digests stay those of before, so
-- that the reading is a change for those who follow changes.
CREATE FUNCTION public_text(t text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
SELECT regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(t,
    '("isSecret":true(?:,"format":"[^"]*")?),"placeholder":"(?:[^"\\]|\\.)*"', '\1', 'g'),
    '(\\[nrt]|\m)(?:sk-|[spr]k_|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|xapp-|AKIA|ASIA|AIza|npm_|pypi-|hf_|ntn_)' ||
    '(?=[A-Za-z_.-]*[0-9][A-Za-z_.-]*[0-9])[A-Za-z0-9_.-]{11,}', '\1YOUR_TOKEN', 'g'),
    '(\\[nrt]|[^A-Za-z0-9_.:/~}\\-]|^)(/home/|/Users/|[A-Za-z]:\\+Users\\+)' ||
    '(?!(?:app|node|nonroot|public|runner|shared|ubuntu|user|username|vscode|YOUR_NAME)\M)' ||
    '[^][/\\[:space:]"''`<>:,;()$%{}]+', '\1\2YOUR_NAME', 'g'),
    '(://[^/@[:space:]:"''<>]*):[^/@[:space:]"''{}$<>]+@', '\1:YOUR_PASSWORD@', 'g'),
    '(\\[nrt]|[^A-Za-z0-9_.+/:\\-]|^)(?!git@)[A-Za-z0-9_.+-]+@' ||
    '(?!(?:[a-z0-9-]+\.)*(?:example|company|domain)\.)(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,24}\M',
    '\1YOUR_EMAIL', 'g')
$$;
UPDATE servers SET record = public_text(record::text)::json, facts = public_text(facts::text)::json,
    readme = public_text(readme)
WHERE public_text(record::text) <> record::text OR public_text(facts::text) <> facts::text
    OR public_text(readme) <> readme;
UPDATE repository_texts SET text = public_text(text)
WHERE path ~* '(^|/)readme(\.[a-z]+)?$' AND public_text(text) <> text;
UPDATE listings SET listing = public_text(listing::text)::json
WHERE public_text(listing::text) <> listing::text;
UPDATE listing_versions SET listing = public_text(listing::text)::json
WHERE public_text(listing::text) <> listing::text;
UPDATE tool_lists SET tools = public_text(tools::text)::jsonb
WHERE public_text(tools::text) <> tools::text;
UPDATE server_events SET data = public_text(data::text)::json
WHERE public_text(data::text) <> data::text;
UPDATE checks SET result = convert_to(public_text(convert_from(result, 'UTF8')), 'UTF8')
WHERE result IS NOT NULL;
DROP FUNCTION public_text;
