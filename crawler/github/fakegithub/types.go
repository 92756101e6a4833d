package fakegithub

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// root is the type Query.
func (x *execution) root() object {
	return object{"Query", func(field string, args map[string]any) (any, error) {
		switch field {
		case "rateLimit":
			return x.rateLimit(), nil
		case "repository":
			return x.repository(text(args["owner"])+"/"+text(args["name"]), args["followRenames"] != false)
		case "node":
			return x.node(text(args["id"]))
		case "nodes":
			return x.nodesOf(list(args["ids"]))
		case "search":
			return x.searchResults(args)
		}
		return nil, unmodelled("Query", field)
	}}
}

func (x *execution) nodesOf(ids []any) (any, error) {
	if len(ids) > maxRecords {
		return nil, fieldError{"ARGUMENT_LIMIT",
			fmt.Sprintf("You may not provide more than 100 node ids; you provided %d.", len(ids))}
	}
	results := make([]result, len(ids))
	for i, id := range ids {
		o, err := x.node(text(id))
		results[i] = result{o, err}
	}
	return results, nil
}

func (x *execution) searchResults(args map[string]any) (any, error) {
	if args["type"] != "REPOSITORY" {
		return nil, unmodelled("search", text(args["type"]))
	}
	found, err := x.w.search(text(args["query"]))
	if err != nil {
		return nil, err
	}
	total := len(found)
	found = found[:min(total, searchReach)]
	items := make([]object, len(found))
	for i, r := range found {
		items[i] = x.repo(r)
	}
	return connection("SearchResultItemConnection", items, args, map[string]any{"repositoryCount": total})
}

func (x *execution) rateLimit() object {
	b := x.w.limits.budget(x.call.user, "graphql", x.w.clock())
	return fields("RateLimit", map[string]any{
		"cost": x.cost, "limit": b.Limit, "remaining": b.Remaining, "used": b.Limit - b.Remaining,
		"nodeCount": int(x.nodes), "resetAt": time.Unix(b.Reset, 0),
	})
}

func (x *execution) repository(name string, followRenames bool) (any, error) {
	r := x.w.find(name)
	if r == nil || !r.visible() || !followRenames && !strings.EqualFold(r.fullName(), name) {
		return nil, fieldError{"NOT_FOUND", fmt.Sprintf("Could not resolve to a Repository with the name '%s'.", name)}
	}
	if r.blocked != "" {
		return nil, fieldError{"FORBIDDEN", "Repository access blocked"}
	}
	return x.repo(r), nil
}

func (x *execution) node(id string) (object, error) {
	r := x.w.repos[x.w.nodes[id]]
	if r == nil || !r.visible() {
		return object{}, fieldError{"NOT_FOUND", fmt.Sprintf("Could not resolve to a node with the global id of '%s'.", id)}
	}
	if r.blocked != "" {
		return object{}, fieldError{"FORBIDDEN", "Repository access blocked"}
	}
	return x.repo(r), nil
}

func (x *execution) account(a *account) object {
	return fields(a.kind, map[string]any{
		"id": a.node(), "login": a.login, "avatarUrl": a.avatar(), "createdAt": a.createdAt, "isVerified": false,
	})
}

// person is the account behind a commit, an issue or a comment.
func (x *execution) person(login string) object {
	if a := x.w.owners[strings.ToLower(login)]; a != nil && a.kind == "User" {
		return x.account(a)
	}
	kind := "User"
	if name, bot := strings.CutSuffix(login, "[bot]"); bot {
		login, kind = name, "Bot"
	}
	id := int64(number("account", strings.ToLower(login)) % 90_000_000)
	return x.account(&account{id: id, login: login, kind: kind, createdAt: x.w.now.AddDate(-2, 0, 0)})
}

func (x *execution) repo(r *repo) object {
	return object{"Repository", func(field string, args map[string]any) (any, error) {
		if plain, ok := plainFields[field]; ok {
			return plain(r), nil
		}
		return x.repoField(r, field, args)
	}}
}

