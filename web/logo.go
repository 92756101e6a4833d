package web

import (
	"mime"

	"mcpcensus/internal/export"
)

// A Logo is the brand's logo where the pages bring it along.
type Logo struct {
	Type string // "image/svg+xml"
	Body []byte
}

// logoKinds are the kinds of pictures that browsers show, with what their files
// are called.
var logoKinds = map[string]string{
	"image/svg+xml": ".svg", "image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/avif": ".avif",
	"image/x-icon": ".ico", "image/vnd.microsoft.icon": ".ico",
}

func (l *Logo) kind() string {
	kind, _, _ := mime.ParseMediaType(l.Type)
	return kind
}

// Known says whether browsers show pictures of this kind.
func (l *Logo) Known() bool { return logoKinds[l.kind()] != "" }

// name is that of its file: another one when it changes.
func (l *Logo) name() string {
	return "logo-" + export.Digest(string(l.Body))[:10] + logoKinds[l.kind()]
}
