package account_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
	"mcpcensus/web"
)

// A person is signed in, by a printed link.
type person struct {
	*browser
	id   int64
	csrf string
}

func (b *fixture) person(email string) *person {
	b.t.Helper()
	p := &person{browser: b.browser()}
	b.operatorSignsIn(p.browser, email)
	a, err := b.people.ForOperator(b.t.Context(), email)
	if err != nil {
		b.t.Fatal(err)
	}
	p.id = a.ID
	p.open("/account/settings", 200)
	p.csrf = p.form("/account/sign-out").Get("csrf")
	return p
}

// does sends a form, as "name=value&…", or opens a page if form is "", and returns the status.
func (p *person) does(path, form string) int {
	p.t.Helper()
	method := "GET"
	v, err := url.ParseQuery(form)
	if err != nil {
		p.t.Fatal(err)
	}
	if form != "" {
		method = "POST"
		v.Set("csrf", p.csrf)
	}
	r, _ := http.NewRequest(method, p.url+path, strings.NewReader(v.Encode()))
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	p.do(r)
	return p.status
}

// invites returns the link of an invitation to the account that p acts in.
func (p *person) invites(email string, role account.Role) string {
	p.t.Helper()
	if got := p.does("/account/members", "email="+email+"&role="+string(role)); got != 200 {
		p.t.Fatalf("invite: %d %s", got, p.text())
	}
	return regexp.MustCompile(`/account/invitation\?token=[\w-]+`).FindString(p.body)
}

func (p *person) accepts(link string) int {
	p.t.Helper()
	_, token, _ := strings.Cut(link, "token=")
	return p.does("/account/invitation", "token="+token)
}

// join makes p a member of the account of owner, and act in it.
func (p *person) join(owner *person, email string, role account.Role) {
	p.t.Helper()
	if got := p.accepts(owner.invites(email, role)); got != 200 {
		p.t.Fatalf("join: %d %s", got, p.text())
	}
}

func withoutMail(_ *web.Options, o *account.Options) { o.Mail = nil }

// What each role may do in an account. Those without it get 403, also for requests that are
// wrong otherwise.
func TestAccount_roles(t *testing.T) {
	b := newBureau(t, withoutMail)
	ann := b.person("ann@example.com")
	if got := ann.does("/account/keys", "name=ann's&after=0"); got != 200 {
		t.Fatal(got)
	}
	own, adm, mem := b.person("own@example.com"), b.person("adm@example.com"), b.person("mem@example.com")
	own.join(ann, "own@example.com", account.RoleOwner)
	adm.join(ann, "adm@example.com", account.RoleAdmin)
	mem.join(ann, "mem@example.com", account.RoleMember)
	ann.invites("new@example.com", account.RoleMember)
	type statuses struct{ Member, Admin, Owner int }
	for _, c := range []struct {
		path, form string
		want       statuses
	}{
		{"/account", "", statuses{200, 200, 200}},
		{"/account/members", "", statuses{200, 200, 200}},
		{"/account/keys", "name=x&after=0", statuses{409, 409, 409}}, // not the newest
		{"/account/keys", "name=x&after=1&limits=1&scopes=webhooks", statuses{403, 200, 409}},
		{"/account/keys/1", "", statuses{404, 200, 200}},
		{"/account/keys/1", "name=", statuses{404, 400, 400}},
		{"/account/keys/1/rotate", "x=", statuses{404, 200, 409}},
		{"/account/keys/1/revoke", "", statuses{404, 200, 200}},
		{"/account/activity", "", statuses{403, 200, 200}},
		{"/account/webhooks", "", statuses{403, 200, 200}},
		{"/account/webhooks", "url=x&after=0", statuses{403, 400, 400}},
		{"/account/webhooks/9", "", statuses{403, 404, 404}},
		{"/account/webhooks/9/delete", "x=", statuses{403, 404, 404}},
		{"/account/views", "", statuses{403, 200, 200}},
		{"/account/views", "name=none", statuses{403, 404, 404}},
		{"/account/plan", "", statuses{403, 403, 200}},
		{"/account/plan", "plan=golden", statuses{403, 403, 400}},
		{"/account/plan/portal", "x=", statuses{403, 403, 503}},
		{"/account/members", "email=mem@example.com&role=member", statuses{403, 409, 409}},
		{"/account/members", "email=zoe@example.com&role=owner", statuses{403, 403, 200}},
		{"/account/members", "email=zoe@example.com&role=root", statuses{400, 400, 400}},
		{fmt.Sprintf("/account/members/%d", mem.id), "role=owner", statuses{403, 403, 200}},
		{fmt.Sprintf("/account/members/%d", own.id), "role=root", statuses{400, 400, 400}},
		{"/account/invitations/99", "x=", statuses{404, 404, 404}},
	} {
		// Rows may change roles; the next one starts as all did.
		for email, role := range map[string]account.Role{"own": account.RoleOwner, "adm": account.RoleAdmin,
			"mem": account.RoleMember} {
			l, err := b.people.ForOperator(t.Context(), email+"@example.com")
			if err != nil {
				t.Fatal(err)
			}
			if err := b.own.ChangeMember(t.Context(), ann.id, ann.id, l.ID, role, b.now()); err != nil {
				t.Fatal(err)
			}
		}
		got := statuses{mem.does(c.path, c.form), adm.does(c.path, c.form), own.does(c.path, c.form)}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %s: %s", c.path, c.form, diff)
		}
	}
	// In the account of another, settings and deletion are one's own.
	if got := mem.does("/account/delete", "email=mem@example.com"); got != 200 {
		t.Errorf("delete: %d", got)
	}
	if diff := cmp.Diff([]string{"ann@example.com", "own@example.com", "adm@example.com"}, b.accounts()); diff != "" {
		t.Error(diff)
	}
	ann.does("/account/activity", "")
	ann.says("adm@example.com", "Key rotated")
}

