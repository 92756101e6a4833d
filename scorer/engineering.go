package scorer

import "slices"

var engineeringChecks = []CheckSpec{
	{
		ID: "tests", Category: engineering, Name: "Tests", Weight: 4, Prior: 0.5,
		measure:  (*input).testFiles,
		Question: "Are there tests?",
		Formula:  "At least one test file: 1. None: 0.",
		Source:   sourceHost,
		Fix:      "Add a test that lists the tools and calls one.",
	},
	{
		ID: "ci", Category: engineering, Name: "Continuous integration", Weight: 3, Prior: 0.5,
		measure:  (*input).continuousIntegration,
		Question: "Does every change run tests or a build?",
		Formula: "A workflow on push or pull request that runs tests or a build: 1. Other " +
			"workflows only: 0.5. None: 0. Workflows of which the text was not read, and " +
			"none that does: unknown.",
		Source: sourceHost,
		Fix:    "Run build and tests on every push.",
	},
	{
		ID: "ci_passing", Category: engineering, Name: "Checks pass", Weight: 2, Prior: 0.5,
		measure:  (*input).ciPassing,
		Question: "Do the checks of the latest commit pass?",
		Formula:  "Passed: 1. Failed: 0. Still running: unknown.",
		Source:   sourceHost,
		NA:       "the commit has no checks",
		Fix:      "Fix the failing checks of the default branch.",
	},
	{
		ID: "reproducible", Category: engineering, Name: "Locked dependencies", Weight: 2, Prior: 0.5,
		measure:  (*input).reproducible,
		Question: "Are the dependencies locked?",
		Formula:  "A lock file, go.sum or an image pinned by digest: 1. None: 0.",
		Source:   sourceHost,
		NA:       "the server has no dependencies",
		Fix:      "Commit the lock file.",
	},
	{
		ID: "lint_types", Category: engineering, Name: "Linter or types", Weight: 1, Prior: 0.5,
		measure:  (*input).lintTypes,
		Question: "Does a tool check the code?",
		Formula: "The configuration of a linter or type checker, or a compiled language: 1. " +
			"None: 0.",
		Source: sourceHost,
		Fix:    "Add a linter or a type checker.",
	},
}

func (in *input) noTree() signal {
	return unknown(in.failed("The list of files was not read.", "tree"))
}

func (in *input) testFiles() signal {
	t := in.tree
	if t == nil {
		return in.noTree()
	}
	s := signal{state: StateOK, at: at(&in.times.tree)}
	if t.TestFiles > 0 {
		s.value, s.reason = 1, "Found "+count(t.TestFiles, "test file")+"."
	} else {
		s.reason = "No test files."
	}
	return s
}

func (in *input) continuousIntegration() signal {
	t := in.tree
	if t == nil {
		return in.noTree()
	}
	s := signal{state: StateOK, at: at(&in.times.tree)}
	first := ""
	if len(t.CI) > 0 {
		first = slices.Min(t.CI)
		s.evidence = in.file(first, "")
	}
	switch {
	case t.CIRunsTests && len(t.CI) > 0:
		s.value, s.reason = 1, clean(first)+" runs tests or a build on every change."
	case t.CIRunsTests:
		s.value, s.reason = 1, "A workflow runs tests or a build on every change."
	case t.Workflows > t.WorkflowsRead:
		return signal{state: StateUnknown,
			reason:   in.failed("There are workflows, but they were not read.", "texts", "tree"),
			evidence: s.evidence}
	case len(t.CI) > 0 || t.Workflows > 0:
		s.value, s.reason = .5,
			"There are workflows, but none of them runs tests or a build on every change."
	default:
		s.reason = "No continuous integration."
	}
	return s
}

func (in *input) ciPassing() signal {
	r := &in.f.Repo
	if !r.CheckStateKnown {
		return unknown(in.failed("The checks of the latest commit were not read.", "checks"))
	}
	s := signal{state: StateOK, at: at(&in.times.repo), evidence: in.commit(r.Commit)}
	switch r.CheckState {
	case "":
		return notApplicable("The latest commit has no checks.")
	case "SUCCESS":
		s.value, s.reason = 1, "The checks of the latest commit passed."
	case "FAILURE", "ERROR":
		s.reason = "The checks of the latest commit failed."
	default:
		return signal{state: StateUnknown, reason: "The checks of the latest commit are still running.",
			evidence: s.evidence}
	}
	return s
}

func (in *input) reproducible() signal {
	t := in.tree
	if t == nil {
		return in.noTree()
	}
	s := signal{state: StateOK, at: at(&in.times.tree)}
	switch {
	case t.Lockfile != "":
		s.value, s.reason, s.evidence = 1, clean(t.Lockfile)+" locks the dependencies.",
			in.file(t.Lockfile, "")
	case !t.HasDependencies:
		return notApplicable("The manifests list no dependencies.")
	default:
		s.reason = "No lock file."
	}
	return s
}

func (in *input) lintTypes() signal {
	t := in.tree
	if t == nil {
		return in.noTree()
	}
	s := signal{state: StateOK, value: 1, at: at(&in.times.tree)}
	switch {
	case t.LintOrTypes != "":
		s.reason = clean(t.LintOrTypes) + " checks the code."
	case t.CompiledLanguage:
		s.reason = "A compiler checks the code."
	default:
		s.value, s.reason = 0, "No linter or type checker is configured."
	}
	return s
}
