package fakegithub

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

func (x *execution) root() object {
	return object{"Query", map[string]any{
		"rateLimit": lazy(func(args) any { return x.rateLimit() }),
		"repository": lazy(func(a args) any {
			return x.w.repository(a.text("owner")+"/"+a.text("name"), a["followRenames"] != false)
		}),
		"node":   lazy(func(a args) any { return x.w.node(a.text("id")) }),
		"nodes":  lazy(func(a args) any { return x.w.nodesOf(a.list("ids")) }),
		"search": lazy(x.w.searchResults),
	}}
}

func (x *execution) rateLimit() object {
	b := x.w.limits.budget(x.call.user, "graphql", x.w.clock())
	return object{"RateLimit", map[string]any{
		"cost": x.cost, "remaining": b.remaining, "resetAt": time.Unix(b.reset, 0),
	}}
}

func (w *Server) nodesOf(ids []any) any {
	if len(ids) > maxRecords {
		return fieldError{"ARGUMENT_LIMIT",
			fmt.Sprintf("You may not provide more than 100 node ids; you provided %d.", len(ids))}
	}
	return each(ids, func(id any) any { return w.node(fmt.Sprint(id)) })
}

func (w *Server) searchResults(a args) any {
	if a["type"] != "REPOSITORY" {
		return unsupported("search", a.text("type"))
	}
	found, err := w.search(a.text("query"))
	if err != nil {
		return err
	}
	page := connection("SearchResultItemConnection", found[:min(len(found), maxResults)], w.repoObject)(a).(object)
	page.fields["repositoryCount"] = len(found)
	return page
}

func (w *Server) repository(name string, followRenames bool) any {
	r := w.find(name)
	if r != nil && !followRenames && !strings.EqualFold(r.fullName(), name) {
		r = nil
	}
	return w.visible(r, fmt.Sprintf("Could not resolve to a Repository with the name '%s'.", name))
}

// node returns a repository by its node id, or an error.
func (w *Server) node(id string) any {
	return w.visible(w.repos[w.nodes[id]], fmt.Sprintf("Could not resolve to a node with the global id of '%s'.", id))
}

// visible returns a repository, or an error if it does not exist or is blocked.
func (w *Server) visible(r *repo, missing string) any {
	switch {
	case r == nil || r.gone:
		return fieldError{"NOT_FOUND", missing}
	case r.blocked != "":
		return fieldError{"FORBIDDEN", "Repository access blocked"}
	}
	return w.repoObject(r)
}

func (a *account) object() object {
	return object{a.kind, map[string]any{
		"login": a.login, "avatarUrl": a.avatar(), "createdAt": a.createdAt, "isVerified": false,
	}}
}

// person returns the author of a commit, an issue or a comment.
func (w *Server) person(login string) object {
	if a := w.owners[strings.ToLower(login)]; a != nil && a.kind == "User" {
		return a.object()
	}
	kind := "User"
	if name, bot := strings.CutSuffix(login, "[bot]"); bot {
		login, kind = name, "Bot"
	}
	id := int64(number("account", strings.ToLower(login)) % 90_000_000)
	return (&account{id: id, login: login, kind: kind, createdAt: w.now.AddDate(-2, 0, 0)}).object()
}

