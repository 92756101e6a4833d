// Package docs has the documents of this folder that the pages show.
package docs

import "embed"

//go:embed accuracy.md scoring.md sdk.md tools.md
var files embed.FS

// Page returns the document of that name, without ".md"; it panics if there is none.
func Page(name string) string {
	text, err := files.ReadFile(name + ".md")
	if err != nil {
		panic("docs: " + err.Error()) // names are constants
	}
	return string(text)
}
