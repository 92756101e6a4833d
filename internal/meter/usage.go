package meter

import "time"

// An Event is something that happens to a server's listing and is counted.
type Event uint8

// What is counted of a server.
const (
	EventView         Event = iota // its page was opened
	EventAPIHit                    // an API answered with its record or its entry by name
	EventImpression                // it was among the results of a search with words
	EventHealthCheck               // its health was asked for
	EventInstallClick              // a one-click link or a copy button of its page was used
	EventBadgeView                 // its badge was fetched
	Events            = 6          // how many there are
)

var eventNames = [Events]string{"view", "api_hit", "impression", "health_check", "install_click", "badge_view"}

func (e Event) String() string { return eventNames[e] }

// DayEvents are the counted events of one server on one UTC day, by [Event].
type DayEvents struct {
	Date   time.Time
	Counts [Events]int64
}

// DayCalls are the calls of an account on one UTC day with one key at one
// endpoint, as it stands in the routes ("/v1/servers/:id").
type DayCalls struct {
	Date     time.Time
	Key      int64
	Endpoint string
	Calls    int64
}

// EventCount says how often something happened to a server on a UTC day.
type EventCount struct {
	Date  time.Time
	Slug  string
	Event Event
	N     int64
}

// CallCount says how often an account called an endpoint on a UTC day.
type CallCount struct {
	Account int64
	DayCalls
}

// Counts are a batch of what one process has counted. Storing the same batch
// again stores nothing.
type Counts struct {
	Process string
	Batch   int64 // 1, 2, 3, … of the process
	Events  []EventCount
	Calls   []CallCount
}
