package detect

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/words"
)

// A vendor is a line of rules/vendors.txt.
type vendor struct {
	host        string // ID of the code host of the account
	owner, repo string // in lower case; "" for a vendor without accounts; repo "" for all
	names       []string
	site        string // registrable domain
	reason      string
}

var vendors = readVendors(vocabulary.Lines(rules, "vendors.txt"))

func readVendors(lines []string) []vendor {
	var all []vendor
	for _, line := range lines {
		parts := strings.Split(line, "|")
		if len(parts) != 4 {
			panic("detect: vendors.txt: not four columns: " + line)
		}
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		v := vendor{host: registry.Hosts[0].ID, site: siteOf(parts[2]), reason: parts[3]}
		account := strings.Trim(parts[0], "-")
		if host, rest, ok := strings.Cut(account, ":"); ok {
			v.host, account = host, rest
		}
		v.owner, v.repo, _ = strings.Cut(account, "/")
		for name := range strings.SplitSeq(parts[1], ",") {
			v.names = append(v.names, strings.TrimSpace(name))
		}
		all = append(all, v)
	}
	return all
}

// Official returns the proof that a server is published by the vendor whose product it serves,
// as a sentence, "" if there is none. Facts that anyone can write, such as a name, a topic or a
// homepage, prove nothing alone. For a server whose name contains no other vendor's name, the
// proofs are:
//
//   - The owner, or the repository, is in the list of vendors' accounts.
//   - The owner's entry in the official registry is in the namespace of a
//     domain, which the registry has verified.
//   - The host has verified the organization's domain.
//   - The organization has the name of the domain of its homepage or endpoint.
//
// A server in a listed account that has the vendor's own name may also have other names: "AWS
// MySQL" is by AWS. Outside the list, the server must be named after the domain or the
// organization, or consist of generic words; if it contains the name of a listed vendor, it must
// be in the namespace of that vendor's domain.
func Official(f *registry.Facts) string {
	r := &f.Repo
	if fork := r.IsFork(); r.Owner == "" || fork == nil || *fork || f.Missing != nil || f.Gone {
		return ""
	}
	names := []string{f.Detection.Name, f.Detection.Title, f.Repo.Name, f.Detection.Subfolder}
	if f.Listing != nil {
		names = append(names, f.Listing.Title)
	}
	brands := brandsIn(names)
	if v := vendorOf(r); v != nil {
		ownName := slices.ContainsFunc(v.names, func(n string) bool { return brands[n] != nil })
		if !ownName && !brands.allOf(v.site, v.names...) {
			return ""
		}
		return "Published by " + r.Owner + ", " + v.reason + "."
	}
	space, site := provenNamespace(f)
	if site != "" && brands.allOf(site) && (len(brands) > 0 || namedAfter(names, label(site))) {
		return "The official registry has verified that " + space + " belongs to the owner of " + site + "."
	}
	if len(brands) > 0 || len(brandsIn([]string{r.Owner})) > 0 ||
		r.OwnerType != "Organization" || !namedAfter(names, r.Owner) {
		return ""
	}
	return organizationProof(f)
}

// organizationProof returns the proof that the owner is the organization of a domain, as a
// sentence, "" if there is none.
func organizationProof(f *registry.Facts) string {
	r := &f.Repo
	if r.OwnerVerified != nil && *r.OwnerVerified {
		return registry.HostOf(r.Host).Name + " has verified the domain of the organization " + r.Owner + "."
	}
	for _, site := range sitesOf(f) {
		if owner := squashed(r.Owner); owner == squashed(label(site)) || owner == squashed(site) {
			return "Published by the organization " + r.Owner + " of " + site + "."
		}
	}
	return ""
}

// vendorOf returns the vendor whose account has the repository, nil if none.
func vendorOf(r *registry.Repository) *vendor {
	host := registry.HostOf(r.Host).ID
	for i, v := range vendors {
		if v.host == host && strings.EqualFold(v.owner, r.Owner) &&
			(v.repo == "" || strings.EqualFold(v.repo, r.Name)) {
			return &vendors[i]
		}
	}
	return nil
}

// brands are the names of listed vendors with the domains of all vendors that have them.
type brands map[string][]string

// allOf reports whether each of the brands is one of the names or belongs to a vendor of the
// domain.
func (b brands) allOf(site string, names ...string) bool {
	for name, sites := range b {
		if !slices.Contains(names, name) && !slices.Contains(sites, site) {
			return false
		}
	}
	return true
}

func brandsIn(names []string) brands {
	text := "" // with words split at capitals, and unsplit: "git hub" and "github"
	for _, n := range names {
		apart := words.Fields(strings.ToLower(splitName(strings.ReplaceAll(n, "/", " "))))
		text += " " + strings.Join(apart, " ") + " \n " + strings.Join(foldedWords(n), " ") + " \n"
	}
	found := brands{}
	for _, v := range vendors {
		for _, n := range v.names {
			if v.repo == "" && strings.Contains(text, " "+n+" ") {
				found[n] = append(found[n], v.site)
			}
		}
	}
	return found
}

// foldedWords returns the words of a name in lower case. "GitHub" is one word.
func foldedWords(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 0x7f)
	})
}

// namedAfter reports whether one of the names contains a brand, or all consist of generic words.
func namedAfter(names []string, brand string) bool {
	brand = squashed(brand)
	generic := true
	for _, n := range names {
		words := foldedWords(n)
		if slices.Contains(words, brand) || len(brand) >= 4 && strings.Contains(squashed(n), brand) {
			return true
		}
		generic = generic && !slices.ContainsFunc(words, func(w string) bool { return !genericWords[w] })
	}
	return generic && brand != ""
}

// squashed returns the letters and digits of a name in lower case.
func squashed(name string) string { return strings.Join(foldedWords(name), "") }

// siteOf returns the registrable domain of a host, "" if it has none or the suffix belongs to a
// hosting company, whose users choose their names.
func siteOf(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if _, icann := publicsuffix.PublicSuffix(host); !icann {
		return ""
	}
	site, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return ""
	}
	return site
}

// label returns the first label of a domain.
func label(site string) string {
	first, _, _ := strings.Cut(site, ".")
	return first
}

// provenNamespace returns the domain namespace of the server's entry in the official registry,
// and the domain; "" for namespaces of a code host's users and for entries of another repository.
func provenNamespace(f *registry.Facts) (space, site string) {
	l := f.Listing
	if l == nil || l.Status == "deleted" {
		return "", ""
	}
	ref, err := registry.ParseRepoRef(l.RepoURL)
	if err != nil || ref.Key() != f.Repo.Ref().Key() {
		return "", ""
	}
	space, _, ok := strings.Cut(strings.ToLower(l.Name), "/")
	if !ok || ofCodeHost(space) {
		return "", ""
	}
	return space, siteOf(domainOf(space))
}

// domainOf returns the domain of a namespace, whose labels are reversed.
func domainOf(space string) string {
	labels := strings.Split(space, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".")
}

// sitesOf returns the domains of the repository's homepage and of the server's
// endpoints.
func sitesOf(f *registry.Facts) (sites []string) {
	addresses := []string{f.Repo.Homepage}
	for _, r := range f.Detection.Remotes {
		addresses = append(addresses, r.URL)
	}
	for _, a := range addresses {
		if u, err := url.Parse(a); err == nil {
			if site := siteOf(u.Hostname()); site != "" && !isCodeHost(site) {
				sites = append(sites, site)
			}
		}
	}
	return sites
}
