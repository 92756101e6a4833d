package quota_test

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

// A town is a database and the clock that its processes go by.
type town struct {
	t     testing.TB
	url   string
	clock atomic.Int64
}

func newTown(t testing.TB) *town {
	w := &town{t: t, url: pgtest.URL(t)}
	w.set(time.Date(2026, 11, 1, 10, 20, 0, 0, time.UTC))
	return w
}

func (w *town) set(now time.Time)       { w.clock.Store(now.UnixNano()) }
func (w *town) now() time.Time          { return time.Unix(0, w.clock.Load()) }
func (w *town) advance(d time.Duration) { w.clock.Add(int64(d)) }

// store is a connection of one process. It tells the town's time.
type store struct {
	*postgres.Quota
	town   *town
	dead   atomic.Bool  // every call fails
	deaf   atomic.Int64 // that many answers to questions get lost
	leases atomic.Int64 // questions
	asks   atomic.Int64 // tallies in them
	lost   atomic.Int64 // questions whose answers did not come
	number int32        // of the process
}

func (s *store) Join(ctx context.Context) (process int32, err error) {
	s.number, err = s.Quota.Join(ctx)
	return s.number, err
}

func (s *store) Beat(ctx context.Context, process int32) (time.Time, error) {
	if s.dead.Load() {
		return time.Time{}, errDead
	}
	_, err := s.Quota.Beat(ctx, process)
	return s.town.now(), err
}

func (s *store) Lease(ctx context.Context, process int32, turn int64, alive time.Duration, asks []quota.LeaseAsk) ([]quota.Lease, error) {
	if s.dead.Load() {
		return nil, errDead
	}
	s.leases.Add(1)
	s.asks.Add(int64(len(asks)))
	leases, err := s.Quota.Lease(ctx, process, turn, alive, asks)
	if err == nil && s.deaf.Add(-1) >= 0 {
		leases, err = nil, errors.New("the answer got lost")
	}
	if err != nil {
		s.lost.Add(1)
	}
	return leases, err
}

func (s *store) Share(ctx context.Context, of quota.Limited, starts int64, total int, alive time.Duration) (quota.LeaseShares, error) {
	if s.dead.Load() {
		return quota.LeaseShares{}, errDead
	}
	return s.Quota.Share(ctx, of, starts, total, alive)
}

func (s *store) Leave(ctx context.Context, process int32) error {
	if s.dead.Load() {
		return errDead
	}
	return s.Quota.Leave(ctx, process)
}

var errDead = errors.New("the process is dead")

// A process is a quota with a database connection of its own.
type process struct {
	*quota.Quota
	store *store
	once  sync.Once
	db    *postgres.DB
}

// end closes the quota and its connections, at the latest when the test ends.
func (p *process) end() (err error) {
	p.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		err = p.Close(ctx)
		p.store.Quota.Close()
		p.db.Close()
	})
	return err
}

// kill makes the process do nothing more, and the others know at once: how long
// they take it for alive is up to a machine that may stand still for a second.
func (p *process) kill() {
	p.store.dead.Store(true)
	_ = p.end() // it cannot tell anybody
	w := p.store.town
	db, err := sql.Open("postgres", w.url)
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`UPDATE quota_processes SET seen_at = seen_at - interval '1 day' WHERE id = $1`, p.store.number); err != nil {
		w.t.Fatal(err)
	}
}

func (w *town) process(change ...func(*quota.Options)) *process {
	w.t.Helper()
	return w.processAt(w.url, change...)
}

func (w *town) processAt(url string, change ...func(*quota.Options)) *process {
	w.t.Helper()
	db, err := postgres.Open(context.Background(), url)
	if err != nil {
		w.t.Fatal(err)
	}
	counts, err := db.Quota()
	if err != nil {
		w.t.Fatal(err)
	}
	p := &process{store: &store{Quota: counts, town: w}, db: db}
	o := quota.Options{Store: p.store, Clients: 100, Now: w.now, Beat: 50 * time.Millisecond, Alive: time.Minute, Recall: 20 * time.Second, Answer: 20 * time.Second}
	for _, f := range change {
		f(&o)
	}
	if p.Quota, err = quota.New(w.t.Context(), o); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = p.end() }) // some tests have taken the database away
	return p
}

