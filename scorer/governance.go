package scorer

import (
	_ "embed"
	"strings"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

var governanceChecks = []CheckSpec{
	{
		ID: "license", Category: governance, Name: "License", Weight: 1,
		from: fromRepo, measure: (*input).license, advise: (*input).licenseAdvice,
		Question: "May I use it?",
		Formula: "A license file with a license approved by the OSI: 1. Another known license, " +
			"or a license named in the manifest only: 0.5. A license file that is not " +
			"recognized: 0.4. None: 0.",
		Source: sourceHost,
		Fix:    "Add a LICENSE file with an open-source license.",
	},
	{
		ID: "maintainers", Category: governance, Name: "Contributors", Weight: 1,
		from: fromCommits, measure: (*input).maintainers,
		Question: "How many people contribute?",
		Formula:  "People with a commit on the default branch in the last 365 days.",
		Curve:    Curve{{0, 0}, {1, .6}, {2, .85}, {3, 1}},
		Source:   sourceHost,
	},
	{
		ID: "owner_identity", Category: governance, Name: "Publisher identity",
		NoPoints: "Nearly all publishers get the same result.",
		from:     fromRepo, measure: (*input).ownerIdentity,
		Question: "Is it clear who publishes it?",
		Formula: "The organization's domain is verified, or the server is in the official " +
			"registry under a domain's namespace: 1. Under io.github and the owner's name: " +
			"0.8. An account older than a year: 0.7. Otherwise 0.4.",
		Source: sourceHost,
	},
}

//go:embed osi.txt
var osiText string

// osi are the SPDX identifiers of common licenses that the Open Source
// Initiative has approved, in lower case without "-only" and "-or-later"
// (opensource.org/licenses).
var osi = func() map[string]bool {
	m := map[string]bool{}
	for id := range strings.FieldsSeq(osiText) {
		m[id] = true
	}
	return m
}()

// isOSI reports whether an SPDX identifier names an approved license.
func isOSI(spdx string) bool {
	id := strings.ToLower(strings.TrimSpace(spdx))
	id = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(id, "+"), "-only"), "-or-later")
	return osi[id]
}

// grants reports whether the license field of a manifest names a license.
func grants(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && !strings.EqualFold(s, "unlicensed") && !strings.EqualFold(s, "none") &&
		!strings.EqualFold(s, "proprietary") && !strings.EqualFold(s, "noassertion")
}

// manifestLicense returns the license that a manifest or a package names, ""
// if none does.
func (in *input) manifestLicense() string {
	if l := in.f.Detection.License; grants(l) {
		return l
	}
	for i := range in.packages {
		if p := in.packages[i].facts; p != nil && grants(p.License) {
			return p.License
		}
	}
	return ""
}

func (in *input) license(s signal) signal {
	r := &in.f.Repo
	named := in.manifestLicense()
	switch spdx := r.License; {
	case spdx != "" && spdx != "NOASSERTION" && isOSI(spdx):
		s.value, s.reason = 1, "The license is "+clean(spdx)+"."
	case spdx != "" && spdx != "NOASSERTION":
		s.value, s.reason = .5, "The license is "+clean(spdx)+", which is not approved by the OSI."
	case named != "":
		s.value, s.reason = .5, "No license file: only the manifest names "+clean(named)+"."
		if in.unrecognized() {
			s.reason = "The manifest names " + clean(named) + ", but the license file is not recognized."
		}
		if !r.LicenseKnown && spdx == "" {
			// The license file may differ from the manifest.
			why := "Unknown whether there is a license file."
			if in.f.Detection.LicenseFile {
				why = "The license file was not read."
			}
			return unknown("The manifest names " + clean(named) + ". " + why)
		}
	case in.unrecognized():
		s.value, s.reason = .4, "There is a license file, but it is not recognized."
	case !r.LicenseKnown || in.tree == nil:
		return unknown("The license was not read.")
	default:
		s.reason = "No license file, and no license in the manifest."
	}
	return s
}

// unrecognized reports whether there is a license file that is not recognized.
func (in *input) unrecognized() bool {
	spdx := in.f.Repo.License
	return spdx == "NOASSERTION" || spdx == "" && in.f.Detection.LicenseFile
}

// licenseAdvice returns none for a known license: its choice is the owner's.
func (in *input) licenseAdvice(*signal) string {
	switch named := in.manifestLicense(); {
	case in.unrecognized():
		return "Use the unchanged text of a known license in the LICENSE file."
	case in.f.Repo.License != "":
		return ""
	case named != "":
		return "Add a LICENSE file with the text of " + clean(named) + "."
	}
	return "Add a LICENSE file with an open-source license."
}

func (in *input) maintainers(s signal) signal {
	a := in.activity
	if a == nil || a.Humans == nil {
		return unknown("The number of contributors is unknown.")
	}
	n := max(0, *a.Humans)
	if n == 0 {
		return s.withValue(0, "No contributors in the last year.")
	}
	reason := text.Count(n, "contributor") + " in the last year."
	if n < 3 {
		reason = "Only " + reason
	}
	return s.withValue(float64(n), reason)
}

// inDomain reports whether a name of the official registry is in the namespace of a domain
// rather than of an account at a code host.
func inDomain(name string) bool {
	host, _ := registry.NamespaceOf(name)
	return host == nil && strings.Contains(name, "/")
}

func (in *input) ownerIdentity(s signal) signal {
	r := &in.f.Repo
	listed := in.listing != nil && in.listing.Status == "active"
	switch {
	case r.OwnerVerified != nil && *r.OwnerVerified:
		s.value, s.reason = 1, "The domain of the organization "+clean(r.Owner)+" is verified."
		return s
	case listed && inDomain(in.listing.Name):
		space, _, _ := strings.Cut(in.listing.Name, "/")
		s.value, s.reason = 1, "The official registry verified the namespace "+clean(space)+"."
	case listed && r.Ref().OwnsName(in.listing.Name):
		s.value, s.reason = .8, "Publisher not proven by a domain. Listed in the official registry "+
			"under its owner's name, "+clean(in.listing.Name)+"."
	case r.OwnerCreatedAt == nil:
		return unknown("The age of the account " + clean(r.Owner) + " is unknown.")
	default:
		days := in.daysSince(*r.OwnerCreatedAt)
		s.elapsed = true
		s.value, s.reason = .4, "Publisher not proven by a domain. The account "+clean(r.Owner)+" is "+
			text.Count(days, "day")+" old (since "+text.Day(*r.OwnerCreatedAt)+")."
		if days > 365 {
			s.value = .7
		}
		return s
	}
	s.source, s.at = "official-registry", at(&in.times.listing)
	s.evidence = []registry.Evidence{{Type: "registry", Ref: clean(in.listing.Name)}}
	return s
}
