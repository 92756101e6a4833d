package mcp

// maxResult is the maximum size of a tool result in bytes: its structured content plus the
// same content as text.
const maxResult = 25_000

// room is the largest [sizeOf] of an output.
const room = maxResult - 600

// sizeOf returns the size of v in a result, in bytes: as JSON plus as JSON in a string.
func sizeOf(v any) int {
	b := encode(v)
	return len(b) + len(encode(string(b)))
}

// fit returns how many of the items fit into a result together with out, which lacks them.
func fit[T any](out any, items []T) int {
	used := sizeOf(out)
	for i := range items {
		if used += sizeOf(items[i]) + 2; used > room {
			return i
		}
	}
	return len(items)
}
