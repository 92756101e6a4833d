package meter

import (
	"regexp"
	"slices"
	"time"
)

// An Event is a counted event of a server.
type Event uint8

// The events. Their names are stored.
const (
	EventView         Event = iota // its page was opened
	EventAPIHit                    // its record or entry was requested by name
	EventImpression                // it was a result of a full-text search
	EventHealthCheck               // its health was requested
	EventInstallClick              // an install link or copy button of its page was used
	EventBadgeView                 // its badge was fetched
	Events            = 6          // number of events
)

var eventNames = [Events]string{"view", "api_hit", "impression", "health_check", "install_click",
	"badge_view"}

func (e Event) String() string { return eventNames[e] }

// EventOf returns the event with a name. ok is false if there is none.
func EventOf(name string) (e Event, ok bool) {
	n := slices.Index(eventNames[:], name)
	return Event(max(n, 0)), n >= 0
}

// DayEvents are the counted events of one server on one UTC day, by [Event].
type DayEvents struct {
	Date   time.Time
	Counts [Events]int64
}

// DayCalls are the calls of an account on one UTC day with one key to one endpoint, a
// route such as "/v1/servers/:id".
type DayCalls struct {
	Date     time.Time
	Key      int64
	Endpoint string
	Calls    int64
}

var routeParameter = regexp.MustCompile(`:(\w+)`)

// Route returns the endpoint in the form of the documentation: "/v1/servers/{id}".
func (d DayCalls) Route() string { return routeParameter.ReplaceAllString(d.Endpoint, "{$1}") }

// An EventCount is the count of an event of a server on a UTC day.
type EventCount struct {
	Date  time.Time
	Slug  string
	Event Event
	N     int64
}

// A CallCount is the count of calls of an account on a UTC day.
type CallCount struct {
	Account int64
	DayCalls
}

// Counts are a batch of the counts of one process.
type Counts struct {
	Process string
	Batch   int64 // 1, 2, 3, … of the process
	Events  []EventCount
	Calls   []CallCount
}
