package main

import (
	"bytes"
	"os"
	"runtime/debug"
	"testing"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

func TestWrite(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := write(&out, program); err != nil {
		t.Fatal(err)
	}
	bom := new(cyclonedx.BOM)
	if err := cyclonedx.NewBOMDecoder(&out, cyclonedx.BOMFileFormatJSON).Decode(bom); err != nil {
		t.Fatal(err)
	}
	info, _ := debug.ReadBuildInfo()
	found := map[string]bool{}
	for _, c := range *bom.Components {
		found[c.PackageURL] = true
	}
	for _, m := range info.Deps {
		if url := "pkg:golang/" + m.Path + "@" + m.Version; !found[url] {
			t.Errorf("no component %s", url)
		}
	}
	if len(found) != len(info.Deps)+1 || !found["pkg:golang/std@"+info.GoVersion] {
		t.Errorf("%d components for %d modules", len(found), len(info.Deps))
	}
	if err := write(&out, os.DevNull); err == nil {
		t.Error("no error for a file that is no program")
	}
}
