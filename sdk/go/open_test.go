package census

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOpenObjects(t *testing.T) {
	const text = `{"npm":5,"oci":null,"pypi":"later","total":9}`
	var got AnalyticsTotalsDownloads
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	want := AnalyticsTotalsDownloads{
		Total: new(int64(9)), Others: map[string]*int64{"npm": new(int64(5)), "oci": nil},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	back, err := json.Marshal(got)
	if err != nil || string(back) != `{"npm":5,"oci":null,"total":9}` {
		t.Errorf("got %s, %v", back, err)
	}
}
