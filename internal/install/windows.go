package install

import (
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// batchFiles are the programs that are batch files on Windows, which only a shell starts.
var batchFiles = []string{"npx", "npm", "pnpm", "yarn", "bunx"}

// withShell are the clients that start batch files themselves: through a shell, or by the path of
// the file. Links to Goose name programs that it replaces with its own.
var withShell = []string{"vscode", "codex", "goose"}

// StartsBatchFile reports whether a command starts a batch file on Windows through "cmd /c". It
// is false if a word has characters that the shell would interpret.
func StartsBatchFile(words []string) bool {
	return slices.Contains(batchFiles, words[0]) &&
		!strings.ContainsAny(strings.Join(words, ""), "&|<>^%\"\r\n")
}

// IsMisread reports whether the command starts a batch file on Windows, whose shell would interpret a
// character of it.
func (s *Setup) IsMisread() bool {
	words := s.Words()
	return words != nil && slices.Contains(batchFiles, words[0]) && !StartsBatchFile(words)
}

// onWindows returns the target as a client starts it on Windows.
func (t target) onWindows(clientID string) target {
	t.windows = true
	l := t.stdio
	if l == nil || slices.Contains(withShell, clientID) ||
		!StartsBatchFile(append([]string{l.command}, texts(l.args, asPlaceholder)...)) {
		return t
	}
	t.stdio = &launch{"cmd", slices.Concat(literal("/c", l.command), l.args), l.env}
	return t
}

// withWindows sets what differs in the snippets of a client on Windows.
func withWindows(all, windows []Snippet) []Snippet {
	for i, w := range windows {
		if w.Text+w.URL != all[i].Text+all[i].URL {
			all[i].Windows = w.Text + w.URL
		}
	}
	return all
}

func (s Snippet) OnWindows() Snippet {
	switch {
	case s.Windows == "":
	case s.URL != "":
		s.URL = s.Windows
	default:
		s.Text = s.Windows
	}
	return s
}

// OnWindows returns the configuration on Windows of clients that start programs without a shell:
// {"command":"cmd","args":["/c",…],"env":{…}}; "" if it is the same.
func OnWindows(s *registry.Server) string {
	t := targetOf(s)
	w := t.onWindows("")
	if w.stdio == t.stdio {
		return ""
	}
	return string(compact(w.stdio.object(asPlaceholder)))
}
