package scorer

// priors are what an unknown check counts at: the mean of the check over the
// servers where it could be measured, frozen for each version of the model,
// so that a score moves only with the server's own facts. 0.5 stands until a
// crawl of at least 1,000 repositories has given better ones; [PriorSample]
// computes them and a person commits them here.
var priors = map[string]float64{
	"commit_recency":    0.5,
	"cadence":           0.5,
	"release_recency":   0.5,
	"responsiveness":    0.5,
	"package_published": 0.5,
	"ownership_link":    0.5,
	"registry_listed":   0.5,
	"version_sync":      0.5,
	"install_docs":      0.5,
	"readme":            0.5,
	"client_config":     0.5,
	"tools_documented":  0.5,
	"config_documented": 0.5,
	"changelog":         0.5,
	"sdk_currency":      0.5,
	"transport":         0.5,
	"remote_liveness":   0.5,
	"tests":             0.5,
	"ci":                0.5,
	"ci_passing":        0.5,
	"reproducible":      0.5,
	"lint_types":        0.5,
	"advisories":        0.5,
	"policy":            0.5,
	"dep_updates":       0.5,
	"provenance":        0.5,
	"workflow_safety":   0.5,
	"license":           0.5,
	"maintainers":       0.5,
	"owner_identity":    0.5,
}
