-- As 0083 and 0086, for what these left: what hosts say about repositories, facts of packages, results of inspections, files
-- named like README.zh-CN.md, and marked secrets in other files. New data has none.
CREATE FUNCTION marked_out(t text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
SELECT regexp_replace(t,
    '(\\[nrt]|\m)(?:sk-|[spr]k_|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|xapp-|AKIA|ASIA|AIza|npm_|pypi-|hf_|ntn_)' ||
    '(?=[A-Za-z_.-]*[0-9][A-Za-z_.-]*[0-9])[A-Za-z0-9_.-]{11,}', '\1YOUR_TOKEN', 'g')
$$;
CREATE FUNCTION public_text(t text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
SELECT regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(marked_out(t),
    '(\\[nrt]|[^A-Za-z0-9_.:/~}\\-]|^)(/home/|/Users/|[A-Za-z]:\\+Users\\+)' ||
    '(?!(?:app|node|nonroot|public|runner|shared|ubuntu|user|username|vscode|YOUR_NAME)\M)' ||
    '[^][/\\[:space:]"''`<>:,;()$%{}]+', '\1\2YOUR_NAME', 'g'),
    '(://[^/@[:space:]:"''<>]*):[^/@[:space:]"''{}$<>]+@', '\1:YOUR_PASSWORD@', 'g'),
    '((?:<|\\u003c)[A-Za-z0-9_.-]*(?:password|passwd|token|secret|api[_.-]?key)(?:>|\\u003e))' ||
    '(?!YOUR_)[^][<>\\[:space:]$%{}]{6,}(?=(?:<|\\u003c)/)', '\1YOUR_TOKEN', 'gi'),
    '(\mpass(?:word|phrase|wd)\\?["''`*]*[[:space:]]{0,3}(?:is\M|[:=])\*{0,2}[[:space:]]{0,3}\\?["''`])' ||
    '(?!-|YOUR_|(?:string|boolean|number|integer|required|optional)\M)' ||
    '[^][[:space:]"''`*|<>,;(){}\\$%]{5,40}(?=\\?["''`])', '\1YOUR_TOKEN', 'gi'),
    '(\\[nrt]|[^A-Za-z0-9_.+/:\\-]|^)(?!git@)[A-Za-z0-9_.+-]+@' ||
    '(?!(?:[a-z0-9-]+\.)*(?:example|company|domain)\.)(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,24}\M',
    '\1YOUR_EMAIL', 'g')
$$;
UPDATE repositories SET repo = public_text(repo::text)::json WHERE public_text(repo::text) <> repo::text;
UPDATE repositories SET snapshot =
    jsonb_set(snapshot::jsonb, '{repo}', public_text((snapshot->'repo')::text)::jsonb)::json
WHERE public_text((snapshot->'repo')::text) <> (snapshot->'repo')::text;
UPDATE packages SET facts = public_text(facts::text)::json WHERE public_text(facts::text) <> facts::text;
UPDATE inspections SET result = public_text(result::text)::jsonb
WHERE public_text(result::text) <> result::text;
UPDATE repository_texts SET text = public_text(text)
WHERE path ~* '(^|/)readme[^/]*$' AND public_text(text) <> text;
UPDATE repository_texts SET text = marked_out(text) WHERE marked_out(text) <> text;
DROP FUNCTION public_text, marked_out;
