package manifest

import (
	"testing"

	"mcpcensus/internal/registry"

	"github.com/google/go-cmp/cmp"
)

func TestHeader(t *testing.T) {
	type variables = map[string]registry.Variable
	env := map[string]string{"TIDE_HEADER": "Bearer <token>", "TIDE_KEY": "x"}
	in := registry.Variable{IsRequired: true, IsSecret: true}
	for _, c := range []struct {
		name, value string
		want        registry.Variable
	}{
		{"Authorization", "Bearer ${TIDE_KEY}", registry.Variable{IsSecret: true,
			Value: "Bearer {TIDE_KEY}", Variables: variables{"TIDE_KEY": in}}},
		{"X-Zone", "${TIDE_ZONE:-north}", registry.Variable{Value: "north"}},
		{"Authorization", "${TIDE_HEADER}", registry.Variable{IsSecret: true,
			Value: "Bearer {TIDE_HEADER}", Variables: variables{"TIDE_HEADER": in}}},
		{"Authorization", "Bearer ${input:tide-key}", registry.Variable{IsSecret: true,
			Value: "Bearer {TIDE_KEY}", Variables: variables{"TIDE_KEY": in}}},
		{"Authorization", "Bearer ${{ secrets.TIDE_KEY }}", registry.Variable{IsSecret: true,
			Value: "Bearer {TIDE_KEY}", Variables: variables{"TIDE_KEY": in}}},
		{"authorization", "Bearer <your-tide-key>", registry.Variable{IsSecret: true,
			Value: "Bearer {TIDE_KEY}", Variables: variables{"TIDE_KEY": in}}},
		{"Authorization", "Bearer YOUR_TIDE_KEY", registry.Variable{IsSecret: true,
			Value: "Bearer {TIDE_KEY}", Variables: variables{"TIDE_KEY": in}}},
		{"Authorization", "Bearer abc", registry.Variable{IsSecret: true}},
		{"Authorization", "Tide-Token abc", registry.Variable{IsSecret: true,
			Value: "Tide-Token {AUTHORIZATION}", Variables: variables{"AUTHORIZATION": in}}},
		{"X-Api-Key", "abc", registry.Variable{IsSecret: true}},
		{"X-Zone", "north", registry.Variable{Value: "north"}},
		{"X-Account", "{tide_account}", registry.Variable{
			Value: "{TIDE_ACCOUNT}", Variables: variables{"TIDE_ACCOUNT": {IsRequired: true}}}},
		{"Accept", "application/json", registry.Variable{Value: "application/json"}},
	} {
		c.want.Name, c.want.IsRequired = c.name, true
		if d := cmp.Diff(c.want, Header(c.name, c.value, env)); d != "" {
			t.Errorf("%s: %s: %s", c.name, c.value, d)
		}
	}
}
