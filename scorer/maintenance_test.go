package scorer

import (
	"testing"

	"mcpcensus/internal/registry"
)

func TestMaintenance(t *testing.T) {
	testChecks(t, []checkCase{
		{"commit_recency", "a commit of today", func(f *registry.Facts) {
			f.Activity.LastCommitAt = ptr(testNow)
		}, StateOK, 1, "Last commit by a person today (20 Nov 2026)."},
		{"commit_recency", "a commit in the future", func(f *registry.Facts) {
			f.Activity.LastCommitAt = ptr(testNow.AddDate(3, 0, 0))
		}, StateOK, 1, "today"},
		{"commit_recency", "no human commit known, a head of long ago", func(f *registry.Facts) {
			f.Activity.LastCommitAt, f.Repo.CommittedAt, f.Issues = nil, ptr(testNow.AddDate(0, 0, -540)),
				nil
		}, StateOK, 0, "since 29 May 2025"},
		{"commit_recency", "no human commit among too many", func(f *registry.Facts) {
			f.Activity.LastCommitAt, f.Activity.Truncated = nil, true
		}, StateUnknown, 0, ""},
		{"commit_recency", "a young repository", func(f *registry.Facts) {
			f.Repo.CreatedAt, f.Activity.LastCommitAt = testNow.AddDate(0, 0, -45), ptr(testNow)
		}, StateOK, 1, "45 days old"},
		{"cadence", "no activity", func(f *registry.Facts) {
			f.Activity, f.Failures = nil, map[string]string{"activity": "GitHub answered 502"}
		}, StateUnknown, 0, "The commits were not read recently."},
		{"cadence", "days that are no days", func(f *registry.Facts) {
			f.Activity.ActiveDays, f.Issues = []string{"yesterday", "2026-13-40", ""}, nil
		}, StateOK, 0, "No commits by people in the last 26 weeks."},
		{"release_recency", "never released", func(f *registry.Facts) {
			f.Repo.LatestReleases, f.Repo.Releases, f.Repo.Tags, f.Packages, f.Detection.Packages,
				f.Listing = nil, ptr(0), ptr(0), nil, nil, nil
		}, StateNA, 0, "No release, tag or published version"},
		{"release_recency", "releases not read", func(f *registry.Facts) {
			f.Repo.LatestReleases, f.Repo.Releases, f.Repo.Tags, f.Packages, f.Detection.Packages,
				f.Listing = nil, nil, nil, nil, nil, nil
		}, StateUnknown, 0, ""},
		{"release_recency", "tag of another member", func(f *registry.Facts) {
			f.Packages, f.Detection.Packages, f.Listing = nil, nil, nil
			f.Detection.Subfolder, f.Repo.LatestTag = "src/tides", nil
			f.Repo.LatestReleases = []registry.Release{{Tag: "winds@9.0.0", PublishedAt: ptr(testNow)}}
		}, StateUnknown, 0, ""},
		{"release_recency", "tag of the member", func(f *registry.Facts) {
			f.Packages, f.Detection.Packages, f.Listing = nil, nil, nil
			f.Detection.Subfolder, f.Repo.LatestTag = "src/tides", nil
			f.Repo.LatestReleases = []registry.Release{
				{Tag: "winds@9.0.0", PublishedAt: ptr(testNow)}, {Tag: "v8.0.0", PublishedAt: ptr(testNow)},
				{Tag: "tides/v1.2.0", PublishedAt: ptr(testNow.AddDate(0, 0, -60))}}
		}, StateOK, 1, "Latest: release tides/v1.2.0, 60 days ago"},
		{"responsiveness", "two issues", func(f *registry.Facts) {
			f.Issues.Opened, f.Issues.Answered = 2, 0
		}, StateNA, 0, "Too few"},
		{"responsiveness", "three issues, none answered", func(f *registry.Facts) {
			f.Issues.Opened, f.Issues.Answered = 3, 0
		}, StateOK, .2, "0 of 3"},
		{"responsiveness", "issues off", func(f *registry.Facts) {
			f.Repo.IssuesEnabled = ptr(false)
		}, StateWithheld, 0, "disabled"},
	})
}
