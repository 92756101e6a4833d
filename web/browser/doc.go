// Package browser holds the tests that look at the pages with a real browser:
// every page by itself (pages_test.go), what people do over several pages
// (journeys_test.go), Lighthouse, and the pictures in docs/images. They run
// with "make test-browser", "make lighthouse" and "make screenshots", against
// a demo that they build and start.
package browser
