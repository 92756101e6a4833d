package manifest

import (
	"testing"
)

func TestParsePackageSwift(t *testing.T) {
	w := must(t, ParsePackageSwift, "let package = Package(\n name: \"Weather\",\n products: [.executable(name: \"weather\", targets: [\"W\"])],\n dependencies: [.package(url: \"https://github.com/modelcontextprotocol/swift-sdk.git\", from: \"0.9.0\")])")
	equal(t, &Package{Name: "Weather", Programs: map[string]string{"weather": ""}, Dependencies: []Dependency{{Name: "modelcontextprotocol/swift-sdk", Version: "0.9.0"}}}, w)
}

func TestParseRuby(t *testing.T) {
	r := must(t, ParseRuby, "Gem::Specification.new do |spec|\n  spec.name = \"weather\"\n  spec.license = 'MIT'\n  spec.add_dependency \"mcp\", \"~> 0.4\"\nend\n")
	equal(t, &Package{Name: "weather", License: "MIT", Dependencies: []Dependency{{Name: "mcp", Version: "~> 0.4"}}}, r)
}

func TestParseComposer(t *testing.T) {
	h := must(t, ParseComposer, `{"name": "octo/w", "require": {"php-mcp/server": "^3"}, "require-dev": {"phpunit/phpunit": "*"}, "bin": ["bin/w"]}`)
	equal(t, &Package{Name: "octo/w", Programs: map[string]string{"bin/w": ""}, Dependencies: []Dependency{{Name: "php-mcp/server", Version: "^3"}, {Name: "phpunit/phpunit", Version: "*", Dev: true}}}, h)
}
