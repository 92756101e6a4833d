package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

func TestRoute(t *testing.T) {
	filters, broken := "good", "broken"
	basic, big := account.Subscription{Plan: account.Basic}, account.Subscription{Plan: account.Enterprise}
	event := Event{ID: "e1", Type: ScoreChanged, ServerID: 7, Server: "octo-a"}
	private := Event{ID: "e2", Type: Test, Account: 1}
	subscribers := []Subscriber{
		{Endpoint: Endpoint{ID: 1, Account: 1}, Plan: big},
		{Endpoint: Endpoint{ID: 3, Account: 1, Events: []string{Listed}}, Plan: big},
		{Endpoint: Endpoint{ID: 4, Account: 1, Servers: []string{"octo-a"}}, Plan: big},
		{Endpoint: Endpoint{ID: 5, Account: 1, Servers: []string{"octo-b"}}, Plan: big},
		{Endpoint: Endpoint{ID: 6, Account: 1, Search: "good"}, Plan: big, Filters: &filters},
		{Endpoint: Endpoint{ID: 7, Account: 1, Search: "deleted"}, Plan: big},
		{Endpoint: Endpoint{ID: 8, Account: 1, Search: "old"}, Plan: big, Filters: &broken},
		{Endpoint: Endpoint{ID: 9, Account: 2}, Plan: basic},
		{Endpoint: Endpoint{ID: 10, Account: 2}, Plan: basic}, // beyond the plan
		{Endpoint: Endpoint{ID: 11, Account: 3, Search: "good"}, Plan: basic, Filters: &filters},
	}
	compile := func(filters string) (func(*registry.Server) bool, error) {
		if filters == broken {
			return nil, errors.New("unknown filter")
		}
		return func(s *registry.Server) bool { return *s.Health.Score >= 50 }, nil
	}
	for name, tt := range map[string]struct {
		score int // 0: no record
		want  string
	}{
		"in the results":     {90, "1 e1, 4 e1, 6 e1, 9 e1, 1 e2"},
		"not in the results": {20, "1 e1, 4 e1, 9 e1, 1 e2"},
		"deleted":            {0, "1 e1, 4 e1, 9 e1, 1 e2"},
	} {
		t.Run(name, func(t *testing.T) {
			b := Batch{Subscribers: subscribers, Events: []Event{event, private},
				Records: map[int64]json.RawMessage{}}
			if tt.score > 0 {
				record, err := json.Marshal(registry.Server{Health: registry.Health{Score: &tt.score}})
				if err != nil {
					t.Fatal(err)
				}
				b.Records[7] = record
			}
			pairs, err := b.Route(compile, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range pairs {
				got = append(got, fmt.Sprint(p.Endpoint, " ", p.Event))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}
