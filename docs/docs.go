// Package docs has documents of this folder that the pages show.
package docs

import _ "embed"

//go:embed sdk.md
var sdk string

// SDK returns docs/sdk.md: the SDKs with examples in three languages.
func SDK() string { return sdk }
