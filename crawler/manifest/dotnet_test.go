package manifest

import (
	"testing"
)

func TestParseCSProj(t *testing.T) {
	s := must(t, ParseCSProj, "\xEF\xBB\xBF<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><OutputType>Exe</OutputType><PackAsTool>true</PackAsTool><PackageId>Octo.Weather</PackageId><Version>1.0.1</Version></PropertyGroup><ItemGroup><PackageReference Include=\"ModelContextProtocol\" Version=\"0.4.0-preview.1\" /><PackageReference Include=\"X\"><Version>2</Version></PackageReference><ProjectReference Include=\"..\\Core\\Core.csproj\" /></ItemGroup></Project>")
	if !s.Application || !s.Tool || s.Name != "Octo.Weather" || s.Version != "1.0.1" {
		t.Errorf("csproj: %+v", s)
	}
	equal(t, []Dependency{{Name: "ModelContextProtocol", Version: "0.4.0-preview.1"}, {Name: "X", Version: "2"}}, s.Dependencies)
	equal(t, []string{"../Core/Core.csproj"}, s.Projects)
}
