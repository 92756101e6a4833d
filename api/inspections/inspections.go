// Package inspections serves packages to inspectors, which run them in a sandbox, and
// takes their results. It is not part of the public API: see docs/operations.md.
package inspections

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"mcpcensus/internal/registry"
)

// Paths of the endpoints.
const (
	Prefix      = "/internal/inspect/"
	LeasePath   = Prefix + "lease"
	ResultsPath = Prefix + "results"
)

// MaxBody is the size of the largest request, in bytes.
const MaxBody = 16 << 20

// A Queue has the packages to inspect.
type Queue interface {
	Lease(ctx context.Context, registryTypes []string, n int) ([]registry.InspectionWork, error)
	Save(ctx context.Context, results []registry.InspectionResult) error
}

// A LeaseRequest is the body of a request for packages.
type LeaseRequest struct {
	RegistryTypes []string `json:"registryTypes"`
	Max           int      `json:"max"`
}

// A LeaseResponse has the leased packages.
type LeaseResponse struct {
	Packages []registry.InspectionWork `json:"packages"`
}

// A ResultsRequest is the body of a request that stores results.
type ResultsRequest struct {
	Results []registry.InspectionResult `json:"results"`
}

// Handler returns the handler of the endpoints. Requests need "Authorization: Bearer"
// with the key.
func Handler(queue Queue, key string, log *slog.Logger) http.Handler {
	h := &handler{queue, sha256.Sum256([]byte(key)), log}
	mux := http.NewServeMux()
	mux.Handle("POST "+LeasePath, h.serve(h.lease))
	mux.Handle("POST "+ResultsPath, h.serve(h.results))
	return mux
}

type handler struct {
	queue Queue
	key   [sha256.Size]byte
	log   *slog.Logger
}

// serve checks the key, and writes the response of do as JSON.
func (h *handler) serve(do func(*http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		sum := sha256.Sum256([]byte(sent))
		if subtle.ConstantTimeCompare(sum[:], h.key[:]) != 1 {
			http.Error(w, "wrong key", http.StatusUnauthorized)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
		body, err := do(r)
		switch {
		case errors.Is(err, registry.ErrInvalid):
			http.Error(w, err.Error(), http.StatusBadRequest)
		case err != nil:
			h.log.Error("request of an inspector failed", "path", r.URL.Path, "err", err)
			http.Error(w, "internal error", http.StatusInternalServerError)
		default:
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Cache-Control", "no-store")
			_ = json.NewEncoder(w).Encode(body) // the client has gone
		}
	})
}

func decode(r *http.Request, v any) error {
	if err := json.NewDecoder(r.Body).Decode(v); err != nil {
		return registry.Wrap(registry.ErrInvalid, err, "malformed body")
	}
	return nil
}

func (h *handler) lease(r *http.Request) (any, error) {
	var req LeaseRequest
	if err := decode(r, &req); err != nil {
		return nil, err
	}
	works, err := h.queue.Lease(r.Context(), req.RegistryTypes, req.Max)
	return LeaseResponse{works}, err
}

func (h *handler) results(r *http.Request) (any, error) {
	var req ResultsRequest
	if err := decode(r, &req); err != nil {
		return nil, err
	}
	return struct{}{}, h.queue.Save(r.Context(), req.Results)
}