// plainFields are the fields of a repository that are not other objects.
var plainFields = map[string]func(*repo) any{
	"id":                      func(r *repo) any { return r.node },
	"databaseId":              func(r *repo) any { return r.id },
	"name":                    func(r *repo) any { return r.name },
	"nameWithOwner":           func(r *repo) any { return r.fullName() },
	"description":             func(r *repo) any { return orNil(r.description) },
	"homepageUrl":             func(r *repo) any { return orNil(r.homepage) },
	"isFork":                  func(r *repo) any { return r.parent != "" },
	"isTemplate":              func(r *repo) any { return r.isTemplate },
	"isEmpty":                 func(r *repo) any { return r.empty() },
	"isArchived":              func(r *repo) any { return !r.archivedAt.IsZero() },
	"isPrivate":               func(*repo) any { return false },
	"isMirror":                func(*repo) any { return false },
	"isLocked":                func(*repo) any { return false },
	"isDisabled":              func(*repo) any { return false },
	"isSecurityPolicyEnabled": func(r *repo) any { return r.has("SECURITY.md") != "" },
	"hasIssuesEnabled":        func(*repo) any { return true },
	"archivedAt":              func(r *repo) any { return r.archivedAt },
	"createdAt":               func(r *repo) any { return r.createdAt },
	"updatedAt":               func(r *repo) any { return r.updatedAt },
	"pushedAt":                func(r *repo) any { return r.pushedAt },
	"diskUsage":               func(r *repo) any { return r.kilobytes() },
	"stargazerCount":          func(r *repo) any { return r.stars },
	"forkCount":               func(r *repo) any { return r.forks },
	"watchers":                func(r *repo) any { return count("UserConnection", r.watchers) },
	"licenseInfo":             licenseInfo,
	"codeOfConduct":           codeOfConduct,
	"contributingGuidelines":  contributing,
	"fundingLinks":            fundingLinks,
	"primaryLanguage":         primaryLanguage,
}

func licenseInfo(r *repo) any {
	if r.license == "" || r.empty() {
		return nil
	}
	return fields("License", map[string]any{"key": licenseKey(r.license), "spdxId": r.license})
}

func codeOfConduct(r *repo) any {
	if r.has("CODE_OF_CONDUCT.md") == "" {
		return nil
	}
	return fields("CodeOfConduct", map[string]any{"key": "contributor_covenant"})
}

func contributing(r *repo) any {
	p := r.has("CONTRIBUTING.md")
	if p == "" {
		return nil
	}
	return fields("ContributingGuidelines", map[string]any{"url": r.url() + "/blob/" + r.branch + "/" + p})
}

func fundingLinks(r *repo) any {
	if _, ok := r.files[".github/FUNDING.yml"]; !ok {
		return []object{}
	}
	return []object{fields("FundingLink", map[string]any{"platform": "GITHUB"})}
}

func primaryLanguage(r *repo) any {
	if len(r.languages) == 0 {
		return nil
	}
	return languageObject(r.languages[0])
}

// repoField returns a field of a repository that is another object.
func (x *execution) repoField(r *repo, field string, args map[string]any) (any, error) {
	switch field {
	case "owner":
		return x.account(x.w.account(r.owner, r.ownerType)), nil
	case "parent":
		if p := x.w.find(r.parent); p != nil && p.visible() {
			return x.repo(p), nil
		}
		return nil, nil
	case "issues", "pullRequests":
		return x.issues(r, field == "pullRequests", args)
	case "languages":
		return connection("LanguageConnection", each(r.languages, languageObject), args, nil)
	case "repositoryTopics":
		return connection("RepositoryTopicConnection", each(r.topics, topic), args, nil)
	case "releases":
		return connection("ReleaseConnection", each(r.releases, x.release), args, nil)
	case "latestRelease":
		for _, rel := range r.releases {
			if !rel.prerelease {
				return x.release(rel), nil
			}
		}
		return nil, nil
	case "refs":
		return x.refs(r, text(args["refPrefix"]), args)
	case "defaultBranchRef":
		if r.empty() {
			return nil, nil
		}
		return x.ref(r, r.branch, time.Time{}), nil
	case "object":
		return x.object(r, text(args["expression"]), text(args["oid"])), nil
	}
	return nil, unmodelled("Repository", field)
}

// each returns an object for each item.
func each[T any](items []T, convert func(T) object) []object {
	var all []object
	for _, item := range items {
		all = append(all, convert(item))
	}
	return all
}

// kilobytes is the size of the repository on disk.
func (r *repo) kilobytes() int {
	n := 0
	for _, text := range r.files {
		n += len(text)
	}
	return n/1024 + 3*len(r.commits)
}

// fields returns an object with the given fields.
func fields(kind string, values map[string]any) object {
	return object{kind, func(field string, _ map[string]any) (any, error) {
		v, ok := values[field]
		if !ok {
			return nil, unmodelled(kind, field)
		}
		return v, nil
	}}
}

func licenseKey(spdx string) string {
	if spdx == "NOASSERTION" {
		return "other"
	}
	return strings.ToLower(spdx)
}

func languageObject(l language) object {
	return fields("Language", map[string]any{"name": l.name, "edge size": l.size})
}

func topic(name string) object {
	return fields("RepositoryTopic", map[string]any{"topic": fields("Topic", map[string]any{"name": name})})
}

