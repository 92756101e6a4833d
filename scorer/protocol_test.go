package scorer

import (
	"testing"

	"mcpcensus/internal/registry"
)

func TestProtocol(t *testing.T) {
	testChecks(t, []checkCase{
		{"sdk_currency", "an old SDK", func(f *registry.Facts) {
			f.SDK.UsedAt, f.SDK.LatestAt = ptr(testNow.AddDate(0, 0, -365)), ptr(testNow)
		}, StateOK, .4, "365 days behind"},
		{"sdk_currency", "no SDK", func(f *registry.Facts) {
			f.SDK, f.Detection.SDKPackage = nil, ""
		}, StateNA, 0, ""},
		{"sdk_currency", "an SDK nobody was asked about", func(f *registry.Facts) {
			f.SDK = nil
		}, StateUnknown, 0, ""},
		{"remote_liveness", "a remote nobody probed", func(f *registry.Facts) {
			f.Detection.Remotes = []registry.Remote{{Type: "sse"}}
		}, StateNA, 0, "not probed yet"},
	})
}