// take makes a request that must get an answer.
func (p *process) take(t testing.TB, s quota.Subject, limit int) quota.Left {
	t.Helper()
	left, err := p.Take(t.Context(), s, limit)
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// drain takes until a request is refused, and returns how many passed.
func (p *process) drain(t testing.TB, s quota.Subject, limit int) (passed int) {
	t.Helper()
	for p.take(t, s, limit).Passed {
		passed++
		if passed > limit {
			t.Fatalf("more than %d passed", limit)
		}
	}
	return passed
}

// storm makes requests at the same time, some at each process, and returns how
// many passed.
func storm(t testing.TB, ps []*process, each []int, s quota.Subject, limit int) int {
	t.Helper()
	var passed atomic.Int64
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for i, p := range ps {
		for range each[i] {
			wg.Go(func() {
				<-begin
				left, err := p.Take(context.Background(), s, limit)
				if err != nil {
					t.Error(err)
				} else if left.Passed {
					passed.Add(1)
				}
			})
		}
	}
	close(begin)
	wg.Wait()
	return int(passed.Load())
}

func client(n uint64) quota.Subject {
	return quota.Subject{Of: quota.ClientHour, ID: 0xffff<<48 | n}
}

func account(n uint64) quota.Subject {
	return quota.Subject{Of: quota.AccountDay, ID: n}
}

func TestExactlyWhatIsLeftPassesAtThreeProcesses(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	ps := []*process{w.process(), w.process(), w.process()}
	for i, of := range []func(uint64) quota.Subject{client, account} {
		for round, each := range [][]int{{400, 80, 20}, {1, 498, 1}, {167, 167, 166}, {0, 0, 500}, {70, 20, 10}} {
			s := of(uint64(100*i + round))
			if got := storm(t, ps, each, s, 100); got != 100 {
				t.Errorf("%v, %v at the processes: %d passed, want 100", s, each, got)
			}
			if got := storm(t, ps, []int{50, 50, 50}, s, 100); got != 0 {
				t.Errorf("%v: %d passed of nothing", s, got)
			}
		}
	}
	for i, p := range ps {
		t.Logf("process %d: %d questions", i, p.store.leases.Load())
	}
}

// With 100 of 10,000 left and reserves everywhere.
func TestExactlyWhatIsLeftPassesAfterUnevenUse(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	ps := []*process{w.process(), w.process(), w.process()}
	s := account(1)
	for i := range 900 {
		if left := ps[i%7%3].take(t, s, 1000); !left.Passed {
			t.Fatal("refused", i, left)
		}
	}
	if got := storm(t, ps, []int{30, 450, 20}, s, 1000); got != 100 {
		t.Errorf("%d of 500 passed, want 100", got)
	}
}

func TestOneProcessReachesWhatOthersHold(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	a, b, c := w.process(), w.process(), w.process()
	for i, s := range []quota.Subject{client(1), account(1)} {
		a.take(t, s, 100)
		b.take(t, s, 100) // both hold a reserve or a share now
		if got := c.drain(t, s, 100); got != 98 {
			t.Errorf("%d: %d passed at the third process, want 98", i, got)
		}
		if a.take(t, s, 100).Passed || b.take(t, s, 100).Passed {
			t.Error("what was given back is used")
		}
	}
}

func TestRemainingGoesDownByOneAtOneProcess(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	p := w.process()
	for _, s := range []quota.Subject{client(1), account(1)} {
		for want := 99; want >= 0; want-- {
			if left, err := p.Peek(t.Context(), s, 100); err != nil || left.Remaining != want+1 || !left.Passed {
				t.Fatalf("%v: Peek says %+v, %v, want %d", s, left, err, want+1)
			}
			if left := p.take(t, s, 100); left.Remaining != want || !left.Passed || left.Limit != 100 {
				t.Fatalf("%v: %+v, want %d remaining", s, left, want)
			}
		}
		left := p.take(t, s, 100)
		if left.Passed || left.Remaining != 0 || left.Wait <= 0 {
			t.Errorf("%v: %+v at the end", s, left)
		}
		if left, err := p.Peek(t.Context(), s, 100); err != nil || left.Passed || left.Remaining != 0 {
			t.Errorf("%v: Peek says %+v at the end", s, left)
		}
	}
	if n := p.store.asks.Load(); n > 70 {
		t.Errorf("%d round trips for 200 requests", n)
	}
}

// What a process says is never more than what is left, and near it.
func TestRemainingAtSeveralProcesses(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.process()
	ps := []*process{w.process(), w.process()}
	w.advance(time.Hour) // shares of 16, one of them never used
	s := client(1)
	own := [2]int{}
	for used := 1; used <= 100; used++ {
		i := used / 3 % 2
		own[i]++
		left := ps[i].take(t, s, 100)
		if !left.Passed || left.Remaining > 100-used || used > 40 && left.Remaining < 100-used-5 {
			t.Errorf("after %d, %d of them here: %+v", used, own[i], left)
		}
		w.advance(1100 * time.Millisecond)
		time.Sleep(5 * time.Millisecond) // recalls
	}
	for _, p := range ps {
		if left := p.take(t, s, 100); left.Passed || left.Remaining != 0 {
			t.Errorf("after 100: %+v", left)
		}
	}
}

func TestFloodOfClientsCostsNothing(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	p := w.process()
	for i := range uint64(20_000) {
		if left := p.take(t, client(i), 100); left.Remaining != 99 {
			t.Fatal(left)
		}
	}
	if n := p.store.leases.Load(); n != 0 {
		t.Errorf("%d round trips", n)
	}
}

func TestNeedsOfManySubjectsGoTogether(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	p := w.process()
	var wg sync.WaitGroup
	for i := range uint64(2000) {
		wg.Go(func() {
			if left, err := p.Take(context.Background(), account(i), 100); err != nil || !left.Passed {
				t.Error(left, err)
			}
		})
	}
	wg.Wait()
	if n := p.store.leases.Load(); n > 400 {
		t.Errorf("%d questions for 2000 tallies", n)
	}
}

func TestCountsSurviveAnOrderlyRestart(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	for _, s := range []quota.Subject{client(1), account(1)} {
		p := w.process()
		for range 30 {
			p.take(t, s, 100)
		}
		if err := p.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Take(t.Context(), s, 100); !errors.Is(err, registry.ErrUnavailable) {
			t.Errorf("after Close: %v", err)
		}
		q := w.process()
		if left := q.take(t, s, 100); left.Remaining != 69 {
			t.Errorf("%v: %d remaining after the restart, want 69", s, left.Remaining)
		}
		if n := q.drain(t, s, 100); n != 69 {
			t.Errorf("%v: %d passed after the restart, want 69", s, n)
		}
		if n := q.drain(t, client(77+s.ID+uint64(s.Of)), 100); n != 100 {
			t.Errorf("%d passed of a client who was never seen, want 100", n)
		}
		_ = q.Close(t.Context())
	}
}

func TestSharesOfAProcessThatLeftGoToTheOthers(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	a, b := w.process(), w.process()
	w.advance(time.Hour) // in the next hour both have a share
	for range 30 {       // a share of 12 and a lease
		b.take(t, client(1), 100)
	}
	a.take(t, client(2), 100)
	if err := a.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for s, want := range map[uint64]int{1: 70, 2: 99, 3: 100} {
		if got := b.drain(t, client(s), 100); got != want {
			t.Errorf("client %d: %d passed, want %d", s, got, want)
		}
	}
}

func TestDeadProcessTakesItsLeaseAlong(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	short := func(o *quota.Options) { o.Alive, o.Recall = 300*time.Millisecond, 3*time.Second }
	b := w.process(short)
	a := w.process(short, func(o *quota.Options) { o.Beat = time.Hour }) // seen once, and never heeds anybody
	s := account(1)
	for range 3 {
		a.take(t, s, 100) // of a lease of 12
	}
	a.kill()
	if got := b.drain(t, s, 100); got != 88 {
		t.Errorf("%d passed, want 88: all but the dead one's lease", got)
	}
	if left := b.take(t, s, 100); left.Passed || left.Remaining != 0 {
		t.Error(left)
	}
	c := w.process(short)
	if got := c.drain(t, s, 100); got != 0 {
		t.Errorf("%d passed at a new process", got)
	}
}

func TestWindowsAreThoseOfArrival(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.set(time.Date(2026, 11, 1, 23, 59, 59, 999_000_000, time.UTC))
	a, b := w.process(), w.process()
	for _, s := range []quota.Subject{client(1), account(1)} {
		w.set(time.Date(2026, 11, 1, 23, 59, 59, 999_000_000, time.UTC))
		left := a.take(t, s, 100)
		if want := time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC); !left.Reset.Equal(want) {
			t.Errorf("%v: resets at %v, want %v", s, left.Reset.UTC(), want)
		}
		if got := b.drain(t, s, 100); got != 99 {
			t.Errorf("%d passed", got)
		}
		left = b.take(t, s, 100)
		if left.Passed || left.Wait != time.Millisecond {
			t.Errorf("before midnight: %+v", left)
		}
		w.advance(time.Millisecond)
		if got := storm(t, []*process{a, b}, []int{100, 60}, s, 100); got != 100 {
			t.Errorf("%v: %d passed in the new window, want 100", s, got)
		}
	}
}

