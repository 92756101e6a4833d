package scorer

import (
	"testing"

	"mcpcensus/internal/registry"
)

func TestGovernance(t *testing.T) {
	testChecks(t, []checkCase{
		{"license", "not approved", func(f *registry.Facts) {
			f.Repo.License = "BUSL-1.1"
		}, StateOK, .5, "BUSL-1.1"},
		{"license", "a GPL of any form", func(f *registry.Facts) {
			f.Repo.License = "GPL-3.0-or-later"
		}, StateOK, 1, ""},
		{"license", "a manifest only", func(f *registry.Facts) {
			f.Repo.License, f.Detection.LicenseFile = "", false
		}, StateOK, .5, "only the manifest"},
		{"license", "an unknown file only", func(f *registry.Facts) {
			f.Repo.License, f.Detection.License, f.Packages[0].License = "NOASSERTION", "", "UNLICENSED"
		}, StateOK, .4, "not recognized"},
		{"license", "nobody looked", func(f *registry.Facts) {
			f.Repo.License, f.Repo.LicenseKnown, f.Detection.License, f.Detection.LicenseFile,
				f.Packages[0].License = "", false, "", false, ""
		}, StateUnknown, 0, ""},
		{"maintainers", "one person", func(f *registry.Facts) {
			f.Activity.Humans = ptr(1)
		}, StateOK, .6, "1 contributor"},
		{"maintainers", "nobody", func(f *registry.Facts) {
			f.Activity.Humans = ptr(0)
		}, StateOK, 0, "No contributors"},
		{"owner_identity", "a namespace of a domain", func(f *registry.Facts) {
			f.Repo.OwnerVerified, f.Listing.Name = nil, "com.octo/weather"
		}, StateOK, 1, "com.octo"},
		{"owner_identity", "the owner's name", func(f *registry.Facts) {
			f.Repo.OwnerVerified = nil
		}, StateOK, .8, "Publisher not proven by a domain. Listed"},
		{"owner_identity", "a new account", func(f *registry.Facts) {
			f.Repo.OwnerVerified, f.Listing, f.Repo.OwnerCreatedAt = nil, nil,
				ptr(testNow.AddDate(0, 0, -9))
		}, StateOK, .4, "9 days old"},
	})
}
