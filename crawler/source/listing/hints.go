package listing

import (
	"strings"

	"mcpcensus/internal/registry"
)

// SetHint sets the annotation of a tool that a name stands for, if it stands for one.
func SetHint(t *registry.Tool, name string, value bool) {
	var a registry.ToolAnnotations
	if t.Annotations != nil {
		a = *t.Annotations
	}
	if hint := Hint(&a, name); hint != nil {
		*hint, t.Annotations = &value, &a
	}
}

// hintMarks are what the SDKs put around the names of hints.
var hintMarks = strings.NewReplacer("_", "", "with", "", "set", "", "hint", "", "annotation", "")

// Hint returns the annotation that a name stands for in the spelling of any SDK, such as
// readOnlyHint, read_only or WithReadOnlyHintAnnotation; nil for other names, such as the readOnly of
// JSON Schema.
func Hint(of *registry.ToolAnnotations, name string) **bool {
	isOther := name == "" || name[0] >= 'a' && !strings.Contains(name, "_")
	if isOther && !strings.HasSuffix(strings.ToLower(name), "hint") && name != "destructive" && name != "idempotent" {
		return nil
	}
	switch hintMarks.Replace(strings.ToLower(name)) {
	case "readonly":
		return &of.ReadOnly
	case "destructive":
		return &of.Destructive
	case "idempotent":
		return &of.Idempotent
	case "openworld":
		return &of.OpenWorld
	}
	return nil
}
