package account

import "context"

// A Visitor is the sender of a request.
type Visitor struct {
	Client string // IPv4 address, or /64 network of an IPv6 address; "": unknown
	Device string // token of the cookie of a browser that was signed in; "": none
	Local  bool   // on this machine, and not behind a proxy
}

type visitorKey struct{}

// WithVisitor returns a context of a request of v.
func WithVisitor(ctx context.Context, v Visitor) context.Context {
	return context.WithValue(ctx, visitorKey{}, v)
}

// VisitorOf returns the visitor of ctx, the zero Visitor for work that no request causes.
func VisitorOf(ctx context.Context) Visitor {
	v, _ := ctx.Value(visitorKey{}).(Visitor)
	return v
}