// The one who signed up stays the owner. Others can be changed and leave.
func TestAccount_lastOwner(t *testing.T) {
	b := newBureau(t, withoutMail)
	ann, bob, eve := b.person("ann@example.com"), b.person("bob@example.com"), b.person("eve@example.com")
	bob.join(ann, "bob@example.com", account.RoleOwner)
	eve.join(bob, "eve@example.com", account.RoleAdmin)
	anns, bobs, eves := "/account/members/"+fmt.Sprint(ann.id), "/account/members/"+fmt.Sprint(bob.id),
		"/account/members/"+fmt.Sprint(eve.id)
	for i, c := range []struct {
		who        *person
		path, form string
		want       int
	}{
		{ann, anns, "role=", 409}, {ann, anns, "role=member", 409},
		{bob, anns, "role=", 409}, {bob, anns, "role=admin", 409},
		{eve, anns, "role=", 409}, {eve, anns, "role=member", 409},
		{eve, bobs, "role=", 403}, {eve, bobs, "role=member", 403}, {eve, eves, "role=owner", 403},
		{bob, eves, "role=member", 200}, {eve, eves, "role=admin", 403},
		{eve, eves, "role=", 200}, // leaves
		{bob, bobs, "role=member", 200}, {bob, bobs, "role=owner", 403},
		{ann, bobs, "role=", 200},
		{bob, "/account/plan", "", 403}, // removed: says so once, then acts in the own account
		{bob, "/account/plan", "", 200}, {eve, "/account/plan", "", 200},
		{eve, "/account/switch", fmt.Sprintf("account=%d", ann.id), 404},
	} {
		if got := c.who.does(c.path, c.form); got != c.want {
			t.Errorf("%d: %s %s: %d, want %d\n%s", i, c.path, c.form, got, c.want, c.who.text())
		}
	}
	members, err := b.own.Members(t.Context(), ann.id)
	if err != nil || len(members) != 1 {
		t.Errorf("%+v, %v", members, err)
	}
}

// Keys of a member who is lowered keep the scopes of the role, and end when the member is
// removed, and so do invitations.
func TestAccount_lowered(t *testing.T) {
	b := newBureau(t, withoutMail)
	ann, bob, eve := b.person("ann@example.com"), b.person("bob@example.com"), b.person("eve@example.com")
	bob.join(ann, "bob@example.com", account.RoleAdmin)
	bob.does("/account/keys", "name=both&after=0&limits=1&scopes=read&scopes=webhooks")
	bob.does("/account/keys", "name=hooks&after=1&limits=1&scopes=webhooks")
	link := bob.invites("eve@example.com", account.RoleMember)
	keys := func() (shown []string) {
		all, err := b.own.Keys(t.Context(), ann.id)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range all {
			shown = append(shown, k.Name+" "+strings.Join(k.Scopes.Names(), " ")+" "+k.Status(b.now()))
		}
		return shown
	}
	bobs := fmt.Sprintf("/account/members/%d", bob.id)
	ann.does(bobs, "role=member")
	if diff := cmp.Diff([]string{"hooks webhooks revoked", "both read active"}, keys()); diff != "" {
		t.Error(diff)
	}
	if got := eve.accepts(link); got != 404 {
		t.Errorf("an invitation of a former admin: %d", got)
	}
	ann.does(bobs, "role=")
	if diff := cmp.Diff([]string{"hooks webhooks revoked", "both read revoked"}, keys()); diff != "" {
		t.Error(diff)
	}
}