// Processes whose own clocks differ go by the database's.
func TestClocksThatDifferMakeNoSecondWindow(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.set(time.Date(2026, 11, 1, 10, 59, 0, 0, time.UTC))
	off := func(d time.Duration) *process {
		return w.process(func(o *quota.Options) { o.Now = func() time.Time { return w.now().Add(d) } })
	}
	ps := []*process{off(-7 * time.Minute), off(0), off(90 * time.Minute)}
	for _, p := range ps {
		if left := p.take(t, account(1), 100); left.Reset.Unix() != time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC).Unix() {
			t.Error(left.Reset.UTC())
		}
	}
	if got := storm(t, ps, []int{100, 100, 100}, client(1), 100); got != 100 {
		t.Errorf("%d passed, want 100", got)
	}
}

func TestAPlanThatChangesCountsOn(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	a, b := w.process(), w.process()
	s := account(1)
	if got := a.drain(t, s, 100); got != 100 {
		t.Fatal(got)
	}
	if left := a.take(t, s, 1000); left.Remaining != 899 || !left.Passed {
		t.Errorf("after an upgrade: %+v", left)
	}
	for range 99 {
		b.take(t, s, 1000)
	}
	for _, p := range []*process{a, b} {
		if left := p.take(t, s, 200); left.Passed {
			t.Errorf("after a downgrade to what was used: %+v", left)
		}
	}
	if got := b.drain(t, s, 300); got != 100 {
		t.Errorf("%d passed, want 100", got)
	}
}

