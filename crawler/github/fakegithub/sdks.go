package fakegithub

import (
	"strings"
	"time"
)

// sdks are the SDKs that the fixtures depend on, with the age of their versions in days.
// The version numbers are real, the ages are made up.
var sdks = map[string]map[string]int{
	"npm:@modelcontextprotocol/sdk": {"0.5.0": 690, "0.6.0": 660, "1.6.0": 520, "1.8.0": 470,
		"1.12.0": 330, "1.18.0": 170, "1.19.0": 130, "1.20.0": 95,
		"1.20.1": 88, "1.21.0": 50, "1.22.0": 16},
	"pypi:mcp": {"1.2.0": 560, "1.9.0": 300, "1.10.0": 260, "1.12.0": 220,
		"1.13.0": 160, "1.14.0": 120, "1.21.0": 40, "1.22.0": 13},
	"pypi:fastmcp": {"2.0.0": 380, "2.12.0": 120, "2.13.0": 35},
	"go:github.com/modelcontextprotocol/go-sdk":                 {"v1.0.0": 90, "v1.1.0": 22},
	"go:github.com/mark3labs/mcp-go":                            {"v0.41.0": 110, "v0.43.0": 24},
	"cargo:rmcp":                                                {"0.8.0": 75, "0.8.5": 20},
	"nuget:ModelContextProtocol":                                {"0.4.0-preview.3": 60},
	"maven:io.modelcontextprotocol:kotlin-sdk":                  {"0.7.2": 80, "0.8.0": 9},
	"maven:org.springframework.ai:spring-ai-starter-mcp-server": {"1.0.3": 70, "1.1.0": 19},
}

func (w *Server) publishSDKs() {
	for key, ages := range sdks {
		system, name, _ := strings.Cut(key, ":")
		p := pkg{System: system, Name: name, Repo: "-"}
		for number, days := range ages {
			p.Versions = append(p.Versions, version{Number: number, Age: age(days) * age(24*time.Hour)})
		}
		w.publish(p)
	}
}
