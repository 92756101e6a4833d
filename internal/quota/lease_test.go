package quota_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/quota"
)

func TestCountLease(t *testing.T) {
	const a, b = 1, 2
	var c quota.Count
	for i, tc := range []struct {
		process             int32
		limit, unused, want int
		lease               quota.Lease
	}{
		{a, 100, 0, 0, quota.Lease{}},                                              // returns nothing
		{a, 100, 0, 1, quota.Lease{Given: 12, Granted: 12}},                        // with a reserve
		{b, 100, 0, 30, quota.Lease{Given: 30, Granted: 42, Holders: 1}},           // more than a reserve
		{b, 100, 0, 60, quota.Lease{Given: 58, Granted: 100, Holders: 1}},          // what is left
		{b, 100, 0, 2, quota.Lease{Granted: 100, Holders: 1}},                      // nothing left, but a has some
		{a, 100, 11, 0, quota.Lease{Granted: 89}},                                  // which it returns
		{b, 100, 0, 2, quota.Lease{Given: 2, Granted: 91}},                         // no reserve
		{a, 100, 0, 20, quota.Lease{Given: 9, Granted: 100}},                       // the last
		{a, 100, 0, 20, quota.Lease{Granted: 100}},                                 // none
		{a, 1000, 0, 1, quota.Lease{Given: 100, Granted: 200}},                     // the limit was raised
		{b, 100, 0, 1, quota.Lease{Granted: 200, Holders: 1}},                      // and lowered
		{a, 100, 99, 1, quota.Lease{Granted: 101}},                                 // a returns its lease
		{b, 10_000, 0, 200, quota.Lease{Given: 200, Granted: 301}},                 // raised again
		{b, 10_000, 0, 1, quota.Lease{Given: 100, Granted: 401}},                   // the maximum reserve
		{a, 1401, 0, 1, quota.Lease{Given: 31, Granted: 432, Holders: 1}},          // a small one beside others
		{b, 10_000, 99, 5000, quota.Lease{Given: 5000, Granted: 5333, Holders: 1}}, // all that is wanted
	} {
		got := c.Lease(tc.process, quota.LeaseRequest{Limit: tc.limit, Unused: tc.unused, Want: tc.want})
		if diff := cmp.Diff(tc.lease, got); diff != "" {
			t.Errorf("step %d, -want +got:\n%s", i, diff)
		}
	}
}
