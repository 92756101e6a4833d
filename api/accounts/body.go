package accounts

import (
	"context"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/page"
)

// maxBody is the maximum size of a request body, in bytes.
const maxBody = 16 << 10

// readBody reads the body of a request into v, as package page does.
func readBody(c *gin.Context, v any) error {
	var faults page.Faults
	if err := page.ReadBody(c.Writer, c.Request, maxBody, v, &faults); err != nil {
		return err
	}
	return faults.Err()
}

// withBody returns an action that reads the request's body first.
func withBody[B any](do func(ctx context.Context, c *gin.Context, b B) (any, error)) action {
	return func(ctx context.Context, c *gin.Context) (any, error) {
		var b B
		if err := readBody(c, &b); err != nil {
			return nil, err
		}
		return do(ctx, c, b)
	}
}

type passwordBody struct {
	Password string `query:"password"`
}

type emailBody struct {
	Email string `query:"email"`
}

type tokenBody struct {
	Token string `query:"token"`
}