func TestAccount_invitations(t *testing.T) {
	b := newBureau(t, withoutMail)
	ann, bob, eve := b.person("ann@example.com"), b.person("bob@example.com"), b.person("eve@example.com")
	older := ann.invites("bob@example.com", account.RoleAdmin)
	newer := ann.invites("bob@example.com", account.RoleMember)
	nobody := &person{browser: b.browser()}
	nobody.open("/account/sign-in", 200)
	for name, c := range map[string]struct {
		who  *person
		link string
		want int
	}{"of another": {eve, newer, 403}, "replaced": {bob, older, 404}, "not signed in": {nobody, newer, 401},
		"no token": {bob, "token=x", 404}} {
		if got := c.who.accepts(c.link); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	for i, want := range []int{200, 404} {
		if got := bob.accepts(newer); got != want {
			t.Errorf("use %d: %d", i, got)
		}
	}
	link := ann.invites("eve@example.com", account.RoleMember)
	all, err := b.own.Invitations(t.Context(), ann.id, b.now())
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	path := fmt.Sprintf("/account/invitations/%d", all[0].ID)
	for who, want := range map[*person]int{eve: 404, bob: 403} {
		if got := who.does(path, "x="); got != want {
			t.Errorf("revoked by another: %d, want %d", got, want)
		}
	}
	if got := ann.does(path, "x="); got != 200 || eve.accepts(link) != 404 {
		t.Errorf("revoked: %d", got)
	}
	link = ann.invites("eve@example.com", account.RoleMember)
	b.later(7*24*time.Hour + time.Minute)
	if got := b.person("eve@example.com").accepts(link); got != 404 {
		t.Errorf("expired: %d", got)
	}
}

// Nothing of another account is shown or changed, whatever ids a person names.
func TestAccount_ofOthers(t *testing.T) {
	b := newBureau(t, withoutMail)
	ann, eve := b.person("ann@example.com"), b.person("eve@example.com")
	if got := ann.does("/account/keys", "name=secretive&after=0"); got != 200 {
		t.Fatal(got)
	}
	ann.invites("bob@example.com", account.RoleMember)
	sessions, err := b.own.ListSessions(t.Context(), ann.id, account.TokenHash{}, b.now())
	if err != nil || len(sessions) != 1 {
		t.Fatal(sessions, err)
	}
	before := auditOf(t, b, ann.id)
	for _, c := range []struct{ path, form string }{
		{"/account/keys/1", ""}, {"/account/keys/1", "name=mine"}, {"/account/keys/1/rotate", "x="},
		{"/account/keys/1/revoke", ""}, {"/account/keys/1/revoke", "x="},
		{"/account/keys/99999999999999999999", "name=x"}, {"/account/keys/0", ""},
		{"/account/sessions", fmt.Sprintf("id=%d", sessions[0].ID)}, {"/account/sessions", "id=x"},
		{"/account/invitations/1", "x="}, {"/account/switch", fmt.Sprintf("account=%d", ann.id)},
		{fmt.Sprintf("/account/members/%d", ann.id), "role="},
		{fmt.Sprintf("/account/members/%d", ann.id), "role=member"},
	} {
		if got := eve.does(c.path, c.form); got != 404 {
			t.Errorf("%s %s: %d", c.path, c.form, got)
		}
		eve.saysNot("secretive", "ann@example.com")
	}
	for _, path := range []string{"/account", "/account/activity", "/account/members", "/account/sessions",
		"/account/settings", "/account/export"} {
		if got := eve.does(path, ""); got != 200 || strings.Contains(eve.body, "secretive") ||
			strings.Contains(eve.body, "ann@example.com") {
			t.Errorf("%s: %d %s", path, got, eve.body)
		}
	}
	if diff := cmp.Diff(before, auditOf(t, b, ann.id)); diff != "" {
		t.Errorf("it changed the account: %s", diff)
	}
}

// The key of a member, who may rotate it, gets no scopes that the member cannot give it.
func TestAccount_memberKey(t *testing.T) {
	b := newBureau(t, withoutMail)
	ann, mem := b.person("ann@example.com"), b.person("mem@example.com")
	mem.join(ann, "mem@example.com", account.RoleMember)
	if got := mem.does("/account/keys", "name=mine&after=0&limits=1&scopes=read"); got != 200 {
		t.Fatal(got)
	}
	for form, want := range map[string]int{
		"name=mine&limits=1&scopes=read&scopes=webhooks":  403,
		"name=mine&limits=1&scopes=read&scopes=analytics": 200,
	} {
		if got := ann.does("/account/keys/1", form); got != want {
			t.Errorf("%s: %d, want %d", form, got, want)
		}
	}
}

func auditOf(t *testing.T, b *fixture, id int64) (actions []string) {
	t.Helper()
	entries, err := b.people.Audit(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		actions = append(actions, e.Action)
	}
	return actions
}

// An export has all data of the account, and no secrets.
func TestAccount_export(t *testing.T) {
	b := newBureau(t, withoutMail)
	ann, bob := b.person("ann@example.com"), b.person("bob@example.com")
	ann.does("/account/keys", "name=build&after=0")
	key := regexp.MustCompile(`mcp_\w{43}`).FindString(ann.body)
	bob.join(ann, "bob@example.com", account.RoleMember)
	_, invitation, _ := strings.Cut(ann.invites("eve@example.com", account.RoleAdmin), "token=")
	ann.open("/account/export", 200)
	if !strings.Contains(ann.header.Get("Content-Disposition"), "account.json") ||
		ann.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v", ann.header)
	}
	type item struct{ Name, Email, Role string }
	var got struct {
		Account              item
		Keys                 []item
		Sessions, Audit      []any
		Members, Invitations []item
	}
	if err := json.Unmarshal([]byte(ann.body), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Sessions) != 1 || len(got.Audit) < 5 {
		t.Errorf("%+v", got)
	}
	got.Sessions, got.Audit = nil, nil
	want := got
	want.Account, want.Keys = item{Email: "ann@example.com"}, []item{{Name: "build"}}
	want.Members = []item{{Email: "ann@example.com", Role: "owner"}, {Email: "bob@example.com", Role: "member"}}
	want.Invitations = []item{{Email: "eve@example.com", Role: "admin"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	u, _ := url.Parse(b.url)
	secrets := map[string]string{"key": key, "invitation": invitation, "form token": ann.csrf}
	for _, c := range ann.client.Jar.Cookies(u) {
		secrets["cookie"] = c.Value
	}
	for name, secret := range secrets {
		if secret == "" || strings.Contains(ann.body, secret) {
			t.Errorf("the %s %q is in it", name, secret)
		}
	}
	if bob.open("/account/export", 200); !strings.Contains(bob.body, `"email":"ann@example.com","role":"member"`) {
		t.Errorf("a member's: %s", bob.body)
	}
	b.browser().open("/account/export", 401)
}

// Changes of the way to sign in, and deletion, need a recent sign-in.
func TestAccount_recentSignIn(t *testing.T) {
	b := newBureau(t, withoutMail)
	ann := b.person("ann@example.com")
	b.later(account.FreshFor + time.Minute)
	for _, c := range []struct{ path, form string }{
		{"/account/email", "email=new@example.com"}, {"/account/delete", "x="},
	} {
		if got := ann.does(c.path, c.form); got != 403 {
			t.Errorf("%s: %d", c.path, got)
		}
		ann.says("Sign in again")
	}
	b.operatorSignsIn(ann.browser, "ann@example.com")
	ann.open("/account/email", 200)
	ann.send("/account/email", 200, "email", "new@example.com")
	ann.says("An operator has to confirm the new address")
	eve := b.person("eve@example.com")
	eve.does("/account/email", "email=new@example.com")
	for from, want := range map[string]string{
		"": "choose one of ann@example.com, eve@example.com", "x@example.com": "nobody asked",
	} {
		_, _, err := b.people.ConfirmByOperator(t.Context(), "new@example.com", from)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("from %q: %v, want %q", from, err, want)
		}
	}
	before, after, err := b.people.ConfirmByOperator(t.Context(), "new@example.com",
		"Ann@example.com")
	if err != nil || before != "ann@example.com" || after != "new@example.com" {
		t.Fatalf("%s -> %s, %v", before, after, err)
	}
	b.operatorSignsIn(ann.browser, "new@example.com")
	ann.open("/account/settings", 200)
	ann.says("new@example.com")
	ann.open("/account/delete", 200)
	ann.send("/account/delete", 200, "email", "new@example.com")
	if diff := cmp.Diff([]string{"eve@example.com"}, b.accounts()); diff != "" {
		t.Error(diff)
	}
	if _, err := b.own.Account(t.Context(), ann.id); !errors.Is(err, registry.ErrNotFound) {
		t.Error(err)
	}
}

// Of two accounts, one gets an address. The response for an address that has an account is that
// for any other.
func TestAccount_changeEmail(t *testing.T) {
	b := newBureau(t)
	eve, ada, other := b.browser(), b.browser(), b.browser()
	ada.signUp("ada@example.com")
	eve.signUp("eve@example.com")
	other.signIn("eve@example.com")
	var shown []string
	for _, email := range []string{"ada@example.com", "new@example.com"} {
		eve.open("/account/email", 200)
		eve.send("/account/email", 200, "email", email)
		csrf := eve.form("/account/confirm").Get("csrf")
		shown = append(shown, strings.NewReplacer(email, "EMAIL", csrf, "").Replace(eve.body))
		link := b.link()
		stranger := b.browser()
		stranger.open(link, 400)
		eve.open(link, 200)
		if email == "ada@example.com" { // only who reads its mail gets so far
			eve.send("/account/confirm", 400)
			eve.says("This link is invalid")
		} else {
			eve.send("/account/confirm", 200)
			eve.says("Your address is now new@example.com.")
		}
	}
	if other.open("/account", 200); other.path != "/account/sign-in" {
		t.Errorf("another session of the account stays, at %s", other.path)
	}
	if eve.open("/account/settings", 200); eve.path != "/account/settings" {
		t.Errorf("the session that changed the address is at %s", eve.path)
	}
	if diff := cmp.Diff(shown[0], shown[1]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"ada@example.com", "new@example.com"}, b.accounts()); diff != "" {
		t.Error(diff)
	}
}

