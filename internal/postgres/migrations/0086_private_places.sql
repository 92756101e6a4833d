-- As 0083: passwords in XML and in quotes, the names of users after "~", and hosts of shares leave
-- what is stored. n is how many characters stand for a backslash: 2 in JSON.
CREATE FUNCTION public_text(t text, n integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
SELECT regexp_replace(regexp_replace(regexp_replace(regexp_replace(t,
    '((?:<|\\u003c)[A-Za-z0-9_.-]*(?:password|passwd|token|secret|api[_.-]?key)(?:>|\\u003e))' ||
    '(?!YOUR_)[^][<>\\[:space:]$%{}]{6,}(?=(?:<|\\u003c)/)', '\1YOUR_TOKEN', 'gi'),
    '(\mpass(?:word|phrase|wd)\\?["''`*]*[[:space:]]{0,3}(?:is\M|[:=])\*{0,2}[[:space:]]{0,3}\\?["''`])' ||
    '(?!-|YOUR_|(?:string|boolean|number|integer|required|optional)\M)' ||
    '[^][[:space:]"''`*|<>,;(){}\\$%]{5,40}(?=\\?["''`])', '\1YOUR_TOKEN', 'gi'),
    '(\\[nrt]|[[:space:]"''`=(:]|^)~(?!(?:app|node|nonroot|public|runner|shared|ubuntu|user|username|vscode)/)' ||
    '[a-z_][a-z0-9_.-]*/', '\1~YOUR_NAME/', 'g'),
    '(\\[nrt]|[[:space:]"''`=(]|^)(\\{' || 2 * n || '})[A-Za-z0-9][A-Za-z0-9_-]+(\\{' || n || '}[A-Za-z0-9_$])',
    '\1\2YOUR_HOST\3', 'g')
$$;
UPDATE servers SET record = public_text(record::text, 2)::json, facts = public_text(facts::text, 2)::json,
    readme = public_text(readme, 1)
WHERE public_text(record::text, 2) <> record::text OR public_text(facts::text, 2) <> facts::text
    OR public_text(readme, 1) <> readme;
UPDATE repository_texts SET text = public_text(text, 1)
WHERE path ~* '(^|/)readme(\.[a-z]+)?$' AND public_text(text, 1) <> text;
UPDATE listings SET listing = public_text(listing::text, 2)::json
WHERE public_text(listing::text, 2) <> listing::text;
UPDATE listing_versions SET listing = public_text(listing::text, 2)::json
WHERE public_text(listing::text, 2) <> listing::text;
UPDATE tool_lists SET tools = public_text(tools::text, 2)::jsonb
WHERE public_text(tools::text, 2) <> tools::text;
UPDATE server_events SET data = public_text(data::text, 2)::json
WHERE public_text(data::text, 2) <> data::text;
UPDATE checks SET result = convert_to(public_text(convert_from(result, 'UTF8'), 2), 'UTF8')
WHERE result IS NOT NULL;
DROP FUNCTION public_text;
