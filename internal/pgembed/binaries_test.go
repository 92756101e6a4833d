//go:build unix

package pgembed

import (
	"os"
	"strings"
	"testing"
)

func TestDownloadedRelease(t *testing.T) {
	b, err := os.ReadFile("../../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	release := strings.TrimSuffix(string(downloaded), ".0")
	if !strings.Contains(string(b), "image: postgres:"+release+"-") {
		t.Errorf("docker-compose.yml pins another release than %s", downloaded)
	}
}
