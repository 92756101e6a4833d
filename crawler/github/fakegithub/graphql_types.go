package fakegithub

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

func (x *execution) root() object {
	w := x.w
	return object{"Query", func(field string, args map[string]any) (any, error) {
		switch field {
		case "rateLimit":
			return x.rateLimit(), nil
		case "repository":
			return x.repository(text(args["owner"])+"/"+text(args["name"]), args["followRenames"] != false)
		case "node":
			return x.node(text(args["id"]))
		case "nodes":
			ids := list(args["ids"])
			if len(ids) > maxRecords {
				return nil, fieldError{"ARGUMENT_LIMIT", fmt.Sprintf("You may not provide more than 100 node ids; you provided %d.", len(ids))}
			}
			results := make([]result, len(ids))
			for i, id := range ids {
				o, err := x.node(text(id))
				results[i] = result{o, err}
			}
			return results, nil
		case "user", "organization", "repositoryOwner":
			a := w.owners[strings.ToLower(text(args["login"]))]
			if a == nil || field == "user" && a.kind != "User" || field == "organization" && a.kind != "Organization" {
				return nil, fieldError{"NOT_FOUND", fmt.Sprintf("Could not resolve to a %s with the login of '%s'.", title(field), text(args["login"]))}
			}
			return x.account(a), nil
		case "viewer":
			return x.person(x.call.user), nil
		case "search":
			if args["type"] != "REPOSITORY" {
				return nil, unmodelled("search", text(args["type"]))
			}
			found, err := w.search(text(args["query"]), "", "")
			if err != nil {
				return nil, err
			}
			total := len(found)
			found = found[:min(total, searchReach)]
			items := make([]object, len(found))
			for i, r := range found {
				items[i] = x.repo(r)
			}
			return connection("SearchResultItemConnection", items, args, map[string]any{"repositoryCount": total, "issueCount": 0, "userCount": 0})
		}
		return nil, unmodelled("Query", field)
	}}
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (x *execution) rateLimit() object {
	b := x.w.limits.budget(x.call.user, "graphql", x.w.clock())
	return object{"RateLimit", func(field string, _ map[string]any) (any, error) {
		switch field {
		case "cost":
			return x.cost, nil
		case "limit":
			return b.Limit, nil
		case "remaining":
			return b.Remaining, nil
		case "used":
			return b.Limit - b.Remaining, nil
		case "nodeCount":
			return int(x.nodes), nil
		case "resetAt":
			return time.Unix(b.Reset, 0), nil
		}
		return nil, unmodelled("RateLimit", field)
	}}
}

func (x *execution) repository(name string, followRenames bool) (any, error) {
	r := x.w.find(name)
	missing := fieldError{"NOT_FOUND", fmt.Sprintf("Could not resolve to a Repository with the name '%s'.", name)}
	if r == nil || !r.visible() || !followRenames && !strings.EqualFold(r.fullName(), name) {
		return nil, missing
	}
	if r.blocked != "" {
		return nil, fieldError{"FORBIDDEN", "Repository access blocked"}
	}
	return x.repo(r), nil
}

func (x *execution) node(id string) (object, error) {
	r := x.w.repos[x.w.nodes[id]]
	if r == nil || !r.visible() {
		for _, a := range x.w.owners {
			if a.node() == id {
				return x.account(a), nil
			}
		}
		return object{}, fieldError{"NOT_FOUND", fmt.Sprintf("Could not resolve to a node with the global id of '%s'.", id)}
	}
	if r.blocked != "" {
		return object{}, fieldError{"FORBIDDEN", "Repository access blocked"}
	}
	return x.repo(r), nil
}

func (x *execution) account(a *account) object {
	return object{a.kind, func(field string, _ map[string]any) (any, error) {
		switch field {
		case "id":
			return a.node(), nil
		case "databaseId":
			return a.id, nil
		case "login", "name":
			return a.login, nil
		case "avatarUrl":
			return a.avatar(), nil
		case "url":
			return "https://github.com/" + a.login, nil
		case "resourcePath":
			return "/" + a.login, nil
		case "createdAt":
			return a.createdAt, nil
		case "isVerified":
			return false, nil
		case "websiteUrl":
			return nil, nil
		}
		return nil, unmodelled(a.kind, field)
	}}
}

// person is the account behind a commit, an issue or a comment.
func (x *execution) person(login string) object {
	if strings.HasSuffix(login, "[bot]") {
		o := x.account(&account{id: int64(number("account", login) % 90_000_000), login: strings.TrimSuffix(login, "[bot]"), kind: "Bot"})
		return o
	}
	if a := x.w.owners[strings.ToLower(login)]; a != nil && a.kind == "User" {
		return x.account(a)
	}
	return x.account(&account{id: int64(number("account", strings.ToLower(login)) % 90_000_000), login: login, kind: "User", createdAt: x.w.now.AddDate(-2, 0, 0)})
}

func (x *execution) repo(r *repo) object {
	return object{"Repository", func(field string, args map[string]any) (any, error) { return x.repoField(r, field, args) }}
}

func (x *execution) repoField(r *repo, field string, args map[string]any) (any, error) {
	switch field {
	case "id":
		return r.node, nil
	case "databaseId":
		return r.id, nil
	case "name":
		return r.name, nil
	case "nameWithOwner":
		return r.fullName(), nil
	case "url":
		return r.url(), nil
	case "resourcePath":
		return "/" + r.fullName(), nil
	case "sshUrl":
		return "git@github.com:" + r.fullName() + ".git", nil
	case "description", "shortDescriptionHTML":
		return orNil(r.description), nil
	case "homepageUrl":
		return orNil(r.homepage), nil
	case "owner":
		return x.account(x.w.account(r.owner, r.ownerType)), nil
	case "visibility":
		return "PUBLIC", nil
	case "isFork":
		return r.parent != "", nil
	case "parent":
		if p := x.w.find(r.parent); p != nil && p.visible() {
			return x.repo(p), nil
		}
		return nil, nil
	case "isTemplate":
		return r.isTemplate, nil
	case "isEmpty":
		return r.empty(), nil
	case "isArchived":
		return !r.archivedAt.IsZero(), nil
	case "archivedAt":
		return r.archivedAt, nil
	case "isPrivate", "isMirror", "isLocked", "isDisabled":
		return false, nil
	case "mirrorUrl", "lockReason", "templateRepository":
		return nil, nil
	case "isInOrganization":
		return r.ownerType == "Organization", nil
	case "isSecurityPolicyEnabled":
		return r.has("SECURITY.md") != "", nil
	case "securityPolicyUrl":
		if r.has("SECURITY.md") != "" {
			return r.url() + "/security/policy", nil
		}
		return nil, nil
	case "isBlankIssuesEnabled", "hasIssuesEnabled", "hasWikiEnabled":
		return true, nil
	case "hasDiscussionsEnabled":
		return false, nil
	case "createdAt":
		return r.createdAt, nil
	case "updatedAt":
		return r.updatedAt, nil
	case "pushedAt":
		return r.pushedAt, nil
	case "diskUsage":
		return r.kilobytes(), nil
	case "stargazerCount":
		return r.stars, nil
	case "forkCount":
		return r.forks, nil
	case "stargazers":
		return count("UserConnection", r.stars), nil
	case "watchers":
		return count("UserConnection", r.watchers), nil
	case "mentionableUsers", "assignableUsers":
		return count("UserConnection", len(r.contributors())), nil
	case "discussions":
		return count("DiscussionConnection", 0), nil
	case "vulnerabilityAlerts":
		return nil, fieldError{"FORBIDDEN", "Resource not accessible by personal access token"}
	case "issues", "pullRequests":
		return x.issues(r, field == "pullRequests", args)
	case "licenseInfo":
		if r.license == "" || r.empty() {
			return nil, nil
		}
		return license(r.license), nil
	case "primaryLanguage":
		if len(r.languages) == 0 {
			return nil, nil
		}
		return languageObject(r.languages[0]), nil
	case "languages":
		var items []object
		total := 0
		for _, l := range r.languages {
			items = append(items, languageObject(l))
			total += l.size
		}
		return connection("LanguageConnection", items, args, map[string]any{"totalSize": total})
	case "repositoryTopics":
		var items []object
		for _, t := range r.topics {
			items = append(items, topic(t))
		}
		return connection("RepositoryTopicConnection", items, args, nil)
	case "codeOfConduct":
		if r.has("CODE_OF_CONDUCT.md") == "" {
			return nil, nil
		}
		return fields("CodeOfConduct", map[string]any{"id": "C", "key": "contributor_covenant", "name": "Contributor Covenant", "url": nil}), nil
	case "contributingGuidelines":
		p := r.has("CONTRIBUTING.md")
		if p == "" {
			return nil, nil
		}
		return fields("ContributingGuidelines", map[string]any{"body": r.files[p], "url": r.url() + "/blob/" + r.branch + "/" + p, "resourcePath": "/" + r.fullName() + "/blob/" + r.branch + "/" + p}), nil
	case "fundingLinks":
		if _, ok := r.files[".github/FUNDING.yml"]; !ok {
			return []object{}, nil
		}
		return []object{fields("FundingLink", map[string]any{"platform": "GITHUB", "url": "https://github.com/" + r.owner})}, nil
	case "releases":
		rels := slices.Clone(r.releases)
		if o, _ := args["orderBy"].(map[string]any); o["direction"] == "ASC" {
			slices.Reverse(rels)
		}
		var items []object
		for _, rel := range rels {
			items = append(items, x.release(r, rel))
		}
		return connection("ReleaseConnection", items, args, nil)
	case "release", "latestRelease":
		for _, rel := range r.releases {
			if field == "release" && rel.tag == args["tagName"] || field == "latestRelease" && !rel.prerelease {
				return x.release(r, rel), nil
			}
		}
		return nil, nil
	case "refs":
		var items []object
		switch args["refPrefix"] {
		case "refs/tags/":
			for _, t := range r.tags {
				items = append(items, x.ref(r, "refs/tags/", t.tag, t.at))
			}
		case "refs/heads/":
			if !r.empty() {
				items = append(items, x.ref(r, "refs/heads/", r.branch, time.Time{}))
			}
		}
		return connection("RefConnection", items, args, nil)
	case "ref":
		name := text(args["qualifiedName"])
		if !r.empty() && (name == r.branch || name == "refs/heads/"+r.branch) {
			return x.ref(r, "refs/heads/", r.branch, time.Time{}), nil
		}
		for _, t := range r.tags {
			if name == "refs/tags/"+t.tag {
				return x.ref(r, "refs/tags/", t.tag, t.at), nil
			}
		}
		return nil, nil
	case "defaultBranchRef":
		if r.empty() {
			return nil, nil
		}
		return x.ref(r, "refs/heads/", r.branch, time.Time{}), nil
	case "object":
		return x.object(r, text(args["expression"]), text(args["oid"])), nil
	}
	return nil, unmodelled("Repository", field)
}

// kilobytes is the size of the repository on disk.
func (r *repo) kilobytes() int {
	n := 0
	for _, text := range r.files {
		n += len(text)
	}
	return n/1024 + 3*len(r.commits)
}

func fields(kind string, values map[string]any) object {
	return object{kind, func(field string, _ map[string]any) (any, error) {
		v, ok := values[field]
		if !ok {
			return nil, unmodelled(kind, field)
		}
		return v, nil
	}}
}

var licenseNames = map[string]string{
	"MIT": "MIT License", "Apache-2.0": "Apache License 2.0", "BSD-3-Clause": `BSD 3-Clause "New" or "Revised" License`,
	"GPL-3.0": "GNU General Public License v3.0", "AGPL-3.0": "GNU Affero General Public License v3.0", "ISC": "ISC License",
	"MPL-2.0": "Mozilla Public License 2.0", "Unlicense": "The Unlicense", "NOASSERTION": "Other",
}

func licenseKey(spdx string) string {
	if spdx == "NOASSERTION" {
		return "other"
	}
	return strings.ToLower(spdx)
}

func licenseName(spdx string) string {
	if n := licenseNames[spdx]; n != "" {
		return n
	}
	return spdx
}

func license(spdx string) object {
	return fields("License", map[string]any{"key": licenseKey(spdx), "name": licenseName(spdx), "spdxId": spdx, "url": nil, "nickname": nil})
}

func languageObject(l language) object {
	return fields("Language", map[string]any{"id": "L_" + l.name, "name": l.name, "color": nil, "edge size": l.size})
}

func topic(name string) object {
	return fields("RepositoryTopic", map[string]any{
		"id": "RT_" + name, "url": "https://github.com/topics/" + name,
		"topic": fields("Topic", map[string]any{"id": "T_" + name, "name": name}),
	})
}

func (x *execution) release(r *repo, rel release) object {
	latest := ""
	for _, other := range r.releases {
		if !other.prerelease {
			latest = other.tag
			break
		}
	}
	id := int64(number(r.fullName(), rel.tag) % 200_000_000)
	return object{"Release", func(field string, args map[string]any) (any, error) {
		switch field {
		case "releaseAssets":
			return connection("ReleaseAssetConnection", nil, args, nil)
		case "tagCommit":
			return x.commit(r, r.commitAt(rel.at)), nil
		case "author":
			return nil, nil
		}
		return fields("Release", map[string]any{
			"id": nodeID("RE", id), "databaseId": id, "name": rel.tag, "tagName": rel.tag, "createdAt": rel.at, "publishedAt": rel.at,
			"updatedAt": rel.at, "isPrerelease": rel.prerelease, "isDraft": false, "isLatest": rel.tag == latest,
			"description": rel.notes, "shortDescriptionHTML": rel.notes, "url": r.url() + "/releases/tag/" + rel.tag,
		}).get(field, args)
	}}
}

// commitAt is the newest commit not after t.
func (r *repo) commitAt(t time.Time) commit {
	for _, c := range r.commits {
		if t.IsZero() || !c.at.After(t) {
			return c
		}
	}
	return r.commits[len(r.commits)-1]
}

func (x *execution) ref(r *repo, prefix, name string, at time.Time) object {
	return object{"Ref", func(field string, _ map[string]any) (any, error) {
		switch field {
		case "id":
			return "REF_" + r.node + name, nil
		case "name":
			return name, nil
		case "prefix":
			return prefix, nil
		case "target":
			return x.commit(r, r.commitAt(at)), nil
		}
		return nil, unmodelled("Ref", field)
	}}
}

// object finds what an expression such as "HEAD:src" stands for. Only the
// head's files are known; other commits have none.
func (x *execution) object(r *repo, expression, id string) any {
	if r.empty() {
		return nil
	}
	if id != "" {
		expression = id
	}
	rev, p, isPath := strings.Cut(expression, ":")
	if !isPath {
		if r.isHead(rev) {
			return x.commit(r, r.head())
		}
		for _, c := range r.commits {
			if c.oid == rev {
				return x.commit(r, c)
			}
		}
		if t := r.trees[rev]; t != nil {
			return x.tree(r, entry{oid: rev, tree: t}, "")
		}
		if s, ok := r.blobs[rev]; ok {
			return x.blob(r, rev, s)
		}
		return nil
	}
	if !r.isHead(rev) {
		return nil
	}
	e, ok := r.lookup(p)
	if !ok {
		return nil
	}
	return x.entryObject(r, e, strings.Trim(p, "/"))
}

func (x *execution) entryObject(r *repo, e entry, at string) object {
	if e.tree != nil {
		return x.tree(r, e, at)
	}
	return x.blob(r, e.oid, r.blobs[e.oid])
}

func gitFields(r *repo, kind, id string) map[string]any {
	return map[string]any{"id": kind + "_" + id, "oid": id, "abbreviatedOid": id[:7], "commitUrl": r.url() + "/commit/" + r.head().oid}
}

func (x *execution) tree(r *repo, e entry, at string) object {
	return object{"Tree", func(field string, args map[string]any) (any, error) {
		if field != "entries" {
			return fields("Tree", gitFields(r, "T", e.oid)).get(field, args)
		}
		items := make([]object, len(e.tree.entries))
		for i, sub := range e.tree.entries {
			items[i] = x.treeEntry(r, sub, path.Join(at, sub.name))
		}
		return items, nil
	}}
}

func (x *execution) treeEntry(r *repo, e entry, at string) object {
	return object{"TreeEntry", func(field string, _ map[string]any) (any, error) {
		switch field {
		case "name":
			return e.name, nil
		case "path":
			return at, nil
		case "type":
			return e.kind, nil
		case "mode":
			if e.tree != nil {
				return 0o40000, nil
			}
			return 0o100644, nil
		case "oid":
			return e.oid, nil
		case "size":
			return e.size, nil
		case "extension":
			return path.Ext(e.name), nil
		case "isGenerated":
			return false, nil
		case "submodule":
			return nil, nil
		case "object":
			return x.entryObject(r, e, at), nil
		}
		return nil, unmodelled("TreeEntry", field)
	}}
}

// textLimit is the size past which GitHub cuts a blob's text.
const textLimit = 512_000

func (x *execution) blob(r *repo, id, s string) object {
	binary := strings.ContainsRune(s, 0)
	values := gitFields(r, "B", id)
	values["byteSize"], values["isBinary"], values["isTruncated"] = len(s), binary, len(s) > textLimit
	values["text"] = s[:min(len(s), textLimit)]
	if binary {
		values["text"] = nil
	}
	return fields("Blob", values)
}

func (x *execution) commit(r *repo, c commit) object {
	return object{"Commit", func(field string, args map[string]any) (any, error) {
		switch field {
		case "url":
			return r.url() + "/commit/" + c.oid, nil
		case "message", "messageHeadline":
			return "Commit " + c.oid[:7], nil
		case "committedDate", "authoredDate", "pushedDate":
			return c.at, nil
		case "tree":
			return x.tree(r, entry{oid: r.root.oid, tree: r.root}, ""), nil
		case "author", "committer":
			return x.gitActor(c), nil
		case "authors":
			return connection("GitActorConnection", []object{x.gitActor(c)}, args, nil)
		case "parents":
			i := slices.IndexFunc(r.commits, func(o commit) bool { return o.oid == c.oid })
			var ps []object
			if i >= 0 && i+1 < len(r.commits) {
				ps = append(ps, x.commit(r, r.commits[i+1]))
			}
			return connection("CommitConnection", ps, args, nil)
		case "changedFilesIfAvailable":
			return len(c.paths), nil
		case "additions":
			return 12 * len(c.paths), nil
		case "deletions":
			return 4 * len(c.paths), nil
		case "signature":
			return nil, nil
		case "statusCheckRollup":
			if r.checks == "" || c.oid != r.head().oid {
				return nil, nil
			}
			return fields("StatusCheckRollup", map[string]any{"state": r.checks}), nil
		case "history":
			var items []object
			for _, h := range r.history(when(args["since"]), when(args["until"]), text(args["path"])) {
				if !h.at.After(c.at) {
					items = append(items, x.commit(r, h))
				}
			}
			return connection("CommitHistoryConnection", items, args, nil)
		case "file":
			p := text(args["path"])
			e, ok := r.lookup(p)
			if !ok || p == "" {
				return nil, nil
			}
			return x.treeEntry(r, e, p), nil
		}
		return fields("Commit", gitFields(r, "C", c.oid)).get(field, args)
	}}
}

func (x *execution) gitActor(c commit) object {
	return object{"GitActor", func(field string, _ map[string]any) (any, error) {
		switch field {
		case "name":
			return c.login, nil
		case "date":
			return c.at, nil
		case "user":
			if c.bot() {
				return nil, nil
			}
			return x.person(c.login), nil
		case "avatarUrl":
			return x.person(c.login).get("avatarUrl", nil)
		}
		return nil, unmodelled("GitActor", field)
	}}
}

func (x *execution) issues(r *repo, pulls bool, args map[string]any) (any, error) {
	states := list(args["states"])
	var since time.Time
	if f, _ := args["filterBy"].(map[string]any); f != nil {
		since = when(f["since"])
		if s := list(f["states"]); len(s) > 0 {
			states = s
		}
	}
	var found []issue
	for _, is := range r.issues {
		if is.pull != pulls || len(states) > 0 && !slices.Contains(states, any(is.state())) || is.updatedAt().Before(since) {
			continue
		}
		if len(list(args["labels"])) > 0 {
			continue // nothing is labelled
		}
		found = append(found, is)
	}
	order, _ := args["orderBy"].(map[string]any)
	if order["field"] == "UPDATED_AT" {
		slices.SortStableFunc(found, func(a, b issue) int { return b.updatedAt().Compare(a.updatedAt()) })
	}
	if order == nil || order["direction"] == "ASC" {
		slices.Reverse(found)
	}
	kind := "Issue"
	if pulls {
		kind = "PullRequest"
	}
	items := make([]object, len(found))
	for i, is := range found {
		items[i] = x.issue(r, kind, is)
	}
	return connection(kind+"Connection", items, args, nil)
}

func (x *execution) issue(r *repo, kind string, is issue) object {
	association := "NONE"
	login := is.login
	if is.member {
		association, login = "MEMBER", r.commits[0].login
		if r.ownerType == "User" {
			association = "OWNER"
		}
	}
	note := func(kind string, at time.Time) object {
		who := "OWNER"
		if r.ownerType == "Organization" {
			who = "MEMBER"
		}
		by := r.owner
		if r.ownerType == "Organization" {
			by += "-dev"
		}
		return fields(kind, map[string]any{"id": fmt.Sprintf("N_%d_%d", r.id, is.number), "createdAt": at, "submittedAt": at,
			"authorAssociation": who, "author": x.person(by), "actor": x.person(by), "state": "COMMENTED"})
	}
	id := r.id*1000 + int64(is.number)
	return object{kind, func(field string, args map[string]any) (any, error) {
		var notes []object
		switch field {
		case "comments", "reviews":
			if !is.answerAt.IsZero() && (field == "comments") {
				notes = append(notes, note("IssueComment", is.answerAt))
			}
			if field == "reviews" {
				return connection("PullRequestReviewConnection", nil, args, nil)
			}
			return connection("IssueCommentConnection", notes, args, nil)
		case "timelineItems":
			types := list(args["itemTypes"])
			want := func(t string) bool { return len(types) == 0 || slices.Contains(types, any(t)) }
			if !is.answerAt.IsZero() && want("ISSUE_COMMENT") {
				notes = append(notes, note("IssueComment", is.answerAt))
			}
			if is.merged && want("MERGED_EVENT") {
				notes = append(notes, note("MergedEvent", is.closedAt))
			}
			if !is.closedAt.IsZero() && want("CLOSED_EVENT") {
				notes = append(notes, note("ClosedEvent", is.closedAt))
			}
			return connection(kind+"TimelineItemsConnection", notes, args, nil)
		case "author":
			return x.person(login), nil
		case "mergedBy":
			if is.merged {
				return note("MergedEvent", is.closedAt).get("actor", nil)
			}
			return nil, nil
		case "mergedAt":
			if is.merged {
				return is.closedAt, nil
			}
			return nil, nil
		case "stateReason":
			if is.closedAt.IsZero() {
				return nil, nil
			}
			return "COMPLETED", nil
		}
		where := "/issues/"
		if is.pull {
			where = "/pull/"
		}
		return fields(kind, map[string]any{
			"id": nodeID("I", id%4_000_000_000), "databaseId": id, "number": is.number, "title": is.title,
			"url": fmt.Sprintf("%s%s%d", r.url(), where, is.number), "state": is.state(), "closed": !is.closedAt.IsZero(),
			"merged": is.merged, "isDraft": false, "createdAt": is.createdAt, "updatedAt": is.updatedAt(), "closedAt": is.closedAt,
			"authorAssociation": association,
		}).get(field, args)
	}}
}