func (x *execution) release(rel release) object {
	return fields("Release", map[string]any{
		"id": "RE_" + rel.tag, "tagName": rel.tag, "publishedAt": rel.at, "isPrerelease": rel.prerelease, "isDraft": false,
		"shortDescriptionHTML": rel.notes, "releaseAssets": count("ReleaseAssetConnection", 0),
	})
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

func (x *execution) refs(r *repo, prefix string, args map[string]any) (any, error) {
	if prefix != "refs/tags/" {
		return nil, unmodelled("Repository", "refs of "+prefix)
	}
	items := each(r.tags, func(t release) object { return x.ref(r, t.tag, t.at) })
	return connection("RefConnection", items, args, nil)
}

func (x *execution) ref(r *repo, name string, at time.Time) object {
	return fields("Ref", map[string]any{"name": name, "target": x.commit(r, r.commitAt(at))})
}

// object finds what an object ID or the root of a commit, "ID:", stands for. Only the
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
		return x.objectByID(r, rev)
	}
	if p == "" && r.isHead(rev) {
		return x.tree(r, entry{oid: r.root.oid, tree: r.root})
	}
	return nil
}

func (x *execution) objectByID(r *repo, id string) any {
	if r.isHead(id) {
		return x.commit(r, r.head())
	}
	if t := r.trees[id]; t != nil {
		return x.tree(r, entry{oid: id, tree: t})
	}
	if s, ok := r.blobs[id]; ok {
		return x.blob(id, s)
	}
	return nil
}

func (x *execution) entryObject(r *repo, e entry) object {
	if e.tree != nil {
		return x.tree(r, e)
	}
	return x.blob(e.oid, r.blobs[e.oid])
}

func (x *execution) tree(r *repo, e entry) object {
	entries := each(e.tree.entries, func(sub entry) object { return x.treeEntry(r, sub) })
	return fields("Tree", map[string]any{"id": "T_" + e.oid, "oid": e.oid, "entries": entries})
}

func (x *execution) treeEntry(r *repo, e entry) object {
	mode := 0o100644
	if e.tree != nil {
		mode = 0o40000
	}
	return object{"TreeEntry", func(field string, args map[string]any) (any, error) {
		if field == "object" {
			return x.entryObject(r, e), nil
		}
		return fields("TreeEntry", map[string]any{
			"name": e.name, "type": e.kind, "mode": mode, "oid": e.oid, "size": e.size,
		}).get(field, args)
	}}
}

// textLimit is the size past which GitHub cuts a blob's text.
const textLimit = 512_000

func (x *execution) blob(id, s string) object {
	values := map[string]any{
		"id": "B_" + id, "oid": id, "byteSize": len(s), "isBinary": false,
		"isTruncated": len(s) > textLimit, "text": s[:min(len(s), textLimit)],
	}
	if strings.ContainsRune(s, 0) {
		values["isBinary"], values["text"] = true, nil
	}
	return fields("Blob", values)
}

func (x *execution) commit(r *repo, c commit) object {
	return object{"Commit", func(field string, args map[string]any) (any, error) {
		switch field {
		case "tree":
			return x.tree(r, entry{oid: r.root.oid, tree: r.root}), nil
		case "author":
			return x.gitActor(c), nil
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
		}
		return fields("Commit", map[string]any{"id": "C_" + c.oid, "oid": c.oid, "committedDate": c.at}).get(field, args)
	}}
}

func (x *execution) gitActor(c commit) object {
	var user any
	if !c.bot() {
		user = x.person(c.login)
	}
	return fields("GitActor", map[string]any{"name": c.login, "user": user})
}

func (x *execution) issues(r *repo, pulls bool, args map[string]any) (any, error) {
	states := list(args["states"])
	var found []issue
	for _, is := range r.issues {
		if is.pull == pulls && (len(states) == 0 || slices.Contains(states, any(is.state()))) {
			found = append(found, is)
		}
	}
	kind := "Issue"
	if pulls {
		kind = "PullRequest"
	}
	items := each(found, func(is issue) object { return x.issue(r, kind, is) })
	return connection(kind+"Connection", items, args, nil)
}

func (x *execution) issue(r *repo, kind string, is issue) object {
	member, by := "OWNER", r.owner
	if r.ownerType == "Organization" {
		member, by = "MEMBER", r.owner+"-dev"
	}
	association, login := "NONE", is.login
	if is.member {
		association, login = member, r.commits[0].login
	}
	var merged any
	if is.merged {
		merged = is.closedAt
	}
	return object{kind, func(field string, args map[string]any) (any, error) {
		switch field {
		case "comments":
			var comments []object
			if !is.answerAt.IsZero() {
				comments = append(comments, fields("IssueComment", map[string]any{
					"createdAt": is.answerAt, "authorAssociation": member, "author": x.person(by),
				}))
			}
			return connection("IssueCommentConnection", comments, args, nil)
		case "reviews":
			return connection("PullRequestReviewConnection", nil, args, nil)
		case "author":
			return x.person(login), nil
		}
		return fields(kind, map[string]any{
			"id": nodeID("I", (r.id*1000+int64(is.number))%4_000_000_000), "number": is.number, "createdAt": is.createdAt,
			"closedAt": is.closedAt, "mergedAt": merged, "authorAssociation": association,
		}).get(field, args)
	}}
}
