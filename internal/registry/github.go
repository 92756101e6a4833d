package registry

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"mcpcensus/internal/text"
)

var github = Host{
	ID: GitHub, Name: "GitHub", Domain: "github.com",
	Aliases: []string{
		"www.github.com", "ssh.github.com", "raw.githubusercontent.com", "raw.github.com",
		"codeload.github.com", "api.github.com", "gist.github.com", "gist.githubusercontent.com",
	},
	Mirrors: []string{
		"github.dev", "github1s.com", "deepwiki.com", "www.deepwiki.com", "gitmcp.io", "gitingest.com",
	},
	Parse: parseGitHub,
	Pages: HostPages{
		Tree: "/tree/", Blob: "/blob/", Raw: "/raw/", Commit: "/commit/",
		Releases: "/releases", Release: "/releases/tag/", Issue: "/issues/",
	},
	RawFile:   "https://raw.githubusercontent.com/OWNER/NAME/HEAD/README.md",
	Namespace: "io.github.",
	Images:    "ghcr.io",
	ImagePage: func(owner, image string) string {
		return "https://github.com/" + owner + "/pkgs/container/" + image
	},
	Project: "github.com/",
	Folder:  ".github", Workflows: ".github/workflows",
	Avatars: "https://avatars.githubusercontent.com/",
}

// reservedOwners are first parts of paths on GitHub that are not accounts.
var reservedOwners = setOf(`about account apps blog business codespaces collections contact
	customer-stories dashboard discussions enterprise events explore features gist home issues join
	login logout marketplace mobile new notifications organizations orgs pricing pulls readme search
	security sessions settings signup site solutions sponsors stars team topics user-attachments
	trending users watching`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// parseGitHub is [Host.Parse] of GitHub. It reads URLs of repositories' pages, raw files,
// archives and the REST API.
func parseGitHub(domain string, parts []string) (RepoRef, error) {
	switch domain {
	case "api.github.com":
		if len(parts) == 0 || parts[0] != "repos" {
			return RepoRef{}, errors.New("is an API address of something other than a repository")
		}
		parts = parts[1:]
	case "gist.github.com", "gist.githubusercontent.com":
		return RepoRef{}, Errorf(ErrUnsupported, "is a gist, which has no health")
	}
	if len(parts) < 2 {
		return RepoRef{}, errors.New("names no repository")
	}
	owner, name, rest := parts[0], trimDots(trimFold(trimFold(parts[1], ".git"), ".wiki")), parts[2:]
	if !ownerForm.MatchString(owner) {
		return RepoRef{}, fmt.Errorf("has an owner that GitHub does not allow (%q)", text.Shorten(owner, maxQuoted))
	}
	if reservedOwners[strings.ToLower(owner)] {
		return RepoRef{}, fmt.Errorf("is a page of GitHub, not a repository (%q)", text.Shorten(owner, maxQuoted))
	}
	if !repoForm.MatchString(name) || reservedRepos[strings.ToLower(name)] {
		return RepoRef{}, fmt.Errorf("has a repository name that GitHub does not allow (%q)", text.Shorten(name, maxQuoted))
	}
	ref := RepoRef{Owner: owner, Name: name}
	switch domain {
	case "raw.githubusercontent.com", "raw.github.com", "codeload.github.com":
	default:
		if len(rest) >= 2 && (rest[0] == "tree" || rest[0] == "blob") {
			ref.Path = strings.Join(rest[1:], "/")
		}
	}
	return ref, nil
}

var (
	ownerForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,38}$`)
	repoForm  = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)
	// reservedRepos are names that no repository on GitHub has.
	reservedRepos = setOf(". .. .git .wiki")
)
