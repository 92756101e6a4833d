package mcpserver

// MaxResult is the maximum size of a tool result in bytes: its structured content plus the
// same content as text.
const MaxResult = 25_000

// room is the largest [Size] of an output.
const room = MaxResult - 600

// Size returns the size of v in a result, in bytes: as JSON plus as JSON in a string.
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
