package scorer

// A Point is one breakpoint of a [Curve]: at X the check is worth Y.
type Point struct{ X, Y float64 }

// A Curve maps a raw value to 0…1, linear between its points and flat beyond
// the first and the last. X rises from point to point.
type Curve []Point

// At returns the curve's value at x.
func (c Curve) At(x float64) float64 {
	if len(c) == 0 {
		return 0
	}
	if !(x > c[0].X) {
		return c[0].Y
	}
	for i := 1; i < len(c); i++ {
		if x <= c[i].X {
			a, b := c[i-1], c[i]
			return a.Y + (b.Y-a.Y)*(x-a.X)/(b.X-a.X)
		}
	}
	return c[len(c)-1].Y
}
