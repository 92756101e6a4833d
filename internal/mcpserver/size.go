package mcpserver

// MaxResult is the size of the largest result of a tool, in bytes: its structured content
// and the same as text.
const MaxResult = 25_000

// room is the largest [Size] of an output.
const room = MaxResult - 600

// Size returns the bytes that v takes in a result: as JSON, and as JSON in a text.
func Size(v any) int {
	b := encode(v)
	return len(b) + len(encode(string(b)))
}

// Fit returns how many of the items fit into a result together with out, which lacks them.
func Fit[T any](out any, items []T) int {
	used := Size(out)
	for i := range items {
		if used += Size(items[i]) + 2; used > room {
			return i
		}
	}
	return len(items)
}
