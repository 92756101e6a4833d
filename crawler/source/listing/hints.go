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

// SetHints sets the annotations of a tool from the members of an object that have the names of the
// specification. One whose value is unknown leaves the effect unknown if it decides that.
func SetHints(t *registry.Tool, names []string, value func(name string) (is, known bool)) {
	var unknown registry.ToolAnnotations
	for _, name := range names {
		if !strings.HasSuffix(name, "Hint") {
			continue
		}
		if is, known := value(name); known {
			SetHint(t, name, is)
		} else if hint := Hint(&unknown, name); hint != nil {
			*hint = new(bool)
		}
	}
	a := t.Annotations
	if a == nil || unknown.ReadOnly == nil && (unknown.Destructive == nil || a.ReadOnly != nil && *a.ReadOnly) {
		return
	}
	t.Annotations = &registry.ToolAnnotations{Idempotent: a.Idempotent, OpenWorld: a.OpenWorld}
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
