package accounts_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/account"
)

// memberships are the accounts of a person.
func (p *client) memberships() string {
	p.t.Helper()
	var b struct {
		Memberships []struct {
			Email, Role string
			Current     bool
		}
	}
	into(p.t, p.wants(200, p.do("GET", "/memberships")), &b)
	out := []string{}
	for _, m := range b.Memberships {
		s := m.Email + " " + m.Role
		if m.Current {
			s += " *"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

// json sends a request with a JSON body and returns the status and the code of a problem.
func (p *client) json(method, path, body string) string {
	p.t.Helper()
	r := p.send(p.request(method, "/account/api"+path, body))
	return strings.TrimSpace(fmt.Sprint(r.status) + " " + r.code())
}

// invite invites an address to the account that p acts in, and returns the token.
func (p *client) invite(email, role string) string {
	p.t.Helper()
	var b struct{ Link string }
	into(p.t, p.wants(202, p.do("POST", "/members", "email", email, "role", role)), &b)
	u, err := url.Parse(b.Link)
	if err != nil || !strings.HasSuffix(u.Path, "/account/invitation") {
		p.t.Fatalf("link %q", b.Link)
	}
	return u.Query().Get("token")
}

// joins makes a person a member of the account that p acts in, and act in it.
func (p *client) joins(h *fixture, who *client, email, role string) (id int64) {
	p.t.Helper()
	token := p.invite(email, role)
	var m struct{ Account int64 }
	into(p.t, who.wants(200, who.do("POST", "/invitations/accept", "token", token)), &m)
	if got := who.json("POST", "/memberships/switch", fmt.Sprintf(`{"account": %d}`, m.Account)); got != "204" {
		p.t.Fatalf("switch: %s", got)
	}
	l, err := h.db.AccountOf(p.t.Context(), email)
	if err != nil {
		p.t.Fatal(err)
	}
	return l.ID
}

func TestMembers(t *testing.T) {
	h := newHouse(t, options{})
	ann, bob, eve := h.memberIn("ann@example.com"), h.memberIn("bob@example.com"), h.memberIn("eve@example.com")
	annKey := ann.makeKey("ann's")
	bobID := ann.joins(h, bob, "bob@example.com", "member")
	if got := bob.memberships(); got != "bob@example.com owner, ann@example.com member *" {
		t.Errorf("bob's: %s", got)
	}
	// A member sees usage and their own keys, and nothing else.
	if got := bob.keys(); len(got) != 0 {
		t.Errorf("bob sees %v", got)
	}
	own := bob.makeKey("bob's")
	if a, err := h.ring.Find(h.now(), own.Key); err != nil || a.Account != 1 || strings.Join(a.Scopes.Names(), " ") != "read analytics" {
		t.Errorf("a member's key: %+v, %v", a, err)
	}
	if len(bob.keys()) != 1 || len(ann.keys()) != 2 {
		t.Error("a member sees other keys than their own, or the owner not all")
	}
	me := fmt.Sprintf("/members/%d", bobID)
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "/keys", `{"name": "x", "scopes": ["webhooks"]}`, "403 role_required"},
		{"PATCH", fmt.Sprintf("/keys/%d", own.ID), `{"scopes": ["read", "custom"]}`, "403 role_required"},
		{"PATCH", fmt.Sprintf("/keys/%d", annKey.ID), `{"name": "mine"}`, "404 key_not_found"},
		{"DELETE", fmt.Sprintf("/keys/%d", annKey.ID), "", "404 key_not_found"},
		{"POST", fmt.Sprintf("/keys/%d/rotate", annKey.ID), "", "404 key_not_found"},
		{"GET", "/plan", "", "403 role_required"},
		{"POST", "/plan", `{"plan": "basic"}`, "403 role_required"},
		{"GET", "/audit", "", "403 role_required"},
		{"POST", "/usage-alerts", `{"enabled": false}`, "403 role_required"},
		{"POST", "/members", `{"email": "eve@example.com", "role": "member"}`, "403 role_required"},
		{"PATCH", me, `{"role": "admin"}`, "403 role_required"}, // raises its own role
		{"DELETE", "/members/1", "", "409 last_owner"},
	} {
		if got := bob.json(c.method, c.path, c.body); got != c.want {
			t.Errorf("member: %s %s %s: %s, want %s", c.method, c.path, c.body, got, c.want)
		}
	}
	// Someone else has no way in.
	if got := eve.json("POST", "/memberships/switch", `{"account": 1}`); got != "404 member_not_found" {
		t.Errorf("eve switches: %s", got)
	}
	if got := eve.json("DELETE", me, ""); got != "404 member_not_found" {
		t.Errorf("eve removes bob: %s", got)
	}
	// An admin does not touch owners, nor becomes one.
	ann.wants(204, ann.do("PATCH", me, "role", "admin"))
	eveID := bob.joins(h, eve, "eve@example.com", "member")
	ann.wants(204, ann.do("PATCH", fmt.Sprintf("/members/%d", eveID), "role", "owner"))
	for _, c := range []struct{ method, path, body, want string }{
		{"PATCH", me, `{"role": "owner"}`, "403 role_required"},
		{"PATCH", fmt.Sprintf("/members/%d", eveID), `{"role": "member"}`, "403 role_required"},
		{"DELETE", fmt.Sprintf("/members/%d", eveID), "", "403 role_required"},
		{"POST", "/members", `{"email": "zoe@example.com", "role": "owner"}`, "403 role_required"},
		{"POST", "/plan", `{"plan": "basic"}`, "403 role_required"},
		{"PATCH", fmt.Sprintf("/keys/%d", annKey.ID), `{"name": "ours"}`, "200"},
		{"POST", "/members", `{"email": "eve@example.com", "role": "member"}`, "409 conflict"},
		{"POST", "/members", `{"email": "zoe@example.com", "role": "root"}`, "400 invalid_parameter"},
	} {
		if got := bob.json(c.method, c.path, c.body); got != c.want {
			t.Errorf("admin: %s %s %s: %s, want %s", c.method, c.path, c.body, got, c.want)
		}
	}
	// An owner does, but the one who signed up stays.
	eve.wants(200, eve.do("POST", "/plan", "plan", "basic"))
	for _, who := range []*client{ann, eve} {
		for _, change := range []func() result{
			func() result { return who.do("DELETE", "/members/1") },
			func() result { return who.do("PATCH", "/members/1", "role", "member") },
		} {
			if r := change(); r.status != 409 || r.code() != "last_owner" {
				t.Errorf("the first owner: %d %s", r.status, r.body)
			}
		}
	}
	// Every action is in the log, with who did it.
	var log struct {
		Entries []struct{ Actor, Action, Detail, Member string }
	}
	into(t, ann.wants(200, ann.do("GET", "/audit")), &log)
	found := ""
	for _, e := range log.Entries {
		found += e.Actor + " " + e.Member + " " + e.Action + "\n"
	}
	for _, want := range []string{"owner  member.invited", "owner  member.changed", "member bob@example.com key.made",
		"member bob@example.com key.renamed", "member bob@example.com member.invited", "member.joined"} {
		if !strings.Contains(found, want) {
			t.Errorf("the log lacks %q:\n%s", want, found)
		}
	}
	// Lowered, keys keep only what the role allows; removed, they stop at once.
	ann.wants(200, bob.send(bob.request("PATCH", fmt.Sprintf("/account/api/keys/%d", own.ID), `{"scopes": ["read", "custom"]}`)))
	ann.wants(204, ann.do("PATCH", me, "role", "member"))
	if a, err := h.ring.Find(h.now(), own.Key); err != nil {
		t.Error(err)
	} else {
		for end := time.Now().Add(10 * time.Second); strings.Join(a.Scopes.Names(), " ") != "read"; {
			if a, err = h.ring.Find(h.now(), own.Key); err != nil || time.Now().After(end) {
				t.Fatalf("scopes %v, %v", a.Scopes.Names(), err)
			}
		}
	}
	ann.wants(204, ann.do("PATCH", me, "role", "admin"))
	rotated := decode[struct{ Key string }](t, bob.wants(201, bob.do("POST", fmt.Sprintf("/keys/%d/rotate", annKey.ID)))).Key
	ann.wants(204, ann.do("DELETE", me))
	if got := bob.json("GET", "/keys", ""); got != "403 not_a_member" {
		t.Errorf("removed: %s", got)
	}
	if got := bob.memberships(); got != "bob@example.com owner *" || len(bob.keys()) != 0 {
		t.Errorf("removed, bob's: %s", got)
	}
	// Keys whose text the member knows end, also the owner's that the member has rotated.
	for _, key := range []string{own.Key, rotated} {
		for end := time.Now().Add(10 * time.Second); ; {
			if _, err := h.ring.Find(h.now(), key); err != nil {
				break
			} else if time.Now().After(end) {
				t.Fatal("a removed member's key works")
			}
		}
	}
	// Leaving.
	eve.wants(204, eve.do("DELETE", fmt.Sprintf("/members/%d", eveID)))
	if r := eve.do("GET", "/plan"); r.status != 403 || r.code() != "not_a_member" {
		t.Errorf("left: %d %s", r.status, r.code())
	}
}

func TestInvitations(t *testing.T) {
	h := newHouse(t, options{})
	ann, bob, eve := h.memberIn("ann@example.com"), h.memberIn("bob@example.com"), h.memberIn("eve@example.com")
	accept := func(p *client, token string) string {
		return p.json("POST", "/invitations/accept", fmt.Sprintf(`{"token": %q}`, token))
	}
	token := ann.invite("bob@example.com", "admin")
	if got := accept(eve, token); got != "403 wrong_address" {
		t.Errorf("of another: %s", got)
	}
	if got := accept(h.visitor(), token); got != "401 not_signed_in" {
		t.Errorf("not signed in: %s", got)
	}
	newer := ann.invite("bob@example.com", "member")
	if got := accept(bob, token); got != "400 invalid_link" {
		t.Errorf("replaced: %s", got)
	}
	if got := accept(bob, newer); got != "200" {
		t.Errorf("accepted: %s", got)
	}
	if got := accept(bob, newer); got != "400 invalid_link" {
		t.Errorf("used twice: %s", got)
	}
	token = ann.invite("eve@example.com", "member")
	var list struct{ Invitations []struct{ ID int64 } }
	into(t, ann.wants(200, ann.do("GET", "/members")), &list)
	path := fmt.Sprintf("/invitations/%d", list.Invitations[0].ID)
	if got := eve.json("DELETE", path, ""); got != "404 invitation_not_found" {
		t.Errorf("revoked by another account: %s", got)
	}
	ann.wants(204, ann.do("DELETE", path))
	if got := accept(eve, token); got != "400 invalid_link" {
		t.Errorf("revoked: %s", got)
	}
	token = ann.invite("eve@example.com", "member")
	h.later(7*24*time.Hour + time.Minute)
	for _, p := range []*client{eve} {
		p.do("POST", "/sign-in", "email", "eve@example.com", "password", password)
	}
	if got := accept(eve, token); got != "400 invalid_link" && got != "401 not_signed_in" {
		t.Errorf("expired: %s", got)
	}
	if _, err := account.Forget(t.Context(), h.db, h.now()); err != nil {
		t.Fatal(err)
	}
	if n := h.row(`SELECT count(*) FROM invitations`); n != 0 {
		t.Errorf("%d expired invitations are stored", n)
	}
	// Invitations of a removed admin end.
	ann.do("POST", "/sign-in", "email", "ann@example.com", "password", password)
	bob.do("POST", "/sign-in", "email", "bob@example.com", "password", password)
	l, err := h.db.AccountOf(t.Context(), "bob@example.com")
	if err != nil {
		t.Fatal(err)
	}
	ann.wants(204, ann.do("PATCH", fmt.Sprintf("/members/%d", l.ID), "role", "admin"))
	bob.wants(204, bob.send(bob.request("POST", "/account/api/memberships/switch", `{"account": 1}`)))
	token = bob.invite("eve@example.com", "member")
	ann.wants(204, ann.do("DELETE", fmt.Sprintf("/members/%d", l.ID)))
	if got := accept(eve, token); got != "400 invalid_link" {
		t.Errorf("of a removed admin: %s", got)
	}
}

var invitationLink = regexp.MustCompile(`/account/invitation\?token=([\w-]+)`)

func TestInvitation_mail(t *testing.T) {
	h := newHouse(t, options{mail: true})
	ann := h.memberIn("ann@example.com")
	r := ann.wants(202, ann.do("POST", "/members", "email", "new@example.com", "role", "member"))
	if strings.Contains(r.body, "token") {
		t.Errorf("the response has the link: %s", r.body)
	}
	m := h.post.next()
	if m.to != "new@example.com" || !invitationLink.MatchString(m.text) {
		t.Errorf("%+v", m)
	}
}
