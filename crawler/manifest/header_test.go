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
		{"X-Tide-Key", "YOUR_TOKEN", registry.Variable{IsSecret: true,
			Value: "{X_TIDE_KEY}", Variables: variables{"X_TIDE_KEY": in}}},
		{"X-Tide-Secret", "<your key>", registry.Variable{IsSecret: true,
			Value: "{X_TIDE_SECRET}", Variables: variables{"X_TIDE_SECRET": in}}},
		{"X-Mail", "mailto:YOUR_EMAIL", registry.Variable{
			Value: "mailto:{X_MAIL}", Variables: variables{"X_MAIL": {IsRequired: true}}}},
		{"Cookie", "sid=YOUR_TOKEN; csrf=YOUR_TOKEN", registry.Variable{IsSecret: true,
			Value: "sid={TOKEN}; csrf={COOKIE_2}", Variables: variables{"TOKEN": in, "COOKIE_2": in}}},
		{"X-Pair", "${TIDE_ID}/${TIDE_ID}", registry.Variable{
			Value: "{TIDE_ID}/{TIDE_ID}", Variables: variables{"TIDE_ID": {IsRequired: true}}}},
		{"Accept", "application/json", registry.Variable{Value: "application/json"}},
	} {
		c.want.Name, c.want.IsRequired = c.name, true
		if d := cmp.Diff(c.want, Header(c.name, c.value, env)); d != "" {
			t.Errorf("%s: %s: %s", c.name, c.value, d)
		}
	}
}
