package manifest

import (
	"testing"
)

func TestParsePOM(t *testing.T) {
	p := must(t, ParsePOM, `<?xml version="1.0"?><project><parent><groupId>org.octo</groupId><artifactId>parent</artifactId><version>2</version></parent><artifactId>w</artifactId>
	<properties><mcp.version>0.11.0</mcp.version></properties><modules><module>a</module></modules>
	<dependencies><dependency><groupId>io.modelcontextprotocol.sdk</groupId><artifactId>mcp</artifactId><version>${mcp.version}</version></dependency></dependencies>
	<build><plugins><plugin><artifactId>maven-shade-plugin</artifactId><dependencies><dependency><groupId>x</groupId><artifactId>y</artifactId></dependency></dependencies></plugin></plugins></build></project>`)
	equal(t, &Package{Name: "w", Version: "2", Parent: "parent", Members: []string{"a"}, Plugins: []string{"maven-shade-plugin"}, Dependencies: []Dependency{{Name: "io.modelcontextprotocol.sdk:mcp", Version: "0.11.0"}}}, p)
}
