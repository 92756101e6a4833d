package scorer

import (
	"slices"
	"strings"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

var engineeringChecks = []CheckSpec{
	{
		ID: "tests", Category: engineering, Name: "Tests", Weight: 7,
		from: fromTree,
		measure: func(in *input, s signal) signal {
			if n := in.tree.TestFiles; n > 0 {
				return s.withValue(1, "Found "+text.Count(n, "test file")+".")
			}
			return s.withValue(0, "No test files.")
		},
		Question: "Are there tests?",
		Formula:  "At least one test file: 1. None: 0.",
		Source:   sourceHost,
		Fix:      "Add a test that lists the tools and calls one.",
	},
	{
		ID: "ci", Category: engineering, Name: "Continuous integration", Weight: 7,
		from: fromTree, measure: (*input).continuousIntegration, advise: (*input).ciAdvice,
		Question: "Does every change run tests or a build?",
		Formula: "A step of a workflow that runs for pushes to the default branch or pull " +
			"requests, read from its triggers, its commands and the scripts that they run. Tests: " +
			"1. Only a build: 0.6. Neither: 0. If a text that may run them was not read, and no " +
			"other step does: unknown.",
		Source: sourceHost,
		Fix:    "Run build and tests on every push.",
	},
	{
		ID: "ci_passing", Category: engineering, Name: "Checks pass", Weight: 1,
		from: fromRepo, measure: (*input).ciPassing,
		Question: "Do the checks of the latest commit pass?",
		Formula:  "Passed: 1. Failed: 0. Still running: unknown.",
		Source:   sourceHost,
		NA:       "the commit has no checks",
		Fix:      "Fix the failing checks of the default branch.",
	},
	{
		ID: "reproducible", Category: engineering, Name: "Locked dependencies", Weight: 1,
		from: fromTree, measure: (*input).locked,
		advise:   func(in *input, _ *signal) string { return in.tooling().lock },
		Question: "Are the dependencies locked?",
		Formula:  "A lock file, go.sum or an image pinned by digest: 1. None: 0.",
		Source:   sourceHost,
		NA: "the server has no dependencies, or the tools of its language write no lock file " +
			"by default, as Maven's and NuGet's",
		Fix: "Commit the lock file.",
	},
	{
		ID: "lint_types", Category: engineering, Name: "Linter or types", Weight: 1,
		from: fromTree, measure: (*input).checkedCode,
		advise:   func(in *input, _ *signal) string { return in.tooling().lint },
		Question: "Does a tool check the code?",
		Formula: "The configuration of a linter or type checker for the server's language, or a " +
			"compiled language: 1. None: 0.",
		Source: sourceHost,
		Fix:    "Add a linter or a type checker.",
	},
}

const noDependencies = "The manifests list no dependencies."

func (in *input) locked(s signal) signal {
	switch t := in.tree; {
	case t.Lockfile != "":
		return s.withValue(1, clean(t.Lockfile)+" locks the dependencies.", in.file(t.Lockfile, "")...)
	case !t.HasDependencies:
		return notApplicable(noDependencies)
	case in.tooling().lock == "":
		return notApplicable("The tools of its language write no lock file by default.")
	}
	return s.withValue(0, "No lock file.")
}

func (in *input) checkedCode(s signal) signal {
	switch t := in.tree; {
	case t.LintOrTypes != "":
		return s.withValue(1, clean(t.LintOrTypes)+" checks the code.")
	case t.CompiledLanguage, in.tooling().lint == "":
		return s.withValue(1, "A compiler checks the code.")
	}
	return s.withValue(0, "No linter or type checker is configured.")
}

func (in *input) ciAdvice(s *signal) string {
	switch {
	case in.tree.TestFiles <= 0:
		return "Add tests, and run them on every push."
	case s.value > 0: // it runs a build
		return "Run tests on every push."
	}
	return "Run build and tests on every push."
}

func (in *input) continuousIntegration(s signal) signal {
	t := in.tree
	if step := t.CIStep; step != nil && (step.Tests || t.CIRead) {
		s.value = .6
		if step.Tests {
			s.value = 1
		}
		s.evidence = in.file(step.Path, clean(step.Command))
		s.reason = clean(step.Path) + " runs " + quote(step.Command) + stepOf(step) + " on " +
			trigger(step.On) + "."
		if !step.Tests {
			s.reason += " No step that runs tests was found."
		}
		return s
	}
	if len(t.CI) > 0 {
		s.evidence = in.file(slices.Min(t.CI), "")
	}
	switch {
	case len(t.CI) == 0 && t.Workflows == 0:
		s.reason = "No continuous integration."
	case !t.CIRead:
		return signal{state: StateUnknown, evidence: s.evidence,
			reason: "There are workflows, but it is unknown whether they run tests."}
	case len(t.CI) == 0:
		s.reason = "There are workflows, but none runs for pushes or pull requests that change the code."
	default:
		s.reason = "Workflows run on changes, but no step of them runs tests or a build."
	}
	return s
}

// stepOf names the job and the step in parentheses.
func stepOf(step *registry.CIStep) string {
	var parts []string
	if step.Job != "" {
		parts = append(parts, "job "+clean(step.Job))
	}
	if step.Name != "" {
		parts = append(parts, "step "+quote(step.Name))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// trigger returns an event of a workflow in words.
func trigger(on string) string {
	switch on {
	case "pull_request":
		return "pull requests"
	case "push and pull_request":
		return "pushes and pull requests"
	}
	return "pushes"
}

// quote returns a text of a repository in quotation marks.
func quote(s string) string { return "“" + clean(s) + "”" }

func (in *input) ciPassing(s signal) signal {
	r := &in.f.Repo
	s.evidence = in.commit(r.Commit)
	switch {
	case !r.CheckStateKnown:
		return unknown("The checks of the latest commit were not read.")
	case r.CheckState == "":
		return notApplicable("The latest commit has no checks.")
	case r.CheckState == "SUCCESS":
		return s.withValue(1, "The checks of the latest commit passed.")
	case r.CheckState == "FAILURE", r.CheckState == "ERROR":
		return s.withValue(0, "The checks of the latest commit failed.")
	}
	return signal{state: StateUnknown, reason: "The checks of the latest commit are still running.",
		evidence: s.evidence}
}