// Owners get mail about new keys, sign-ins from elsewhere, and who joined.
func TestAccount_notices(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	w.signUp("ada@example.com")
	w.send("/account/keys", 200, "name", "build <server>")
	if got := b.mail(); !strings.Contains(got, `"build <server>"`) {
		t.Error(got)
	}
	q := b.browser()
	q.ask("ada@example.com")
	link := b.link()
	q.open(link, 200)
	v := q.form("/account/sign-in/link")
	q.post("/account/sign-in/link", 200, v, "User-Agent", firefox)
	if got := b.mail(); !strings.Contains(
		got, "with a new browser or program",
	) || !strings.Contains(got, "Firefox on Linux") {
		t.Error(got)
	}
	w.open("/account/members", 200)
	w.send("/account/members", 200, "email", "bob@example.com", "role", "member")
	w.says("The invitation was sent to bob@example.com")
	if strings.Contains(w.body, "token=") {
		t.Error("the page has the link")
	}
	sent := b.mail()
	if !strings.Contains(sent, "ada@example.com invites you to the account of ada@example.com as member.") {
		t.Errorf("the invitation is\n%s", sent)
	}
	link = mailLink.FindStringSubmatch(sent)[1]
	bob := b.browser()
	bob.open(link, 200)
	bob.open("/account/sign-in?next="+url.QueryEscape(link), 200)
	if got := bob.form("/account/sign-in").Get("email"); got != "bob@example.com" {
		t.Errorf("the sign-in has the address %q", got)
	}
	bob.signUp("bob@example.com")
	bob.open(link, 200)
	bob.send("/account/invitation", 200)
	if got := b.mail(); !strings.Contains(got, "bob@example.com as member joined") {
		t.Error(got)
	}
}

func TestAccount_invalidKeys(t *testing.T) {
	b := newBureau(t, withoutMail)
	ann := b.person("ann@example.com")
	for form, want := range map[string]int{
		"name=": 400, "name=" + strings.Repeat("x", 61): 400, "name=a%0Ab": 400, "x=": 400,
		"name=a%00b": 400, "name=a%FFb": 400,
		"name=x&limits=1": 400, "name=x&limits=1&scopes=root": 400, "name=x&limits=1&scopes=read&addresses=10.0.0.0/99": 400,
		"name=x&limits=1&scopes=read&expiresAt=2001-01-01": 400, "name=x&limits=1&scopes=read&expiresAt=never-ever": 400,
	} {
		if got := ann.does("/account/keys", form+"&after=0"); got != want {
			t.Errorf("%s: %d, want %d\n%s", form, got, want, ann.text())
		}
	}
	for i := range account.MaxKeys {
		if got := ann.does("/account/keys", fmt.Sprintf("name=k&after=%d", i)); got != 200 {
			t.Fatal(got, ann.text())
		}
	}
	if got := ann.does("/account/keys", fmt.Sprintf("name=k&after=%d", account.MaxKeys)); got != 409 {
		t.Errorf("one too many: %d", got)
	}
}
