package scorer

import "slices"

func (in *input) noTree() signal {
	return signal{state: StateUnknown, reason: in.failed("The listing of the files has not been read.", "tree")}
}

func (in *input) testFiles() signal {
	t := in.tree
	if t == nil {
		return in.noTree()
	}
	s := signal{state: StateOK, at: at(&in.times.tree)}
	if t.TestFiles > 0 {
		s.value, s.reason = 1, "There are "+count(t.TestFiles, "test file")+"."
		if t.TestFiles == 1 {
			s.reason = "There is 1 test file."
		}
	} else {
		s.reason = "There are no test files."
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
		return signal{state: StateUnknown, reason: in.failed("There are workflows, but what they run has not been read.", "texts", "tree"), evidence: s.evidence}
	case len(t.CI) > 0 || t.Workflows > 0:
		s.value, s.reason = .5, "There are workflows, but none that runs tests or a build on every change."
	default:
		s.reason = "There is no continuous integration."
	}
	return s
}

func (in *input) ciPassing() signal {
	r := &in.f.Repo
	if !r.CheckStateKnown {
		return signal{state: StateUnknown, reason: in.failed("The state of the newest commit's checks has not been read.", "checks")}
	}
	s := signal{state: StateOK, at: at(&in.times.repo), evidence: in.commit(r.Commit)}
	switch r.CheckState {
	case "":
		return signal{state: StateNA, reason: "The newest commit has no checks."}
	case "SUCCESS":
		s.value, s.reason = 1, "The checks of the newest commit passed."
	case "FAILURE", "ERROR":
		s.reason = "The checks of the newest commit failed."
	default:
		return signal{state: StateUnknown, reason: "The checks of the newest commit are still running.", evidence: s.evidence}
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
		s.value, s.reason, s.evidence = 1, clean(t.Lockfile)+" locks the dependencies.", in.file(t.Lockfile, "")
	case !t.HasDependencies:
		return signal{state: StateNA, reason: "The manifests name no dependencies."}
	default:
		s.reason = "There is no lock file."
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
		s.value, s.reason = 0, "There is no configuration of a linter or type checker."
	}
	return s
}
