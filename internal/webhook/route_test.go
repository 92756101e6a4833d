package webhook

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestRoute(t *testing.T) {
	good := View{1, "good"}
	servers := func(score int) ChangedServer {
		return ChangedServer{ID: 7, Slug: "octo-a", Server: state(func(s *registry.Server) {
			s.Slug = "octo-a"
			s.Health.Score = &score
		}).Server}
	}
	event := Event{ID: "e1", Type: ScoreChanged, ServerID: 7, Server: "octo-a"}
	private := Event{ID: "e2", Type: Test, Account: 1}
	endpoints := []Endpoint{
		{ID: 1, Account: 1},
		{ID: 2, Account: 2},
		{ID: 3, Account: 1, Events: []string{Listed}},
		{ID: 4, Account: 1, Servers: []string{"octo-a"}},
		{ID: 5, Account: 1, Servers: []string{"octo-b"}},
		{ID: 6, Account: 1, Search: "good"},
		{ID: 7, Account: 2, Search: "good"},
		{ID: 8, Account: 1, Search: "deleted"},
		{ID: 9, Account: 1, Search: "good", Events: []string{ViewChanged}},
	}
	tests := []struct {
		name    string
		servers []ChangedServer
		members []Member
		want    string
	}{
		{"joins", []ChangedServer{servers(90)}, nil,
			"joined octo-a; 1 e1, 1 e2, 2 e1, 4 e1, 6 e1, 6 view, 9 view"},
		{"stays", []ChangedServer{servers(90)}, []Member{{good, 7, "octo-a"}},
			"1 e1, 1 e2, 2 e1, 4 e1, 6 e1"},
		{"leaves", []ChangedServer{servers(20)}, []Member{{good, 7, "octo-a"}},
			"left octo-a; 1 e1, 1 e2, 2 e1, 4 e1, 6 e1, 6 view, 9 view"},
		{"gone", []ChangedServer{{ID: 7, Slug: "octo-a"}}, []Member{{good, 7, "octo-a"}},
			"left octo-a; 1 e1, 1 e2, 2 e1, 4 e1, 6 e1, 6 view, 9 view"},
		{"outside", []ChangedServer{servers(20)}, nil, "1 e1, 1 e2, 2 e1, 4 e1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Route(&Batch{Endpoints: endpoints, Events: []Event{event, private},
				Matchers: map[View]func(*registry.Server) bool{good: func(s *registry.Server) bool {
					return *s.Health.Score >= 50
				}},
				Servers: tt.servers, Members: tt.members, Sequence: 9, Now: time.Now()})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range r.Deliveries {
				id := d.Event
				if strings.HasPrefix(id, "evt_") {
					id = "view"
				}
				got = append(got, fmt.Sprint(d.Endpoint, " ", id))
			}
			slices.Sort(got)
			said := ""
			for _, m := range r.Joined {
				said += "joined " + m.Server + "; "
			}
			for _, m := range r.Left {
				said += "left " + m.Server + "; "
			}
			if diff := cmp.Diff(tt.want, said+strings.Join(got, ", ")); diff != "" {
				t.Error(diff)
			}
			for _, e := range r.Events {
				if e.Account != 1 || e.Sequence != 9 {
					t.Errorf("the event of a view is %+v", e)
				}
			}
		})
	}
}