func (w *Server) repoObject(r *repo) any {
	owner := w.account(r.owner, r.ownerType).object()
	owner.fields["isVerified"] = r.verified
	fields := map[string]any{
		"id": r.node, "databaseId": r.id, "nameWithOwner": r.fullName(),
		"description": orNil(r.description), "homepageUrl": orNil(r.homepage),
		"owner":  owner,
		"isFork": r.parent != "", "isTemplate": r.isTemplate, "isEmpty": r.empty(),
		"isPrivate": false, "isMirror": false, "isLocked": false, "isDisabled": false,
		"isArchived": !r.archivedAt.IsZero(), "archivedAt": r.archivedAt,
		"createdAt": r.createdAt, "updatedAt": r.updatedAt, "pushedAt": r.pushedAt,
		"stargazerCount": r.stars, "forkCount": r.forks, "watchers": count("UserConnection", r.watchers),
		"hasIssuesEnabled":        true,
		"isSecurityPolicyEnabled": r.has("SECURITY.md") != "",
		"parent":                  nil, "licenseInfo": nil, "codeOfConduct": nil, "contributingGuidelines": nil,
		"primaryLanguage": nil, "latestRelease": nil, "defaultBranchRef": nil, "fundingLinks": []any{},

		"issues":       lazy(func(a args) any { return w.issues(r, "Issue", a) }),
		"pullRequests": lazy(func(a args) any { return w.issues(r, "PullRequest", a) }),
		"languages": object{"LanguageConnection", map[string]any{
			"edges": each(r.languages, func(l language) any {
				return object{"LanguageEdge", map[string]any{"size": l.size, "node": l.object()}}
			}),
		}},
		"repositoryTopics": connection("RepositoryTopicConnection", r.topics, topic),
		"releases":         connection("ReleaseConnection", r.releases, release.object),
	}
	if p := w.find(r.parent); p != nil && !p.gone {
		fields["parent"] = lazy(func(args) any { return w.repoObject(p) })
	}
	if r.license != "" && !r.empty() {
		fields["licenseInfo"] = object{"License", map[string]any{"spdxId": r.license}}
	}
	if r.has("CODE_OF_CONDUCT.md") != "" {
		fields["codeOfConduct"] = object{"CodeOfConduct", map[string]any{"key": "contributor_covenant"}}
	}
	if p := r.has("CONTRIBUTING.md"); p != "" {
		fields["contributingGuidelines"] = object{"ContributingGuidelines",
			map[string]any{"url": r.url() + "/blob/" + r.branch + "/" + p}}
	}
	if _, ok := r.files[".github/FUNDING.yml"]; ok {
		fields["fundingLinks"] = []any{object{"FundingLink", map[string]any{"platform": "GITHUB"}}}
	}
	if len(r.languages) > 0 {
		fields["primaryLanguage"] = r.languages[0].object()
	}
	if i := slices.IndexFunc(r.releases, func(rel release) bool { return !rel.prerelease }); i >= 0 {
		fields["latestRelease"] = r.releases[i].object()
	}
	if !r.empty() {
		fields["defaultBranchRef"] = lazy(func(args) any { return w.branch(r) })
	}
	return object{"Repository", fields}
}

func each[T any](items []T, convert func(T) any) []any {
	all := []any{}
	for _, item := range items {
		all = append(all, convert(item))
	}
	return all
}

func (l language) object() any { return object{"Language", map[string]any{"name": l.name}} }

func topic(name string) any {
	return object{"RepositoryTopic", map[string]any{"topic": object{"Topic", map[string]any{"name": name}}}}
}

func (rel release) object() any {
	return object{"Release", map[string]any{
		"tagName": rel.tag, "publishedAt": rel.at, "isPrerelease": rel.prerelease, "isDraft": false,
		"shortDescriptionHTML": rel.notes, "releaseAssets": count("ReleaseAssetConnection", 0),
	}}
}

// branch returns the default branch. The repository must not be empty.
func (w *Server) branch(r *repo) object {
	w.build(r)
	var checks any
	if r.checks != "" {
		checks = object{"StatusCheckRollup", map[string]any{"state": r.checks}}
	}
	return object{"Ref", map[string]any{"name": r.branch, "target": object{"Commit", map[string]any{
		"oid": r.head().oid, "statusCheckRollup": checks,
	}}}}
}

func (w *Server) issues(r *repo, kind string, a args) any {
	states := a.list("states")
	found := slices.DeleteFunc(slices.Clone(r.issues), func(is issue) bool {
		return is.pull != (kind == "PullRequest") || len(states) > 0 && !slices.Contains(states, any(is.state()))
	})
	return connection(kind+"Connection", found, func(is issue) any { return w.issue(r, kind, is) })(a)
}

func (w *Server) issue(r *repo, kind string, is issue) object {
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
	var responses []time.Time
	if !is.respondedAt.IsZero() {
		responses = []time.Time{is.respondedAt}
	}
	comment := func(at time.Time) any {
		return object{"IssueComment", map[string]any{
			"createdAt": at, "authorAssociation": member, "author": w.person(by),
		}}
	}
	return object{kind, map[string]any{
		"number": is.number, "createdAt": is.createdAt, "closedAt": is.closedAt, "mergedAt": merged,
		"authorAssociation": association, "author": w.person(login),
		"comments": connection("IssueCommentConnection", responses, comment),
		"reviews":  connection("PullRequestReviewConnection", nil, comment),
	}}
}