func TestIdleLeasesAreGivenBack(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	p := w.process(func(o *quota.Options) { o.Idle = 100 * time.Millisecond })
	q := w.process()
	p.take(t, account(1), 100)
	w.advance(time.Second)
	deadline := time.Now().Add(10 * time.Second)
	for p.store.leases.Load() < 2 && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond)
	if left := q.take(t, account(1), 100); left.Remaining != 98 {
		t.Errorf("%+v: the reserve of the other is still out", left)
	}
}

func TestWithoutAStoreOneProcessCountsAlone(t *testing.T) {
	t.Parallel()
	q, err := quota.New(t.Context(), quota.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := []*process{{Quota: q}}
	if got := storm(t, p, []int{500}, client(1), 100); got != 100 {
		t.Error(got)
	}
	if left := p[0].take(t, client(1), 150); left.Remaining != 49 {
		t.Errorf("with a higher limit: %+v", left)
	}
	if left := p[0].take(t, client(1), 100); left.Passed {
		t.Errorf("with the lower one again: %+v", left)
	}
	if err := q.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// A proxy lies between a process and the database, and can be cut.
type proxy struct {
	l    net.Listener
	to   string
	mu   sync.Mutex
	cut  bool
	hung atomic.Bool // nothing gets through, and nobody is told
	open []net.Conn
}

// through returns a proxy and the address of the database through it.
func through(t testing.TB, dbURL string) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(dbURL)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{l: l, to: u.Host}
	u.Host = l.Addr().String()
	t.Cleanup(func() { l.Close(); p.hung.Store(false); p.set(true) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.mu.Lock()
			d, err := net.Dial("tcp", p.to)
			if p.cut || err != nil {
				c.Close()
				if err == nil {
					d.Close()
				}
			} else {
				p.open = append(p.open, c, d)
				for _, pair := range [][2]net.Conn{{c, d}, {d, c}} {
					go func() {
						b := make([]byte, 32<<10)
						for {
							n, err := pair[0].Read(b)
							for p.hung.Load() {
								time.Sleep(5 * time.Millisecond)
							}
							if _, werr := pair[1].Write(b[:n]); err != nil || werr != nil {
								pair[0].Close()
								pair[1].Close()
								return
							}
						}
					}()
				}
			}
			p.mu.Unlock()
		}
	}()
	return p, u.String()
}

func (p *proxy) set(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	if cut {
		for _, c := range p.open {
			c.Close()
		}
		p.open = nil
	}
}

func TestWithoutTheDatabaseLeasesAreUsedUpAndThenNobodyPasses(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	line, url := through(t, w.url)
	a := w.processAt(url)
	b := w.process()
	a.take(t, account(1), 100)
	w.advance(41 * time.Minute) // the hour in which both have a share
	a.take(t, client(1), 100)
	line.set(true)
	for s, want := range map[quota.Subject]int{account(1): 11, client(1): 11, client(2): 12, account(2): 0} {
		passed := 0
		for {
			left, err := a.Take(t.Context(), s, 100)
			if err != nil {
				var e *registry.Error
				if !errors.Is(err, registry.ErrUnavailable) || !errors.As(err, &e) || e.RetryAfter <= 0 || left.Limit != 100 || left.Remaining != 0 || left.Reset.IsZero() {
					t.Errorf("%v: %+v, %v", s, left, err)
				}
				break
			}
			if !left.Passed {
				t.Fatalf("%v: refused for good: %+v", s, left)
			}
			passed++
		}
		if passed != want {
			t.Errorf("%v: %d passed without the database, want %d", s, passed, want)
		}
	}
	line.set(false)
	deadline := time.Now().Add(20 * time.Second)
	for {
		left, err := a.Take(t.Context(), account(2), 100)
		if err == nil && left.Passed {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("does not recover", left, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	for _, s := range []quota.Subject{account(1), client(1)} {
		if got := storm(t, []*process{a, b}, []int{100, 100}, s, 100); got != 88 {
			t.Errorf("%v: %d passed afterwards, want 88", s, got)
		}
	}
}

// Answers of the store that get lost take nothing with them: the question is
// asked again, and what it gave and took is given and taken once.
func TestLostAnswersLoseNothing(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	p := w.process()
	for n, s := range []quota.Subject{client(1), account(1), {Of: quota.AccountHour, ID: 1}} {
		passed, refused, cut := 0, 0, -1
		for deadline := time.Now().Add(time.Minute); ; {
			if passed%3 == n && passed > cut {
				cut = passed + 24
				p.store.deaf.Store(int64(1 + n%2))
			}
			left, err := p.Take(t.Context(), s, 100)
			switch {
			case err == nil && !left.Passed:
				if passed != 100 {
					t.Errorf("%v: %d passed, want 100", s, passed)
				}
			case err == nil:
				passed++
			case errors.Is(err, registry.ErrUnavailable) && time.Now().Before(deadline):
				refused++
				time.Sleep(20 * time.Millisecond)
			default:
				t.Fatal(left, err)
			}
			if err == nil && !left.Passed {
				break
			}
		}
		if refused == 0 {
			t.Errorf("%v: no answer got lost", s)
		}
		p.store.deaf.Store(0)
	}
	s := account(2)
	for range 30 {
		p.take(t, s, 100)
	}
	p.store.deaf.Store(2)
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := w.process().drain(t, s, 100); got != 70 {
		t.Errorf("%d passed after a process that was told late what it gave back, want 70", got)
	}
}

// Whatever happens in whichever order, no more than the limit pass in a window,
// and exactly as many if no process dies and enough ask.
func TestInterleavings(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	ps := []*process{w.process(), w.process(), w.process()}
	subjects := uint64(0)
	rapid.Check(t, func(r *rapid.T) {
		w.advance(time.Hour) // shares for those who are there
		limit := rapid.SampledFrom([]int{1, 2, 7, 100, 250}).Draw(r, "limit")
		subjects++
		s := rapid.SampledFrom([]quota.Subject{client(subjects), account(subjects), {Of: quota.AccountHour, ID: subjects}}).Draw(r, "subject")
		total, killed, edge := 0, false, false
		window := func() int64 { return w.now().UnixNano() / int64(s.Of.Window()) }
		at := window()
		check := func() {
			if total > limit {
				r.Fatalf("%d of %d passed", total, limit)
			}
		}
		for range rapid.IntRange(1, 12).Draw(r, "steps") {
			i := rapid.IntRange(0, len(ps)-1).Draw(r, "process")
			switch rapid.SampledFrom([]string{"take", "take", "storm", "storm", "peek", "restart", "kill", "hour"}).Draw(r, "step") {
			case "take":
				if ps[i].take(t, s, limit).Passed {
					total++
				}
			case "storm":
				var each []int
				for range ps {
					each = append(each, rapid.IntRange(0, limit).Draw(r, "requests"))
				}
				total += storm(t, ps, each, s, limit)
			case "peek":
				left, err := ps[i].Peek(t.Context(), s, limit)
				if err != nil || left.Remaining < 0 || left.Remaining > limit {
					r.Fatalf("%+v, %v", left, err)
				}
			case "restart":
				if err := ps[i].end(); err != nil {
					r.Fatal(err)
				}
				ps[i] = w.process()
			case "kill":
				if rapid.IntRange(0, 3).Draw(r, "spared") > 0 {
					continue
				}
				ps[i].kill()
				ps[i] = w.process()
				killed = true
			case "hour":
				w.advance(time.Hour)
				if now := window(); now != at {
					at, total, edge = now, 0, true
				}
			}
			check()
		}
		i := rapid.IntRange(0, len(ps)-1).Draw(r, "last")
		total += ps[i].drain(t, s, limit)
		check()
		if !killed && total != limit {
			r.Fatalf("%d of %d passed, though all processes live (over an hour's edge: %v)", total, limit, edge)
		}
	})
}

// A database that does not answer at all makes nobody wait for long.
func TestDatabaseThatHangs(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	line, url := through(t, w.url)
	a := w.processAt(url, func(o *quota.Options) { o.Answer = 300 * time.Millisecond })
	b := w.process()
	a.take(t, account(1), 100)
	line.hung.Store(true)
	var refused, passed atomic.Int64
	var wg sync.WaitGroup
	start := time.Now()
	for i := range 200 {
		wg.Go(func() {
			left, err := a.Take(context.Background(), account(uint64(i%4)), 100)
			switch {
			case errors.Is(err, registry.ErrUnavailable):
				refused.Add(1)
			case err == nil && left.Passed:
				passed.Add(1)
			default:
				t.Error(left, err)
			}
		})
	}
	wg.Wait()
	if passed.Load() != 11 || refused.Load() != 189 {
		t.Errorf("%d passed, want the 11 that were leased; %d were refused", passed.Load(), refused.Load())
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("they waited for %v", took)
	}
	line.hung.Store(false)
	deadline := time.Now().Add(20 * time.Second)
	for {
		if _, err := a.Take(t.Context(), account(9), 100); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("does not recover")
		}
		time.Sleep(20 * time.Millisecond)
	}
	if got := storm(t, []*process{a, b}, []int{100, 100}, account(1), 100); got != 88 {
		t.Errorf("%d passed of 88 that were left", got)
	}
}

// When connections break, the listener's too, nothing is given twice and
// nothing is lost, and recalls come through again.
func TestConnectionsThatBreak(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	line, url := through(t, w.url)
	a, b, c := w.processAt(url), w.processAt(url), w.process()
	for round := range uint64(3) {
		s := account(round)
		passed, before := 0, a.store.lost.Load()+b.store.lost.Load()
		for range 4 {
			for _, p := range []*process{a, b} {
				for range 10 {
					if left, err := p.Take(t.Context(), s, 100); err == nil && left.Passed {
						passed++
					}
					if passed%7 == 3 {
						line.set(true)
						line.set(false)
					}
				}
			}
		}
		deadline := time.Now().Add(20 * time.Second)
		for _, p := range []*process{c, a, b, c} { // who was refused for good does not see what comes back later
			for {
				left, err := p.Take(t.Context(), s, 100)
				if err == nil && left.Passed {
					passed++
				} else if err == nil || time.Now().After(deadline) {
					break
				}
			}
		}
		if passed != 100 {
			t.Errorf("%d passed, %d questions were lost", passed, a.store.lost.Load()+b.store.lost.Load()-before)
		}
	}
}

func TestAnHourBeginsWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	line, url := through(t, w.url)
	p := w.processAt(url)
	w.set(time.Date(2026, 11, 1, 10, 56, 0, 0, time.UTC))
	time.Sleep(300 * time.Millisecond) // some beats
	line.set(true)
	w.set(time.Date(2026, 11, 1, 11, 0, 0, 0, time.UTC))
	if left := p.take(t, client(1), 100); !left.Passed || left.Remaining != 99 {
		t.Errorf("%+v", left)
	}
	w.set(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)) // nobody has split this one
	if left, err := p.Take(t.Context(), client(1), 100); !errors.Is(err, registry.ErrUnavailable) || left.Limit != 100 {
		t.Errorf("%+v, %v", left, err)
	}
	line.set(false)
	deadline := time.Now().Add(20 * time.Second)
	for {
		if left, err := p.Take(t.Context(), client(1), 100); err == nil && left.Remaining == 99 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("does not recover")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestRequestsThatAreGivenUpDoNotHoldOthersUp(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	p := w.process()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		if _, err := p.Take(ctx, account(1), 100); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if got := p.drain(t, account(1), 100); got < 80 || got > 100 {
		t.Errorf("%d passed", got)
	}
}

func TestManyAddressesDoNotMakeRoom(t *testing.T) {
	t.Parallel()
	q, err := quota.New(t.Context(), quota.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const room = 1 << 20
	passed := 0
	for i := range uint64(room + 300_000) { // of one network
		left, err := q.Take(t.Context(), quota.Subject{Of: quota.ClientHour, ID: 0x20010db8<<32 | i}, 2)
		if err != nil {
			t.Fatal(err)
		}
		if left.Passed {
			passed++
		}
	}
	if passed > room+2 || passed < room*9/10 {
		t.Errorf("%d of %d addresses of one network passed", passed, room+300_000)
	}
	if left, err := q.Take(t.Context(), client(1), 2); err != nil || !left.Passed {
		t.Errorf("a client of another network: %+v, %v", left, err)
	}
}
