package api

import (
	"reflect"
	"slices"
	"testing"
)

// TestMembersOfLists checks that the complete record has all members of those in lists: clients have one
// type for both.
func TestMembersOfLists(t *testing.T) {
	whole := Fields()
	for _, name := range membersOf(reflect.TypeFor[basicBody]()) {
		if !slices.Contains(whole, name) {
			t.Errorf("the complete record has no %s", name)
		}
	}
}
